# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Stages as nodes use them one by one, and their twins over whole logs."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from core import synthetic
from core.signals.strut_logs import damage, smooth_log

from pkm_identification.identification.online.filter_stage import FilterStage
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.signals.causal import CausalFilter, FilterSettings, filter_log_causally
from pkm_identification.signals.continuity import Continuity, number_segments
from pkm_identification.signals.forces.acting import acting
from pkm_identification.signals.input_validation import InputValidator, ValidationSettings
from pkm_identification.signals.rate import RateWatch

NOMINAL = synthetic.nominal()
GUARD = ValidationSettings.of(NOMINAL)
FILTER = FilterSettings(GUARD.period, 150.0)
FAULTS = [
    ("drop", 300, 0, 2),
    ("nan", 500, 1, 3),
    ("spike", 900, 2, 4),
    ("drop", 1200, 0, 40),
    ("clock", 3300, 0, 5),
]


def at_wrong_rate(log: DriveLog, first: int, last: int, period: float) -> DriveLog:
    """The log with stamps `period` s apart between two samples, and later ones moved accordingly."""
    steps = np.diff(log.time, prepend=log.time[0])
    steps[first:last] = period
    return DriveLog(log.time[0] + np.cumsum(steps), log.length, log.force, log.source)


def streamed(stage: FilterStage, log: DriveLog) -> list:
    force = [None] * len(log) if log.force is None else log.force
    return [out for row in zip(log.time.tolist(), log.length, force, strict=True) for out in stage.step(*row)]


@pytest.mark.parametrize("jitter", [0.0, 2e-4])
@pytest.mark.parametrize("kind", ["fir", "butterworth"])
def test_a_log_as_a_whole_gives_what_the_stage_gives_sample_by_sample(kind, jitter):
    log = damage(at_wrong_rate(smooth_log(4000, 10.0, jitter=jitter), 1500, 2500, 1.3e-3), FAULTS)
    settings = FilterSettings(GUARD.period, 150.0, kind=kind)
    stage = FilterStage(GUARD, settings)
    samples = streamed(stage, log)
    continuity = Continuity(GUARD.period)
    numbers = [continuity.number(sample.time, sample.segment) for sample in samples]
    motion, left_out = filter_log_causally(InputValidator(GUARD).validation(log), settings)
    assert left_out == stage.counts["wrong_rate"] > 500
    np.testing.assert_array_equal(motion.time, [sample.time for sample in samples])
    for name, own in (
        ("length", "coordinate"),
        ("rate", "rate"),
        ("acceleration", "acceleration"),
        ("force", "force"),
    ):
        found = np.array([getattr(sample, own) for sample in samples])
        np.testing.assert_allclose(getattr(motion, name), found, rtol=1e-9, atol=1e-9)
    begins = [a != b for a, b in pairwise(numbers)]
    np.testing.assert_array_equal(np.diff(motion.segment) != 0, begins)
    # the hole, the clock, and once where the rate was wrong
    assert sum(begins) == 3
    assert continuity.breaks == 1


def test_forces_behind_a_motor_follow_the_period_of_the_stamps():
    """A motor in front of a belt, stamps 4 % fast: what acts is as offline, whose guard has the measured period."""
    belt, measured = Machine.load("uf_belt"), 1e-3 / 1.04
    log = smooth_log(900)
    log = replace(log, time=10.0 + measured * np.arange(len(log)))
    stage = FilterStage(ValidationSettings.of(belt), FILTER)
    found = {sample.time: sample for sample in streamed(stage, log)}
    assert stage.rate.period == pytest.approx(measured, rel=1e-9)
    validation = ValidationSettings.of(belt, measured)
    whole = CausalFilter(FILTER).filter(acting(InputValidator(validation).validation(log), validation))
    assert len(found) > 800
    np.testing.assert_array_equal(whole.time, list(found))
    for name, own in (("length", "coordinate"), ("force", "force")):
        one = np.array([getattr(sample, own) for sample in found.values()])
        np.testing.assert_allclose(one, getattr(whole, name), rtol=0.0, atol=1e-6 * np.abs(one).max())


