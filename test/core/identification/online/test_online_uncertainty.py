# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Online standard deviations: not smaller than errors that are correlated in time, or systematic, make them."""

from __future__ import annotations

import numpy as np
import pytest
from core.estimation.toy_problems import autoregressive, parameter_set, prior_of

from pkm_identification.estimation.filters.recursive import RecursiveEstimator
from pkm_identification.estimation.filters.uncertainty import RunningUncertainty
from pkm_identification.estimation.filters.unscented import UnscentedSettings
from pkm_identification.identification.online.online_estimator import EstimatorState
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate

pytestmark = pytest.mark.slow

WIDTH, OUTPUTS, STEPS = 4, 6, 1000
SEEDS = (4,)


def covariance_of(uncertainty, root):
    """What becomes of a covariance with this square root, of parameters in units of their prior."""
    nothing = np.zeros(len(root))
    return uncertainty.widen((nothing, np.ones(len(root)), nothing, root), 1.0, len(root))[1]


def slow_columns(rng, prior):
    """Columns that change slowly: only then does correlation in time matter."""
    return autoregressive(rng, STEPS, OUTPUTS * WIDTH, 0.9).reshape(STEPS, OUTPUTS, WIDTH) / prior.std


def spread(memory: float, runs: int = 25) -> tuple[float, float]:
    """RMS of errors over their stated deviation (widened, and as the filter has it) for AR(1) noise."""
    prior = prior_of(WIDTH, 1, 3.0)
    truth = prior.mean + 0.5 * prior.std
    widened, plain = [], []
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        columns = slow_columns(rng, prior)
        noise = autoregressive(rng, STEPS, OUTPUTS, memory, 0.3)
        recursive = RecursiveEstimator(parameter_set(prior), "ekf", force_scale=20.0)
        for k in range(STEPS):
            recursive.step(float(k), columns[k], columns[k] @ truth + noise[k])
        error = recursive.filter.mean - truth
        widened.append(error / recursive.estimate().std)
        plain.append(error / np.sqrt(np.diag(recursive.filter.covariance)))
    return float(np.sqrt(np.mean(np.square(widened)))), float(np.sqrt(np.mean(np.square(plain))))


def test_correlation_in_time_widens_the_standard_deviation():
    widened, plain = spread(0.9)
    # of columns and noise with AR(1) memories a and b the variance grows by (1 + a b) / (1 - a b) = 9.5, the deviation
    # by 3.1, which is what is left out without widening
    assert plain > 2.3
    # 12 lags see most of it
    assert widened < 1.6
    assert widened > 0.7


def test_white_noise_does_not():
    widened, plain = spread(0.0)
    assert widened == pytest.approx(plain, rel=0.15)
    assert 0.8 < plain < 1.2


def test_systematic_part_is_the_bias_that_the_bend_makes():
    """Measured = columns w + bend: the error that makes is the systematic part, and the same at every scale."""
    rng, prior = np.random.default_rng(3), prior_of(WIDTH, 4, 3.0)
    columns = slow_columns(rng, prior)
    bend = 0.05 * (columns @ prior.std) ** 2
    truth = prior.mean + 0.5 * prior.std
    still = UnscentedSettings(adaptation="none")
    recursive = RecursiveEstimator(parameter_set(prior), "ekf", still, force_scale=20.0)
    for k in range(STEPS):
        measured = columns[k] @ truth + bend[k] + 0.01 * rng.normal(size=OUTPUTS)
        recursive.step(float(k), columns[k], measured, bend[k])
    error = recursive.filter.mean - truth
    own = np.sqrt(np.diag(recursive.filter.covariance))
    # of a filter that knew everything else, only the systematic part is left
    systematic = prior.std * np.sqrt(np.diag(covariance_of(recursive.uncertainty, np.zeros((WIDTH, WIDTH)))))
    assert np.abs(error / own).max() > 3
    # the noise on top of the bend moves it by a tenth of what the filter takes for noise
    np.testing.assert_array_less(np.abs(np.abs(error) - systematic), 0.3 * own)
    assert np.all(np.abs(error) < 2 * np.sqrt(np.diag(recursive.widen()[1])))


def test_sums_are_those_of_their_definition():
    rng = np.random.default_rng(5)
    running = RunningUncertainty(3)
    noise = np.diag([0.5, 2.0])
    rows, residuals, transitions = (
        rng.normal(size=(40, 2, 3)),
        rng.normal(size=(40, 2)),
        rng.normal(size=(40, 2)),
    )
    for row, residual, bend in zip(rows, residuals, transitions, strict=True):
        running.add(row, noise, residual, bend)
    weight = np.linalg.inv(noise)
    information = sum(row.T @ weight @ row for row in rows) + np.eye(3)
    scores = [row.T @ weight @ residual for row, residual in zip(rows, residuals, strict=True)]
    meat = np.eye(3)
    for k, score in enumerate(scores):
        meat += np.outer(score, score)
        for lag in range(1, min(k, 12) + 1):
            both = np.outer(score, scores[k - lag])
            meat += (1 - lag / 13) * (both + both.T)
    bread = np.linalg.inv(information)
    bias = bread @ sum(row.T @ weight @ bend for row, bend in zip(rows, transitions, strict=True))
    factor = np.sqrt(np.maximum(np.diag(bread @ meat @ bread) / np.diag(bread), 1.0))
    expected = np.outer(factor, factor) * bread + np.outer(bias, bias)
    np.testing.assert_allclose(covariance_of(running, np.linalg.cholesky(bread)), expected, rtol=1e-10)


