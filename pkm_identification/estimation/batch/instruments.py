# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Estimation without the bias that noise of the encoders causes: instruments from a second, independent noise.

Noise of the lengths gets into the columns Y, so least squares, which takes Y for exact, is biased: information
E[Y^T Y] is too large by that of the noise, and where a column is bent (friction at rest) its mean is wrong too. An
instrument is a second Y whose noise is independent: E[Y_1^T Y_2] has no such term (Soderstrom and Stoica 1983).

Nothing need be measured twice: `identification.equations.instrument_motions` makes an *image* n' of the noise n that
passed the filters. From motions with n + n' and n - n' come two sets of columns Y_1, Y_2. With D = (Y_1 - Y_2) / 2 and
the transition's second-order error removed likewise, Y = 2 Y_0 - (Y_1 + Y_2) / 2 (E[n^2] = E[n'^2]), the instruments
are Y + D for the columns Y - D and the other way round.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.prior import Prior

from ..equations import Equations
from .least_squares import (
    EXACT,
    MAX_ITERATIONS,
    UNDAMPED,
    LinearFit,
    compute_residual_covariance,
    least_squares,
    standardised,
)
from .sandwich import sandwich


def instrumental_variables(
    equations: Equations, instruments: tuple[Equations, Equations], prior: Prior, redundancy: float = 1.0
) -> LinearFit:
    """Fit by instrumental variables; the weights are those of least squares' residual, iterated.

    Parameters
    ----------
    equations : Equations
        At least one.
    instruments : pair of Equations
        The same equations from the twins of the motion.
    prior : Prior
    redundancy : float
        Equations per independent one.

    Returns
    -------
    LinearFit
    """
    sides = _compute_sides(equations, instruments, prior)
    (first, _), (second, _) = sides
    width = first.shape[2]
    mean = (least_squares(equations, prior, redundancy).mean - prior.mean) / prior.std
    largest = np.max(np.abs(sides[0][1]))
    noise = np.eye(first.shape[1])  # of no effect on the first iterations
    iterations, converged = 0, False
    while not converged and iterations < MAX_ITERATIONS:
        one, two = (target - columns @ mean for columns, target in sides)
        left = compute_residual_covariance(0.5 * (one + two), width)
        noise = left if iterations <= UNDAMPED else 0.5 * (noise + left)
        iterations += 1
        weight = np.linalg.inv(noise) / redundancy
        moments = np.einsum("kip,kiq->pq", weight @ first, second)
        information = 0.5 * (moments + moments.T) + np.eye(width)
        values, vectors = np.linalg.eigh(information)
        if values[0] <= 0.0:
            break  # the motion drowns in the noise of the encoders
        # a correction from the residuals, which rounding spares, not a new solution from the moments
        step = vectors @ (
            (vectors.T @ (_compute_scores(first, second, one, two, weight).sum(axis=0) - mean)) / values
        )
        std = np.sqrt(np.sum(vectors**2 / values, axis=1))
        mean = mean + step
        exact = np.trace(noise) < (EXACT * largest) ** 2
        converged = bool(np.max(np.abs(step) / np.maximum(std, 1e-6)) < 1e-6 or exact)
    one, two = (target - columns @ mean for columns, target in sides)
    covariance = sandwich(information, _compute_scores(first, second, one, two, weight), equations.segment)
    residual = 0.5 * (one + two)
    return LinearFit.standardise(prior, mean, covariance, noise, residual, iterations, converged)


def _compute_scores(
    first: FloatArray, second: FloatArray, one: FloatArray, two: FloatArray, weight: NDArray[np.floating]
) -> FloatArray:
    """Instruments of each side times the residuals of the other, shape (K, P)."""
    scores = np.einsum("kip,ki->kp", weight @ first, two)
    return 0.5 * (scores + np.einsum("kip,ki->kp", weight @ second, one))


def _compute_sides(
    equations: Equations, instruments: tuple[Equations, Equations], prior: Prior
) -> list[tuple[FloatArray, FloatArray]]:
    """Columns (K, m, P) Y + D and Y - D for unknowns in standard deviations of the prior, with their right sides.

    What is known of the force is modelled from the same noisy motion, so the right side is treated alike.
    """
    plain, one, two = (standardised(each, prior) for each in (equations, *instruments))
    sides = []
    for sign in (0.5, -0.5):
        columns, target = (
            2.0 * p - 0.5 * (a + b) + sign * (a - b) for p, a, b in zip(plain, one, two, strict=True)
        )
        sides.append((columns, target))
    return sides
