# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whether an estimate got equation by equation has converged, or still follows the data it took last.

With the model right, the estimate m(k) after k equations and the last one m(n) differ by what the equations between
them said, and the error of an efficient estimate is uncorrelated with that difference (Hausman, Econometrica 46, 1978):

    cov(m(n) - m(k)) = S(k) - S(n) .

Where k is the place by which half of the information had come, S(k) = 2 S(n): the estimate then moves on by one of its
own standard deviations, whatever motion, noise and rate are. It moves further when the machine changes, when the filter
diverges or follows noise, or when the standard deviations are too small; all three make the estimate one that must not
be used as it is stated. Where little has come on either side of k, nothing can be determined.

Half of what is known of each parameter is not half of what is known of each combination: the one of a hundred that a
log shows best may have come with its last seconds (of the static moments of a four-bar's crank and rocker). What S(k)
and S(n) of white noise say of a direction is therefore asked of the equations where they are at hand.

A drift leaves a residual that is correlated, which widens the standard deviations so much that no drift would ever
stand out. Those an estimate is judged by are therefore made with what a steady drift leaves of the residual. They are
narrowed by a matrix: a factor for each parameter would make combinations look known that are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.prior import Prior

from .batch.least_squares import blocks, compute_robust_covariance, solve_blocks
from .batch.sandwich import sandwich
from .equations import Equations
from .estimate import ParameterEstimate
from .identifiability.status import IDENTIFIABLE, RESOLVED
from .trace import EstimateTrace

# Probability with which an estimate that has converged is said not to have. The limit it makes for twenty directions,
# 4.7 standard deviations instead of the 3.5 of one in a hundred, leaves room for deviations that are some 25 % small.
FALSE_ALARM = 5e-5
LEAST_INFORMATION = 0.25  # of a parameter's: what each of two parts that are compared must bring


def nonconvergence(
    trace: EstimateTrace,
    estimate: ParameterEstimate,
    covariance: FloatArray,
    prior_std: FloatArray,
    *,
    fewest: int,
    entry: float,
    memory: float = np.inf,
    white_covariance: Callable[[int], FloatArray] | None = None,
) -> str:
    """Return what of an estimate has not converged, in words; empty when all of it has.

    Judged are the directions (in units of the prior) that the data show, each in units of its standard deviation.

    Parameters
    ----------
    trace : EstimateTrace
        On the way to the estimate.
    estimate : ParameterEstimate
    covariance : ndarray, shape (R, R)
        To judge it by, SI units: the stated one without what a drift makes of it (`narrow_by_drift`).
    prior_std : ndarray, shape (R,)
    fewest : int
        Entries of the trace that the parts before and after must have; where half of the information came with fewer,
        the parts are those nearest to the halves, if each brought LEAST_INFORMATION of a log four times as long.
    entry : float
        Duration in s that an entry stands for.
    memory : float
        Entries an estimator remembers that forgets; half of its information is then in the last 0.7 of them.
    white_covariance : callable, optional
        Of a number of entries: the covariance (R, R) after them if the noise is white, in units of the prior. By
        default the information of every direction grew as that of the parameters.
    """
    # here: batch fits have no trace, and importing it takes longer than they do
    from scipy.special import ndtri

    width = len(estimate.names)
    values, prior_std, covariance = trace.values[:, :width], prior_std[:width], covariance[:width, :width]
    shown = np.array([status == IDENTIFIABLE for status in estimate.status])
    if not np.any(shown):
        return ""
    known_by = half_known(trace.std[:, :width])
    slowest = int(np.argmax(np.where(shown, known_by, -1)))
    index, grown = int(known_by[slowest]), 1.0
    if np.isfinite(memory):
        index = max(len(values) - 1 - round(np.log(2.0) * memory), 0)
    elif min(index, len(values) - index) < fewest:
        # a part that is long enough: what it brought is then not half, but must be a good part of all
        nearest = min(max(index, fewest), max(len(values) - fewest, 0))
        before = float(trace.std[-1, slowest] / trace.std[nearest, slowest]) ** 2
        if len(values) < 4 * fewest or min(before, 1.0 - before) < LEAST_INFORMATION:
            return (
                f"the logs are too short: half of the information on {estimate.names[slowest]} is in the last "
                f"{(len(values) - index) * entry:.2g} s, and {fewest * entry:.2g} s are the least for this check"
            )
        index, grown = nearest, max(1.0 / before - 1.0, 1.0)
    left = len(values) - index
    # parameters first: one of them is a plainer word than a combination that moved as far
    variances, vectors = np.linalg.eigh(covariance / np.outer(prior_std, prior_std))
    variances = np.concatenate([np.diag(covariance) / prior_std**2, variances])
    vectors = np.concatenate([np.eye(width), vectors], axis=1)
    known = variances < RESOLVED**2
    if not np.any(known):
        return ""
    variances, vectors = variances[known], vectors[:, known]
    if white_covariance is not None and np.isinf(memory):
        early, late = (
            np.einsum("pd,pq,qd->d", vectors, white_covariance(count), vectors)
            for count in (index + 1, len(values))
        )
        grown = np.maximum(early / late - 1.0, 1.0)
    moved = np.abs(vectors.T @ ((values[-1] - values[index]) / prior_std)) / np.sqrt(variances * grown)
    limit = -float(ndtri(0.5 * FALSE_ALARM / len(moved)))
    if moved.max() <= limit:
        return ""
    alone = np.where(np.count_nonzero(vectors, axis=0) == 1, moved, 0.0)
    worst = int(np.argmax(alone if alone.max() > limit else moved))
    return (
        f"{_list_named(estimate.names, vectors[:, worst])} had not converged: it moved by {moved[worst]:.3g} standard "
        f"deviations over the last {left * entry:.2g} s, where 1 is usual and {limit:.2g} the most that chance does"
    )


def narrow_by_drift(
    equations: Equations, mean: FloatArray, noise: FloatArray, prior: Prior, redundancy: float
) -> FloatArray:
    """Return T (P, P), units of the prior: T C T^T is a covariance C without what a steady drift makes of it.

    Parameters
    ----------
    equations : Equations
    mean : ndarray, shape (P,)
        The estimate.
    noise : ndarray, shape (m, m)
    prior : Prior
    redundancy : float
    """
    residual = equations.measured - equations.regressor @ mean
    run = np.linspace(-1.0, 1.0, len(residual))[:, None, None]

    def parts() -> Iterator[tuple[FloatArray, FloatArray]]:
        # a few equations at a time: of a long log all of them, twice as wide, are a lot
        for block in blocks(len(residual)):
            scaled = equations.regressor[block] * prior.std
            yield np.concatenate([scaled, run[block] * scaled], axis=2), residual[block]

    drift, _ = solve_blocks(parts(), 2 * len(mean), noise * redundancy)
    left = np.concatenate([part - both @ drift for both, part in parts()])
    return _narrow(
        *(
            compute_robust_covariance(
                equations.regressor, one, noise, redundancy, equations.segment, scale=prior.std
            )
            for one in (left, residual)
        )
    )


def narrow_scores_by_drift(
    covariance: FloatArray, scores: FloatArray, information: FloatArray, segment: NDArray[np.int64]
) -> FloatArray:
    """Return the same from gradients (K, P) and information (K, P, P) that come in pieces, in units of the prior.

    `covariance` (P, P) is what white noise would make it.
    """
    width = scores.shape[1]
    run = np.linspace(-1.0, 1.0, len(scores))
    blocks = [np.tensordot(run**n, information, axes=1) for n in range(3)]
    matrix = np.block([[blocks[0], blocks[1]], [blocks[1], blocks[2]]]) + np.eye(2 * width)
    drift = np.linalg.solve(matrix, np.concatenate([scores.sum(axis=0), run @ scores]))
    left = scores - information @ drift[:width] - run[:, None] * (information @ drift[width:])
    whole = np.linalg.inv(covariance)
    return _narrow(*(sandwich(whole, part, segment) for part in (left, scores)))


def _narrow(steady: FloatArray, whole: FloatArray) -> FloatArray:
    """Return T (P, P) with T whole T^T = steady, but wider than `whole` in no direction."""
    root = np.linalg.cholesky(whole)
    inverse = np.linalg.inv(root)
    values, vectors = np.linalg.eigh(inverse @ steady @ inverse.T)
    return np.asarray(root @ (vectors * np.sqrt(np.clip(values, 0.0, 1.0))) @ vectors.T @ inverse)


def compute_white_covariance(
    equations: Equations, noise: FloatArray, prior: Prior, relations: FloatArray | None = None
) -> FloatArray:
    """Return the covariance (P, P) of a fit of these equations if their noise is white, in units of the prior.

    Parameters
    ----------
    equations : Equations
    noise : ndarray, shape (m, m)
        What an equation counts for: with the redundancy.
    prior : Prior
    relations : ndarray, shape (n, P), optional
        Rows of unit noise that are known as well, SI units.
    """
    rows = np.zeros((0, len(prior.std))) if relations is None else relations * prior.std
    information, inverse = np.eye(len(prior.std)) + rows.T @ rows, np.linalg.inv(noise)
    for block in blocks(len(equations)):
        scaled = equations.regressor[block] * prior.std
        information += np.einsum("kip,ij,kjq->pq", scaled, inverse, scaled, optimize=True)
    return np.asarray(np.linalg.inv(information))


def half_known(std: FloatArray) -> NDArray[np.int64]:
    """Return the entry of a trace (K, R) by which half of the information about each parameter had come, shape (R,).

    Information is counted by the variance, which halves when it doubles.
    """
    early = std**2 >= 2.0 * std[-1] ** 2
    last = len(std) - 1 - np.argmax(early[::-1], axis=0)
    return np.where(early.any(axis=0), last, 0)


def _list_named(names: tuple[str, ...], direction: FloatArray) -> str:
    first, second = np.argsort(-np.abs(direction))[:2] if len(names) > 1 else (0, 0)
    if direction[first] ** 2 > 0.5:
        return names[first]
    return f"a combination of {names[first]} and {names[second]}"