def test_equations_that_are_not_finite_leave_no_trace():
    running, rng = RunningUncertainty(2), np.random.default_rng(6)
    for k in range(20):
        running.add(rng.normal(size=(2, 2)), np.eye(2), rng.normal(size=2), np.zeros(2))
        if k == 10:
            running.add(np.full((2, 2), np.nan), np.eye(2), np.zeros(2), np.zeros(2))
            running.add(np.eye(2), np.eye(2), np.array([np.inf, 0.0]), np.zeros(2))
    assert np.all(np.isfinite(covariance_of(running, np.eye(2))))


def test_a_bend_that_is_told_late_belongs_to_the_equation_it_is_of():
    rng = np.random.default_rng(8)
    rows, transitions = rng.normal(size=(30, 2, 3)), rng.normal(size=(30, 2))
    prompt, late = RunningUncertainty(3), RunningUncertainty(3)
    nothing = np.zeros(2)
    for k in range(30):
        prompt.add(rows[k], np.eye(2), nothing, transitions[k] if k < 28 else nothing)
        late.add(rows[k], np.eye(2), nothing, transitions[k - 2] if k >= 2 else nothing, 2)
    nothing_known = np.zeros((3, 3))
    np.testing.assert_allclose(
        covariance_of(late, nothing_known), covariance_of(prompt, nothing_known), rtol=1e-12
    )


@pytest.mark.parametrize(("name", "seconds"), [("x", 12.0), ("rich", 18.0)])
def test_simulated_truth_is_within_the_stated_deviation(name, seconds):
    """Whole chain, good current sensors: what is left is systematic, and was up to seven times the stated deviation."""
    nominal = Machine.load("uf")
    size, alone = [], []
    for seed in SEEDS:
        truth = perturb_machine(nominal, seed)
        sensors = SensorSettings(current_noise=0.002)
        log = simulate(
            truth, name, seconds, nominal=nominal, sensors=sensors, seed=seed, motion_seed=seed
        ).log()
        pipeline = OnlinePipeline(nominal)
        for time, length, force in zip(log.time, log.length, log.force, strict=True):
            pipeline.step(float(time), length, force)
        estimate = pipeline.estimate
        error = estimate.values - list_hexapod_parameters(truth).nominal
        size.append(error / estimate.std)
        own = pipeline.estimator.state.covariance[: len(error), : len(error)]
        alone.append(error / np.sqrt(np.diag(own)))
    assert np.sqrt(np.mean(np.square(size))) < 1.6
    assert np.abs(size).max() < 4.5
    # and not by deviations that say nothing: they are known to a few per cent of what they were
    assert np.median(estimate.std / estimate.nominal) < 0.1
    assert np.sqrt(np.mean(np.square(alone))) > np.sqrt(np.mean(np.square(size)))


@pytest.fixture(scope="module")
def interrupted():
    """A simulated log, where it is cut, and the estimate until there."""
    nominal = Machine.load("uf")
    log = simulate(perturb_machine(nominal, 3), "rich", 8.0, nominal=nominal, seed=3).log()
    rows = list(zip(log.time.tolist(), log.length, log.force, strict=True))
    pipeline = OnlinePipeline(nominal)
    for row in rows[:5000]:
        pipeline.step(*row)
    return nominal, rows[5000:], pipeline.estimate


def test_restart_from_a_saved_estimate_keeps_its_standard_deviations(interrupted):
    """Widening is relative to all that is known, not to the few equations since the restart."""
    nominal, rows, saved = interrupted
    pipeline = OnlinePipeline(nominal)
    pipeline.estimator.resume(EstimatorState(saved.values, saved.covariance, saved.count, saved.time))
    largest = {0: np.max(pipeline.estimate.std / saved.std)}
    for row in rows:
        if pipeline.step(*row):
            largest[pipeline.estimator.count - saved.count] = np.max(pipeline.estimate.std / saved.std)
    assert len(largest) > 60
    assert largest[0] == pytest.approx(1.0, rel=1e-6)
    # what a few equations may add is noise learned anew and their share of the systematic part
    assert max(largest[k] for k in (1, 5, 20)) < 1.02
    assert max(largest.values()) < 1.1


def test_beginning_from_a_covariance_is_having_seen_the_equations_behind_it():
    rng = np.random.default_rng(7)
    rows, noise = rng.normal(size=(30, 2, 3)), np.diag([0.5, 2.0])
    information = sum(row.T @ np.linalg.inv(noise) @ row for row in rows)
    running = RunningUncertainty(3)
    running.begin_from(np.linalg.inv(information + np.eye(3)))
    # residuals that are nought widen nothing, so that only the bread is seen
    bend = np.array([0.3, -0.2])
    for row in rows[:5]:
        running.add(row, noise, np.zeros(2), bend)
    weight = np.linalg.inv(noise)
    total = information + sum(row.T @ weight @ row for row in rows[:5]) + np.eye(3)
    bias = np.linalg.solve(total, sum(row.T @ weight @ bend for row in rows[:5]))
    np.testing.assert_allclose(covariance_of(running, np.zeros((3, 3))), np.outer(bias, bias), rtol=1e-9)
    # less certain than the prior: as if nothing was seen
    fresh = RunningUncertainty(3)
    running.begin_from(4.0 * np.eye(3))
    for row in rows[:5]:
        for one in (fresh, running):
            one.add(row, noise, np.ones(2), bend)
    np.testing.assert_array_equal(covariance_of(running, np.eye(3)), covariance_of(fresh, np.eye(3)))
