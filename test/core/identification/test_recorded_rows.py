# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rows of something else among a log's, and values that are held, change nothing of what is identified."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core import synthetic

from pkm_identification.cli import main
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.log_check import inspect_log
from pkm_identification.identification.rates.recorded_rows import prepare_log
from pkm_identification.identification.rates.sample_rate import compute_estimated_period
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.records.log import read_log, write_log

NOMINAL, TRUTH = synthetic.nominal(), synthetic.truth()


def made(seed: int, seconds: float = 3.0) -> DriveLog:
    return synthetic.log(TRUTH, seconds, seed, real=True)


def empty(rows: DriveLog) -> DriveLog:
    return replace(
        rows, coordinate=np.full_like(rows.length, np.nan), force=np.full_like(rows.length, np.nan)
    )


def zeros(rows: DriveLog) -> DriveLog:
    return replace(rows, coordinate=np.zeros_like(rows.length), force=np.zeros_like(rows.length))


def outside(rows: DriveLog) -> DriveLog:
    return replace(rows, coordinate=2.0 * rows.length)


FOREIGN = {  # rows, and how many periods they come behind the log's own
    "empty": (empty, 0.4),
    "of a second publisher": (zeros, 0.4),
    "of a second publisher, late in the period": (zeros, 0.7),
    "twice": (lambda rows: rows, 0.0),
    "late": (lambda rows: rows, -2.0),
    "between": (lambda rows: rows, 0.4),
    "outside": (outside, 0.5),
}


def with_foreign_rows(log: DriveLog, kind: str, share: float, seed: int) -> DriveLog:
    make, behind = FOREIGN[kind]
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.choice(np.arange(10, len(log) - 10), round(share * len(log)), replace=False))
    rows = make(log[chosen])
    order = np.argsort(np.concatenate([np.arange(len(log)), chosen + 0.5]))
    return DriveLog(
        np.concatenate([log.time, log.time[chosen] + behind * synthetic.PERIOD])[order],
        np.concatenate([log.length, rows.length])[order],
        np.concatenate([log.force, rows.force])[order],
        "foreign",
    )


