# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Least squares that outliers do not move: iteratively reweighted, one weight per equation.

An equation's six residuals r are judged together, by d^2 = r^T S^-1 r with S their scatter. The weight is Tukey's
biweight u = (1 - d^2 / c^2)^2, zero beyond c (Maronna et al. 2019, Robust Statistics, sections 5.4 and 6.4): gross
errors count nothing at all. c is such that on normal noise the estimate keeps 95 % of the efficiency of least squares.
Because a redescending weight needs a good start, Huber's weight, whose solution is unique, comes first.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.prior import Prior

from ..equations import Equations
from .least_squares import (
    EXACT,
    MAX_ITERATIONS,
    LinearFit,
    least_squares,
    solve_whitened,
    standardised,
)
from .sandwich import sandwich

EFFICIENCY = 0.95  # on normal noise, relative to least squares
HUBER = 0.95  # share of normal residuals that Huber's weight leaves alone
HUBER_ITERATIONS = 50
NORMAL_MAD = 1.482602218505602  # standard deviation of a normal over its median absolute deviation


def robust_least_squares(equations: Equations, prior: Prior, redundancy: float = 1.0) -> LinearFit:
    """Fit that up to about a third of grossly wrong equations hardly move.

    Outliers are whole equations: forces wrong for a good part of the band's memory (a contact, a cable, a saturated
    current). The band spreads an error of a single sample over a tenth of a second, where it is small.

    Parameters
    ----------
    equations : Equations
        At least one.
    prior : Prior
    redundancy : float
        Equations per independent one.

    Returns
    -------
    LinearFit
        `noise` is the scatter of the good equations, `weight` that of each; the covariance is that of the
        weighted fit, its residual's correlation in time included.
    """
    from scipy import special  # here, as below: least squares alone, which comes first, does not need it

    scaled, target = standardised(equations, prior)
    width = scaled.shape[2]
    count, outputs = target.shape
    tuning, bound = biweight_tuning(outputs), special.chdtri(outputs, 1.0 - HUBER)
    plain = least_squares(equations, prior, redundancy)
    if np.trace(plain.noise) < (EXACT * np.max(np.abs(target))) ** 2:
        return plain  # of perfect data rounding is left, which has no outliers
    mean = (plain.mean - prior.mean) / prior.std
    residual = target - scaled @ mean
    shape = np.diag((NORMAL_MAD * np.median(np.abs(residual), axis=0)) ** 2)
    iterations, converged, biweighted = 0, False, False
    weight = np.ones(count)
    while not converged and iterations < MAX_ITERATIONS + HUBER_ITERATIONS:
        iterations += 1
        noise = _scale_scatter(residual, shape, width)
        square = _compute_squared_distances(residual, noise)
        weight = biweight(square, tuning) if biweighted else np.sqrt(bound / np.maximum(square, bound))
        step, std = solve_whitened(scaled, target, noise * redundancy, weight)
        change = np.max(np.abs(step - mean) / np.maximum(std, 1e-6))
        mean = step
        residual = target - scaled @ mean
        shape = (residual * weight[:, None]).T @ residual / weight.sum()
        exact = np.trace(noise) < (EXACT * np.max(np.abs(target))) ** 2
        still = bool(change < (1e-6 if biweighted else 1e-2) or exact)
        converged = biweighted and still
        biweighted = biweighted or still or iterations >= HUBER_ITERATIONS
    covariance = _compute_covariance(scaled, residual, noise, redundancy, equations.segment, tuning)
    return LinearFit.standardise(prior, mean, covariance, noise, residual, iterations, converged, weight)


def biweight(square: FloatArray, tuning: float) -> FloatArray:
    """Tukey's weight of squared distances d^2, zero where they exceed tuning^2."""
    return np.maximum(1.0 - square / tuning**2, 0.0) ** 2


@lru_cache
def biweight_tuning(outputs: int) -> float:
    """Distance c beyond which the biweight is zero, for EFFICIENCY on normal noise of so many outputs."""
    from scipy import special
    from scipy.optimize import brentq

    # d^2 of normal noise is chi-squared: its quantiles at the middle of equal shares
    square = 2.0 * special.gammaincinv(0.5 * outputs, (np.arange(4000) + 0.5) / 4000)

    def lacking(tuning: float) -> float:
        slope, power = _compute_slope_and_power(square, tuning, outputs)
        return slope**2 / power - EFFICIENCY

    return float(brentq(lacking, 1.5 * np.sqrt(outputs), 20.0 * np.sqrt(outputs)))


def _compute_slope_and_power(
    square: NDArray[np.floating], tuning: float, outputs: int
) -> tuple[float, float]:
    """Means of the derivative of the weighted residual, u + 2 u' d^2 / m, and of its power, u^2 d^2 / m."""
    inside = np.maximum(1.0 - square / tuning**2, 0.0)
    weight, derivative = inside**2, -2.0 * inside / tuning**2
    slope = float(np.mean(weight + 2.0 * derivative * square / outputs))
    return slope, float(np.mean(weight**2 * square / outputs))


def _compute_squared_distances(residual: FloatArray, noise: FloatArray) -> FloatArray:
    """Squared Mahalanobis distances, shape (K,)."""
    return np.sum((residual @ np.linalg.inv(np.linalg.cholesky(noise)).T) ** 2, axis=1)


def _scale_scatter(residual: FloatArray, shape: FloatArray, parameters: int) -> FloatArray:
    """Scatter of that shape for which the median of d^2 is that of normal noise (the multivariate MAD)."""
    from scipy import special

    count, outputs = residual.shape
    shape = shape + max(1e-6 * np.trace(shape) / outputs, 1e-12) * np.eye(outputs)
    scale = float(np.median(_compute_squared_distances(residual, shape))) / special.chdtri(outputs, 0.5)
    noise = shape * scale * count / max(count - parameters / outputs, 1.0)
    return noise + max(1e-6 * np.trace(noise) / outputs, 1e-12) * np.eye(outputs)


def _compute_covariance(
    scaled: FloatArray,
    residual: FloatArray,
    noise: FloatArray,
    redundancy: float,
    segment: NDArray[np.int64],
    tuning: float,
) -> FloatArray:
    """Return covariance of the M-estimate in units of the prior's standard deviations.

    Information sum u Y^T S^-1 Y is the curvature's expectation but for the ratio of `slope` to the mean weight; both
    sides of the sandwich are scaled so that its bread is the covariance that white noise would give.
    """
    outputs = residual.shape[1]
    square = _compute_squared_distances(residual, noise)
    weight = biweight(square, tuning)
    slope, power = _compute_slope_and_power(square, tuning, outputs)
    ratio = slope / max(power, 1e-300)
    weighted = (np.linalg.inv(noise) / redundancy) @ scaled * weight[:, None, None]
    information = np.einsum("kip,kiq->pq", scaled, weighted) * (slope / weight.mean() * ratio)
    scores = ratio * np.einsum("kip,ki->kp", weighted, residual)
    return sandwich(information + np.eye(scaled.shape[2]), scores, segment)
