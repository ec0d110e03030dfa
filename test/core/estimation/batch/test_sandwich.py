# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The covariance of correlated scores, against the sum over lags that it stands for."""

import numpy as np
import pytest

from pkm_identification.estimation.batch.sandwich import correlation_lags, sandwich, sandwich_of_parts


def scatter_by_lags(scores, segment, lags):
    """Newey and West as they write it: every lag by itself, with Bartlett's weights."""
    scatter = scores.T @ scores
    for lag in range(1, lags + 1):
        together = segment[lag:] == segment[:-lag]
        product = scores[lag:][together].T @ scores[:-lag][together]
        scatter += (1.0 - lag / (lags + 1.0)) * (product + product.T)
    return scatter


@pytest.mark.parametrize("lengths", [[1], [200], [5, 1, 90, 40, 2], [30] * 6])
@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_parts_give_the_sum_over_lags(lengths, size):
    rng = np.random.default_rng(len(lengths) + size)
    count = sum(lengths)
    segment = np.repeat(3 + 2 * np.arange(len(lengths)), lengths)
    scores = np.cumsum(rng.standard_normal((count, 3)), axis=0)
    # small against the scatter, so that the scatter is all that is seen
    information = 1e-12 * np.eye(3)
    parts = [(scores[k : k + size], segment[k : k + size]) for k in range(0, count, size)]
    expected = scatter_by_lags(scores, segment, min(correlation_lags(count), count - 1))
    found = sandwich_of_parts(information, parts, count)
    # eigenvalues below 1 are those of the prior
    values, vectors = np.linalg.eigh(expected + np.eye(3))
    np.testing.assert_allclose(found, vectors * np.maximum(values, 1.0) @ vectors.T, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(sandwich(information, scores, segment), found, rtol=1e-12, atol=1e-12)


def test_chance_does_not_widen_a_sandwich_without_a_floor_for_each_direction():
    """White scores of thirty unknowns: a floor for each keeps what chance makes thick, and not what it makes thin."""
    rng, width, count = np.random.default_rng(6), 30, 700
    information, segment = count * np.eye(width) + np.eye(width), np.zeros(count, dtype=np.int64)
    ratio = {True: [], False: []}
    for _ in range(5):
        scores = rng.standard_normal((count, width))
        for floored, found in ratio.items():
            covariance = sandwich_of_parts(information, [(scores, segment)], count, floored)
            found.append(np.mean(np.diag(covariance)) * (count + 1.0))
    assert np.mean(ratio[True]) > 1.2
    assert np.mean(ratio[False]) == pytest.approx(1.0, abs=0.1)
