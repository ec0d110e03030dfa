# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The platform followed online: the same poses as a batch, and a status instead of nonsense."""

from __future__ import annotations

import numpy as np
import pytest
from core.platform_motions import lengths, six_axes

from pkm_identification.mechanisms.hexapod.kinematics import tracker as tracker_module
from pkm_identification.mechanisms.hexapod.kinematics.forward import (
    FAILED,
    OK,
    forward_kinematics,
    platform_motion,
)
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.kinematics.tracker import PlatformTracker, pose_step, split_row
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveSample, StrutMotion

UF = Machine.load("uf")


def samples(count: int = 500, seed: int = 1) -> tuple[StrutMotion, list[DriveSample]]:
    motion = six_axes(UF, seed).at(np.arange(count) * 1e-3)
    struts = StrutMotion(
        motion.time,
        *strut_motion_from_platform(UF, motion),
        np.full((count, 6), 7.0),
        np.zeros(count, dtype=np.int64),
    )
    rows = zip(struts.time, struts.length, struts.rate, struts.acceleration, struts.force, strict=True)
    return struts, [DriveSample(float(t), l, r, a, f, 0) for t, l, r, a, f in rows]


def with_length(sample: DriveSample, length) -> DriveSample:
    return DriveSample(
        sample.time, np.asarray(length), sample.rate, sample.acceleration, sample.force, sample.segment
    )


def test_follows_as_the_batch_does():
    struts, stream = samples()
    motion, result = platform_motion(UF, struts)
    tracker = PlatformTracker(UF)
    for n, sample in enumerate(stream):
        found = tracker.step(sample)
        assert found.status == OK
        assert found.message == ""
        assert found.time == sample.time
        assert found.iterations == result.iterations[n]
        # the same arithmetic, compiled twice
        np.testing.assert_allclose(found.position, motion.position[n], atol=1e-13)
        np.testing.assert_allclose(found.rotation, motion.rotation[n], atol=1e-13)
        np.testing.assert_allclose(found.twist, motion.twist[n], atol=1e-11)
        np.testing.assert_allclose(found.acceleration, motion.acceleration[n], atol=1e-10)
        np.testing.assert_array_equal(found.force, sample.force)


def test_outputs_are_not_shared_between_samples():
    _, stream = samples(20)
    tracker = PlatformTracker(UF)
    first = tracker.step(stream[0])
    kept = first.position.copy(), first.rotation.copy(), first.twist.copy()
    for sample in stream[1:]:
        tracker.step(sample)
    np.testing.assert_array_equal(first.position, kept[0])
    np.testing.assert_array_equal(first.rotation, kept[1])
    np.testing.assert_array_equal(first.twist, kept[2])


@pytest.mark.parametrize("bad", [5.0, np.nan, 0.0])
def test_failure_is_a_status_and_the_next_good_sample_is_found_again(bad):
    _, stream = samples(30)
    tracker, undisturbed = PlatformTracker(UF), PlatformTracker(UF)
    for n, sample in enumerate(stream):
        reference = undisturbed.step(sample)
        broken = n in (10, 11, 12)
        found = tracker.step(with_length(sample, [bad, *sample.coordinate[1:]]) if broken else sample)
        if broken:
            assert found.status == FAILED
            assert "did not converge" in found.message
            for values in (found.position, found.rotation, found.twist, found.acceleration):
                assert np.all(np.isfinite(values))
            np.testing.assert_array_equal(found.twist, 0.0)
        else:
            assert found.status == OK
            np.testing.assert_allclose(found.position, reference.position, atol=1e-11)


def other_mode() -> np.ndarray:
    """Another pose with the very lengths of home: the platform mirrored above the base."""
    home = lengths(UF, UF.home_position[None], UF.home_rotation[None])
    result = forward_kinematics(UF, home, start=(UF.home_position * [1, 1, -1], np.eye(3)))
    assert result.status[0] == OK
    assert result.position[0, 2] > 0.1
    return result.position[0]


def test_another_assembly_mode_is_not_taken_for_motion(monkeypatch):
    _, stream = samples(3)
    tracker = PlatformTracker(UF)
    good = tracker.step(stream[0])
    elsewhere = other_mode()

    def led_astray(_machine, struts, last_length, last_row, row):
        row[:3], row[3:12] = elsewhere, np.eye(3).ravel()
        last, pose = (last_length, *split_row(last_row)[:2]), split_row(row)[:2]
        return True, 7, 0.0, 2.0, pose_step(struts[0], last, pose, 2.0, UF.length_scale)

    with monkeypatch.context() as patched:
        patched.setattr(tracker_module, "_track", led_astray)
        jumped = tracker.step(stream[1])
    assert jumped.status == FAILED
    assert "assembly mode" in jumped.message
    np.testing.assert_array_equal(jumped.position, good.position)
    back = tracker.step(stream[2])
    assert back.status == OK
    # two milliseconds at less than 0.5 m/s
    np.testing.assert_allclose(back.position, good.position, atol=1e-3)


def test_reset_forgets_the_pose():
    _, stream = samples(40)
    used, fresh = PlatformTracker(UF), PlatformTracker(UF)
    for sample in stream:
        used.step(sample)
    used.reset()
    for sample in stream[25:]:
        a, b = used.step(sample), fresh.step(sample)
        np.testing.assert_array_equal(a.position, b.position)
        np.testing.assert_array_equal(a.acceleration, b.acceleration)
        assert (a.iterations, a.residual, a.condition) == (b.iterations, b.residual, b.condition)


def test_long_pause_and_a_far_pose_are_still_tracked():
    """After a gap the machine may stand elsewhere: that is not another assembly mode."""
    motion = six_axes(UF, 2).at(np.array([0.0, 0.31, 0.77, 1.4, 2.9, 3.3]))
    length, rate, second = strut_motion_from_platform(UF, motion)
    tracker = PlatformTracker(UF)
    for n in range(len(motion)):
        found = tracker.step(DriveSample(float(n), length[n], rate[n], second[n], None, n))
        assert found.status == OK
        np.testing.assert_allclose(found.position, motion.position[n], atol=1e-10)
        assert found.force is None
        assert found.segment == n


def test_quaternion_is_that_of_the_rotation():
    _, stream = samples(5)
    found = PlatformTracker(UF).step(stream[4])
    x, y, z, w = found.quaternion
    assert w >= 0
    # rotation about its own axis leaves the vector part where it is
    np.testing.assert_allclose(found.rotation @ [x, y, z], [x, y, z], atol=1e-14)
    assert abs(x * x + y * y + z * z + w * w - 1) < 1e-14
