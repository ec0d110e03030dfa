# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Input validation of logs of n drives: faults are found, counted and set right, and clean logs stay as they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.identification.regression.drive_logs import DURATION, PERIOD, exact, five_bar, rows_of, sampled_at
from core.machines.every_machine import machine

from pkm_identification.errors import LogError
from pkm_identification.identification.rates.sample_rate import compute_estimated_period
from pkm_identification.identification.regression.limits import measure_step
from pkm_identification.identification.regression.validation import even_out_stamps, validate_logs
from pkm_identification.identification.settings import Settings
from pkm_identification.motion import DriveLog
from pkm_identification.signals.input_validation import sample_checks


def validated(log, one=None):
    one = one or five_bar()
    (found,) = validate_logs([log], one, Settings()).logs
    return found


def test_a_clean_log_stays_as_it_is():
    log = exact()
    found = validated(log)
    assert (found.dropped, found.resampled, found.period) == ({}, False, pytest.approx(PERIOD))
    assert np.array_equal(found.coordinate, log.coordinate)
    assert np.array_equal(found.time, log.time)
    assert not found.segment.any()


def test_a_missing_row_is_filled_by_a_straight_line():
    log = exact()
    found = validated(rows_of(log, np.delete(np.arange(len(log)), 700)))
    assert len(found) == len(log)
    assert found.time[700] == pytest.approx(log.time[700])
    np.testing.assert_allclose(found.coordinate[700], 0.5 * (log.coordinate[699] + log.coordinate[701]))
    assert not found.segment.any()


def test_a_long_gap_begins_a_segment():
    log = exact()
    found = validated(rows_of(log, np.r_[:700, 760 : len(log)]))
    assert found.dropped == {"gap": 1}
    assert (np.diff(found.segment) > 0).nonzero()[0].tolist() == [699]


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda log: rows_of(log, np.insert(np.arange(len(log)), 400, 400)), "duplicate"),
        (lambda log: replace(log, force=_handle_change(log.force, 400, 1, np.nan)), "not_finite"),
        (
            lambda log: replace(log, time=_handle_change(log.time[:, None], 400, 0, np.nan)[:, 0]),
            "not_finite",
        ),
        (
            lambda log: replace(log, time=_handle_change(log.time[:, None], 400, 0, log.time[397])[:, 0]),
            "late",
        ),
    ],
)
def test_single_bad_rows_are_dropped_counted_and_bridged(damage, reason):
    found = validated(damage(exact()))
    assert found.dropped == {reason: 1}
    assert len(found) == len(exact())
    assert not found.segment.any()


def _handle_change(values, row, column, value):
    changed = values.copy()
    changed[row, column] = value
    return changed


@pytest.mark.parametrize("share", [0.01, 0.05, 0.2])
def test_rows_without_values_do_not_count_for_the_period(share):
    log, random = exact(), np.random.default_rng(3)
    count = int(share * len(log))
    time = np.concatenate([log.time, random.uniform(log.time[0], log.time[-1], count)])
    drive = np.vstack([log.coordinate, np.full((count, log.coordinate.shape[1]), np.nan)])
    force = np.vstack([log.force, np.full((count, log.force.shape[1]), np.nan)])
    order = np.argsort(time, kind="stable")
    mixed = replace(log, time=time[order], coordinate=drive[order], force=force[order])
    assert compute_estimated_period(mixed, five_bar())[0] == pytest.approx(PERIOD, rel=1e-12)
    used = validated(mixed)
    assert len(used) == len(log)
    assert used.dropped == {"not_finite": count}


@pytest.mark.parametrize("size", [0.01, 0.1, 1.0])
def test_spikes_are_found_without_any_limit_in_the_file(size):
    """The motion's own differences are the measure: twenty spikes of 1 % of the range and of all of it."""
    log, random = exact(), np.random.default_rng(3)
    rows = np.sort(random.choice(np.arange(50, len(log) - 50, 40), 20, replace=False))
    drive = log.coordinate.copy()
    drive[rows, rows % 2] += size * np.ptp(log.coordinate) * random.choice([-1.0, 1.0], 20)
    found = validated(replace(log, coordinate=drive))
    assert found.dropped == {"spike": 20}
    np.testing.assert_allclose(found.coordinate, log.coordinate, atol=2e-3 * np.ptp(log.coordinate))


