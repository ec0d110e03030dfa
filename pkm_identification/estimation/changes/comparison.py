# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a parameter did between logs: differences next to their deviations, and probabilities of many tests at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.stats import chi2

from pkm_identification.numerics.arrays import FloatArray


def holm(probabilities: FloatArray) -> FloatArray:
    """Probabilities adjusted for their number, by Holm (Scand. J. Statist. 6, 1979), shape (n,).

    Calling what lies below a level significant is wrong anywhere with at most that probability, however the tests
    depend on each other. NaN, where there is no test, stays NaN and does not count.

    Parameters
    ----------
    probabilities : ndarray, shape (n,)
    """
    adjusted = np.full(len(probabilities), np.nan)
    tested = np.flatnonzero(np.isfinite(probabilities))
    order = tested[np.argsort(probabilities[tested], kind="stable")]
    steps = probabilities[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


ROUNDING = 1e-12  # of a variance: what is less is left over from a difference of like numbers


@dataclass(frozen=True)
class Measured:
    """An estimate of P parameters.

    Attributes
    ----------
    values : ndarray, shape (P,)
    covariance : ndarray, shape (P, P)
        All of it.
    shared : ndarray, shape (K, P)
        Its part by quantities that are the same in all estimates compared: changes of the values by each; K may be 0.
    """

    values: FloatArray
    covariance: FloatArray
    shared: FloatArray

    @property
    def own(self) -> FloatArray:
        """The covariance without the shared part, shape (P, P)."""
        rest = self.covariance - self.shared.T @ self.shared
        scale = np.sqrt(np.diag(self.covariance))
        values, vectors = np.linalg.eigh(rest / np.outer(scale, scale))
        root = (vectors * np.sqrt(np.maximum(values, ROUNDING))).T * scale
        return root.T @ root


@dataclass(frozen=True)
class Comparison:
    """What C quantities do from the first of N estimates to the others.

    Attributes
    ----------
    values, std : ndarray, shape (N, C)
        Of each estimate, with its whole deviation.
    differences, difference_std, z : ndarray, shape (N - 1, C)
        To the first: the deviation is that of the difference.
    chi_squared, p, adjusted : ndarray, shape (C,)
        Of all differences of a quantity, with N - 1 degrees of freedom; the probability of as much by chance, and that
        for C tests (Holm).
    all_chi_squared, all_p : float
        Of all quantities together, with C (N - 1) degrees of freedom.
    """

    values: FloatArray
    std: FloatArray
    differences: FloatArray
    difference_std: FloatArray
    z: FloatArray
    chi_squared: FloatArray
    p: FloatArray
    adjusted: FloatArray
    all_chi_squared: float
    all_p: float


def compare(estimates: Sequence[Measured], rows: FloatArray) -> Comparison:
    """Compare estimates from different logs with the first of them.

    Parameters
    ----------
    estimates : sequence of Measured, length N >= 2
        Of the same P parameters; their own parts are independent, their shared parts are by the same K quantities.
    rows : ndarray, shape (C, P)
        What is compared: weights of the parameters, linearly independent.
    """
    first, others = estimates[0], estimates[1:]
    count, quantities = len(others), len(rows)
    values = np.array([rows @ one.values for one in estimates])
    std = np.array([_compute_deviations(rows @ one.covariance @ rows.T) for one in estimates])
    differences = values[1:] - values[0]
    common = rows @ first.own @ rows.T
    moved = [(one.shared - first.shared) @ rows.T for one in others]
    covariance = np.empty((count, quantities, count, quantities))
    for i, one in enumerate(others):
        for j in range(count):
            covariance[i, :, j] = common + moved[i].T @ moved[j]
        covariance[i, :, i] += rows @ one.own @ rows.T
    of_each = np.einsum("icjc->cij", covariance)
    chi_squared = np.array([_compute_chi_squared(differences[:, c], of_each[c]) for c in range(quantities)])
    p = chi2.sf(chi_squared, count)
    whole = _compute_chi_squared(differences.ravel(), covariance.reshape(count * quantities, -1))
    difference_std = np.sqrt(np.einsum("icic->ic", covariance))
    return Comparison(
        values=values,
        std=std,
        differences=differences,
        difference_std=difference_std,
        z=differences / difference_std,
        chi_squared=chi_squared,
        p=p,
        adjusted=holm(p),
        all_chi_squared=whole,
        all_p=float(chi2.sf(whole, count * quantities)),
    )


def _compute_deviations(covariance: FloatArray) -> FloatArray:
    return np.sqrt(np.maximum(np.diag(covariance), 0.0))


def _compute_chi_squared(difference: FloatArray, covariance: FloatArray) -> float:
    scale = _compute_deviations(covariance)
    scaled = difference / scale
    return float(scaled @ cho_solve(cho_factor(covariance / np.outer(scale, scale)), scaled))
