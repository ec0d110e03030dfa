# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The equations of the paper on the 3PRS table, printed and reconstructed, written down independently of the package.

Names follow the digest, sections 3.2 to 3.5: q = (z, psi, theta), rho the slider heights.
"""

from __future__ import annotations

import numpy as np

R, L, H = 0.35, 0.26, 0.40
BAR, PLATE, GRAVITY = 0.07, 2.06, 9.81


def bar_angles(q: np.ndarray) -> np.ndarray:
    """gamma (3,)."""
    _, psi, theta = q
    x_p = -R * np.sin(psi) * np.sin(theta)
    return np.arccos(
        np.array(
            [
                (H - x_p - R * np.cos(theta)) / L,
                (H - R * np.cos(psi)) / L,
                (H + x_p - R * np.cos(theta)) / L,
            ]
        )
    )


def slider_heights(q: np.ndarray) -> np.ndarray:
    """rho (3,)."""
    z, psi, theta = q
    tops = np.array([z - R * np.sin(theta), z + R * np.sin(psi) * np.cos(theta), z + R * np.sin(theta)])
    return tops - L * np.sin(bar_angles(q))


def platform_jacobian(q: np.ndarray, printed: bool = False) -> np.ndarray:
    """A^-1 = J_q^-1 J_x: rho' = A^-1 q' (A.1-A.11); `printed` has A.7 as the text prints it."""
    _, psi, theta = q
    gamma = bar_angles(q)
    s, c = np.sin, np.cos
    row = [s(theta) * s(psi) * s(gamma[1]) * -1.0, s(theta) * s(psi) * s(gamma[0])][printed]
    j_x = np.array(
        [
            [
                L * s(gamma[0]),
                L * R * s(theta) * c(psi) * c(gamma[0]),
                L * R * c(theta) * s(psi) * c(gamma[0]) + L * R * s(theta - gamma[0]),
            ],
            [
                L * s(gamma[1]),
                L * R * (s(psi) * c(gamma[1]) + c(theta) * c(psi) * s(gamma[1])),
                L * R * row,
            ],
            [
                L * s(gamma[2]),
                -L * R * s(theta) * c(psi) * c(gamma[2]),
                -L * R * c(theta) * s(psi) * c(gamma[2]) + L * R * s(theta + gamma[2]),
            ],
        ]
    )
    return j_x / (L * s(gamma))[:, None]


def third_bar_jacobian(q: np.ndarray, printed_13: bool = False, printed_33: bool = False) -> np.ndarray:
    """J_b3: rates of the third bar's centre (in its plane) and angle per unit of rho' (A.29)."""
    _, psi, theta = q
    s, c = np.sin, np.cos
    gamma = bar_angles(q)[2]
    sign_13, sign_33 = (-1.0 if printed_13 else 1.0), (1.0 if printed_33 else -1.0)
    across = L * s(gamma)
    of_pose = np.array(
        [
            [0, -0.5 * R * s(theta) * c(psi), sign_13 * 0.5 * (R * s(theta) - R * c(theta) * s(psi))],
            [0.5, 0, 0.5 * R * c(theta)],
            [
                0,
                R * s(theta) * c(psi) / across,
                -(R * s(theta) + sign_33 * R * c(theta) * s(psi)) / across,
            ],
        ]
    )
    own = np.zeros((3, 3))
    own[1, 2] = 0.5
    return of_pose @ np.linalg.inv(platform_jacobian(q)) + own


def euler_matrix(angles: np.ndarray) -> np.ndarray:
    """D_phi^T of z-x-z angles (theta, psi, phi): body angular velocity per unit of their rates (12)."""
    theta, _, phi = angles
    s, c = np.sin, np.cos
    return np.array([[c(phi), s(theta) * s(phi), 0], [-s(phi), s(theta) * c(phi), 0], [0, c(theta), 1]])


def euler_matrix_rate(angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """d(D_phi^T)/dt."""
    theta, _, phi = angles
    d_theta, _, d_phi = rates
    s, c = np.sin, np.cos
    return np.array(
        [
            [-s(phi) * d_phi, c(theta) * s(phi) * d_theta + s(theta) * c(phi) * d_phi, 0],
            [-c(phi) * d_phi, c(theta) * c(phi) * d_theta - s(theta) * s(phi) * d_phi, 0],
            [0, -s(theta) * d_theta, 0],
        ]
    )


def lambda_matrix(angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Lambda = d(D_phi^T q_e')/dq_e (15, reconstructed)."""
    theta, _, phi = angles
    d_theta, d_psi, _ = rates
    s, c = np.sin, np.cos
    return np.array(
        [
            [c(theta) * s(phi) * d_psi, 0, -s(phi) * d_theta + s(theta) * c(phi) * d_psi],
            [c(theta) * c(phi) * d_psi, 0, -c(phi) * d_theta - s(theta) * s(phi) * d_psi],
            [-s(theta) * d_psi, 0, 0],
        ]
    )


def boltzmann_hamel(
    inertia: np.ndarray,
    angles: np.ndarray,
    rates: np.ndarray,
    alpha: np.ndarray,
    factor: float,
    lam: np.ndarray,
) -> np.ndarray:
    """The moment in body axes by (14): D^-1 [D I w' + factor D' I w - Lambda^T I w]."""
    d_transposed = euler_matrix(angles)
    omega = d_transposed @ rates
    d_rate = euler_matrix_rate(angles, rates).T
    whole = d_transposed.T @ inertia @ alpha + factor * d_rate @ inertia @ omega - lam.T @ inertia @ omega
    return np.linalg.solve(d_transposed.T, whole)
