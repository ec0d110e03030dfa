# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs from 20 Hz to 10 kHz: the same machine is found from each, within what each says of itself."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from core import synthetic
from core.mechanisms.hexapod.machine_variants import document
from core.platform_motions import Harmonics, lengths

from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.identify import identify
from pkm_identification.identification.log_check import inspect_log
from pkm_identification.identification.online.filter_stage import FilterStage
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.identification.rates.kinematic_cutoff import compute_error_weights
from pkm_identification.identification.rates.rate_noise import (
    WHITE_SHARE,
    is_rounded,
    rate_noise,
)
from pkm_identification.identification.rates.rounding_watch import RoundingWatch, rounded_after
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.friction import friction_columns
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.motion import DriveLog
from pkm_identification.signals.butterworth import low_pass as butterworth
from pkm_identification.signals.butterworth import zero_phase
from pkm_identification.signals.causal import CausalFilter, FilterSettings
from pkm_identification.signals.differences import central_differences

TRUTH = synthetic.truth()
VALUES = list_hexapod_parameters(TRUTH).nominal
NOISE = 1.0  # N


def nominal(rate: float) -> Machine:
    made = synthetic.nominal().document
    return Machine.from_document(made | {"drive": document("uf")["drive"] | {"sample_rate": rate}})


def log_at(rate: float, seconds: float, frequencies=(0.3, 0.7, 1.1, 1.7, 2.3), seed: int = 0) -> DriveLog:
    """A log with the noise of drives; instants and readings are those of the rate itself, nothing is resampled."""
    rng = np.random.default_rng([seed, round(rate)])
    time = np.arange(round(seconds * rate)) / rate
    motion = Harmonics(TRUTH, [0.03, 0.03, 0.03, 0.12, 0.12, 0.12], frequencies, seed).at(time)
    length = lengths(TRUTH, motion.position, motion.rotation)
    length = synthetic.ENCODER * np.round(length / synthetic.ENCODER)
    force = strut_forces(TRUTH, motion)
    return DriveLog(
        time + rng.normal(0, 0.02 / rate, len(time)), length, force + rng.normal(0, NOISE, force.shape)
    )


def furthest(estimate, statuses=("identifiable",)) -> float:
    """Largest error of what is identified, in stated deviations."""
    shown = np.array([status in statuses for status in estimate.status])
    assert shown.sum() >= 10
    return float(np.abs((estimate.values - VALUES) / estimate.std)[shown].max())


SLOW = [(20.0, 60.0, (0.15, 0.3, 0.5, 0.7, 0.9)), (50.0, 40.0, (0.3, 0.7, 1.1, 1.7))]
FAST = [(rate, 20.0, (0.3, 0.7, 1.1, 1.7, 2.3)) for rate in (100.0, 500.0)]
# errors are judged by the deviations stated, whatever the duration
FASTEST = [(rate, seconds, FAST[0][2]) for rate, seconds in ((5000.0, 6.0), (10000.0, 6.0))]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("causal", "rate", "seconds", "frequencies"),
    [*((False, *case) for case in (*SLOW, *FAST, *FASTEST)), (True, *SLOW[0]), (True, *FAST[0]), (True, *FASTEST[0])],
)  # fmt: skip
@pytest.mark.usefixtures("unjudged")
def test_estimates_hold_at_any_rate(rate, seconds, frequencies, causal):
    """|z| < 4: of 20 parameters and 9 cases one normal error lies beyond with a probability of 1.1 %."""
    settings = Settings.of(estimator="ukf" if causal else "ls", causal=causal)
    result = identify([log_at(rate, seconds, frequencies)], nominal(rate), settings)
    assert result.converged
    assert furthest(result.estimate) < 4.0
    assert "filled" not in result.dropped
    assert (len(result.warnings) > 0) == (rate < 400)


