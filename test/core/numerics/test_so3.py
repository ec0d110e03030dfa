# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rotation vectors and angular motion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pkm_identification.numerics import so3
from pkm_identification.numerics.rotation import build_vector_from_matrix, matrix_from_vector
from pkm_identification.numerics.so3 import turn_derivatives


def angular_motion(*rows):
    """Angular velocities and accelerations (N, 3) of rows (N, 3)."""
    triples = zip(*(part.tolist() for part in rows), strict=True)
    return np.array([so3.angular_motion(*map(tuple, one)) for one in triples]).transpose(1, 0, 2)


def curve(t):
    """A smooth curve of rotation vectors up to 2.9 rad, and its derivatives."""
    f = np.array([1.1, 0.7, 1.7])
    p = np.array([0.1, 1.2, 2.0])
    size = np.array([1.6, 1.2, 1.4])
    a = np.outer(t, f) + p
    return size * np.sin(a), size * f * np.cos(a), -size * f**2 * np.sin(a)


def test_angular_velocity_and_acceleration_are_those_of_the_rotation():
    t = np.linspace(0, 8, 200)
    turn, first, second = curve(t)
    omega, alpha = angular_motion(turn, first, second)
    h = 1e-5
    before, after = (matrix_from_vector(curve(t + k * h)[0]) for k in (-1, 1))
    step = Rotation.from_matrix(after @ np.swapaxes(before, 1, 2)).as_rotvec() / (2 * h)
    # central difference: error h^2 times a third derivative of some 10
    np.testing.assert_allclose(omega, step, atol=1e-8)
    sides = [angular_motion(*curve(t + k * h))[0] for k in (-1, 1)]
    np.testing.assert_allclose(alpha, (sides[1] - sides[0]) / (2 * h), atol=1e-7)


def test_agrees_with_pinocchio():
    pinocchio = pytest.importorskip("pinocchio")
    t = np.linspace(0, 8, 50)
    turn, first, second = curve(t)
    omega, _ = angular_motion(turn, first, second)
    for k in range(len(t)):
        # pinocchio's Jexp3 gives the velocity in the body's axes
        body = pinocchio.Jexp3(turn[k]) @ first[k]
        np.testing.assert_allclose(omega[k], matrix_from_vector(turn[k]) @ body, atol=1e-12)


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e-9, 0.0])
def test_there_and_back(size):
    t = np.linspace(0, 8, 100)
    turn, first, second = curve(t)
    turn = size * turn
    omega, alpha = angular_motion(turn, first, second)
    again, twice = turn_derivatives(turn, omega, alpha)
    np.testing.assert_allclose(again, first, atol=1e-11)
    np.testing.assert_allclose(twice, second, atol=1e-10)


def test_rotation_vectors_of_matrices():
    rng = np.random.default_rng(2)
    axis = rng.normal(size=(300, 3))
    axis /= np.linalg.norm(axis, axis=1)[:, None]
    angle = np.concatenate([[0.0, 1e-12, 1e-7, np.pi - 1e-6], rng.uniform(0, np.pi, 296)])
    vector = axis * angle[:, None]
    np.testing.assert_allclose(build_vector_from_matrix(matrix_from_vector(vector)), vector, atol=1e-9)
