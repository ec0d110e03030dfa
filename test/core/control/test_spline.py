# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Least-jerk splines: through the nodes, smooth, and least."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

from pkm_identification.control.paths.spline import LeastJerkSpline


def nodes(count=7, columns=2, seed=0):
    rng = np.random.default_rng(seed)
    time = np.cumsum(rng.uniform(0.1, 0.7, count)) - 0.1
    value = rng.normal(size=(count, columns))
    derivatives = np.full((2, count, columns), np.nan)
    derivatives[:, [0, -1]] = 0.0
    return time, value, *derivatives


def jerk(spline, time):
    """Squared jerk, integrated, from the accelerations on a fine grid."""
    grid = np.unique(np.concatenate([time, np.linspace(time[0], time[-1], 40001)]))
    acceleration = spline.evaluate(grid)[2]
    return float(np.sum(np.diff(acceleration, axis=0) ** 2 / np.diff(grid)[:, None]))


def test_free_nodes_give_the_quintic_interpolation_spline():
    """With nothing prescribed inside, derivatives up to the fourth are continuous: SciPy's spline of degree 5."""
    time, value, velocity, acceleration = nodes()
    ends = [(1, np.zeros(2)), (2, np.zeros(2))]
    oracle = make_interp_spline(time, value, k=5, bc_type=(ends, ends))
    spline = LeastJerkSpline(time, value, velocity, acceleration)
    grid = np.linspace(time[0], time[-1], 500)
    for order, ours in enumerate(spline.evaluate(grid)):
        theirs = oracle(grid, order)
        assert np.abs(ours - theirs).max() < 1e-9 * np.abs(theirs).max()


def test_prescribed_derivatives_are_met_and_the_rest_is_least():
    time, value, velocity, acceleration = nodes(seed=3)
    velocity[2], velocity[4] = [1.0, -2.0], [0.5, 0.0]
    acceleration[4] = [-3.0, 1.0]
    spline = LeastJerkSpline(time, value, velocity, acceleration)
    reached = spline.evaluate(time)
    np.testing.assert_allclose(reached[0], value, atol=1e-12)
    for given, found in ((velocity, reached[1]), (acceleration, reached[2])):
        known = ~np.isnan(given)
        np.testing.assert_allclose(found[known], given[known], atol=1e-9)
    least = jerk(spline, time)
    rng = np.random.default_rng(1)
    free = np.isnan(velocity)
    for size in (1e-1, 1e-2):
        # any other choice of a free velocity has more jerk
        tried = np.where(free, reached[1] + size * rng.normal(size=velocity.shape), velocity)
        assert jerk(LeastJerkSpline(time, value, tried, acceleration), time) > least


def test_continuous_at_the_nodes_and_at_rest_beyond_the_ends():
    time, value, velocity, acceleration = nodes(seed=5)
    velocity[3] = 1.0
    spline = LeastJerkSpline(time, value, velocity, acceleration)
    before, after = spline.evaluate(time - 1e-9), spline.evaluate(time + 1e-9)
    for left, right in zip(before, after):
        # a jerk of some 1e4 in 2e-9 s
        assert np.abs(left - right).max() < 1e-4
    outside = spline.evaluate(np.array([time[0] - 1.0, time[-1] + 1.0]))
    np.testing.assert_allclose(outside[0], value[[0, -1]], atol=1e-12)
    assert np.abs(outside[1]).max() < 1e-9
    assert np.abs(outside[2]).max() < 1e-7


def test_two_nodes_give_the_minimum_jerk_polynomial():
    """10 t^3 - 15 t^4 + 6 t^5 (Flash and Hogan 1985)."""
    still = np.zeros((2, 1))
    spline = LeastJerkSpline(np.array([0.0, 2.0]), np.array([[0.0], [1.0]]), still, still)
    t = np.linspace(0, 1, 50)
    np.testing.assert_allclose(spline.evaluate(2 * t)[0][:, 0], t**3 * (10 - 15 * t + 6 * t**2), atol=1e-14)


def test_unlike_steps_lose_no_digits():
    """Steps of 1 ms beside steps of 10 s: still through the nodes, with a continuous acceleration."""
    time = np.array([0.0, 1e-3, 2e-3, 10.0, 10.002, 30.0])
    value = np.array([0.0, 1e-6, 3e-6, 0.3, 0.3001, 0.0])[:, None]
    free = np.full((6, 1), np.nan)
    free[[0, -1]] = 0.0
    spline = LeastJerkSpline(time, value, free, free)
    np.testing.assert_allclose(spline.evaluate(time)[0], value, atol=1e-12)
    left, right = spline.evaluate(time[1:-1] - 1e-12)[2], spline.evaluate(time[1:-1] + 1e-12)[2]
    assert np.abs(left - right).max() < 1e-5 * np.abs(left).max()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda t, x, v, a: (t[::-1], x, v, a), "increasing"),
        (lambda t, x, v, a: (t[:1], x[:1], v[:1], a[:1]), "two nodes"),
        (lambda t, x, v, a: (t, x, v[1:], a), "one row"),
        (lambda t, x, v, a: (t, x, v * np.nan, a), "must be prescribed"),
        (lambda t, x, v, a: (t, 1e305 * x, v, a), "too large"),
        (lambda t, x, v, a: (1e-100 * t, x, v, a), "too small"),
    ],
)
def test_what_is_no_spline_is_refused(change, reason):
    with pytest.raises(ValueError, match=reason):
        LeastJerkSpline(*change(*nodes()))
