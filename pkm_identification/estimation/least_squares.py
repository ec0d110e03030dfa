"""Weighted least squares with a weak prior: the batch estimate every recursive one is measured against."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..motion import FloatArray
from .equations import Equations
from .prior import Prior

MAX_ITERATIONS = 100
UNDAMPED = 5
EXACT = 1e-7  # residual relative to the largest force, below which data count as perfect


@dataclass(frozen=True)
class LinearFit:
    """A fit of all equations.

    Attributes
    ----------
    mean : ndarray, shape (P,)
        Estimate, SI units; directions the equations do not show stay at the prior.
    covariance : ndarray, shape (P, P)
        Honest covariance: it knows that residuals are correlated in time.
    noise : ndarray, shape (m, m)
        Covariance of the residual.
    residual : ndarray, shape (K, m)
    iterations : int
    converged : bool
    """

    mean: FloatArray
    covariance: FloatArray
    noise: FloatArray
    residual: FloatArray
    iterations: int
    converged: bool


def least_squares(equations: Equations, prior: Prior, redundancy: float = 1.0) -> LinearFit:
    """Fit by least squares weighted with the residual's own covariance (Oh 2003, 2.58-2.65, weighted).

    Parameters
    ----------
    equations : Equations
        At least one.
    prior : Prior
        Weak pseudo-measurements, which only matter where the data are silent.
    redundancy : float
        Equations per independent one.

    Returns
    -------
    LinearFit
    """
    columns, measured = equations.columns, equations.measured
    _, outputs, width = columns.shape
    scaled = columns * prior.std
    target = measured - columns @ prior.mean
    noise = np.eye(outputs) * max(float(np.mean(target**2)), 1e-300)
    mean = np.zeros(width)
    converged = False
    iterations = 0
    while not converged and iterations < MAX_ITERATIONS:
        iterations += 1
        # rows whitened and solved by QR: normal equations would lose half the digits of good data
        whitener = np.linalg.inv(np.linalg.cholesky(noise * redundancy))
        rows = np.concatenate([(whitener @ scaled).reshape(-1, width), np.eye(width)])
        values = np.concatenate([(target @ whitener.T).reshape(-1), np.zeros(width)])
        orthogonal, triangle = np.linalg.qr(rows)
        step = np.linalg.solve(triangle, orthogonal.T @ values)
        std = np.linalg.norm(np.linalg.inv(triangle), axis=1)
        # in standard deviations, or in 1e-6 of the prior's where the data are perfect
        change = np.max(np.abs(step - mean) / np.maximum(std, 1e-6))
        mean = step
        residual = target - scaled @ mean
        left = residual_covariance(residual, width)
        # averaging ends the cycles that weights and residuals can fall into
        noise = left if iterations <= UNDAMPED else 0.5 * (noise + left)
        # weights and fit agree once a step is far below what noise moves the estimate
        # perfect data leave rounding, whose weights never settle
        exact = np.trace(noise) < (EXACT * np.max(np.abs(target))) ** 2
        converged = bool(change < 1e-6 or exact)
    covariance = robust_covariance(scaled, residual, noise, redundancy, equations.segment)
    return LinearFit(
        mean=prior.mean + prior.std * mean,
        covariance=covariance * np.outer(prior.std, prior.std),
        noise=noise,
        residual=residual,
        iterations=iterations,
        converged=converged,
    )


def residual_covariance(residual: FloatArray, parameters: int) -> FloatArray:
    """Covariance of a residual (K, m) after a fit of that many parameters; never singular."""
    count, outputs = residual.shape
    freedom = max(count - parameters / outputs, 1.0)
    covariance = residual.T @ residual / freedom
    # forces are known to about 1e-9 of their size at best; a perfect residual must not make infinite weights
    floor = max(1e-6 * np.trace(covariance) / outputs, 1e-12)
    return covariance + floor * np.eye(outputs)


def robust_covariance(
    scaled: FloatArray, residual: FloatArray, noise: FloatArray, redundancy: float, segment: FloatArray
) -> FloatArray:
    """Covariance of the fit when its residual is correlated in time (Newey and West 1987).

    Parameters
    ----------
    scaled : ndarray, shape (K, m, P)
        Columns in units of the prior's standard deviations.
    residual : ndarray, shape (K, m)
    noise : ndarray, shape (m, m)
        Weighting covariance.
    redundancy : float
    segment : ndarray, shape (K,)
        Correlation is not looked for across segments.

    Returns
    -------
    ndarray, shape (P, P)
        In units of the prior's standard deviations: bread (scores + prior) bread, where bread is the
        posterior covariance a white residual would give. Never smaller than that.
    """
    width = scaled.shape[2]
    weight = np.linalg.inv(noise) / redundancy
    weighted = np.einsum("ij,kjp->kip", weight, scaled)
    information = np.einsum("kip,kiq->pq", scaled, weighted) + np.eye(width)
    # the prior keeps every eigenvalue at 1 or more, whatever rounding says
    values, vectors = np.linalg.eigh(0.5 * (information + information.T))
    root = vectors * np.maximum(values, 1.0) ** -0.5
    bread = root @ root.T
    scores = np.einsum("kip,ki->kp", weighted, residual)
    lags = min(correlation_lags(len(scores)), len(scores) - 1)
    meat = scores.T @ scores
    for lag in range(1, lags + 1):
        together = segment[lag:] == segment[:-lag]
        product = scores[lag:][together].T @ scores[:-lag][together]
        meat += (1.0 - lag / (lags + 1.0)) * (product + product.T)
    sandwich = bread @ (meat + np.eye(width)) @ bread
    # a sandwich of few equations can come out thin by chance; no direction may claim more than white noise
    # would allow
    inverse = (vectors * np.maximum(values, 1.0) ** 0.5).T
    inner = inverse @ sandwich @ inverse.T
    values, vectors = np.linalg.eigh(0.5 * (inner + inner.T))
    return root @ (vectors * np.maximum(values, 1.0)) @ vectors.T @ root.T


def correlation_lags(count: int) -> int:
    """How many lags of the residual's correlation to look at."""
    return int(np.ceil(2.0 * count ** (1.0 / 3.0)))
