# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Input validation online and offline: one and the same, whatever comes; and never locked out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.machines.every_machine import machine as make_machine
from core.machines.every_machine import smooth_drives
from core.signals.strut_logs import KINDS, PERIOD, damage, joined, smooth_log
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.signals.input_validation import InputValidator, ValidationSettings

UF = ValidationSettings.of(Machine.load("uf"))
# all limits are stated: those that are not grow sample by sample, and whole logs have theirs from the log
SETTINGS = replace(UF, drives=tuple(replace(one, acceleration_limit=200.0) for one in UF.drives))
REJECTED = ("not_finite", "duplicate", "late", "spike", "out_of_limits")
BEGUN = ("start", "gap", "clock_jump")

faults = st.lists(
    st.tuples(st.sampled_from(KINDS), st.integers(0, 300), st.integers(0, 5), st.integers(-12, 12)),
    max_size=12,
)


def stream(validation: InputValidator, log: DriveLog) -> list:
    force = log.force if log.force is not None else [None] * len(log)
    return [
        s
        for t, l, f in zip(log.time, log.length, force, strict=True)
        for s in validation.step(float(t), l, f)
    ]


def assert_same(samples: list, result) -> None:
    assert len(samples) == len(result.time)
    if not samples:
        return
    np.testing.assert_array_equal([s.time for s in samples], result.time)
    np.testing.assert_array_equal([s.coordinate for s in samples], result.length)
    np.testing.assert_array_equal([s.segment for s in samples], result.segment)
    np.testing.assert_array_equal([s.filled for s in samples], result.filled)
    if result.force is not None:
        np.testing.assert_array_equal([s.force for s in samples], result.force)


@pytest.mark.slow
@given(faults, st.booleans(), st.integers(0, 5))
@settings(max_examples=150)
@example([("wild_stamp", 10, 0, 2), ("clock", 40, 0, 3), ("spike", 0, 1, 9)], True, 1)
def test_sample_by_sample_equals_the_whole_log(applied, forces, seed):
    log = damage(smooth_log(120, seed=seed, jitter=2e-5), applied)
    if not forces:
        log = DriveLog(log.time, log.length, None)
    online, offline = InputValidator(SETTINGS), InputValidator(SETTINGS)
    samples = stream(online, log)
    result = offline.validation(log)
    assert_same(samples, result)
    assert online.counts == offline.counts == result.counts


@pytest.mark.slow
@given(faults)
@settings(max_examples=150)
def test_what_comes_out_is_clean(applied):
    log = damage(smooth_log(150, jitter=2e-5), applied)
    validation = InputValidator(SETTINGS)
    result = validation.validation(log)
    counts = result.counts
    # every sample is accounted for once
    assert counts["accepted"] + sum(counts[name] for name in REJECTED) == len(log)
    assert len(result.time) == counts["accepted"] + counts["filled"]
    assert np.count_nonzero(result.filled) == counts["filled"]
    assert np.all(np.isfinite(result.time))
    assert np.all(np.isfinite(result.force))
    low, high = SETTINGS.drives[0].lowest, SETTINGS.drives[0].highest
    assert np.all((result.length >= low) & (result.length <= high))
    if len(result.time) == 0:
        return
    numbers = np.unique(result.segment)
    np.testing.assert_array_equal(numbers, np.arange(sum(counts[name] for name in BEGUN)))
    assert counts["start"] == 1
    same = np.diff(result.segment) == 0
    steps = np.diff(result.time)[same]
    # a regular clock inside a segment: never dt = 0, never a hole
    assert np.all(steps > 0.2 * PERIOD)
    assert np.all(steps < 1.6 * PERIOD)
    rates = np.abs(np.diff(result.length, axis=0)[same]) / steps[:, None]
    assert np.all(rates < SETTINGS.drives[0].rate_limit * 4)


@pytest.mark.slow
@given(faults)
@settings(max_examples=150)
@example([("zero_moved", 0, 0, 12), ("zero_moved", 1, 0, -12)] * 3)
@example([("wild_stamp", k, 0, 2) for k in range(0, 60, 5)])
def test_good_samples_after_any_damage_are_accepted_again(applied):
    """At most one run of late samples and one of suspects is lost before input validation believes the stream."""
    bad = damage(smooth_log(80), applied)
    good = smooth_log(200, start=0.08, seed=1)
    validation = InputValidator(SETTINGS)
    stream(validation, bad)
    taken = [bool(validation.step(good.time[k], good.length[k], good.force[k])) for k in range(200)]
    assert all(taken[40:])


@given(faults, faults)
@settings(max_examples=40)
def test_several_logs_share_nothing(first, second):
    """Pieces of an experiment: the second begins a segment of its own and is judged as if it were the first."""
    logs = [damage(smooth_log(60), first), damage(smooth_log(60, seed=2), second)]
    validation = InputValidator(SETTINGS)
    validation.validation(logs[0])
    started = validation.segment
    after = validation.validation(logs[1])
    alone = InputValidator(SETTINGS).validation(logs[1])
    np.testing.assert_array_equal(after.time, alone.time)
    np.testing.assert_array_equal(after.length, alone.length)
    np.testing.assert_array_equal(after.segment, alone.segment + started + 1)
    assert after.counts == alone.counts
    for name in validation.counts:
        assert validation.counts[name] >= after.counts[name]