def test_a_stream_at_the_right_rate_passes_whole():
    log = smooth_log(2000, jitter=2e-4)
    validated = InputValidator(GUARD).validation(log)
    motion, left_out = filter_log_causally(validated, FILTER)
    stage = FilterStage(GUARD, FILTER)
    assert len(streamed(stage, log)) == len(motion) > 1900
    assert left_out == stage.counts["wrong_rate"] == 0
    assert not stage.events


@pytest.mark.parametrize("period", [0.7e-3, 1e-3, 1.3e-3, 0.11, 0.4])
def test_many_readings_are_followed_as_one_by_one(period):
    rng = np.random.default_rng(1)
    brought = rng.choice([1, 2, 3], 3000, p=[0.96, 0.03, 0.01])
    time = 5.0 + period * (np.cumsum(brought) + rng.uniform(-0.3, 0.3, 3000))
    single, many = RateWatch(1.0 / period), RateWatch(1.0 / period)
    expected, periods = [], []
    for stamp, samples in zip(time.tolist(), brought.tolist(), strict=True):
        single.update(stamp, samples)
        expected.append(single.wrong)
        periods.append(single.period)
    parts = np.split(np.arange(3000), [1, 2, 700, 701, 2500])
    found, measured = map(
        np.concatenate, zip(*(many.follow(time[part], brought[part]) for part in parts), strict=True)
    )
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(measured, periods)
    assert found.any()
    assert not found.all()


def test_stretches_of_a_whole_stream_are_those_of_its_receiver():
    rng = np.random.default_rng(2)
    time = np.cumsum(rng.choice([1e-3, 5.4e-3, 5.6e-3, 0.2], 500, p=[0.9, 0.04, 0.04, 0.02]))
    segment = np.cumsum(rng.random(500) < 0.02)
    continuity = Continuity(1e-3)
    expected = [continuity.number(t, s) for t, s in zip(time.tolist(), segment.tolist(), strict=True)]
    np.testing.assert_array_equal(number_segments(time, segment, 1e-3), expected)
    assert continuity.breaks > 5
    assert len(number_segments(time[:0], segment[:0], 1e-3)) == 0


def test_segments_go_on_after_a_restart_and_begin_afresh_after_a_reset():
    log = smooth_log(200, start=1000.0)
    stage = FilterStage(GUARD, FILTER)
    first = streamed(stage, log)
    assert {sample.segment for sample in first} == {1_000_000}
    stage.restart()
    assert stage.counts["accepted"] == 0
    assert {sample.segment for sample in streamed(stage, log)} == {1_000_001}
    stage.exchange(GUARD, FilterSettings(GUARD.period, 80.0))
    assert {sample.segment for sample in streamed(stage, log)} == {1_000_002}
    stage.reset()
    fresh = FilterStage(GUARD, FilterSettings(GUARD.period, 80.0))
    again, other = streamed(stage, smooth_log(200, start=7.0)), streamed(fresh, smooth_log(200, start=7.0))
    assert [a.segment for a in again] == [b.segment for b in other] == [7000] * len(again)


@pytest.mark.slow
def test_forces_missing_for_a_moment_end_a_stretch_of_the_pipeline():
    """The filter starts anew with the forces: what was learned goes on, the equations' low-pass begins again."""
    log = synthetic.log(synthetic.truth(), 3.0, 1)
    pipeline = OnlinePipeline(NOMINAL)
    for k, (time, length, force) in enumerate(zip(log.time.tolist(), log.length, log.force, strict=True)):
        pipeline.step(time, length, None if 2000 <= k < 2010 else force)
    assert pipeline.estimator_stage.continuity.breaks == 1
    assert pipeline.estimator.counts["settling"] == 2 * pipeline.settings.band.settling
    assert pipeline.estimator.counts["no_force"] == 0
