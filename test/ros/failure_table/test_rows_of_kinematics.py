# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Failure table, rows 11 to 13: lengths that fit no pose, another assembly mode, singular poses."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from ros.rigs import KinematicsRig, motion_messages, status_with, strut_samples, values_of
from ros.ros_bench import DriveMotion, Motion

from pkm_identification.machines.contract import DEGRADED, FAILED, OK, OTHER_MODE
from pkm_identification.machines.load import load_machine
from pkm_identification.motion import DriveSample
from pkm_identification.msg import PlatformState
from pkm_identification.nodes.estimator import EstimatorNode
from pkm_identification.ros.clock import seconds

IMPOSSIBLE = np.array([0.55, 0.3, 0.55, 0.3, 0.55, 0.01])


@pytest.fixture
def rig(bench):
    """Kinematics with an estimator behind it, which must not use what is no pose, and a TF listener."""
    made = KinematicsRig(bench)
    made.estimator = bench.start(EstimatorNode)
    bench.connected("platform_state", subscribers=2)
    made.sent = []
    made.node.display.transforms = SimpleNamespace(
        heard=True, send=lambda stamp, pose: made.sent.append(seconds(stamp))
    )
    return made


def skipped(bench, rig, count):
    """Wait until the estimator has skipped so many samples, and no more."""
    bench.wait(lambda: rig.estimator.taken == len(rig.states), "the estimator")
    assert rig.estimator.estimator.counts["skipped_status"] == count


def assert_finite(states, machine="uf"):
    for message in states:
        found, _ = motion_messages(machine)[0].read(message)
        numbers = [*found.state, *found.coordinate, message.residual, message.condition]
        assert np.isfinite(numbers).all()


def test_row_11_lengths_that_fit_no_pose_give_a_status_but_no_pose_and_no_tf(bench, rig):
    """Hexapods."""
    statuses = bench.diagnostics()
    samples = strut_samples(Motion(300))
    broken = [DriveSample(s.time, IMPOSSIBLE, *[np.zeros(6)] * 2, s.force, 3) for s in samples[100:110]]
    rig.feed([*samples[:100], *broken])
    assert {state.status for state in rig.states[100:]} == {PlatformState.FAILED}
    status = status_with(bench, statuses, "no pose fits the strut lengths", failed="10", not_converged="1")
    assert status.level == DiagnosticStatus.ERROR
    status_with(bench, statuses, "did not converge")
    # retried from the last good pose and from home: the next good sample has its pose at once
    rig.feed(samples[110:])
    assert {state.status for state in rig.states[110:]} == {PlatformState.OK}
    assert_finite(rig.states)
    skipped(bench, rig, 10)
    times = [*rig.sent, *(seconds(pose.header.stamp) for pose in rig.poses)]
    assert times
    assert not any(samples[100].time - 1e-6 < time < samples[109].time + 1e-6 for time in times)
    statuses.clear()
    assert status_with(bench, statuses, "ok").level == DiagnosticStatus.OK


def test_row_11_coordinates_at_which_no_loop_closes_are_not_learned_from(bench):
    """Of a machine without a pose, which is followed again at the next good sample."""
    rig = KinematicsRig(bench, machine="mast")
    estimator = bench.start(EstimatorNode, machine="mast")
    bench.connected("platform_state", subscribers=2)
    statuses = bench.diagnostics()
    messages = DriveMotion(200, "mast")
    still = np.zeros(3)
    samples = [
        DriveSample(t, x + np.array([float(100 <= k < 110), 0.0, 0.0]), still, still, f, 3)
        for k, (t, x, f) in enumerate(zip(messages.time, messages.length, messages.force, strict=True))
    ]
    rig.feed(samples[:110])
    assert {state.status for state in rig.states[:100]} == {PlatformState.OK}
    assert {state.status for state in rig.states[100:]} == {PlatformState.FAILED}
    status = status_with(bench, statuses, "no pose fits", failed="10", not_converged="1")
    assert status.level == DiagnosticStatus.ERROR
    rig.feed(samples[110:])
    assert {state.status for state in rig.states[110:]} == {PlatformState.OK}
    for state in rig.states:
        assert np.isfinite([*state.state, *state.coordinate, state.residual]).all()
    bench.wait(lambda: estimator.taken == len(rig.states), "the estimator")
    assert estimator.estimator.counts["skipped_status"] == 10


@pytest.fixture(scope="module")
def approach():
    """Samples of a mast whose second slider goes to the edge of its reach, ever nearer, and their statuses.

    There the bar's way to close becomes two, home's and another's, and forces of the drives say nothing any more.
    """
    machine = load_machine("mast")
    tracker = machine.create_tracker(np.zeros((len(machine.basis), 0)))
    still, second = np.zeros(3), np.array([0.0, 1.0, 0.0])

    def follow(shifts):
        tracker.reset()
        return [tracker.step(machine.home + x * second, still, still) for x in shifts]

    near, edge = 0.0, -0.25
    for _ in range(45):
        middle = 0.5 * (near + edge)
        good = max(follow(np.linspace(0.0, middle, 200))) < FAILED
        near, edge = (middle, edge) if good else (near, middle)
    shifts = near * (1.0 - 0.9 ** np.arange(380.0))
    samples = [
        DriveSample(1000.0 + 1e-3 * k, machine.home + x * second, still, still, still, 1)
        for k, x in enumerate(shifts)
    ]
    return samples, np.array(follow(shifts))


@pytest.fixture
def mast(bench):
    """Kinematics of the mast with an estimator behind it."""
    made = KinematicsRig(bench, machine="mast")
    made.estimator = bench.start(EstimatorNode, machine="mast")
    bench.connected("platform_state", subscribers=2)
    return made


def test_row_12_another_assembly_mode_is_rejected_with_a_warning(bench, mast, approach):
    """At the edge of its reach; home again is home."""
    statuses = bench.diagnostics()
    samples, expected = approach
    end = np.flatnonzero(expected == OTHER_MODE)[0] + 1
    mast.feed(samples[:end])
    assert mast.states[-1].status == PlatformState.FAILED
    status = status_with(bench, statuses, "another assembly mode")
    assert (status.level, values_of(status)["another_mode"]) == (DiagnosticStatus.WARN, "1")
    mast.feed([sample._replace(time=sample.time + 10.0) for sample in samples[:20]])
    assert {state.status for state in mast.states[end:]} == {PlatformState.OK}
    assert_finite(mast.states, "mast")
    skipped(bench, mast, np.count_nonzero(expected[:end] != OK))


def test_row_13_near_a_singularity_poses_are_marked_and_not_learned_from(bench, mast, approach):
    statuses = bench.diagnostics()
    samples, expected = approach
    end = np.flatnonzero(expected > DEGRADED)[0]
    degraded = np.count_nonzero(expected[:end] == DEGRADED)
    assert degraded > 5
    mast.feed(samples[:end])
    assert [state.status for state in mast.states] == expected[:end].tolist()
    status = status_with(bench, statuses, "near a singular")
    assert (status.level, int(values_of(status)["near_singular"])) == (DiagnosticStatus.WARN, 1)
    assert_finite(mast.states, "mast")
    skipped(bench, mast, degraded)