@pytest.mark.parametrize(
    ("rate", "seconds", "frequencies"),
    [*SLOW, *FAST[:1], pytest.param(10000.0, 4.0, (0.3, 0.7, 1.1, 1.7, 2.3), marks=pytest.mark.slow)],
)
def test_estimates_hold_online_at_any_rate(rate, seconds, frequencies):
    machine, log = nominal(rate), log_at(rate, seconds, frequencies)
    pipeline = OnlinePipeline(machine, Settings.of(causal=True).resolve(machine))
    for sample in zip(log.time, log.length, log.force, strict=True):
        pipeline.step(*sample)
    assert pipeline.filter_stage.counts["gap"] == pipeline.filter_stage.counts["spike"] == 0
    # what so few seconds show is in doubt where they are too few to judge the fit
    assert pipeline.estimator.learned_from is None
    assert furthest(pipeline.estimate, ("identifiable", "in_doubt")) < 4.0


@pytest.mark.parametrize("rate", [20.0, 100.0, 1000.0, 10000.0])
def test_short_holes_are_filled_and_longer_ones_begin_a_segment(rate):
    """Holes up to 5 ms are next to a straight line; slow logs bridge one lost sample and no more."""
    log = log_at(rate, max(3.0, 100 / rate))
    kept = np.ones(len(log), dtype=bool)
    bridged = max(1, round(0.005 * rate) - 1)
    kept[50 : 50 + bridged] = False
    thinned = DriveLog(log.time[kept], log.length[kept], log.force[kept])
    experiment = Experiment.of([thinned], nominal(rate))
    assert experiment.logs[0].counts["filled"] == bridged
    assert experiment.logs[0].counts["gap"] == 0
    kept[50 : 52 + bridged] = False
    thinned = DriveLog(log.time[kept], log.length[kept], log.force[kept])
    assert Experiment.of([thinned], nominal(rate)).logs[0].counts["gap"] == 1


def test_coarse_encoders_at_10_khz_are_no_spikes():
    """Steps of 20 um within .1 ms are 2000 m/s^2; a jump that would be one at 1 kHz still is one."""
    log = log_at(10000.0, 1.0)
    coarse = DriveLog(log.time, 20e-6 * np.round(log.length / 20e-6), log.force)
    experiment = Experiment.of([coarse], nominal(10000.0))
    assert "spike" not in {name for name, count in experiment.dropped.items() if count}
    jumped = coarse.length.copy()
    jumped[5000, 2] += 1.5e-3
    broken = Experiment.of([DriveLog(log.time, jumped, log.force)], nominal(10000.0))
    assert broken.dropped["spike"] == 1


@pytest.mark.parametrize(("rate", "band", "cutoff"), [
    (20.0, 2.0, 6.0), (50.0, 5.0, 15.0), (100.0, 10.0, 30.0), (200.0, 10.0, 60.0), (500.0, 10.0, 150.0),
    (1000.0, 10.0, 150.0), (10000.0, 10.0, 150.0),
])  # fmt: skip
def test_band_and_cutoff_follow_the_rate(rate, band, cutoff):
    resolved = Settings().resolve(nominal(rate))
    assert resolved.band.cutoff == pytest.approx(band)
    assert resolved.filter.cutoff == pytest.approx(cutoff)


def test_a_slow_log_of_a_fast_motion_gets_a_wider_band_and_says_what_is_lost():
    calm = Experiment.of([log_at(20.0, 60.0, (0.2, 0.4, 0.6))], nominal(20.0))
    assert calm.settings.band.cutoff == pytest.approx(2.0)
    assert not any("is not used" in sentence for sentence in calm.warnings)
    lively = Experiment.of([log_at(20.0, 60.0, (0.5, 1.5, 2.2))], nominal(20.0))
    assert 2.2 < lively.settings.band.cutoff <= 3.0
    hasty = Experiment.of([log_at(20.0, 60.0, (0.5, 1.5, 4.0))], nominal(20.0))
    assert hasty.settings.band.cutoff == pytest.approx(3.0)
    assert any("is not used" in sentence for sentence in hasty.warnings)
    stated = Experiment.of([log_at(20.0, 60.0, (0.5, 1.5, 4.0))], nominal(20.0), Settings.of(band_cutoff=1.0))
    assert stated.settings.band.cutoff == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("rate", [20.0, 500.0, 8000.0])
