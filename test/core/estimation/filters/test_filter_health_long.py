# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""200 000 equations of deficient rank: after every single one the covariance is positive definite and finite."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.estimation.filters.unscented import (
    UnscentedFilter,
    UnscentedSettings,
    linear_step,
)
from pkm_identification.numerics.compiled import kernel
from pkm_identification.parameters.prior import Prior

pytestmark = pytest.mark.slow

STEPS = 200_000
WIDTH, OUTPUTS, RANK = 8, 3, 5
SCALES = {"1e-2..1e2": (-2, 2), "1e-6..1e3": (-6, 3)}
NOISES = (1e-10, 1e-5, 1.0)


@kernel
def regular(root):
    """Whether a square root has full rank, by elimination with pivoting of rows and columns scaled alike."""
    size = root.shape[0]
    work = root.copy()
    for i in range(size):
        norm = 0.0
        for j in range(size):
            norm += work[i, j] ** 2
        if not (norm > 0.0 and np.isfinite(norm)):
            return False
        work[i] /= np.sqrt(norm)
    for k in range(size):
        p = k
        for i in range(k + 1, size):
            if abs(work[i, k]) > abs(work[p, k]):
                p = i
        if not abs(work[p, k]) > 0.0:
            return False
        for j in range(k, size):
            work[k, j], work[p, j] = work[p, j], work[k, j]
        for i in range(k + 1, size):
            factor = work[i, k] / work[k, k]
            for j in range(k, size):
                work[i, j] -= factor * work[k, j]
    return True


@kernel
def run(patterns, truth, level, mean, root, gamma, rng):
    """Feed STEPS equations; (steps taken, steps after which something was wrong)."""
    size, width = patterns.shape[1], patterns.shape[2]
    noise = level * np.eye(size)
    tuning, estimate = (gamma, 0, 0.01), (mean, root)
    walk, prior = (np.zeros(width), np.ones(width), np.zeros(width)), (np.zeros(width), np.ones(width))
    taken, ill = 0, 0
    for n in range(STEPS):
        columns = patterns[n % patterns.shape[0]]
        measured = columns @ truth
        for k in range(size):
            measured[k] += np.sqrt(level) * rng.standard_normal()
        _, status = linear_step(columns, measured, prior, noise, np.inf, tuning, walk, estimate)
        taken += status == 0
        finite = True
        for i in range(width):
            finite = finite and np.isfinite(mean[i])
        ill += not (finite and regular(root))
    return taken, ill


@pytest.mark.parametrize("level", NOISES)
@pytest.mark.parametrize("scales", SCALES)
def test_positive_definite_after_every_one_of_200000_equations(scales, level):
    """The covariance is S S^T, symmetric as it stands; S of full rank makes it positive definite."""
    rng = np.random.default_rng(1)
    std = np.logspace(*SCALES[scales], WIDTH)
    prior = Prior(std * rng.normal(size=WIDTH), std)
    basis = np.linalg.qr(rng.normal(size=(WIDTH, WIDTH)))[0]
    shown, silent = basis[:, :RANK], basis[:, RANK:]
    filter_ = UnscentedFilter(prior, OUTPUTS, UnscentedSettings(adaptation="none"))
    patterns = rng.normal(size=(50, OUTPUTS, RANK)) @ shown.T / std
    truth = prior.mean + std * rng.normal(size=WIDTH)
    # as `step_linear` does: columns per prior standard deviation, measured less what the prior's mean gives
    scaled = (truth - prior.mean) / std
    taken, ill = run(patterns * std, scaled, level, *filter_.scaled_state, filter_._tuning.gamma, rng)
    assert (taken, ill) == (STEPS, 0)
    covariance = filter_.scaled_covariance
    np.testing.assert_array_equal(covariance, covariance.T)
    assert np.all(np.diag(filter_.covariance) > 0)
    # directions without data: prior spread, prior mean
    np.testing.assert_allclose(silent.T @ covariance @ silent, np.eye(WIDTH - RANK), atol=1e-6)
    moved = silent.T @ ((filter_.mean - prior.mean) / std)
    # rounding of the innovations, 1e-16 of the outputs, in standard deviations of the noise, 200 000 times
    np.testing.assert_allclose(moved, 0.0, atol=1e-4)
    # the others: as well as 200 000 equations allow
    spread = np.sqrt(np.diag(shown.T @ covariance @ shown))
    assert np.all(spread < 5 * np.sqrt(level / STEPS))
    error = shown.T @ ((filter_.mean - truth) / std)
    assert np.all(np.abs(error) < 6 * spread + 1e-12)
