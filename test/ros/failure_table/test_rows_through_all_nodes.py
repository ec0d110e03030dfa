# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Failure table, rows 12, 13 and 17 from the driver's side: what joint states alone can do to poses and estimates."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import yaml
from core.mechanisms.hexapod.machine_variants import changed
from diagnostic_msgs.msg import DiagnosticStatus
from ros.domains import DOMAIN
from ros.rigs import StreamRig, status_with, values_of
from ros.ros_bench import StreamBench, joint_state
from sensor_msgs.msg import JointState

from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion
from pkm_identification.msg import ParameterEstimate, PlatformState
from pkm_identification.nodes.estimator import EstimatorNode
from pkm_identification.nodes.kinematics import KinematicsNode
from pkm_identification.nodes.strut_filter import StrutFilterNode
from pkm_identification.numerics.rotation import matrix_from_quaternion, matrix_from_vector
from pkm_identification.ros.qos import LATCHED

RATE = 250.0


class Free:
    """The three nodes for a uf without end stops and without motors: nothing but its joint states is known."""

    def __init__(self, bench: StreamBench, folder) -> None:
        document = changed("uf", name="free", geometry__length_limits=[0.05, 1.5])
        document["drive"] = {"sample_rate": RATE}
        path = folder / "free.yaml"
        path.write_text(yaml.safe_dump(document), encoding="utf-8")
        self.bench, self.machine = bench, Machine.load(path)
        self.states = bench.collect(PlatformState, "platform_state")
        self.estimates = bench.collect(ParameterEstimate, "parameter_estimate", LATCHED)
        self.statuses = bench.diagnostics()
        self.nodes = [
            bench.start(kind, machine=str(path)) for kind in (StrutFilterNode, KinematicsNode, EstimatorNode)
        ]
        self.driver = bench.publisher(JointState, "strut_states")
        for topic in ("strut_states/filtered", "platform_state", "parameter_estimate"):
            bench.connected(topic)

    def feed(self, begin, length, force):
        """Samples from a stamp on, through all nodes."""
        strut_filter, kinematics, estimator = self.nodes
        for start in range(0, len(length), 100):
            goal = strut_filter.taken + len(length[start : start + 100])
            for k in range(start, min(start + 100, len(length))):
                self.driver.publish(joint_state(begin + k / RATE, length[k], force[k]))
            self.bench.wait(lambda goal=goal: strut_filter.taken >= goal, "strut_filter")
            self.bench.wait(
                lambda: estimator.taken >= kinematics.taken >= strut_filter.passed, "kinematics and estimator"
            )

    def all_states(self):
        """The states since the reset, all of them."""
        kinematics = self.nodes[1]
        self.bench.wait(lambda: len(self.states) >= kinematics.taken - self.before, "the states")
        return self.states

    def turned(self, angles):
        """Lengths with the platform turned about its normal, and forces that carry it."""
        rotation = matrix_from_vector(np.outer(angles, [0, 0, 1])) @ self.machine.home_rotation
        position = np.tile(self.machine.home_position, (len(angles), 1))
        still = np.zeros((len(angles), 6))
        motion = PlatformMotion(np.arange(len(angles)) / RATE, position, rotation, still, still)
        force = np.nan_to_num(strut_forces(self.machine, motion)).clip(-1e5, 1e5)
        return strut_lengths(self.machine, position, rotation), force

    def side(self, states):
        """Sign of the Jacobian's determinant in poses: it changes from one assembly mode to the next."""
        pose = [s.pose for s in states]
        position = np.array([[p.position.x, p.position.y, p.position.z] for p in pose])
        turn = np.array([[p.orientation.x, p.orientation.y, p.orientation.z, p.orientation.w] for p in pose])
        return np.sign(np.linalg.det(jacobian(self.machine, position, matrix_from_quaternion(turn))))

    def reset(self):
        for node in ("strut_filter", "kinematics", "estimator"):
            assert self.bench.trigger(f"/{node}/reset").success
        for messages in (self.states, self.estimates, self.statuses):
            messages.clear()
        self.before = self.nodes[1].taken