def test_the_check_says_in_a_sentence_what_a_rate_shows(rate):
    check = inspect_log(log_at(rate, 60.0 if rate < 100.0 else 6.0, (0.3, 0.7, 1.1)), nominal(rate))
    sentences = [*check.warnings, *([check.rate_shows] if check.rate_shows else [])]
    (told,) = [sentence for sentence in sentences if "compared up to" in sentence]
    assert f"{rate:g} Hz" in told
    if rate > 100.0:  # the motion ends at 1.1 Hz, however many samples there are
        found = float(re.search(r"lies below ([\d.]+) Hz", told)[1])
        assert 0.5 < found < 5.0


def test_the_check_shows_ranges_of_a_log_that_is_refused_as_a_whole():
    log = log_at(1000.0, 1.0)
    check = inspect_log(DriveLog(log.time, 1e3 * log.length, log.force), nominal(1000.0))
    assert check.usable == 0
    assert check.identification is None
    np.testing.assert_allclose(check.coordinate_range[:, 0], 1e3 * log.length.min(axis=0))
    np.testing.assert_allclose(check.peak_force, np.abs(log.force).max(axis=0))


@pytest.mark.parametrize(("counts", "others"), [(800000.0, [100.0, 225.0]), (100000.0, [60.0])])
def test_no_cutoff_is_tried_that_the_encoders_do_not_bear(counts, others):
    """1.25 um bear 360 Hz at 1 kHz; 10 um bear 90 Hz, which is chosen, and nothing above it."""
    drive = document("uf")["drive"]
    drive["encoder"]["counts_per_meter"] = counts
    machine = Machine.from_document(synthetic.nominal().document | {"drive": drive})
    experiment = Experiment.of([log_at(1000.0, 1.0)], machine)
    assert list(experiment.other_cutoffs) == pytest.approx(others, rel=1e-3)


@pytest.mark.parametrize("factors", [(1 / 1.5, 1.5), (1 / 1.5, 1.2)])
def test_a_lower_and_a_higher_cutoff_tell_the_error_at_the_chosen_one(factors):
    x = np.array([*factors, 1.0])
    error = 0.3 * x**-3.0 - 0.05 * x**3.0
    assert compute_error_weights(factors) @ (error[:2] - error[2]) == pytest.approx(error[2])


@pytest.mark.parametrize("factors", [(), (0.6,), (0.6, 0.6)])
def test_cutoffs_of_one_side_change_the_estimate_by_what_is_stated(factors):
    """Above a stated cutoff that the encoders do not bear there is nothing to try, and one cutoff twice below."""
    assert compute_error_weights(factors) @ np.ones(len(factors)) == pytest.approx(float(bool(factors)))


def test_friction_of_noisy_rates_is_on_average_that_of_the_true_ones():
    """Near the bend of the law by the noise of the rates behind the kinematic low-pass itself, which rounding makes."""
    machine, low_pass = nominal(1000.0), FilterSettings(1e-3, 150.0)
    rounding = 1.0 / (machine.drive.counts_per_meter * np.sqrt(12.0))
    white = np.random.default_rng(3).normal(0.0, rounding, 20000)
    white, _ = central_differences(zero_phase(butterworth(4, 150.0, 1000.0), white), 1e-3)
    assert np.sqrt(WHITE_SHARE) * white.std() == pytest.approx(
        rate_noise(as_machine(machine), low_pass)[0], rel=0.02
    )
    aware = replace(machine.friction, rate_noise=rate_noise(as_machine(machine), low_pass)[0])
    rates = np.linspace(0.8, 1.2, len(white)) * aware.transition_rate
    true = friction_columns(rates, machine.friction)[1]
    noisy = rates + np.sqrt(WHITE_SHARE) * white
    plain, corrected = (np.mean(friction_columns(noisy, law)[1] - true) for law in (machine.friction, aware))
    assert abs(corrected) < 0.2 * abs(plain)


def test_exact_lengths_are_not_taken_for_rounded_ones():
    """What encoders would do to friction is not taken off them."""
    machine, exact = as_machine(nominal(1000.0)), synthetic.log(TRUTH, 4.0, 1).length
    assert not is_rounded(exact, machine)
    rounded = synthetic.ENCODER * np.round(exact / synthetic.ENCODER)
    assert is_rounded(rounded, machine)
    # a machine at rest says nothing, nor does it hide what the rest of the log says
    rest = np.repeat(rounded[:1], 10 * len(rounded), axis=0)
    assert not is_rounded(rest, machine)
    assert is_rounded(np.concatenate([rest, rounded]), machine)


