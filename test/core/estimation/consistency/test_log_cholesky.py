# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Pseudo-inertia and log-Cholesky coordinates: the definition by point masses, pinocchio's own, and any ten numbers."""

from __future__ import annotations

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkm_identification.estimation.consistency.log_cholesky import (
    compute_body_moments,
    compute_body_moments_jacobian,
    compute_centred_moments,
    compute_centred_moments_jacobian,
    compute_matrix_of_moments,
    free_coordinates,
)
from pkm_identification.estimation.consistency.pseudo_inertia import list_ten_parameters, pseudo_inertia
from pkm_identification.mechanisms.hexapod.dynamics.basis import PLATFORM_COLUMNS, basis_parameters
from pkm_identification.mechanisms.hexapod.machine import Machine

# pinocchio's order of our ten, and Rucker and Wensing's order of ours: a, d1 d2 d3, s12 s23 s13, t1 t2 t3
PINOCCHIO_TEN = [0, 1, 2, 3, 4, 7, 5, 8, 9, 6]
PUBLISHED = [0, 4, 5, 6, 7, 9, 8, 1, 2, 3]
numbers = st.lists(st.floats(-2.0, 2.0), min_size=10, max_size=10).map(np.array)


def log_cholesky(ten: np.ndarray) -> np.ndarray:
    return free_coordinates(pseudo_inertia(ten), np.full(3, -np.inf))


def ten_from_log_cholesky(theta: np.ndarray) -> np.ndarray:
    moments = np.empty(10)
    compute_body_moments(np.ascontiguousarray(theta, dtype=float), moments)
    return list_ten_parameters(compute_matrix_of_moments(moments))


def point_masses(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Ten parameters and pseudo-inertia of a cloud of point masses, by their sums."""
    rng = np.random.default_rng(seed)
    mass, place = rng.uniform(0.1, 2.0, 9), rng.normal(0.0, 0.3, (9, 3)) + rng.normal(0.0, 0.3, 3)
    inertia = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(mass, place, strict=True))
    ten = [mass.sum(), *(mass @ place), *np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    ones = np.column_stack([place, np.ones(9)])
    return np.array(ten), (ones.T * mass) @ ones


@pytest.mark.parametrize("seed", range(5))
def test_pseudo_inertia_is_the_second_moment_of_the_mass(seed):
    ten, expected = point_masses(seed)
    np.testing.assert_allclose(pseudo_inertia(ten), expected, atol=1e-14)
    np.testing.assert_allclose(list_ten_parameters(expected), ten, atol=1e-14)


def test_the_platform_of_a_machine_is_a_body():
    """The basis has its inertia about the platform frame's origin, with the sign this module takes."""
    for name in ("uf", "hexel", "ford"):
        ten = basis_parameters(Machine.load(name))[:PLATFORM_COLUMNS]
        assert np.linalg.eigvalsh(pseudo_inertia(ten)).min() > -1e-12 * ten.max()


@pytest.mark.slow
@given(numbers)
def test_any_ten_numbers_are_a_body_and_come_back(theta):
    ten = ten_from_log_cholesky(theta)
    pseudo = pseudo_inertia(ten)
    values = np.linalg.eigvalsh(pseudo)
    assert values[0] > 0
    # the way back loses as many digits as the matrix has between its eigenvalues
    lost = values[-1] / values[0]
    np.testing.assert_allclose(log_cholesky(ten), theta, rtol=0, atol=1e-14 * lost + 1e-13)
    again = ten_from_log_cholesky(log_cholesky(ten))
    np.testing.assert_allclose(again, ten, rtol=0, atol=1e-12 * np.abs(ten).max())


@pytest.mark.slow
@given(numbers)
def test_equals_pinocchios_log_cholesky_parameters(theta):
    theirs = pinocchio.LogCholeskyParameters(theta[PUBLISHED])
    ten = ten_from_log_cholesky(theta)
    expected = theirs.toDynamicParameters()
    np.testing.assert_allclose(ten[PINOCCHIO_TEN], expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    moments, slope = np.empty(10), np.empty((10, 10))
    compute_body_moments(theta, moments)
    compute_body_moments_jacobian(theta, moments, slope)
    lifted = np.array([list_ten_parameters(_matrix(column)) for column in slope.T]).T[PINOCCHIO_TEN]
    jacobian = np.empty((10, 10))
    jacobian[:] = theirs.calculateJacobian()
    np.testing.assert_allclose(lifted[:, PUBLISHED], jacobian, rtol=0, atol=1e-12 * np.abs(jacobian).max())


def _matrix(moments: np.ndarray) -> np.ndarray:
    m, hx, hy, hz, xx, yy, zz, xy, xz, yz = moments
    return np.array([[xx, xy, xz, hx], [xy, yy, yz, hy], [xz, yz, zz, hz], [hx, hy, hz, m]])


@pytest.mark.slow
@given(
    st.lists(st.floats(-1.5, 1.5), min_size=4, max_size=4).map(np.array),
    st.lists(st.floats(-0.3, 0.3), min_size=6, max_size=6).map(np.array),
)
def test_known_centre_and_products_leave_four_numbers_free(theta, known):
    """Whatever the four are, the body has that centre of mass and those products about the origin."""
    moments, slope = np.empty(4), np.empty((4, 4))
    compute_centred_moments(theta, known, moments)
    mass, *second = moments
    pseudo = _matrix(np.array([mass, *(mass * known[:3]), *second, *known[3:]]))
    lost = np.linalg.cond(pseudo)
    if lost < 1e12:  # beyond, rounding decides
        assert np.linalg.eigvalsh(pseudo)[0] > 0
    compute_centred_moments_jacobian(theta, known, moments, slope)
    step = 1e-6
    for k, one in enumerate(np.eye(4)):
        ahead, behind = np.empty(4), np.empty(4)
        compute_centred_moments(theta + step * one, known, ahead)
        compute_centred_moments(theta - step * one, known, behind)
        # central differences: rounding over the step and the third derivative times its square
        allowed = 1e-7 * np.abs(moments) + 1e-12
        assert np.all(np.abs((ahead - behind) / (2 * step) - slope[:, k]) < allowed)


@pytest.mark.parametrize(
    "broken", [{0: -1.0}, {6: 10.0}, {1: 3.0}], ids=["mass", "triangle inequality", "centre of mass outside"]
)
def test_what_is_no_body_has_no_coordinates(broken):
    ten = np.array([5.0, 0.0, 0.1, 0.0, 0.09, 0.08, 0.12, 0.0, 0.01, 0.0])
    assert np.all(np.isfinite(log_cholesky(ten)))
    ten[list(broken)] = list(broken.values())
    with pytest.raises(ValueError, match="positive"):
        log_cholesky(ten)
