# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Log-Cholesky coordinates of a rigid body: ten free numbers, each choice of which is some body.

The pseudo-inertia is written J = U U^T with (Rucker and Wensing 2022, equations 17-19)

    U = e^a [[e^d1, s12, s13, t1], [0, e^d2, s23, t2], [0, 0, e^d3, t3], [0, 0, 0, 1]] ,

so m = e^(2a), t is the centre of mass, and the rest the second moments about it per mass. Here the numbers stand in
the places of the parameters they replace: theta = (a; t1, t2, t3; d1, d2, d3; s12, s13, s23).

Where centre of mass c and products of inertia are known, four numbers (a; d1, d2, d3) are left: t is c, and the
known products determine s23, s13 and s12 in this order, whatever the four are.

The kernels work on the moments of the density, (m; h; Sxx, Syy, Szz; Sxy, Sxz, Syz), which make J linear.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel


@kernel
def compute_body_moments(theta, moments):
    """Moments of the density (10) of log-Cholesky coordinates (10)."""
    mass = np.exp(2.0 * theta[0])
    t1, t2, t3 = theta[1], theta[2], theta[3]
    e1, e2, e3 = np.exp(theta[4]), np.exp(theta[5]), np.exp(theta[6])
    s12, s13, s23 = theta[7], theta[8], theta[9]
    moments[0] = mass
    moments[1] = mass * t1
    moments[2] = mass * t2
    moments[3] = mass * t3
    moments[4] = mass * (e1 * e1 + s12 * s12 + s13 * s13 + t1 * t1)
    moments[5] = mass * (e2 * e2 + s23 * s23 + t2 * t2)
    moments[6] = mass * (e3 * e3 + t3 * t3)
    moments[7] = mass * (s12 * e2 + s13 * s23 + t1 * t2)
    moments[8] = mass * (s13 * e3 + t1 * t3)
    moments[9] = mass * (s23 * e3 + t2 * t3)


@kernel
def compute_body_moments_jacobian(theta, moments, jacobian):
    """Derivative (10, 10) of `compute_body_moments`; `moments` are those of theta."""
    mass = moments[0]
    t1, t2, t3 = theta[1], theta[2], theta[3]
    e1, e2, e3 = np.exp(theta[4]), np.exp(theta[5]), np.exp(theta[6])
    s12, s13, s23 = theta[7], theta[8], theta[9]
    jacobian[:] = 0.0
    for k in range(10):
        jacobian[k, 0] = 2.0 * moments[k]
    for k in range(3):
        jacobian[1 + k, 1 + k] = mass
        jacobian[4 + k, 1 + k] = 2.0 * mass * theta[1 + k]
    jacobian[7, 1], jacobian[7, 2] = mass * t2, mass * t1
    jacobian[8, 1], jacobian[8, 3] = mass * t3, mass * t1
    jacobian[9, 2], jacobian[9, 3] = mass * t3, mass * t2
    jacobian[4, 4] = 2.0 * mass * e1 * e1
    jacobian[5, 5] = 2.0 * mass * e2 * e2
    jacobian[6, 6] = 2.0 * mass * e3 * e3
    jacobian[7, 5] = mass * s12 * e2
    jacobian[8, 6] = mass * s13 * e3
    jacobian[9, 6] = mass * s23 * e3
    jacobian[4, 7], jacobian[7, 7] = 2.0 * mass * s12, mass * e2
    jacobian[4, 8], jacobian[7, 8], jacobian[8, 8] = 2.0 * mass * s13, mass * s23, mass * e3
    jacobian[5, 9], jacobian[7, 9], jacobian[9, 9] = 2.0 * mass * s23, mass * s13, mass * e3


