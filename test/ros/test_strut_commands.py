# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Commands for ros2_control's controllers: bare numbers, in the struts' order, while somebody listens."""

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from ros.rigs import FilterRig, assert_equal, expected
from ros.ros_bench import Motion, joint_state
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from pkm_identification.nodes.controller import ControllerNode
from pkm_identification.nodes.kinematics import KinematicsNode
from pkm_identification.ros.messages.convert import fill_pose
from pkm_identification.ros.qos import COMMANDS

OTHERS = ("gripper", "table")


def names(order):
    return [f"strut_{i + 1}" for i in order]


def test_target_poses_feed_a_position_controller(bench):
    bench.start(KinematicsNode)
    positions = bench.collect(Float64MultiArray, "strut_commands/positions", COMMANDS)
    efforts = bench.collect(Float64MultiArray, "strut_commands/efforts", COMMANDS)
    bench.connected("strut_commands/positions")
    targets = bench.publisher(PoseStamped, "target_pose", COMMANDS)
    motion, target = Motion(50), PoseStamped()
    fill_pose(target.pose, motion.position[40], motion.rotation[40])
    targets.publish(target)
    bench.wait(lambda: positions, "positions")
    np.testing.assert_allclose(positions[0].data, motion.length[40], atol=1e-12)
    assert not positions[0].layout.dim
    assert not efforts


@pytest.mark.parametrize("listener", [True, False])
def test_the_controller_feeds_an_effort_controller(bench, listener):
    bench.start(ControllerNode)
    commands = bench.collect(JointState, "strut_commands", COMMANDS)
    efforts = bench.collect(Float64MultiArray, "strut_commands/efforts", COMMANDS) if listener else []
    bench.connected("strut_commands")
    if listener:
        bench.connected("strut_commands/efforts")
    driver = bench.publisher(JointState, "strut_states")
    length = Motion(1).length[0]
    time = 1000.0
    while len(commands) < 5 or len(efforts) < (5 if listener else 0):
        driver.publish(joint_state(time, length))
        time += 1e-3
        bench.spin(0.01)
        assert time < 1002.0, "commands"
    if listener:
        np.testing.assert_array_equal(efforts[0].data, commands[0].effort)
    else:
        assert len(commands[0].effort) == 6


def broadcast(motion, k, effort=True):
    """As joint_state_broadcaster sends it: its own order, other joints, velocities, NaN where there is no interface."""
    order = (3, 0, 5, 1, 4, 2)
    message = joint_state(motion.time[k], motion.length[k][list(order)], names=names(order))
    message.velocity = [0.0] * 6
    if effort:
        message.effort = motion.force[k][list(order)].tolist()
    else:
        message.effort = [float("nan")] * 6
    for name in OTHERS:
        message.name.append(name)
        for numbers, value in (
            (message.position, 7.0),
            (message.velocity, 0.1),
            (message.effort, float("nan")),
        ):
            numbers.append(value)
    return message


@pytest.mark.parametrize("effort", [True, False])
def test_a_joint_state_broadcaster_drives_the_pipeline_unchanged(bench, effort):
    rig, motion = FilterRig(bench), Motion(300)
    rig.feed([broadcast(motion, k, effort) for k in range(300)])
    samples = expected(motion, force=effort)
    assert_equal(rig.settle(len(samples)), samples)
