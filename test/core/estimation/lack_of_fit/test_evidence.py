# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Evidence against the marginal likelihoods themselves, computed densely."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_ndtr
from scipy.stats import multivariate_normal

from pkm_identification.estimation.lack_of_fit.correlation import correlation_time
from pkm_identification.estimation.lack_of_fit.evidence import DECISIVE, Base
from pkm_identification.estimation.lack_of_fit.together import Together

K, M, P = 60, 2, 4
FLOOR = np.array([0.5, 2.0])


def problem(seed: int, size: float = 0.0):
    """Columns, measured, further columns (one true with this coefficient), all of whitened unknowns."""
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(K, M, P))
    further = rng.normal(size=(K, M, 3))
    unknowns = rng.normal(size=P)
    noise = rng.normal(size=(K, M)) * FLOOR
    return columns, columns @ unknowns + size * further[:, :, 0] + noise, further


def rows(columns):
    return (columns / FLOOR[:, None]).reshape(K * M, -1)


@pytest.mark.parametrize("chosen", [[0], [1], [0, 1, 2]])
def test_evidence_is_the_ratio_of_marginal_likelihoods(chosen):
    """With unit noise, against the densities of the data under both models, of covariance 1 + X X' (+ Z S^2 Z')."""
    columns, measured, further = problem(1, 0.7)
    scale = np.array([0.4, 1.0, 3.0])[chosen]
    base = Base.of(columns, measured, FLOOR, np.zeros(K, dtype=np.int64))
    score = base.score(further[:, :, chosen], scale, 1.0)
    x, z, y = rows(columns), rows(further[:, :, chosen]) * scale, (measured / FLOOR).ravel()
    without = np.eye(K * M) + x @ x.T
    likelihoods = [multivariate_normal(cov=c).logpdf(y) for c in (without + z @ z.T, without)]
    assert score.evidence == pytest.approx(likelihoods[0] - likelihoods[1], abs=1e-8)


def test_coefficients_are_the_posterior_of_all_unknowns_together():
    columns, measured, further = problem(2, 0.7)
    scale = np.array([0.4, 1.0, 3.0])
    base = Base.of(columns, measured, FLOOR, np.zeros(K, dtype=np.int64))
    score = base.score(further, scale, 1.0)
    every = np.hstack([rows(columns), rows(further)])
    prior = np.diag(np.concatenate([np.ones(P), scale**-2]))
    covariance = np.linalg.inv(every.T @ every + prior)
    posterior = covariance @ every.T @ (measured / FLOOR).ravel()
    np.testing.assert_allclose(score.coefficients, posterior[P:], rtol=1e-9)
    np.testing.assert_allclose(score.covariance, covariance[P:, P:], rtol=1e-9)
    np.testing.assert_allclose(base.solution + score.moved, posterior[:P], rtol=1e-9)
    extended = base.extend(further, scale)
    np.testing.assert_allclose(extended.solution[:P], posterior[:P], rtol=1e-9)
    np.testing.assert_allclose(extended.solution[P:] * scale, posterior[P:], rtol=1e-9)


@pytest.mark.parametrize("floor", [1.0, 1e-7])
def test_products_tell_what_columns_tell(floor):
    """Of all columns, of some, and of their sum; also beside a floor so small that squares would lose the rest."""
    columns, measured, further = problem(4, 0.7)
    scale = np.array([0.4, 1.0, 3.0])
    base = Base.of(columns, measured, floor * FLOOR, np.zeros(K, dtype=np.int64))
    together = Together.of(base, further, scale)
    summed = further.sum(axis=2, keepdims=True)
    noise = together.saturated.pure_error
    for mixed, own, prior in (
        (np.eye(3), further, scale),
        (np.eye(3)[:, [2, 0]], further[:, :, [2, 0]], scale[[2, 0]]),
        (0.4 / scale[:, None], summed, scale[:1]),
    ):
        score, asked = together.score(mixed, prior, noise), base.score(own, prior, noise)
        assert score.evidence == pytest.approx(asked.evidence, rel=1e-9)
        np.testing.assert_allclose(score.coefficients, asked.coefficients, rtol=1e-9)
        np.testing.assert_allclose(score.covariance, asked.covariance, rtol=1e-9)
        np.testing.assert_allclose(score.moved, asked.moved, rtol=1e-9, atol=1e-12)
        assert score.left == pytest.approx(asked.left, rel=1e-6)
    extended = base.extend(further, scale)
    np.testing.assert_allclose(
        together.saturated.left, extended.left, rtol=1e-9, atol=1e-9 * extended.power**0.5
    )
    assert together.saturated.power == pytest.approx(extended.power, rel=1e-9)
    assert together.saturated.total_ratio == pytest.approx(extended.total_ratio, rel=1e-9)


@pytest.mark.slow
def test_correlation_time_of_an_autoregression():
    """1 + 2 sum a^k = (1 + a) / (1 - a), less what is cut below .05."""
    rng = np.random.default_rng(3)
    a, count = 0.6, 40_000
    noise = rng.normal(size=(count, 1))
    values = np.zeros_like(noise)
    for n in range(1, count):
        values[n] = a * values[n - 1] + noise[n]
    segment = np.zeros(count, dtype=np.int64)
    assert correlation_time(values, segment) == pytest.approx((1 + a) / (1 - a), rel=0.1)
    assert correlation_time(noise, segment) == pytest.approx(1.0, abs=0.05)
    # nothing is correlated across segments
    assert correlation_time(values[::2], np.arange(count // 2)) == 1.0


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_cannot_be_negative_is_no_cause_below_zero(sign):
    """As the exact integral over the positive half: (posterior odds) x (share of the posterior above zero) x 2."""
    columns, measured, further = problem(7, sign * 1.5)
    base = Base.of(columns, measured, FLOOR, np.zeros(K, dtype=np.int64))
    scores = [base.score(further[:, :, [0]], np.ones(1), 1.0, positive) for positive in (False, True)]
    gained = scores[1].evidence - scores[0].evidence
    z = float(scores[0].coefficients[0] / np.sqrt(scores[0].covariance[0, 0]))
    assert np.sign(z) == sign
    assert scores[0].evidence > DECISIVE
    assert gained == pytest.approx(np.log(2.0) + log_ndtr(z), abs=1e-2)
    assert (scores[1].evidence > DECISIVE) == (sign > 0.0)
