# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mutated messages into single nodes, as other publishers may send: nothing that is not finite comes out.

The driver's side is in test_fuzz_nodes.
"""

import numpy as np
import pytest
from rclpy.serialization import deserialize_message
from ros.ros_bench import Motion, joint_state
from sensor_msgs.msg import JointState

from benchmarks.fuzz.joint_states import Stream
from pkm_identification.msg import ParameterEstimate, PlatformState, StrutStates
from pkm_identification.nodes.estimator import EstimatorNode
from pkm_identification.nodes.kinematics import KinematicsNode
from pkm_identification.nodes.simulator import SimulatorNode
from pkm_identification.ros.messages.convert import doubles

COUNT = 3000
NUMBERS = [0.0, -1.0, 1e-320, 1e308, -1e308, 5.0, float("nan"), float("inf"), -float("inf")]


class Sink:
    """Stands for a publisher; checks the numbers of what it is given, as bytes of a type or as messages."""

    def __init__(self, raw=None):
        self.count = 0
        self._raw = raw

    def publish(self, message):
        self.count += 1
        if self._raw is not None:
            message = deserialize_message(message, self._raw)
        for values in numbers_of(message):
            assert np.isfinite(values).all(), message


def numbers_of(message):
    if isinstance(message, StrutStates):
        return [message.coordinate, message.rate, message.acceleration, message.force, [message.delay]]
    if isinstance(message, PlatformState):
        places = [message.pose.position, message.twist.linear, message.twist.angular]
        places += [message.accel.linear, message.accel.angular]
        turn = message.pose.orientation
        scalars = [message.residual, message.condition, turn.x, turn.y, turn.z, turn.w]
        return [[place.x, place.y, place.z] for place in places] + [
            message.coordinate,
            message.state,
            message.force,
            scalars,
        ]
    if isinstance(message, ParameterEstimate):
        return [message.values, message.std, message.covariance, [message.nis]]
    return [list(message.position), list(message.effort)]


def break_stamp(rng, stamp):
    stamp.sec = int(rng.choice([0, -1, -(2**31), 2**31 - 1, 1000, 999, 5000]))
    stamp.nanosec = int(rng.choice([0, 1, 999_999_999, 2**32 - 1]))


def test_kinematics(bench):
    node = bench.start(KinematicsNode)
    node.states.publisher = Sink(PlatformState)
    rng = np.random.default_rng(2)
    motion = Motion(COUNT)
    for time, length in zip(motion.time, motion.length):
        still = doubles(np.zeros(len(length)))
        message = StrutStates(
            coordinate=doubles(length),
            rate=still,
            acceleration=still,
            force=still,
            segment=int(rng.integers(3)),
        )
        message.header.stamp = joint_state(time, length).header.stamp
        if rng.random() < 0.2:
            field = str(rng.choice(["coordinate", "rate", "acceleration", "force", "stamp"]))
            if field == "stamp":
                break_stamp(rng, message.header.stamp)
            else:
                values = np.array(getattr(message, field))
                values[rng.integers(6)] = rng.choice(NUMBERS)
                setattr(message, field, doubles(values))
                message.force_valid = bool(rng.integers(2))
        with np.errstate(all="ignore"):
            node.take(message)
    assert node.states.publisher.count > 0.5 * COUNT


def test_estimator(bench, tmp_path):
    node = bench.start(EstimatorNode, save_folder=str(tmp_path))
    node.output.estimates = Sink()
    rng = np.random.default_rng(3)
    motion = Motion(COUNT)
    home = node.machine.description.home_position.tolist()
    for k, time in enumerate(motion.time):
        message = PlatformState(has_pose=True, force=motion.force[k].tolist(), force_valid=True, segment=0)
        message.header.stamp = joint_state(time, motion.length[k]).header.stamp
        position, turn = message.pose.position, message.pose.orientation
        position.x, position.y, position.z = home
        turn.w = 1.0
        if rng.random() < 0.01:
            target = rng.choice([position, turn, message.twist.linear, message.accel.angular])
            target.x = float(rng.choice(NUMBERS))
        if rng.random() < 0.01:
            break_stamp(rng, message.header.stamp)
        if rng.random() < 0.01:
            message.status = int(rng.integers(256))
        with np.errstate(all="ignore"):
            node.take(message)
            if k % 100 == 0:
                node.publish_latest()


@pytest.mark.parametrize(
    ("node_class", "reason"), [(KinematicsNode, "bad_message"), (EstimatorNode, "bad_pose")]
)
def test_bytes_that_are_no_message_are_counted_and_dropped(bench, node_class, reason):
    node = bench.start(node_class)
    for data in (b"", b"\x00\x01\x00\x00", b"\x00\x01" + bytes(40), b"\x00\x01" + b"\xff" * 400):
        node.take(data)
    assert node.health.counts[reason] == 4


@pytest.mark.slow
def test_simulator(bench):
    messages = bench.collect(JointState, "strut_states")
    node = bench.start(SimulatorNode, trajectory="none")
    stream = Stream(4)
    home = node.simulator.truth.length
    for k in range(300):
        node.take_command(stream.mutated(joint_state(1000.0, home, np.zeros(6))))
        if k % 10 == 0:
            bench.spin(0.01)
    bench.wait(lambda: len(messages) > 200, "samples")
    low, high = node.machine.description.length_limits
    lengths = np.array([message.position for message in messages])
    assert np.isfinite([message.effort for message in messages]).all()
    assert ((lengths > low) & (lengths < high)).all()
    assert node.health.counts["command_refused"] > 100
