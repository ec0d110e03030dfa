"""replay.launch.py: a bag in, and the nodes end when it does."""

import tempfile
import unittest
from pathlib import Path

import launch_testing
import pytest
from ament_index_python.packages import get_package_share_directory
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_testing.actions import ReadyToTest

from launch import LaunchDescription
from pkm_identification.machine import Machine
from pkm_identification.records import write_log
from pkm_identification.simulation import simulate

NODES = ("strut_filter", "kinematics", "estimator", "player")


@pytest.mark.launch_test
def generate_test_description():
    bag = Path(tempfile.mkdtemp()) / "bag"
    write_log(bag, simulate(Machine.load("hexel"), "x", 2.0).log())
    path = f"{get_package_share_directory('pkm_identification')}/launch/replay.launch.py"
    arguments = {"bag": str(bag), "machine": "hexel", "use_sim_time": "true", "shutdown_at_end": "true"}
    included = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(path), launch_arguments=arguments.items()
    )
    return LaunchDescription([included, ReadyToTest()])


class TestWhileRunning(unittest.TestCase):
    def test_everything_ends_with_the_bag(self, proc_info):
        for name in NODES:
            proc_info.assertWaitForShutdown(process=name, timeout=240)


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    def test_every_node_ended_with_code_0(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)

    def test_the_bag_was_played_and_nothing_failed(self, proc_output):
        text = "".join(str(line.text) for line in proc_output)
        assert "messages played" in text
        assert "Traceback" not in text
