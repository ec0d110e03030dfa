# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""shutdown_at_end: everything ends in order, by itself, when the trajectory or the recording is over.

launch_testing has no place for a launch that ends while a test still waits for it, so launch runs here directly.
"""

import pytest
from ament_index_python.packages import get_package_share_directory
from launch.actions import (
    IncludeLaunchDescription,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
    TimerAction,
)
from launch.event_handlers import OnProcessExit, OnProcessIO
from launch.launch_description_sources import PythonLaunchDescriptionSource

from launch import LaunchDescription, LaunchService
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.records.log import write_log
from pkm_identification.simulation.simulator import simulate

CHAIN = {"strut_filter", "kinematics", "estimator"}
DEADLINE = 600.0  # s; the first start compiles the kernels


def run_to_the_end(name, arguments):
    """Exit codes by node, and all that was written, of a launch that nobody interrupts before the deadline."""
    codes, written, late = {}, [], []

    def write(event):
        written.append(event.text.decode(errors="replace"))

    def end(event, _):
        codes[event.process_name.rpartition("-")[0]] = event.returncode

    def give_up(_):
        late.append(True)
        return [Shutdown(reason=f"not over after {DEADLINE:g} s")]

    path = f"{get_package_share_directory('pkm_identification')}/launch/{name}.launch.py"
    service = LaunchService()
    service.include_launch_description(
        LaunchDescription(
            [
                RegisterEventHandler(OnProcessExit(on_exit=end)),
                RegisterEventHandler(OnProcessIO(on_stdout=write, on_stderr=write)),
                TimerAction(period=DEADLINE, actions=[OpaqueFunction(function=give_up)]),
                IncludeLaunchDescription(
                    PythonLaunchDescriptionSource(path), launch_arguments=arguments.items()
                ),
            ]
        )
    )
    assert service.run() == 0
    text = "".join(written)
    assert not late, f"not over after {DEADLINE:g} s:\n{text}"
    return codes, text


def test_simulation_ends_with_the_trajectory():
    arguments = {"namespace": "cell_3", "duration": "3.0", "shutdown_at_end": "true"}
    codes, text = run_to_the_end("simulate", arguments)
    assert codes == dict.fromkeys([*CHAIN, "simulator"], 0)
    assert "simulated" in text
    assert "Traceback" not in text


@pytest.mark.parametrize("use_sim_time", ["true", "false"])
def test_replay_ends_with_the_recording(tmp_path, use_sim_time):
    bag = tmp_path / "bag"
    write_log(bag, simulate(Machine.load("hexel"), "x", 2.0).log())
    arguments = {
        "bag": str(bag),
        "machine": "hexel",
        "use_sim_time": use_sim_time,
        "shutdown_at_end": "true",
    }
    codes, text = run_to_the_end("replay", arguments)
    assert codes == dict.fromkeys([*CHAIN, "player"], 0)
    assert "messages played" in text
    assert "Traceback" not in text
