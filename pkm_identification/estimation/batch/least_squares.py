# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Weighted least squares with a weak prior: the batch estimate every recursive one is measured against."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import row_blocks
from pkm_identification.parameters.prior import Prior

from ..equations import Equations
from .sandwich import sandwich_of_parts

MAX_ITERATIONS = 500
UNDAMPED = 5
BLOCK = 8192  # equations that are reduced at a time: of a long log all at once would be there four times over
EXACT = 1e-7  # residual relative to the largest force, below which data count as perfect


@dataclass(frozen=True)
class LinearFit:
    """A fit of all equations.

    Attributes
    ----------
    mean : ndarray, shape (P,)
        Estimate, SI units; directions the equations do not show stay at the prior.
    covariance : ndarray, shape (P, P)
        Covariance; it knows that residuals are correlated in time.
    noise : ndarray, shape (m, m)
        Covariance of the residual.
    residual : ndarray, shape (K, m)
    iterations : int
    converged : bool
    weight : ndarray, shape (K,), or None
        Weights the equations ended with, between 0 and 1; None where all have 1.
    """

    mean: FloatArray
    covariance: FloatArray
    noise: FloatArray
    residual: FloatArray
    iterations: int
    converged: bool
    weight: FloatArray | None = None

    @classmethod
    def standardise(
        cls,
        prior: Prior,
        mean: FloatArray,
        covariance: FloatArray,
        noise: FloatArray,
        residual: FloatArray,
        iterations: int,
        converged: bool,
        weight: FloatArray | None = None,
    ) -> LinearFit:
        """From mean and covariance of unknowns in standard deviations of the prior from its mean."""
        mean, covariance = prior.mean + prior.std * mean, covariance * np.outer(prior.std, prior.std)
        return cls(mean, covariance, noise, residual, iterations, converged, weight)


def least_squares(
    equations: Equations, prior: Prior, redundancy: float = 1.0, noise: FloatArray | None = None
) -> LinearFit:
    """Fit by least squares weighted with the residual's own covariance (Oh 2003, 2.58-2.65, weighted).

    Parameters
    ----------
    equations : Equations
        At least one.
    prior : Prior
        Weak pseudo-measurements, which only matter where the data are silent.
    redundancy : float
        Equations per independent one.
    noise : ndarray, shape (m, m), optional
        Covariance of the measurement noise where it is known; else that of the residual is iterated.

    Returns
    -------
    LinearFit
    """
    count, outputs, width = equations.regressor.shape
    target = equations.compute_residual(prior.mean)
    known = noise is not None
    if noise is None:
        noise = np.eye(outputs) * max(float(np.mean(target**2)), 1e-300)
    rows, sides = compress_equations(equations, prior)
    mean = np.zeros(width)
    converged = False
    iterations = 0
    while not converged and iterations < MAX_ITERATIONS:
        iterations += 1
        step, std = solve_whitened(rows, sides, noise * redundancy)
        # in standard deviations, or in 1e-6 of the prior's where the data are perfect
        change = np.max(np.abs(step - mean) / np.maximum(std, 1e-6))
        mean = step
        if known:
            converged = True
            break
        left = compute_residual_covariance(sides - rows @ mean, width, count=count)
        # averaging ends the cycles that weights and residuals can fall into
        noise = left if iterations <= UNDAMPED else 0.5 * (noise + left)
        # weights and fit agree once a step is far below what noise moves the estimate
        # perfect data leave rounding, whose weights never converge
        exact = np.trace(noise) < (EXACT * np.max(np.abs(target))) ** 2
        converged = bool(change < 1e-6 or exact)
    residual = np.concatenate(
        [target[block] - (equations.regressor[block] * prior.std) @ mean for block in blocks(count)]
    )
    covariance = compute_robust_covariance(
        equations.regressor, residual, noise, redundancy, equations.segment, scale=prior.std
    )
    return LinearFit.standardise(prior, mean, covariance, noise, residual, iterations, converged)


def standardised(equations: Equations, prior: Prior) -> tuple[FloatArray, FloatArray]:
    """Columns (K, m, P) and right sides (K, m) for unknowns in standard deviations of the prior from its mean."""
    return equations.regressor * prior.std, equations.measured - equations.regressor @ prior.mean


def blocks(count: int) -> Iterator[slice]:
    """Equations from 0 to `count`, BLOCK at a time."""
    return row_blocks(count, BLOCK)


def compress_equations(equations: Equations, prior: Prior) -> tuple[FloatArray, FloatArray]:
    """Fewer equations with the same squares, whatever weights outputs get: columns (k, m, P) and right sides (k, m).

    Of `standardised`.

    One orthogonal reduction of all outputs side by side keeps the product of any two of their columns, so that weights
    can be iterated on the m (P + 1) rows of its triangle instead of on all equations.
    """
    count, outputs, width = equations.regressor.shape
    if count <= outputs * (width + 1):
        return standardised(equations, prior)
    triangle = np.empty((0, outputs * (width + 1)))
    for block in blocks(count):
        scaled, target = standardised(equations[block], prior)
        beside = np.concatenate([scaled, target[:, :, None]], axis=2)
        rows = np.concatenate([triangle, beside.reshape(len(beside), -1)])
        triangle = np.asarray(np.linalg.qr(rows, mode="r"), dtype=float)
    triangle = triangle.reshape(-1, outputs, width + 1)
    return np.ascontiguousarray(triangle[:, :, :-1]), np.ascontiguousarray(triangle[:, :, -1])


