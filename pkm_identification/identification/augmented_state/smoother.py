"""Smoothing of the state by samples after it: the backward recursion of Rauch, Tung and Striebel (AIAA J. 3, 1965)."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.rotation import rotation_between

from .prediction import STATE, move


@kernel
def _divide(root, matrix):
    """Replace `matrix` (r, 12) by matrix (root root^T)^-1, root lower triangular."""
    for a in range(matrix.shape[0]):
        for i in range(STATE):
            for k in range(i):
                matrix[a, i] -= root[i, k] * matrix[a, k]
            matrix[a, i] /= root[i, i]
        for i in range(STATE - 1, -1, -1):
            for k in range(i + 1, STATE):
                matrix[a, i] -= root[k, i] * matrix[a, k]
            matrix[a, i] /= root[i, i]


@kernel
def smooth(fresh, prior_x, prior_r, prior_u, prior_root, columns, root, spread, position, rotation, twist, std, noise,
           noise_variance):  # fmt: skip
    """Go back over a filtered stretch of a log; filtered states become smoothed ones in place.

    Parameters
    ----------
    fresh : ndarray of bool, shape (N,)
        Where a segment begins: nothing passes from there to the sample before.
    prior_x, prior_r, prior_u, prior_root : ndarray, shapes (N, 3), (N, 3, 3), (N, 6), (N, 12, 12)
        Prediction of each sample from the one before.
    columns : ndarray, shape (N, 12, 18)
        Predicted state per unit of the root of the state before and of the force noise.
    root : ndarray, shape (N, 12, 12)
        Root of the filtered state.
    spread : ndarray, shape (6,)
        Standard deviation of the force noise, N.
    position, rotation, twist, std : ndarray, shapes (N, 3), (N, 3, 3), (N, 6), (N, 12)
        Filtered states and their standard deviations.
    noise, noise_variance : ndarray, shape (N, 6)
        Written: force noise of the period that begins at each sample, and its remaining variance; N, N^2.
    """
    last = position.shape[0] - 1
    covariance = root[last] @ root[last].T
    noise[last] = 0.0
    noise_variance[last] = spread**2
    away, gains = np.empty(STATE), np.empty((18, STATE))
    for n in range(last - 1, -1, -1):
        filtered = root[n] @ root[n].T
        if fresh[n + 1]:
            noise[n] = 0.0
            noise_variance[n] = spread**2
            covariance = filtered
            continue
        for k in range(3):
            away[k] = position[n + 1, k] - prior_x[n + 1, k]
        rotation_between(rotation[n + 1], prior_r[n + 1], away[3:6])
        for k in range(6):
            away[6 + k] = twist[n + 1, k] - prior_u[n + 1, k]
        for k in range(STATE):
            for i in range(STATE):
                total = 0.0
                for j in range(i + 1):
                    total += root[n, i, j] * columns[n + 1, k, j]
                gains[i, k] = total
            for c in range(6):
                gains[12 + c, k] = spread[c] * columns[n + 1, k, 12 + c]
        _divide(prior_root[n + 1], gains)
        step = gains @ away
        change = covariance - prior_root[n + 1] @ prior_root[n + 1].T
        spoilt = gains @ change
        for c in range(6):
            noise[n, c] = step[12 + c]
            total = spread[c] ** 2
            for k in range(STATE):
                total += spoilt[12 + c, k] * gains[12 + c, k]
            noise_variance[n, c] = total
        move(
            position[n].copy(), rotation[n].copy(), twist[n].copy(), step[:STATE], 1.0, position[n], rotation[n],
            twist[n]
        )  # fmt: skip
        covariance = filtered + spoilt[:STATE] @ gains[:STATE].T
        for k in range(STATE):
            std[n, k] = np.sqrt(max(covariance[k, k], 0.0))