@pytest.fixture(scope="module")
def free(tmp_path_factory):
    with StreamBench(DOMAIN) as bench:
        yield Free(bench, tmp_path_factory.mktemp("free"))


def test_row_13_poses_near_a_singularity_are_marked_and_not_learned_from(free):
    """Turned by 100 degrees and back: DEGRADED around 90 degrees, WARN, skipped by the estimator; OK afterwards.

    Hexapods.
    """
    free.reset()
    angles = np.radians(50.0) * (1.0 - np.cos(np.linspace(0.0, 2.0 * np.pi, 500)))
    free.feed(100.0, *free.turned(angles))
    found = np.array([state.status for state in free.all_states()])
    degraded = np.flatnonzero(found == PlatformState.DEGRADED)
    assert degraded.size > 5
    assert not (found == PlatformState.FAILED).any()
    assert set(found[-50:]) == {PlatformState.OK}
    # at two places on the way: there and back
    assert np.count_nonzero(np.diff(degraded) > 1) == 1
    status = status_with(free.bench, free.statuses, "near a singular")
    assert (status.level, status.name) == (DiagnosticStatus.WARN, "kinematics: pose")
    assert free.nodes[2].estimator.counts["skipped_status"] == degraded.size


def test_row_12_a_jump_behind_the_singularity_gives_no_pose_of_that_mode(free):
    """The stream pauses and comes back with a machine that was put into another assembly mode.

    What is published is a pose of home's mode with these lengths, or none; and home again is home. Hexapods.
    """
    free.reset()
    home = free.turned(np.zeros(100))
    beyond = free.turned(np.full(100, np.radians(100.0)))
    free.feed(200.0, *home)
    count = len(free.all_states())
    free.feed(201.0, *beyond)
    free.feed(202.0, *home)
    own = free.side(free.all_states()[:1])[0]
    posed = [state for state in free.states if state.status != PlatformState.FAILED]
    assert (free.side(posed) == own).all()
    assert len(free.states) > count
    last = free.states[-1]
    assert last.status == PlatformState.OK
    assert abs(last.pose.orientation.z) < 1e-6


@pytest.mark.slow
def test_row_17_forces_no_strut_can_have_reach_no_covariance(bench):
    """1e160 N, whose square is no number, on a machine whose limits nobody stated.

    Dropped and counted, the estimate stays finite and goes on; the same straight into the estimator, by the publisher
    of platform states that it listens to.
    """
    rig = StreamRig(bench, machine="mast", publish_rate=50.0)

    def lose_all_measure(time, length, force):
        force[700:740] *= np.repeat([1e10, 1e100, 1e154, 1e160], 10)[:, None]

    rig.feed(rig.motion(300.0, 4.0, lose_all_measure))
    status = status_with(bench, rig.statuses, "is beyond 1e+09 N")
    assert int(values_of(status)["spike"]) >= 1
    assert rig.filter.stage.counts["spike"] >= 40
    (source,) = (one for one in rig.kinematics.publishers if one.topic_name.endswith("/platform_state"))
    before = rig.estimator.estimator.estimate.count
    bench.wait(lambda: len(rig.states) >= rig.kinematics.taken, "the states")
    state = copy.deepcopy(rig.states[-1])
    state.force = [1e150] * 3
    for k in range(40):
        state.header.stamp.sec, state.header.stamp.nanosec = 305, 4_000_000 * k
        source.publish(state)
    assert status_with(bench, rig.statuses, "a force of 1e+150 N").name == "estimator: estimate"
    rig.feed(rig.motion(310.0, 2.0))
    assert rig.estimator.estimator.estimate.count > before
    assert rig.estimates
    for message in rig.estimates:
        assert np.isfinite([*message.values, *message.std, *message.covariance]).all()
        assert (
            np.abs(np.array(message.values) / rig.estimator.estimator.prior.std[: len(message.values)]).max()
            < 1e3
        )
