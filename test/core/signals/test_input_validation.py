# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The stream guard: each kind of fault counted as what it is, short holes bridged, long ones not."""

from __future__ import annotations

import numpy as np
import pytest
from core.signals.strut_logs import PERIOD, damage, smooth_log

from pkm_identification.errors import LogError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.signals.input_validation import InputValidator, ValidationSettings
from pkm_identification.signals.input_validation.sample_checks import FORCE, MAX_LATE_RUN
from pkm_identification.signals.input_validation.settings import LARGEST_FORCE
from pkm_identification.signals.input_validation.stream import stream_limits

UF = Machine.load("uf")
SETTINGS = ValidationSettings.of(UF)
N = 400


def validated(log: DriveLog):
    return InputValidator(SETTINGS).validation(log)


def assert_counts(counts: dict[str, int], **expected: int) -> None:
    found = {name: number for name, number in counts.items() if number}
    assert found == {"start": 1} | expected


def test_good_log_passes_as_it_is():
    log = smooth_log(N, jitter=2e-5)
    result = validated(log)
    assert_counts(result.counts, accepted=N)
    np.testing.assert_array_equal(result.time, log.time)
    np.testing.assert_array_equal(result.length, log.length)
    np.testing.assert_array_equal(result.force, log.force)
    assert not result.filled.any()
    assert np.all(result.segment == 0)


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (("nan", 100, 2, 3), {"not_finite": 1, "accepted": N - 1, "filled": 1}),  # a length
        (("nan", 100, 2, 2), {"not_finite": 1, "accepted": N - 1, "filled": 1}),  # a force
        (("bad_stamp", 100, 0, 0), {"not_finite": 1, "accepted": N - 1, "filled": 1}),
        (("bad_stamp", 100, 0, 1), {"not_finite": 1, "accepted": N - 1, "filled": 1}),
        (("duplicate", 100, 0, 0), {"duplicate": 1, "accepted": N}),
        (("swap", 100, 0, 0), {"late": 1, "accepted": N - 1, "filled": 1}),
        (("spike", 100, 4, 2), {"spike": 1, "accepted": N - 1, "filled": 1}),
        (("spike", 100, 4, 500), {"out_of_limits": 1, "accepted": N - 1, "filled": 1}),
        (("spike", 100, 4, -500), {"out_of_limits": 1, "accepted": N - 1, "filled": 1}),
        (("force_spike", 100, 1, 5), {"spike": 1, "accepted": N - 1, "filled": 1}),
        (("drop", 100, 0, 1), {"accepted": N - 1, "filled": 1}),
        (("drop", 100, 0, 4), {"accepted": N - 4, "filled": 4}),
        (("drop", 100, 0, 5), {"accepted": N - 5, "gap": 1}),
        (("drop", 100, 0, 100), {"accepted": N - 100, "gap": 1}),
        (("clock", 200, 0, 5), {"accepted": N, "clock_jump": 1}),
        (("clock", 200, 0, 4), {"accepted": N, "gap": 1}),
        (("clock", 200, 0, 3), {"accepted": N - MAX_LATE_RUN, "late": MAX_LATE_RUN, "clock_jump": 1}),
        (("wild_stamp", 100, 0, 4), {"accepted": N, "gap": 1, "clock_jump": 1}),
    ],
)  # fmt: skip
def test_each_fault_is_counted_as_what_it_is(fault, expected):
    result = validated(damage(smooth_log(N), [fault]))
    assert_counts(result.counts, **expected)
    assert result.segment[-1] == sum(result.counts[name] for name in ("gap", "clock_jump"))


def test_first_occurrence_is_told():
    result = validated(damage(smooth_log(N), [("spike", 150, 0, 3), ("drop", 300, 0, 30), ("nan", 20, 0, 3)]))
    assert result.first["not_finite"] == pytest.approx(0.020)
    assert result.first["spike"] == pytest.approx(0.150)
    assert result.first["gap"] == pytest.approx(0.330)
    assert result.first["start"] == 0.0
    assert result.first["filled"] == pytest.approx(0.021)  # the sample that closes the first hole
    assert "late" not in result.first


@pytest.mark.parametrize("missing", [1, 2, 4])
def test_fillers_lie_on_the_straight_line(missing):
    log = damage(smooth_log(N, jitter=2e-5), [("drop", 100, 0, missing)])
    result = validated(log)
    places = np.nonzero(result.filled)[0]
    np.testing.assert_array_equal(places, 100 + np.arange(missing))
    for field in ("time", "length", "force"):
        before, after = getattr(log, field)[99], getattr(log, field)[100]
        part = np.arange(1, missing + 1) / (missing + 1)
        expected = before + part.reshape(-1, *[1] * np.ndim(before)) * (after - before)
        np.testing.assert_allclose(getattr(result, field)[places], expected, rtol=1e-15)
    assert len(set(result.segment)) == 1


