# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Standard deviations of joint and dual estimation: correlated innovations, and what the bandwidth does."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
from core.estimation.toy_problems import autoregressive
from core.identification.augmented_state.dual_problems import (
    FORCE_NOISE,
    OWNER,
    TRUTH,
    centred,
    exact_run,
    noisy,
    problem,
    samples_of,
)
from scipy import stats

from pkm_identification.estimation.batch.sandwich import correlation_lags
from pkm_identification.identification.augmented_state.augmented_filter import JointFilter
from pkm_identification.identification.augmented_state.deviations import correlated, systematic
from pkm_identification.identification.augmented_state.results import JointSettings
from pkm_identification.identification.augmented_state.two_filter import TwoFilters
from pkm_identification.mechanisms.hexapod.machine import Machine

pytestmark = pytest.mark.slow

SETTINGS = JointSettings()


@pytest.fixture(scope="module")
def around():
    """A log with white noise, and states and parameters around which its model is linear."""
    samples = noisy(samples_of(exact_run(), TRUTH), 10)
    model, noise = problem(samples)
    centre = centred(model, noise, samples)
    return samples, model, noise, centre, TwoFilters(model, noise, SETTINGS).run(samples, centre)


def test_gradients_balance_the_prior_at_the_estimate(around):
    """The likelihood's gradient over all samples and the prior's cancel where the estimate is."""
    _, model, _, _, found = around
    pull = (found.mean - model.prior.mean) / model.prior.std
    deviation = np.sqrt(np.diag(found.covariance)) / model.prior.std
    # in the estimate's standard deviations: a gradient g moves it by covariance g
    left = (found.covariance / np.outer(model.prior.std, model.prior.std)) @ (found.scores.sum(axis=0) - pull)
    np.testing.assert_allclose(left / deviation, 0.0, atol=1e-6)


def test_the_path_ends_near_the_estimate(around):
    _, _, _, _, found = around
    deviation = np.sqrt(np.diag(found.covariance))
    assert len(found.history_time) == len(found.history_mean) == len(found.scores)
    # the last entry is a stride before the end
    assert np.abs((found.history_mean[-1] - found.mean) / deviation).max() < 1.0
    np.testing.assert_allclose(found.history_std[-1], deviation, rtol=0.1)


def widening(samples, model, noise, centre, found) -> np.ndarray:
    added = correlated(model, noise, SETTINGS, samples, centre, found).added
    assert np.linalg.eigvalsh(added / np.outer(model.prior.std, model.prior.std)).min() > -1e-12
    return 1.0 + np.diag(added) / np.diag(found.covariance)


def test_white_noise_widens_nothing_but_by_chance(around):
    """A sandwich of few gradients is itself uncertain: as a chi-square with their number over that of lags' weights."""
    ratio = widening(*around)
    count = len(around[-1].scores)
    freedom = count / (1.0 + 2.0 / 3.0 * correlation_lags(count))
    assert ratio.max() < stats.chi2.ppf(0.999, freedom) / freedom


def test_errors_of_the_force_that_last_are_told(around):
    """Two newtons that last 50 ms: at 2 Hz 440 times the power density of the white 0.8 N assumed.

    The deviation ought to grow 21 times of what is seen at the motion's frequencies: mass and viscous friction, not the
    bends of Coulomb friction; 25 gradients of a tenth of a second each tell that within a factor of some.
    """
    samples, model, noise, centre, _ = around
    rng = np.random.default_rng(3)
    force = samples.force + autoregressive(rng, len(samples), 6, 0.98, 2.0)
    wrong = replace(samples, force=force)
    found = TwoFilters(model, noise, SETTINGS).run(wrong, centre)
    assert np.sqrt(widening(wrong, model, noise, centre, found))[:3].min() > 21 / 7
    assert pytest.approx(noise.force[0]) == FORCE_NOISE


def bandwidth_part(samples, model, noise, centre) -> np.ndarray:
    """Systematic part over the white deviation."""
    found = JointFilter(model, noise, SETTINGS).run(samples, centre)

    def estimate(force, other):
        return JointFilter(model, replace(noise, force=force), SETTINGS).run(samples, other).mean

    part = systematic(model, noise, SETTINGS, samples, found.mean, estimate)
    return np.sqrt(np.diag(part) / np.diag(found.covariance))


def test_a_right_model_does_not_mind_the_bandwidth_and_a_wrong_bend_does(around):
    """With the right weights an estimate is efficient: others differ by less than its own deviation."""
    samples, model, noise, centre, _ = around
    right = bandwidth_part(samples, model, noise, centre)
    assert right.max() < 1.0
    made = copy.deepcopy(dict(OWNER.document))
    made["friction"]["transition_rate"] *= 4.0
    model, noise = problem(samples, Machine.from_document(made))
    wrong = bandwidth_part(samples, model, noise, centred(model, noise, samples))
    # friction is what a bend in the wrong place is taken for
    assert wrong.max() > 2.0 * right.max()


def test_readings_of_additional_sensors_are_not_in_the_gradients(around):
    samples, model, noise, centre, _ = around
    result = JointFilter(model, noise, SETTINGS).run(samples, centre)
    readings = samples.readings.copy()
    readings[:, 6:] = 1.0
    assert not correlated(
        model, noise, SETTINGS, replace(samples, readings=readings), centre, result
    ).added.any()