def held(log: DriveLog, factor: int, groups=("coordinate", "force"), begin: int = 0) -> DriveLog:
    """Values of every so many samples, repeated until the next."""
    rows = np.maximum((np.arange(len(log)) - begin) // factor * factor + begin, 0)
    return replace(log, **{name: getattr(log, name)[rows] for name in groups})


def slower(machine: Machine, factor: float) -> Machine:
    return replace(machine, drive=replace(machine.drive, sample_rate=machine.drive.sample_rate / factor))


@pytest.mark.parametrize("share", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_rows_change_neither_period_nor_samples(kind, share):
    log = made(3)
    log = replace(log, time=1.004 * log.time)  # a clock that is not the drive's: the period is measured
    spoilt = with_foreign_rows(log, kind, share, seed=4)
    right, got = (Experiment.of([one], NOMINAL, Settings.of(hold_out=0.0)) for one in (log, spoilt))
    # the mean of the same steps, added up in other parts
    assert got.period == pytest.approx(right.period, rel=1e-9)
    # both ends jitter by 20 us in 3 s
    assert right.period == pytest.approx(1.004e-3, rel=5e-5)
    for name in ("time", "length", "force"):
        np.testing.assert_array_equal(getattr(got.logs[0], name), getattr(right.logs[0], name))
    assert sum(got.dropped.values()) - sum(right.dropped.values()) == len(spoilt) - len(log)


@pytest.mark.slow
def test_a_second_publisher_of_every_second_row_leaves_rate_and_check(tmp_path):
    """Read from a recording, as many rows of zeros as of the machine; no drive states the rate."""
    log = made(5)
    log = replace(log, time=1.7e9 + log.time)
    spoilt = with_foreign_rows(log, "of a second publisher", 0.99, seed=1)
    write_log(tmp_path / "bag", spoilt, "mcap")
    read = read_log(tmp_path / "bag")
    for machine in (NOMINAL, replace(NOMINAL, drive=None)):
        # stamps of 1.7e9 s are rounded to .24 us
        assert compute_estimated_period(read, as_machine(machine))[0] == pytest.approx(1e-3, rel=1e-4)
    check = inspect_log(with_foreign_rows(log, "empty", 0.05, seed=1), NOMINAL)
    assert check.usable == len(log)
    assert check.jitter < 4e-5  # of the 20 us of each stamp, as without foreign rows


@pytest.mark.parametrize("factor", [2, 3, 4, 5, 8, 10])
@pytest.mark.parametrize("groups", [("coordinate", "force"), ("coordinate",), ("force",)])
def test_held_values_are_thinned_out_to_the_slower_log(factor, groups):
    log = made(factor)
    spoilt = held(log, factor, groups)
    prepared = prepare_log(spoilt, as_machine(NOMINAL))
    assert prepared.hold == factor
    assert f"every {factor}" in prepared.warnings[0]
    np.testing.assert_array_equal(prepared.log.time, log.time[::factor])
    np.testing.assert_array_equal(prepared.log.length, log.length[::factor])
    np.testing.assert_array_equal(prepared.log.force, log.force[::factor])
    right = Experiment.of([log[::factor]], slower(NOMINAL, factor))
    got = Experiment.of([spoilt], NOMINAL)
    assert got.period == right.period
    np.testing.assert_array_equal(got.problem().equations.regressor, right.problem().equations.regressor)


def test_a_hold_of_two_and_three_samples_that_begins_anywhere_is_thinned_out():
    log = made(6)
    rows = np.maximum(np.floor((np.arange(len(log)) + 1) / 2.5) * 2.5, 1).astype(int) - 1
    prepared = prepare_log(DriveLog(log.time, log.length[rows], log.force[rows]), as_machine(NOMINAL))
    assert prepared.hold == pytest.approx(2.5, abs=0.01)
    assert len(prepared.log) == pytest.approx(len(log) / 2.5, rel=0.01)
    late = prepare_log(held(log, 4, begin=2), as_machine(NOMINAL))
    np.testing.assert_array_equal(late.log.time[1:], log.time[2::4][1:])
    both = prepare_log(
        with_foreign_rows(held(log, 4), "of a second publisher", 0.01, seed=2), as_machine(NOMINAL)
    )
    assert both.hold == pytest.approx(4.0, abs=0.1)


@pytest.mark.parametrize("seed", [1, 2])
def test_right_logs_are_not_taken_for_held(seed):
    """Coarse encoders in slow motion, standstill, and a channel that is stuck."""
    log = made(seed)
    middle = log.length.mean(axis=0)
    count = 1e-5
    for speed in (2e-4, 2e-3, 2e-2):  # m/s: a count every 50, 5 and .5 samples, all struts at once
        heave = (
            middle + count * np.floor((speed * np.arange(len(log)) * 1e-3)[:, None] / count) + 0 * log.length
        )
        for force in (log.force, np.round(log.force / 50.0) * 50.0):
            assert prepare_log(replace(log, coordinate=heave, force=force), as_machine(NOMINAL)).hold == 1.0
    coarse = replace(log, coordinate=np.round((middle + 0.01 * (log.length - middle)) / count) * count)
    still = replace(
        log, coordinate=np.tile(log.length[:1], (len(log), 1)), force=np.tile(log.force[:1], (len(log), 1))
    )
    stuck = replace(log, coordinate=log.length.copy(), force=log.force.copy())
    stuck.length[:, 2], stuck.force[:, 3] = stuck.length[0, 2], stuck.force[0, 3]
    for right in (log, coarse, still, stuck, synthetic.log(TRUTH, 3.0, seed)):
        prepared = prepare_log(right, as_machine(NOMINAL))
        assert prepared.log is right
        assert not prepared.warnings
    assert prepare_log(held(stuck, 4), as_machine(NOMINAL)).hold == 4.0


@pytest.mark.parametrize("command", ["check", "identify", "diagnose"])
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda log: log[np.random.default_rng(1).permutation(len(log))], "order of time"),
        (lambda log: replace(log, force=np.zeros_like(log.force)), "all forces are 0"),
        (lambda log: replace(log, force=np.abs(log.force)), "unsigned"),
    ],
)
def test_what_cannot_be_used_is_named_before_any_cause(tmp_path, capsys, command, change, words):
    path = tmp_path / "log.csv"
    write_log(path, change(made(7)))
    assert main([command, str(path), "--machine", "uf"]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert "cause" not in error


@pytest.mark.slow
def test_check_ends_with_1_where_the_model_does_not_fit_at_all(tmp_path, capsys):
    """Forces that are another machine's leave no parameter that can be estimated."""
    path = tmp_path / "log.csv"
    log, other = made(8, 8.0), made(9, 8.0)
    write_log(path, replace(log, force=other.force))
    assert main(["check", str(path), "--machine", "uf"]) == 1
    assert "not usable" in capsys.readouterr().out