def test_spike_on_spike_is_dropped_and_the_motion_found_again():
    log = smooth_log(N)
    for k, jump in ((100, 0.03), (101, -0.02), (102, 0.05)):
        log.length[k, 3] += jump
    result = validated(log)
    assert_counts(result.counts, spike=3, accepted=N - 3, filled=3)


def test_encoder_that_moved_its_zero_is_believed_after_a_while():
    """Samples that agree with each other but not with the past are not spikes for ever."""
    result = validated(damage(smooth_log(N), [("zero_moved", 200, 2, 5)]))
    assert result.counts["spike"] <= 6
    assert result.counts["gap"] == 1
    assert result.counts["accepted"] == N - result.counts["spike"]


def test_wrong_first_sample_does_not_lock_the_rest_out():
    log = smooth_log(N)
    log.length[0] += 0.05
    result = validated(log)
    assert result.counts["spike"] <= 6
    assert result.counts["accepted"] >= N - 7


def test_lengths_in_millimetres_are_all_refused_with_a_hint():
    log = smooth_log(10)
    validation = InputValidator(SETTINGS)
    for k in range(10):
        assert validation.step(log.time[k], 1e3 * log.length[k], log.force[k]) == []
    assert validation.counts["out_of_limits"] == 10
    reason, text = validation.last_rejection
    assert reason == "out_of_limits"
    assert "mm" in text
    assert validation.segment == -1


@pytest.mark.parametrize(
    ("fault", "reason", "words"),
    [
        (("nan", 5, 2, 3), "not_finite", "strut_3"),
        (("bad_stamp", 5, 0, 0), "not_finite", "stamp nan"),
        (("duplicate", 4, 0, 0), "duplicate", "0.004000"),
        (("swap", 4, 0, 0), "late", "0.001000 s behind"),
        (("spike", 5, 3, 2), "spike", "strut_4: jumps"),
        (("force_spike", 5, 1, 5), "spike", "strut_2: force"),
        (("spike", 5, 0, 500), "out_of_limits", "strut_1: 5"),
    ],
)
def test_last_rejection_says_what_and_where(fault, reason, words):
    log = damage(smooth_log(20), [fault])
    validation = InputValidator(SETTINGS)
    for k in range(6):
        samples = validation.step(log.time[k], log.length[k], log.force[k])
    assert samples == []
    assert validation.last_rejection[0] == reason
    assert words in validation.last_rejection[1]
    validation.step(log.time[7], log.length[7], log.force[7])
    assert validation.last_rejection is None


def test_log_without_forces():
    log = smooth_log(N)
    result = validated(DriveLog(log.time, log.length, None))
    assert result.force is None
    np.testing.assert_array_equal(result.length, log.length)


def test_missing_forces_are_never_made_up():
    """A force that comes and goes: what was not measured is absent, not a number between zero and something."""
    validation = InputValidator(SETTINGS)
    log = smooth_log(40)
    for k in range(40):
        if k in (6, 7, 12, 13, 22, 23):
            continue  # short holes, bridged
        known = k >= 8 and not 15 <= k < 24
        for sample in validation.step(log.time[k], log.length[k], np.full(6, 100.0) if known else None):
            if sample.force is not None:
                np.testing.assert_allclose(sample.force, 100.0)


def test_limits_come_from_the_machine():
    assert SETTINGS.period == PERIOD
    for drive in SETTINGS.drives:
        assert (drive.lowest, drive.highest) == tuple(UF.length_limits)
        assert drive.rate_limit >= UF.rate_limit
        assert drive.force_limit >= UF.drive.force_limit
    assert ValidationSettings.of(UF, 2e-3, max_gap=0.02).max_gap == 0.02
    bare = dict(UF.document)
    del bare["drive"]
    with pytest.raises(LogError, match=r"no drive\.sample_rate"):
        ValidationSettings.of(Machine.from_document(bare))
    free = ValidationSettings.of(Machine.from_document(bare), 1e-3)
    assert np.all(stream_limits(free.drives)[FORCE] == LARGEST_FORCE)


def test_one_stamp_far_back_does_not_silence_the_clock_that_goes_on():
    """The clock of before is known: it needs no time to be believed again."""
    validation = InputValidator(ValidationSettings.of(Machine.load("uf")))
    length = np.full(6, 0.42)
    for k in range(10):
        assert validation.step(1.7e9 + 1e-3 * k, length, None)
    assert validation.step(100.0, length, None)
    assert validation.step(1.7e9 + 11e-3, length, None)
    assert validation.counts["ahead"] == 0
    # another clock is still to be waited for
    assert not validation.step(1.8e9, length, None)
    assert validation.counts["ahead"] == 1