def solve_whitened(
    scaled: FloatArray, target: FloatArray, noise: FloatArray, weight: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Least squares with the unit normal as prior: solution (P,) and the standard deviations white noise gives it.

    Rows are whitened and solved by QR: normal equations would lose half the digits of good data.

    Parameters
    ----------
    scaled : ndarray, shape (K, m, P)
    target : ndarray, shape (K, m)
    noise : ndarray, shape (m, m)
    weight : ndarray, shape (K,), optional
        Of the equations' squares; all 1 by default.
    """
    parts = ((scaled[block], target[block]) for block in blocks(len(target)))
    weights = None if weight is None else (weight[block] for block in blocks(len(target)))
    return solve_blocks(parts, scaled.shape[2], noise, weights)


def solve_blocks(
    parts: Iterable[tuple[FloatArray, FloatArray]],
    width: int,
    noise: FloatArray,
    weights: Iterable[FloatArray | None] | None = None,
) -> tuple[FloatArray, FloatArray]:
    """`solve_whitened` of columns (k, m, P) and right sides (k, m) that come part by part, P being the width."""
    whitener = np.linalg.inv(np.linalg.cholesky(noise))
    triangle = np.eye(width, width + 1)  # the prior
    every: Iterable[FloatArray | None] = repeat(None) if weights is None else weights
    for (scaled, target), weight in zip(parts, every, strict=False):
        joined = np.concatenate([whitener @ scaled, (target @ whitener.T)[:, :, None]], axis=2)
        if weight is not None:
            joined *= np.sqrt(weight)[:, None, None]
        stacked = np.concatenate([joined.reshape(-1, width + 1), triangle])
        triangle = np.asarray(np.linalg.qr(stacked, mode="r"), dtype=float)
    inverse = np.linalg.inv(triangle[:width, :width])
    solution = np.linalg.solve(triangle[:width, :width], triangle[:width, width])
    return np.asarray(solution, dtype=float), np.asarray(np.linalg.norm(inverse, axis=1), dtype=float)


def compute_residual_covariance(
    residual: FloatArray, parameters: int, weight: FloatArray | None = None, count: float | None = None
) -> FloatArray:
    """Return covariance of a residual (K, m), weighted (K,), after a fit of that many parameters; never singular.

    `count` is how many equations a compressed residual stands for.
    """
    outputs = residual.shape[1]
    count = len(residual) if count is None else count
    if weight is None:
        scatter = residual.T @ residual
    else:
        count = float(weight.sum())
        scatter = (residual * weight[:, None]).T @ residual
    covariance = scatter / max(count - parameters / outputs, 1.0)
    # forces are known to about 1e-9 of their size at best; a perfect residual must not make infinite weights
    floor = max(1e-6 * np.trace(covariance) / outputs, 1e-12)
    return covariance + floor * np.eye(outputs)


def compute_robust_covariance(
    columns: FloatArray,
    residual: FloatArray,
    noise: FloatArray,
    redundancy: float,
    segment: NDArray[np.int64],
    weight: FloatArray | None = None,
    scale: FloatArray | float = 1.0,
    floored: bool = True,
) -> FloatArray:
    """Yield covariance of the fit when its residual is correlated in time (Newey and West 1987).

    Parameters
    ----------
    columns : ndarray, shape (K, m, P)
    residual : ndarray, shape (K, m)
    noise : ndarray, shape (m, m)
        Weighting covariance.
    redundancy : float
    segment : ndarray, shape (K,)
        Correlation is not looked for across segments.
    weight : ndarray, shape (K,), optional
        With which the equations' squares entered the fit; all 1 by default.
    scale : ndarray, shape (P,), or float
        What makes of the columns those for unknowns in the prior's standard deviations: these, or 1 if they are.
    floored : bool
        Whether no direction comes out below white noise; see `sandwich_of_parts`.

    Returns
    -------
    ndarray, shape (P, P)
        In units of the prior's standard deviations; see `sandwich`.
    """
    count, _, width = columns.shape
    information, inverse = np.eye(width), np.linalg.inv(noise) / redundancy

    def parts() -> Iterator[tuple[FloatArray, NDArray[np.int64]]]:
        """Scores of some thousand equations at a time; the information grows on the way."""
        for block in blocks(count):
            scaled = columns[block] * scale
            weighted = inverse @ scaled
            if weight is not None:
                weighted *= weight[block, None, None]
            information[:] += scaled.reshape(-1, width).T @ weighted.reshape(-1, width)
            yield np.einsum("kip,ki->kp", weighted, residual[block]), segment[block]

    return sandwich_of_parts(information, parts(), count, floored)
