# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Printed equations of the paper on the 3PRS table, wrong ones among them, and the platform's Boltzmann-Hamel form."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from core.mechanisms.multibody.table_equations import (
    L,
    bar_angles,
    boltzmann_hamel,
    euler_matrix,
    euler_matrix_rate,
    lambda_matrix,
    platform_jacobian,
    slider_heights,
    third_bar_jacobian,
)

from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

POSE = np.array([0.45, np.radians(10.0), np.radians(-8.0)])
HOME = np.array([0.40, 0.0, 0.0])


def differences(function: Callable[[np.ndarray], np.ndarray], q: np.ndarray) -> np.ndarray:
    h = 1e-6
    return np.column_stack([(function(q + h * e) - function(q - h * e)) / (2 * h) for e in np.eye(3)])


def off(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max())


def third_bar(q: np.ndarray) -> np.ndarray:
    """Centre of the third bar in its plane and its angle."""
    gamma, rho = bar_angles(q)[2], slider_heights(q)[2]
    return np.array([0.5 * L * np.cos(gamma), rho + 0.5 * L * np.sin(gamma), gamma])


def test_the_platform_jacobian_is_that_of_differences_and_mechanism():
    expected = differences(slider_heights, POSE)
    assert off(platform_jacobian(POSE), expected) < 1e-9
    mast = Mechanism.load("mast")
    motion = kinematics.motion_of_outputs(mast, np.repeat(POSE[None], 3, 0), np.eye(3), np.zeros((3, 3)))
    assert off(motion.drive_rate.T, expected) < 1e-9


def test_printed_a7_is_wrong_except_at_home():
    assert off(platform_jacobian(POSE, printed=True), differences(slider_heights, POSE)) == pytest.approx(
        1.7e-2, rel=0.05
    )
    assert off(platform_jacobian(HOME, printed=True), differences(slider_heights, HOME)) < 1e-9


def test_printed_signs_of_the_third_bar_are_wrong():
    """(1,3) is off by .17, (3,3)'s inner sign by .74; both reconstructed signs give the differences."""
    of_rho = differences(third_bar, POSE) @ np.linalg.inv(platform_jacobian(POSE))
    assert off(third_bar_jacobian(POSE), of_rho) < 1e-8
    assert off(third_bar_jacobian(POSE, printed_13=True), of_rho) > 1e-2
    assert off(third_bar_jacobian(POSE, printed_33=True), of_rho) > 1e-2
    both = sorted(
        [
            off(third_bar_jacobian(POSE, printed_13=True), of_rho),
            off(third_bar_jacobian(POSE, printed_33=True), of_rho),
        ]
    )
    assert both == pytest.approx([0.17, 0.74], rel=0.05)


def random_states(count: int):
    """Euler angles with sin theta_e > .1, their rates, and an inertia that is not diagonal."""
    rng = np.random.default_rng(0)
    while count:
        angles = rng.uniform(-np.pi, np.pi, 3)
        if np.sin(angles[0]) > 0.1:
            count -= 1
            half = rng.normal(size=(3, 3))
            yield angles, rng.normal(0, 2, 3), rng.normal(0, 5, 3), half @ half.T


def test_boltzmann_hamel_is_newton_euler_of_the_platform():
    for angles, rates, alpha, inertia in random_states(50):
        omega = euler_matrix(angles) @ rates
        expected = inertia @ alpha + np.cross(omega, inertia @ omega)
        lam = lambda_matrix(angles, rates)
        assert off(boltzmann_hamel(inertia, angles, rates, alpha, 1.0, lam), expected) < 1e-9
        # the printed factor 2 needs another Lambda, whose definition is lost in the text
        shifted = lam + euler_matrix_rate(angles, rates)
        assert off(boltzmann_hamel(inertia, angles, rates, alpha, 2.0, shifted), expected) < 1e-9
        assert off(boltzmann_hamel(inertia, angles, rates, alpha, 2.0, lam), expected) > 1e-3
        assert off(boltzmann_hamel(inertia, angles, rates, alpha, 1.0, shifted), expected) > 1e-3


def test_lambda_and_the_euler_matrix_make_the_cross_product_of_the_angular_velocity():
    """D^-1 (D' - Lambda^T) = [w]x."""
    for angles, rates, _, _ in random_states(20):
        d = euler_matrix(angles).T
        w = euler_matrix(angles) @ rates
        cross = np.cross(w, np.eye(3)).T
        found = np.linalg.solve(d, euler_matrix_rate(angles, rates).T - lambda_matrix(angles, rates).T)
        assert off(found, cross) < 1e-9


def test_where_euler_angles_fail_the_package_takes_the_angular_velocity():
    """At home the z-x-z angles are singular; the forces there are those of the limit."""
    assert abs(np.linalg.det(euler_matrix(np.zeros(3)))) == 0.0
    mast = Mechanism.load("mast")
    rate, second = np.array([[0.1, 0.6, -0.4]]), np.array([[1.0, 5.0, -3.0]])
    at_home = dynamics.forces(mast, kinematics.motion_of_outputs(mast, HOME[None], rate, second))
    beside = dynamics.forces(mast, kinematics.motion_of_outputs(mast, HOME[None] + 1e-7, rate, second))
    assert np.isfinite(at_home).all()
    assert off(at_home, beside) < 1e-4
