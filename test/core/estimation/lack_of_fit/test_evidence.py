# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Evidence against the marginal likelihoods themselves, computed densely."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_ndtr
from scipy.stats import multivariate_normal

from pkm_identification.estimation.lack_of_fit.evidence import DECISIVE, Base

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
    base = Base.of(columns, measured, FLOOR)
    score = base.score(further[:, :, chosen], scale)
    x, z, y = rows(columns), rows(further[:, :, chosen]) * scale, (measured / FLOOR).ravel()
    without = np.eye(K * M) + x @ x.T
    likelihoods = [multivariate_normal(cov=c).logpdf(y) for c in (without + z @ z.T, without)]
    assert score.evidence == pytest.approx(likelihoods[0] - likelihoods[1], abs=1e-8)


def test_coefficients_are_the_posterior_of_all_unknowns_together():
    columns, measured, further = problem(2, 0.7)
    scale = np.array([0.4, 1.0, 3.0])
    base = Base.of(columns, measured, FLOOR)
    score = base.score(further, scale)
    every = np.hstack([rows(columns), rows(further)])
    prior = np.diag(np.concatenate([np.ones(P), scale**-2]))
    covariance = np.linalg.inv(every.T @ every + prior)
    posterior = covariance @ every.T @ (measured / FLOOR).ravel()
    np.testing.assert_allclose(score.coefficients, posterior[P:], rtol=1e-9)
    np.testing.assert_allclose(score.covariance, covariance[P:, P:], rtol=1e-9)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_cannot_be_negative_is_no_cause_below_zero(sign):
    """As the exact integral over the positive half: (posterior odds) x (share of the posterior above zero) x 2."""
    columns, measured, further = problem(7, sign * 1.5)
    base = Base.of(columns, measured, FLOOR)
    scores = [base.score(further[:, :, [0]], np.ones(1), positive) for positive in (False, True)]
    gained = scores[1].evidence - scores[0].evidence
    z = float(scores[0].coefficients[0] / np.sqrt(scores[0].covariance[0, 0]))
    assert np.sign(z) == sign
    assert scores[0].evidence > DECISIVE
    assert gained == pytest.approx(np.log(2.0) + log_ndtr(z), abs=1e-2)
    assert (scores[1].evidence > DECISIVE) == (sign > 0.0)
