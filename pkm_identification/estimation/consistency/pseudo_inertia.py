# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The pseudo-inertia of a rigid body: the 4 x 4 matrix that tells whether ten numbers are any body's.

With the density rho of a body and r from the frame's origin,

    J = integral rho [r; 1] [r; 1]^T = [[Sigma, h], [h^T, m]] ,    Sigma = tr(I) / 2 - I ,

and ten inertial parameters belong to a body with positive density somewhere exactly if J is positive definite
(Wensing, Kim and Slotine 2018). That holds all of: positive mass, positive moments about the centre of mass, each at
most the sum of the other two.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray


def pseudo_inertia(ten: FloatArray) -> FloatArray:
    """Pseudo-inertia of the platform's ten parameters.

    Parameters
    ----------
    ten : ndarray, shape (..., 10)
        As in `dynamics.basis`: m, m c (3), then the elements xx, yy, zz, xy, xz, yz of the inertia matrix about the
        platform frame's origin: the products are those elements, so xy is minus the integral of rho x y. SI units.

    Returns
    -------
    ndarray, shape (..., 4, 4)
    """
    ten = np.asarray(ten, dtype=float)
    pseudo = np.empty((*ten.shape[:-1], 4, 4))
    half = 0.5 * np.sum(ten[..., 4:7], axis=-1)
    for k in range(3):
        pseudo[..., k, k] = half - ten[..., 4 + k]
        pseudo[..., k, 3] = pseudo[..., 3, k] = ten[..., 1 + k]
    for k, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
        pseudo[..., i, j] = pseudo[..., j, i] = -ten[..., 7 + k]
    pseudo[..., 3, 3] = ten[..., 0]
    return pseudo


def list_ten_parameters(pseudo: FloatArray) -> FloatArray:
    """Return the ten parameters, shape (..., 10), of a pseudo-inertia (..., 4, 4); the inverse of `pseudo_inertia`."""
    pseudo = np.asarray(pseudo, dtype=float)
    ten = np.empty((*pseudo.shape[:-2], 10))
    ten[..., 0] = pseudo[..., 3, 3]
    ten[..., 1:4] = pseudo[..., :3, 3]
    for k, (i, j) in enumerate(((1, 2), (0, 2), (0, 1))):
        ten[..., 4 + k] = pseudo[..., i, i] + pseudo[..., j, j]
    for k, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
        ten[..., 7 + k] = -pseudo[..., i, j]
    return ten
