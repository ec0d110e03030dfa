# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""kinematics: poses of moving struts, targets to commands, and services."""

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from ros.rigs import KinematicsRig, motion_messages, strut_samples
from ros.ros_bench import Motion
from sensor_msgs.msg import JointState

from pkm_identification.mechanisms.hexapod.kinematics.tracker import PlatformTracker
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUT_NAMES
from pkm_identification.nodes.kinematics import KinematicsNode
from pkm_identification.numerics.rotation import matrix_from_quaternion
from pkm_identification.ros.messages.convert import fill_pose, pose_of
from pkm_identification.srv import SolveForward, SolveInverse


@pytest.fixture
def rig(bench):
    return KinematicsRig(bench)


def test_the_node_gives_exactly_what_the_tracker_gives(rig):
    samples = strut_samples(Motion(200))
    rig.feed(samples)
    tracker = PlatformTracker(rig.node.machine.description)
    for message, sample in zip(rig.states, samples):
        expected, (found, delay) = tracker.step(sample), motion_messages()[0].read(message)
        assert message.header.frame_id == "base"
        assert message.names == list(STRUT_NAMES)
        assert found.time == expected.time
        position, rotation = pose_of(message.pose)
        np.testing.assert_array_equal(position, expected.position)
        np.testing.assert_allclose(rotation, expected.rotation, atol=1e-15)
        twist, accel = ([part.x, part.y, part.z] for part in (message.twist.linear, message.accel.angular))
        np.testing.assert_array_equal(twist, expected.twist[:3])
        np.testing.assert_array_equal(accel, expected.acceleration[3:])
        state = (expected.position, expected.rotation.ravel(), expected.twist, expected.acceleration)
        np.testing.assert_array_equal(found.state, np.concatenate(state))
        for one, own in zip(found[1:5], sample[1:5], strict=True):
            np.testing.assert_array_equal(one, own)
        assert (found.status, found.segment, message.iterations) == (0, 3, expected.iterations)
        assert delay == 0.028


def test_poses_are_those_the_lengths_were_made_from(rig):
    motion = Motion(100)
    rig.feed(strut_samples(motion))
    found = [pose_of(message.pose) for message in rig.states]
    np.testing.assert_allclose([position for position, _ in found], motion.position, atol=1e-11)
    np.testing.assert_allclose([rotation for _, rotation in found], motion.rotation, atol=1e-10)


def test_pose_and_markers_come_at_their_own_rates(bench, rig):
    rig.feed(strut_samples(Motion(1000)))
    bench.wait(lambda: len(rig.poses) >= 100 and len(rig.markers) >= 20, "poses and markers")
    assert len(rig.poses) == 100
    assert len(rig.markers) == 20
    base, struts, platform = rig.markers[-1].markers
    assert len(struts.points) == 12
    assert len(base.points) == len(platform.points) == 12
    pose = next(p for p in rig.poses if p.header.stamp == rig.markers[-1].markers[0].header.stamp)
    tips = np.array([[p.x, p.y, p.z] for p in struts.points[1::2]])
    q = pose.pose.orientation
    joints = rig.node.machine.description.platform_joints @ matrix_from_quaternion([q.x, q.y, q.z, q.w]).T
    place = np.array([pose.pose.position.x, pose.pose.position.y, pose.pose.position.z])
    np.testing.assert_allclose(tips, place + joints, atol=1e-12)


def target(position, rotation, frame="base"):
    message = PoseStamped()
    message.header.frame_id = frame
    fill_pose(message.pose, position, rotation)
    return message


def test_a_target_pose_becomes_strut_commands(bench, rig):
    commands = bench.collect(JointState, "strut_commands")
    targets = bench.publisher(PoseStamped, "target_pose")
    bench.connected("strut_commands")
    motion = Motion(50)
    targets.publish(target(motion.position[40], motion.rotation[40]))
    bench.wait(lambda: commands, "a command")
    assert list(commands[0].name) == [f"strut_{i}" for i in range(1, 7)]
    np.testing.assert_allclose(commands[0].position, motion.length[40], atol=1e-12)


@pytest.mark.parametrize(
    ("position", "frame", "text"),
    [
        ([0.0, 0.0, 3.0], "base", "outside the limits"),
        ([0.0, float("nan"), 0.0], "base", "is not finite"),
        (None, "map", "is in frame 'map', expected 'base'"),
    ],
)
def test_a_target_that_cannot_be_is_refused_with_the_reason(bench, rig, position, frame, text):
    statuses = bench.diagnostics()
    commands = bench.collect(JointState, "strut_commands")
    targets = bench.publisher(PoseStamped, "target_pose")
    machine = rig.node.machine.description
    place = machine.home_position if position is None else np.array(position)
    targets.publish(target(place, machine.home_rotation, frame))
    bench.wait(lambda: any(text in s.message for a in statuses for s in a.status), text)
    assert not commands


def test_services_solve_both_ways(bench, rig):
    motion = Motion(30)
    inverse = SolveInverse.Request()
    fill_pose(inverse.pose, motion.position[20], motion.rotation[20])
    lengths = bench.call(SolveInverse, "/solve_inverse", inverse)
    assert lengths.success
    np.testing.assert_allclose(lengths.coordinate, motion.length[20], atol=1e-12)
    pose = bench.call(SolveForward, "/solve_forward", SolveForward.Request(coordinate=lengths.coordinate))
    assert pose.success
    assert pose.message == "ok"
    place = pose.pose.position
    np.testing.assert_allclose([place.x, place.y, place.z], motion.position[20], atol=1e-11)
    assert pose.residual < 1e-10


def test_services_refuse_with_the_reason(bench, rig):
    answer = bench.call(SolveForward, "/solve_forward", SolveForward.Request(coordinate=[0.01] * 6))
    assert not answer.success
    assert "no pose has" in answer.message
    assert np.isfinite([answer.residual, answer.condition]).all()
    answer = bench.call(SolveForward, "/solve_forward", SolveForward.Request(coordinate=[np.nan] * 6))
    assert not answer.success
    far = SolveInverse.Request()
    far.pose.position.z = 5.0
    far.pose.orientation.w = 1.0
    answer = bench.call(SolveInverse, "/solve_inverse", far)
    assert not answer.success
    assert "strut_1" in answer.message
    answer = bench.call(SolveInverse, "/solve_inverse", SolveInverse.Request(pose=zero_quaternion(far.pose)))
    assert not answer.success
    assert "quaternion" in answer.message


def zero_quaternion(pose):
    pose.orientation.w = 0.0
    return pose


def test_reset_answers(bench, rig):
    rig.feed(strut_samples(Motion(50)))
    assert bench.trigger("/kinematics/reset").success


def test_everything_moves_with_the_namespace(bench):
    node = bench.start(KinematicsNode, cli_args=["--ros-args", "-r", "__ns:=/left"])
    for topic in ("strut_states/filtered", "platform_state", "platform_pose", "strut_commands", "markers"):
        bench.wait(
            lambda topic=topic: (
                bench.node.count_publishers(f"/left/{topic}") + bench.node.count_subscribers(f"/left/{topic}")
            ),
            f"/left/{topic}",
        )
    assert node.get_namespace() == "/left"


def test_a_machine_file_can_be_given(bench, tmp_path):
    import yaml

    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump({**Machine.load("hexel").document, "name": "mine"}))
    assert bench.start(KinematicsNode, machine=str(path)).machine.name == "mine"
