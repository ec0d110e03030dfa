# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""simulate.launch.py under a namespace: an estimate arrives, and every node ends in order when told to."""

import unittest

import launch_testing
import pytest
import rclpy
from ament_index_python.packages import get_package_share_directory
from launch.actions import IncludeLaunchDescription, SetLaunchConfiguration
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_testing.actions import ReadyToTest
from rclpy.qos import DurabilityPolicy, QoSProfile

from launch import LaunchDescription
from pkm_identification.msg import ParameterEstimate

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
ARGUMENTS = {"namespace": "cell_2", "perturbation": "0.1"}


@pytest.mark.launch_test
def generate_test_description():
    path = f"{get_package_share_directory('pkm_identification')}/launch/simulate.launch.py"
    included = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(path), launch_arguments=ARGUMENTS.items()
    )
    # a busy computer takes its time to end four nodes
    patience = [SetLaunchConfiguration(f"{signal}_timeout", "60") for signal in ("sigterm", "sigkill")]
    return LaunchDescription([*patience, included, ReadyToTest()])


class TestWhileRunning(unittest.TestCase):
    def test_an_estimate_arrives_under_the_namespace(self):
        rclpy.init()
        try:
            node = rclpy.create_node("listener")
            received = []
            node.create_subscription(
                ParameterEstimate, "/cell_2/parameter_estimate", received.append, LATCHED
            )
            # the first start compiles the kernels
            end = node.get_clock().now().nanoseconds + 600 * 10**9
            while not received and node.get_clock().now().nanoseconds < end:
                rclpy.spin_once(node, timeout_sec=0.1)
            assert received, "no estimate within 600 s"
            assert received[0].machine == "uf"
        finally:
            rclpy.try_shutdown()


@launch_testing.post_shutdown_test()
class TestAfterwards(unittest.TestCase):
    def test_every_node_ended_with_code_0(self, proc_info):
        launch_testing.asserts.assertExitCodes(proc_info)

    def test_no_node_left_a_traceback(self, proc_output):
        text = "".join(str(line.text) for line in proc_output)
        assert "Traceback" not in text
