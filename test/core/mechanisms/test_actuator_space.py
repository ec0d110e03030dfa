# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mass, coupling and modes in actuator coordinates, against closed forms and SciPy's generalised eigenvalues."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.actuator_space import (
    actuator_mass,
    compute_single_frequency,
    coupling_factors,
    effective_mass,
    find_damped_modes,
)


@pytest.fixture(scope="module")
def mass():
    half = np.random.default_rng(0).normal(size=(4, 4))
    return half @ half.T + np.eye(4)


def test_kinetic_energy_is_the_same_in_either_coordinates(mass):
    rng = np.random.default_rng(1)
    jacobian, rate = rng.normal(size=(3, 4, 4)), rng.normal(size=4)
    for one, moved in zip(jacobian, actuator_mass(mass, jacobian), strict=True):
        lengths = one @ rate
        assert lengths @ moved @ lengths == pytest.approx(rate @ mass @ rate, rel=1e-11)


def test_a_singular_jacobian_is_refused(mass):
    with pytest.raises(SettingsError, match="singular"):
        actuator_mass(mass, np.zeros((4, 4)))


def test_held_neighbours_by_hand():
    mass = np.array([[3.0, 1.2], [1.2, 2.0]])
    np.testing.assert_allclose(effective_mass(mass), [3.0, 2.0])
    np.testing.assert_allclose(coupling_factors(mass), [0.4, 0.6])


def test_without_losses_modes_are_the_generalised_eigenvalues(mass):
    compliance = np.array([1e-6, 3e-6, 2e-7, 5e-5])
    modes = find_damped_modes(mass, compliance)
    square = scipy.linalg.eigh(np.diag(1.0 / compliance), mass, eigvals_only=True)
    np.testing.assert_allclose(modes.frequency, np.sqrt(square) / (2 * np.pi), rtol=1e-9)
    np.testing.assert_allclose(modes.damping, 0.0, atol=1e-9)
    np.testing.assert_allclose(np.abs(modes.shape).max(axis=1), 1.0)
    np.testing.assert_allclose(modes.share.sum(axis=1), 1.0)
    for frequency, shape in zip(modes.frequency, modes.shape, strict=True):
        stiff = shape / compliance
        residual = stiff - (2 * np.pi * frequency) ** 2 * mass @ shape
        assert np.abs(residual).max() < 1e-7 * np.abs(stiff).max()


def test_a_stiff_actuator_holds_its_coordinate(mass):
    modes = find_damped_modes(mass, np.array([1e-6, 0.0, 0.0, 0.0]))
    assert len(modes) == 1
    assert modes.frequency[0] == pytest.approx(compute_single_frequency(mass[0, 0], 1e-6))
    np.testing.assert_array_equal(modes.shape, [[1, 0, 0, 0]])
    assert modes.leading[0] == 0


def test_one_damped_mode_has_the_closed_form():
    """c m s^2 + (m g + b c) s + 1 + b g = 0."""
    m, c, g, b = 21.8, 1e-6, 7.46e-5, 501.0
    modes = find_damped_modes(np.array([[m]]), np.array([c]), g, b)
    assert modes.frequency[0] == pytest.approx(compute_single_frequency(m, c, g, b), rel=1e-12)
    assert modes.damping[0] == pytest.approx((m * g + b * c) / (2 * np.sqrt(c * m * (1 + b * g))), rel=1e-12)


def test_what_only_creeps_is_no_mode():
    assert len(find_damped_modes(np.array([[1.0]]), np.array([1e-6]), 0.0, 1e5)) == 0


@pytest.mark.parametrize(
    ("mass", "compliance", "message"),
    [
        (np.diag([1.0, -1.0]), np.array([1e-6, 1e-6]), "positive definite"),
        (np.eye(2), np.array([0.0, 0.0]), "compliance"),
        (np.eye(2), np.array([1e-6, -1e-6]), "compliance"),
    ],
)
def test_modes_that_cannot_be_are_refused(mass, compliance, message):
    with pytest.raises(SettingsError, match=message):
        find_damped_modes(mass, compliance)