@pytest.mark.parametrize("still", [0.95, 0.99, 0.999])
def test_motion_of_a_log_that_mostly_rests_is_no_spike(still):
    """The quantile of the differences is then that of standstill."""
    count = 40_000
    moving = int((1.0 - still) * count)
    swing = 0.2 * np.sin(np.linspace(0.0, np.pi, moving)) ** 2
    drive = np.concatenate([np.zeros(count // 2), swing, np.zeros(count // 2)])[:, None] * [1.0, -0.5] + [
        2.1,
        1.0,
    ]
    time = PERIOD * np.arange(len(drive))
    log = DriveLog(time, drive, np.random.default_rng(0).standard_normal(drive.shape))
    assert validated(log).dropped == {}
    counts = replace(log, coordinate=np.round(drive / 1e-4) * 1e-4)
    assert validated(counts).dropped == {}


@pytest.mark.parametrize("jitter", [0.02, 0.1, 0.2])
def test_samples_that_come_unevenly_are_taken_between_their_stamps(jitter):
    random = np.random.default_rng(1)
    even = np.arange(0.0, DURATION, PERIOD)
    log = sampled_at(
        np.sort(even + jitter * PERIOD * random.uniform(-1.0, 1.0, len(even)).clip(-even / PERIOD))
    )
    found = validated(log)
    assert found.resampled
    np.testing.assert_allclose(np.diff(found.time), found.period, rtol=1e-6)
    true = np.array([np.interp(found.time, exact().time, column) for column in exact().coordinate.T]).T
    assert np.abs(found.coordinate - true)[5:-5].max() < 2e-5  # the interpolation's own error


@pytest.mark.parametrize("jitter", [0.1, 0.2])
@pytest.mark.parametrize("size", [1.0, 2.0, 4.0])
def test_spikes_of_a_log_of_uneven_samples_are_as_small(jitter, size):
    """Uneven sampling is no acceleration: spikes of a few of the largest steps are dropped, and nothing else."""
    random, even = np.random.default_rng(4), np.arange(0.0, DURATION, PERIOD)
    log = sampled_at(even + jitter * PERIOD * random.uniform(0.0, 1.0, len(even)))
    assert validated(log).dropped == {}
    rows = np.sort(random.choice(np.arange(50, len(log) - 50, 40), 20, replace=False))
    drive = log.coordinate.copy()
    drive[rows, rows % 2] += size * np.abs(np.diff(drive, axis=0)).max(axis=0)[rows % 2]
    found = validated(replace(log, coordinate=drive))
    assert found.resampled
    assert found.dropped == {"spike": 20}
    assert not found.segment.any()


@pytest.mark.parametrize("jitter", [0.02, 0.2])
def test_stamps_that_jitter_beside_even_samples_are_not_followed(jitter):
    log, random = exact(), np.random.default_rng(1)
    found = validated(replace(log, time=log.time + jitter * PERIOD * random.uniform(0.0, 1.0, len(log))))
    assert not found.resampled
    assert np.array_equal(found.coordinate, log.coordinate)


@pytest.mark.parametrize("jitter", [0.3, 0.5])
def test_even_samples_are_counted_whatever_their_stamps_scatter_by(jitter):
    log, random = exact(), np.random.default_rng(2)
    found = validated(replace(log, time=log.time + jitter * PERIOD * random.uniform(-1.0, 1.0, len(log))))
    assert np.array_equal(found.coordinate, log.coordinate)
    assert found.period == pytest.approx(PERIOD, rel=1e-4)


@pytest.mark.parametrize("lost", [40, 1500, 5950])
def test_a_lost_sample_is_no_scatter_of_stamps(lost):
    log = exact()
    rows = np.delete(np.arange(len(log)), lost)
    assert np.array_equal(even_out_stamps(rows_of(log, rows)).time, log.time[rows])


def test_stamps_in_turns_long_and_short_are_followed():
    """As of a controller at 111 Hz whose recorder runs at 500 Hz."""
    found = validated(sampled_at(np.cumsum(np.resize([8e-3, 10e-3], int(0.9 * DURATION / 9e-3)))))
    assert found.resampled
    assert found.period == pytest.approx(0.009, rel=1e-3)


def test_a_clock_that_runs_away_from_even_samples_is_refused():
    log = exact()
    with pytest.raises(LogError, match="column t must rise evenly"):
        validated(replace(log, time=log.time**1.1))


def test_logs_that_nothing_can_be_made_of_are_refused():
    log, one = exact(), five_bar()
    with pytest.raises(LogError, match="torque_r: 0 throughout"):
        validated(replace(log, force=log.force * [1.0, 0.0]))
    with pytest.raises(LogError, match="torque_r: no number throughout"):
        validated(replace(log, force=log.force * [1.0, np.nan]))
    with pytest.raises(LogError, match="1 samples are too few"):
        validated(rows_of(log, slice(0, 1)))
    with pytest.raises(LogError, match="6000 dropped, mostly 'not_finite'"):
        validated(replace(log, coordinate=np.full_like(log.coordinate, np.nan)))
    with pytest.raises(LogError, match="250 Hz, the first log's at 500 Hz"):
        validate_logs([log, rows_of(log, slice(None, None, 2))], one, Settings())
    with pytest.raises(LogError, match="a log of 2 drives; 'mast' has 3"):
        validated(log, machine("mast"))


def test_a_log_outside_the_limits_is_another_machines():
    one = machine("mast")
    time = PERIOD * np.arange(2000)
    place = 0.15 + 0.1 * np.sin(time)[:, None] * [1.0, 0.9, 0.8]
    log = DriveLog(time, place, np.random.default_rng(0).standard_normal(place.shape))
    assert validated(log, one).dropped == {}
    with pytest.raises(LogError, match=r"does not fit this log: 100 % .*length_1 outside 0 to 0.3 m"):
        validated(replace(log, coordinate=1e3 * place), one)


def test_a_force_beyond_its_limit_in_most_of_the_log_is_named():
    log, one = exact(), five_bar()
    limited = LimitedForces(one, 2.0 * float(np.abs(log.force).max()))
    assert validated(log, limited).dropped == {}
    with pytest.raises(LogError, match=r"torque_r is mostly about .* N m, and the file's force limit is"):
        validated(replace(log, force=log.force * [1.0, 1e3]), limited)


class LimitedForces:
    """A machine whose drives give no more than so much."""

    def __init__(self, machine, most):
        self.machine, self.drives = machine, tuple(replace(one, force_limit=most) for one in machine.drives)

    def __getattr__(self, name):
        return getattr(self.machine, name)


def test_the_guard_is_compiled_once_for_any_number_of_drives():
    """Sizes stand in arrays, never in types."""
    random, versions = np.random.default_rng(0), []
    for count in (1, 2, 3, 6, 7):
        memory, past = np.zeros(1, dtype=sample_checks.MEMORY), np.zeros((sample_checks.REMEMBERED, count))
        clock = np.array([(PERIOD, 0.01, 0.5)], dtype=sample_checks.CLOCK)
        limits = np.full((sample_checks.LIMITED, count), np.inf)
        limits[sample_checks.LOWEST] = -np.inf
        value, force = random.standard_normal((2, count))
        assert (
            sample_checks.check_sample(1.0, value, force, True, memory, past, (clock, limits))[0]
            == sample_checks.ACCEPTED
        )
        versions.append(
            set(sample_checks.check_sample.signatures)
        )  # with those that other tests of the process have used
    assert versions[1:] == 4 * [versions[0]]


def test_the_step_of_a_rounded_column_is_measured():
    values = np.sin(np.linspace(0.0, 6.0, 5000))
    assert measure_step(np.round(values / 1e-3) * 1e-3) == pytest.approx(1e-3)
    assert measure_step(values) == 0.0
    assert measure_step(np.zeros(100)) == 0.0
