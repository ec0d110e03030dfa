# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whether outputs stand in each other's columns: every order tried by one projection."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray


@dataclass(frozen=True)
class Order:
    """The order of the outputs that a model explains best.

    Attributes
    ----------
    column : ndarray of int64, shape (m,)
        Which measured column belongs to each output.
    left, before : float
        Sum of squares that the model leaves of the outputs in that order, and as they are.
    """

    column: NDArray[np.int64]
    left: float
    before: float

    @property
    def changed(self) -> bool:
        """Whether it is another order than the measured one."""
        return bool(np.any(self.column != np.arange(len(self.column))))


def find_best_order(columns: FloatArray, known: FloatArray, force: FloatArray) -> Order:
    """Return the order of outputs that leaves the least, among all of them.

    With Q an orthonormal basis of the columns and f the force in an order p, |f - known|^2 - |Q'(f - known)|^2 needs
    Q_j' f_k of all pairs once; each of the m! orders is then a sum of m of them.

    Parameters
    ----------
    columns : ndarray, shape (K, m, P)
        For unknowns that are standard normal before the data.
    known : ndarray, shape (K, m)
        What the model says of the rest of the force.
    force : ndarray, shape (K, m)
        As measured; weights are alike, since an exchange does not know which output is the noisy one.
    """
    outputs, width = columns.shape[1:]
    unit = 1e-3 * (float(np.sqrt(np.mean(force**2))) or 1.0)
    rows = np.vstack([columns.reshape(-1, width) / unit, np.eye(width)])
    orthonormal = np.linalg.qr(rows)[0][: len(rows) - width].reshape(columns.shape)
    pulls = np.einsum("njp,nk->jkp", orthonormal, force / unit)
    own = np.einsum("njp,nj->p", orthonormal, known / unit)
    across = (known / unit).T @ (force / unit)
    places = np.arange(outputs)
    orders = np.array(list(permutations(range(outputs))))
    projected = pulls[places, orders].sum(axis=1) - own
    total = np.sum((force / unit) ** 2) + np.sum((known / unit) ** 2)
    squares = total - 2.0 * across[places, orders].sum(axis=1) - np.sum(projected**2, axis=1)
    best = int(np.argmin(squares))
    return Order(orders[best], float(squares[best]), float(squares[0]))