@pytest.mark.slow
@given(faults)
@settings(max_examples=40)
def test_reset_is_a_new_guard(applied):
    used, fresh = InputValidator(SETTINGS), InputValidator(SETTINGS)
    stream(used, damage(smooth_log(60), applied))
    used.reset()
    assert used.counts == fresh.counts
    assert used.segment == -1
    log = smooth_log(40, start=3.0, seed=4)
    again, new = stream(used, log), stream(fresh, log)
    np.testing.assert_array_equal([s.coordinate for s in again], [s.coordinate for s in new])
    assert [s.segment for s in again] == [s.segment for s in new]
    assert used.counts == fresh.counts


def test_samples_handed_out_do_not_change_afterwards():
    validation, log = InputValidator(SETTINGS), smooth_log(20)
    buffer_length, buffer_force = np.empty(6), np.empty(6)
    kept = []
    for k in range(20):
        buffer_length[:], buffer_force[:] = log.length[k], log.force[k]  # as a driver that reuses its buffers
        kept += validation.step(log.time[k], buffer_length, buffer_force)
    np.testing.assert_array_equal([s.coordinate for s in kept], log.length)
    np.testing.assert_array_equal([s.force for s in kept], log.force)


@pytest.mark.parametrize("size", [0, 1, 2])
def test_tiny_logs(size):
    log = smooth_log(5)
    result = InputValidator(SETTINGS).validation(log[:size])
    assert len(result.time) == size


def test_two_logs_in_one_stream_with_the_clock_set_back():
    """A bag that loops: one new segment, no sample lost."""
    log = smooth_log(1000)
    validation = InputValidator(SETTINGS)
    samples = stream(validation, joined(log, log))
    assert len(samples) == 2000
    assert validation.counts["clock_jump"] == 1
    assert [s.segment for s in samples] == [0] * 1000 + [1] * 1000


def test_a_stream_that_goes_on_behind_a_log_begins_anew():
    """Nothing is invented between the two, and the segment is another, so that the clock of each is even."""
    log = smooth_log(30)
    validation = InputValidator(SETTINGS)
    before = validation.validation(log[:20])
    rest = stream(validation, log[22:])
    assert len(rest) == 8
    assert {sample.segment for sample in rest} == {int(before.segment[-1]) + 1}
    assert not any(sample.filled for sample in rest)
    assert validation.counts["filled"] == 0


@pytest.mark.parametrize("name", ["mast", "five_bar", "serial_arm"])
def test_drives_without_stated_limits_are_judged_by_their_size(name):
    """A spike of 1 % of the way between two limits (of a radian a tenth) is one; smooth motion is none."""
    one = make_machine(name)
    coordinate, _, _ = smooth_drives(one, 1000)
    validation = InputValidator(ValidationSettings().resolve(one, 1e-3))
    size = np.array([drive.size for drive in one.drives])
    for k, row in enumerate(coordinate):
        spike = 0.1 * size * (np.arange(len(size)) == 1) * (k == 500)
        passed = validation.step(1e-3 * k, row + spike, np.zeros(len(size)))
        if k == 500:
            assert passed == []
            assert validation.last_rejection[0] == "spike"
            assert one.drives[1].joint in validation.last_rejection[1]
    assert validation.counts["spike"] == validation.counts["filled"] == 1
    assert validation.counts["accepted"] == 999


def test_a_drive_livelier_than_its_size_says_is_followed_after_a_few_samples():
    one = make_machine("mast")
    validation = InputValidator(ValidationSettings().resolve(one, 1e-3))
    still = np.zeros(3)
    for k in range(2000):
        swing = 0.05 * np.sin(2.0 * np.pi * 12.0 * 1e-3 * k) * (k > 100)
        validation.step(1e-3 * k, one.home + swing * np.array([1.0, 0.0, 0.0]), still)
    assert 0 < validation.counts["spike"] < 20
    validation.reset()
    assert validation.step(0.0, one.home, still)


def test_a_drive_that_hunts_has_no_spike_and_a_step_in_its_motion_is_one():
    """34 Hz with 60 times gravity, as fast hydraulic cylinders on their compliance show: each sample goes on."""
    one = make_machine("epaas_hydraulic")
    validation = InputValidator(ValidationSettings().resolve(one, 1e-3))
    size, time = one.drives[2].size, 1e-3 * np.arange(1500)
    grown = 0.7 * size * (np.clip(time / 0.5, 0.0, 1.0) * np.clip((1.4 - time) / 0.4, 0.0, 1.0)) ** 3
    swing = grown * np.sin(2.0 * np.pi * 34.0 * time)
    which = np.arange(len(one.drives)) == 2
    for t, x in zip(time, swing, strict=True):
        validation.step(t, one.home + which * x, np.zeros(len(one.drives)))
        assert (validation.stepped, validation.last_rejection) == (None, None)
    found = []
    for k in range(1500, 1600):
        x = 0.05 * size * (k >= 1520)
        validation.step(1e-3 * k, one.home + which * x, np.zeros(len(one.drives)))
        found += [validation.stepped] if validation.stepped else []
    assert [(drive, round(size / one.drives[2].size, 3)) for drive, size in found] == [(2, 0.05)]
