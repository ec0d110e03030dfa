# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An emergency stop over topics: the place is held while lengths come; without them the weight alone goes out."""

from __future__ import annotations

import numpy as np
import pytest
from ros.controlled_machine import ControlledMachine, goal, slow_machine
from ros.ros_bench import Bench
from sensor_msgs.msg import JointState

from pkm_identification.action import ExecuteTrajectory
from pkm_identification.ros.qos import COMMANDS

Result = ExecuteTrajectory.Result
LOAD = 60.0  # kg; four struts' Coulomb friction carries some 20 kg, and the controller does not know of any


def loaded(bench: Bench, tmp_path, **parameters) -> ControlledMachine:
    """In the middle of a motion, with a load."""
    simulator = {"payload": f"0.0,{LOAD}"}
    made = ControlledMachine(bench, slow_machine(tmp_path), simulator, tracking_limit=0.05, **parameters)
    made.motion = made.send(goal(made.pose(4.0, (0.04, 0.0, -0.01))))
    bench.wait(lambda: len(made.motion.feedback) > 20, "the motion to be on its way")
    return made


def later(bench: Bench, made: ControlledMachine, samples: int) -> np.ndarray:
    """Lengths so many samples later."""
    goal = made.simulator.values()["samples"] + samples
    bench.wait(lambda: made.simulator.values()["samples"] >= goal, f"{samples} samples")
    return made.simulator.simulator.truth.length


@pytest.mark.slow
@pytest.mark.parametrize("cause", ["operator", "tracking"])
def test_the_place_reached_is_held(bench: Bench, tmp_path, cause):
    made = loaded(bench, tmp_path)
    place = made.simulator.simulator.truth.length
    if cause == "operator":
        assert bench.trigger("controller/stop").success
    else:
        made.controller.controller.emergency("tracking", "made for the test")
    code = made.motion.result().result.error_code
    assert code == (Result.STOPPED if cause == "operator" else Result.PATH_TOLERANCE_VIOLATED)
    place = later(bench, made, 300)
    assert made.controller.controller.state == "emergency"
    np.testing.assert_allclose(later(bench, made, 400), place, atol=2e-5)
    assert bench.trigger("controller/reset").success
    bench.wait(lambda: made.controller.controller.state == "holding", "control again")
    np.testing.assert_allclose(later(bench, made, 200), place, atol=1e-3)


@pytest.mark.slow
def test_when_lengths_stop_the_weight_alone_goes_out(bench: Bench, tmp_path):
    made = loaded(bench, tmp_path)
    commands = bench.collect(JointState, "strut_commands", COMMANDS)
    assert bench.trigger("controller/stop").success
    later(bench, made, 300)
    held = np.array(commands[-1].effort)
    made.simulator.trigger_deactivate()
    controller = made.controller.controller
    bench.wait(lambda: controller.stop.holding is None, "the loss of the lengths to be noticed")
    count = len(commands)
    bench.wait(lambda: len(commands) > count + 3, "the safe command, again and again")
    alone = np.array(commands[-1].effort)
    # of the load a sixth at least was in every pair of struts
    assert np.linalg.norm(held - alone) > 0.1 * LOAD * 9.81
    assert "strut_states: no good sample" in made.controller.health.statuses()[0].message
    np.testing.assert_allclose(commands[-2].effort, alone, atol=0.0)


def test_there_is_nothing_to_stop_before_there_is_a_machine(bench: Bench):
    from pkm_identification.nodes.controller import ControllerNode

    bench.start(ControllerNode)
    answer = bench.trigger("controller/stop")
    assert not answer.success
    assert "nothing to stop" in answer.message
