# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Failure table, rows 11 to 13: lengths that fit no pose, another assembly mode, singular poses."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from ros.rigs import KinematicsRig, motion_messages, status_with, strut_samples, values_of
from ros.ros_bench import DriveMotion, Motion

from pkm_identification.mechanisms.hexapod.kinematics import forward_kinematics, strut_lengths
from pkm_identification.mechanisms.hexapod.kinematics import tracker as tracker_module
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


def assert_finite(states):
    for message in states:
        found, _ = motion_messages()[0].read(message)
        numbers = [*found.state, *found.coordinate, message.residual, message.condition]
        assert np.isfinite(numbers).all()


def test_row_11_lengths_that_fit_no_pose_give_a_status_but_no_pose_and_no_tf(bench, rig):
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


def test_row_12_a_jump_to_another_assembly_mode_is_rejected_with_a_warning(bench, rig, monkeypatch):
    statuses = bench.diagnostics()
    machine = rig.node.machine.description
    home = strut_lengths(machine, machine.home_position[None], machine.home_rotation[None])
    # the platform mirrored above the base has the very lengths of home
    mirrored = forward_kinematics(machine, home, start=(machine.home_position * [1, 1, -1], np.eye(3)))
    samples = strut_samples(Motion(40))
    rig.feed(samples[:20])

    def led_astray(_machine, struts, last_length, last_row, row):
        row[:12] = [*mirrored.position[0], *np.eye(3).ravel()]
        last = last_length, *tracker_module.split_row(last_row)[:2]
        pose = tracker_module.split_row(row)[:2]
        return True, 7, 0.0, 2.0, tracker_module.pose_step(struts[0], last, pose, 2.0, machine.length_scale)

    with monkeypatch.context() as patched:
        patched.setattr(tracker_module, "_track", led_astray)
        rig.feed(samples[20:25])
    assert {state.status for state in rig.states[20:]} == {PlatformState.FAILED}
    assert rig.states[-1].pose.position.z == rig.states[19].pose.position.z
    status = status_with(bench, statuses, "another assembly mode")
    assert (status.level, values_of(status)["another_mode"]) == (DiagnosticStatus.WARN, "1")
    rig.feed(samples[25:])
    assert {state.status for state in rig.states[25:]} == {PlatformState.OK}
    assert not any(samples[20].time - 1e-6 < time < samples[24].time + 1e-6 for time in rig.sent)
    skipped(bench, rig, 5)


def test_row_13_near_a_singularity_poses_are_marked_and_not_learned_from(bench, rig):
    statuses = bench.diagnostics()
    machine = rig.node.machine.description
    # a platform turned about its normal by 90 deg more than at home makes a Stewart-Gough machine singular (Fichter)
    angles = np.linspace(0.0, np.radians(100), 400)
    turns = np.array([[[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]] for a in angles])
    position = np.tile(machine.home_position, (len(angles), 1))
    length = strut_lengths(machine, position, turns @ machine.home_rotation)
    samples = [
        DriveSample(1000.0 + 1e-3 * k, x, *[np.zeros(6)] * 2, np.zeros(6), 1) for k, x in enumerate(length)
    ]
    rig.feed(samples)
    found = [state.status for state in rig.states]
    first = found.index(PlatformState.DEGRADED)
    assert set(found[:first]) == {PlatformState.OK}
    conditions = np.array([state.condition for state in rig.states])
    assert conditions[first] > rig.node.parameter["degraded_condition"] > conditions[:first].max()
    degraded = found.count(PlatformState.DEGRADED)
    assert degraded > 5
    status = status_with(bench, statuses, "near a singular")
    assert int(values_of(status)["near_singular"]) >= 1
    # DEGRADED poses are poses: they are shown
    assert any(abs(time - samples[first].time) < 0.02 for time in rig.sent)
    assert_finite(rig.states)
    skipped(bench, rig, len(found) - found.count(PlatformState.OK))