@kernel
def compute_centred_moments(theta, known, moments):
    """Moments (m; Sxx, Syy, Szz) of (a; d1, d2, d3); `known` holds c (3), then Sxy, Sxz, Syz about the origin."""
    mass = np.exp(2.0 * theta[0])
    e1, e2, e3 = np.exp(theta[1]), np.exp(theta[2]), np.exp(theta[3])
    s23 = (known[5] / mass - known[1] * known[2]) / e3
    s13 = (known[4] / mass - known[0] * known[2]) / e3
    s12 = (known[3] / mass - known[0] * known[1] - s13 * s23) / e2
    moments[0] = mass
    moments[1] = mass * (e1 * e1 + s12 * s12 + s13 * s13 + known[0] * known[0])
    moments[2] = mass * (e2 * e2 + s23 * s23 + known[1] * known[1])
    moments[3] = mass * (e3 * e3 + known[2] * known[2])


@kernel
def compute_centred_moments_jacobian(theta, known, moments, jacobian):
    """Derivative (4, 4) of `compute_centred_moments`; `moments` are those of theta."""
    mass = moments[0]
    e1, e2, e3 = np.exp(theta[1]), np.exp(theta[2]), np.exp(theta[3])
    s23 = (known[5] / mass - known[1] * known[2]) / e3
    s13 = (known[4] / mass - known[0] * known[2]) / e3
    s12 = (known[3] / mass - known[0] * known[1] - s13 * s23) / e2
    # of s23, s13, s12 by a: the known products are of the whole mass
    a23, a13 = -2.0 * known[5] / mass / e3, -2.0 * known[4] / mass / e3
    a12 = (-2.0 * known[3] / mass - a13 * s23 - s13 * a23) / e2
    jacobian[:] = 0.0
    for k in range(4):
        jacobian[k, 0] = 2.0 * moments[k]
    jacobian[1, 0] += 2.0 * mass * (s12 * a12 + s13 * a13)
    jacobian[2, 0] += 2.0 * mass * s23 * a23
    jacobian[1, 1] = 2.0 * mass * e1 * e1
    jacobian[1, 2] = -2.0 * mass * s12 * s12
    jacobian[2, 2] = 2.0 * mass * e2 * e2
    jacobian[1, 3] = 2.0 * mass * (2.0 * s12 * s13 * s23 / e2 - s13 * s13)
    jacobian[2, 3] = -2.0 * mass * s23 * s23
    jacobian[3, 3] = 2.0 * mass * e3 * e3


def compute_matrix_of_moments(moments: FloatArray) -> FloatArray:
    """Pseudo-inertia (4, 4) of (m; h; Sxx, Syy, Szz; Sxy, Sxz, Syz)."""
    m, hx, hy, hz, xx, yy, zz, xy, xz, yz = moments
    return np.array([[xx, xy, xz, hx], [xy, yy, yz, hy], [xz, yz, zz, hz], [hx, hy, hz, m]])


def free_coordinates(pseudo: FloatArray, least: FloatArray) -> FloatArray:
    """Return coordinates theta (10,) of a pseudo-inertia, with squared pivots of the second moments raised to `least`.

    Parameters
    ----------
    pseudo : ndarray, shape (4, 4)
    least : ndarray, shape (3,)
        Least m e^(2 d), in kg m^2; -inf where nothing is raised.

    Raises
    ------
    ValueError
        If the mass is not positive, or the matrix not positive definite where nothing is raised.
    """
    mass = pseudo[3, 3]
    if not mass > 0.0:
        raise ValueError(f"mass is {mass:.6g} kg, must be positive")
    centre = pseudo[:3, 3] / mass
    rest = pseudo[:3, :3] / mass - np.outer(centre, centre)
    upper = np.zeros((3, 3))
    for k in (2, 1, 0):
        pivot = max(rest[k, k], least[k] / mass)
        if not pivot > 0.0:
            raise ValueError("the pseudo-inertia is not positive definite: no body has these parameters")
        upper[k, k] = np.sqrt(pivot)
        upper[:k, k] = rest[:k, k] / upper[k, k]
        rest[:k, :k] -= np.outer(upper[:k, k], upper[:k, k])
    products = upper[0, 1], upper[0, 2], upper[1, 2]
    return np.array([0.5 * np.log(mass), *centre, *np.log(np.diag(upper)), *products])