def test_filtered_samples_tell_whether_lengths_were_rounded():
    """Of those that move, whether asked one by one or all together; a machine at rest is asked again when it moves."""
    machine, log = nominal(1000.0), synthetic.log(TRUTH, 3.0, 1)
    rounded = replace(log, coordinate=synthetic.ENCODER * np.round(log.length / synthetic.ENCODER))
    rest = np.repeat(rounded.length[:1], 1000, axis=0)
    rested = replace(
        rounded,
        time=np.arange(len(log) + 1000) * 1e-3,
        coordinate=np.concatenate([rest, rounded.length]),
        force=np.concatenate([rounded.force[:1000], rounded.force]),
    )
    for one, expected in ((log, False), (rounded, True), (rested, True)):
        experiment = Experiment.of([one], machine)
        low_pass = experiment.settings.filter
        struts = CausalFilter(low_pass).filter(experiment.logs[0])
        watch, told = RoundingWatch(as_machine(machine), low_pass), np.inf
        for n, (rate, second) in enumerate(zip(struts.rate, struts.acceleration, strict=True)):
            if watch.open and watch.step(rate, second, starting=n == 0):
                told = struts.time[n]
        assert not watch.open
        assert np.isfinite(told) == expected
        assert told == rounded_after(
            as_machine(machine), struts.time, struts.segment, struts.rate, struts.acceleration, low_pass
        )
    assert told > 1.0


def test_coarse_encoders_make_no_noise_of_rates():
    machine = nominal(1000.0)
    low_pass = FilterSettings(period=1e-3, cutoff=90.0)
    fine, coarse = (
        replace(machine, drive=replace(machine.drive, counts_per_meter=counts)) for counts in (8e5, 1e5)
    )
    assert np.all(rate_noise(as_machine(fine), low_pass) > 0.0)
    assert np.all(rate_noise(as_machine(coarse), low_pass) == 0.0)


@pytest.mark.usefixtures("unjudged")
@pytest.mark.slow
@pytest.mark.parametrize("causal", [False, True])
def test_samples_four_percent_fast_bias_no_friction(causal, log_four_percent_fast):
    """The stamps' own period is used; with the stated one viscous friction would be 4 % off."""
    settings = Settings.of(estimator="ukf" if causal else "ls", causal=causal, hold_out=0.0)
    estimate = identify([log_four_percent_fast], nominal(250.0), settings).estimate
    viscous = [k for k, name in enumerate(estimate.names) if name.startswith("viscous")]
    assert np.abs(estimate.values / VALUES - 1.0)[viscous].max() < 0.02
    assert furthest(estimate) < 4.0


def test_an_online_run_follows_the_period_of_its_stamps(log_four_percent_fast):
    """Rates as from the first sample on, although the period is known better with time."""
    log = log_four_percent_fast
    settings = Settings().resolve(nominal(250.0), 1.0 / 250.0)
    stated, measured = (FilterStage(settings.validation, settings.filter) for _ in range(2))
    pairs = [
        (one, other)
        for k, (length, force) in enumerate(zip(log.length[:1000], log.force[:1000], strict=True))
        for one, other in zip(
            stated.step(k / 250.0, length, force),
            measured.step(float(log.time[k]), length, force),
            strict=True,
        )
    ]
    assert len(pairs) > 900
    for name, power in (("rate", 1), ("acceleration", 2)):
        one, other = (np.array([getattr(pair[k], name) for pair in pairs]) for k in range(2))
        np.testing.assert_allclose(other, 1.04**power * one, rtol=0.005, atol=1e-9)
    assert measured.rate.period == pytest.approx(1.0 / 260.0, rel=1e-4)
    assert stated.rate.period == 1.0 / 250.0


@pytest.fixture(scope="module")
def log_four_percent_fast() -> DriveLog:
    return log_at(260.0, 15.0)
