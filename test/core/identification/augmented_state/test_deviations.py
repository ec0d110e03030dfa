# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Standard deviations of joint and dual estimation: correlated innovations, and what the bandwidth does."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
from core.estimation.toy_problems import autoregressive
from core.identification.augmented_state.joint_problems import OWNER, found, noisy
from scipy import stats

from pkm_identification.estimation.batch.sandwich import correlation_lags
from pkm_identification.identification.augmented_state.deviations import add_correlation, systematic
from pkm_identification.identification.augmented_state.log_pass import estimate_parameters
from pkm_identification.mechanisms.hexapod.machine import Machine

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def around():
    """A log with white noise, and states and parameters around which its model is linear."""
    return found(noisy(10))


def test_gradients_balance_the_prior_at_the_estimate(around):
    """The likelihood's gradient over all samples and the prior's cancel where the estimate is."""
    model, rounds = around
    result = rounds.result
    pull = (result.mean - model.prior.mean) / model.prior.std
    deviation = np.sqrt(np.diag(result.covariance)) / model.prior.std
    # in the estimate's standard deviations: a gradient g moves it by covariance g
    covariance = result.covariance / np.outer(model.prior.std, model.prior.std)
    left = covariance @ (result.scores.sum(axis=0) - pull)
    np.testing.assert_allclose(left / deviation, 0.0, atol=1e-6)


def test_the_path_ends_near_the_estimate(around):
    result = around[1].result
    deviation = np.sqrt(np.diag(result.covariance))
    assert len(result.history_time) == len(result.history_mean) == len(result.scores)
    # the last entry is a stride before the end
    assert np.abs((result.history_mean[-1] - result.mean) / deviation).max() < 1.0
    np.testing.assert_allclose(result.history_std[-1], deviation, rtol=0.1)


def widening(model, result) -> np.ndarray:
    added = add_correlation(result, model.prior, False).added
    assert np.linalg.eigvalsh(added / np.outer(model.prior.std, model.prior.std)).min() > -1e-12
    return 1.0 + np.diag(added) / np.diag(result.covariance)


def test_white_noise_widens_nothing_but_by_chance(around):
    """A sandwich of few gradients is itself uncertain: as a chi-square with their number over that of lags' weights."""
    model, rounds = around
    ratio = widening(model, rounds.result)
    count = len(rounds.result.scores)
    freedom = count / (1.0 + 2.0 / 3.0 * correlation_lags(count))
    assert ratio.max() < stats.chi2.ppf(0.999, freedom) / freedom


def test_errors_of_the_force_that_last_are_told(around):
    """Two newtons that last 50 ms: at 2 Hz 440 times the power density of the white 0.8 N assumed.

    The deviation ought to grow 21 times of what is seen at the motion's frequencies: mass and viscous friction, not the
    bends of Coulomb friction; 25 gradients of a tenth of a second each tell that within a factor of some.
    """
    model, rounds = around
    force = rounds.samples.force + autoregressive(np.random.default_rng(3), len(rounds.samples), 6, 0.98, 2.0)
    # the steps around the same states, pushed by other forces
    steps, pushed = rounds.around.steps, force - rounds.samples.force
    middle = 0.5 * (pushed + np.roll(pushed, -1, axis=0))
    steps = steps._replace(defect=steps.defect + np.einsum("nij,nj->ni", steps.by_force, middle))
    wrong = replace(rounds.around, steps=steps)
    result = estimate_parameters(model, wrong, rounds.samples, rounds.noise)
    assert np.sqrt(widening(model, result))[:3].min() > 21 / 7


def bandwidth_part(model, rounds) -> np.ndarray:
    """Systematic part over the white deviation."""
    part = systematic(model, rounds.around, rounds.noise, rounds.samples, rounds.values)
    return np.sqrt(np.diag(part) / np.diag(rounds.result.covariance))


def test_a_right_model_does_not_mind_the_bandwidth_and_a_wrong_bend_does(around):
    """With the right weights an estimate is efficient: others differ by less than its own deviation."""
    right = bandwidth_part(*around)
    assert right.max() < 1.0
    made = copy.deepcopy(dict(OWNER.document))
    made["friction"]["transition_rate"] *= 4.0
    wrong = bandwidth_part(*found(noisy(10), Machine.from_document(made)))
    # friction is what a bend in the wrong place is taken for
    assert wrong.max() > 2.0 * right.max()


def test_readings_of_additional_sensors_are_not_in_the_gradients(around):
    model, rounds = around
    assert not add_correlation(rounds.result, model.prior, True).added.any()
