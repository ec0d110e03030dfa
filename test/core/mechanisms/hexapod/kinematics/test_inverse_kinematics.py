# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""From platform to struts: lengths by their definition, rates and Jacobian by finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import BUILTIN, machine, untidy
from core.platform_motions import lengths, poses, six_axes, states
from scipy.spatial.transform import Rotation

from pkm_identification.mechanisms.hexapod.kinematics.forward import platform_motion
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths, strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion, StrutMotion

pytestmark = pytest.mark.slow

MACHINES = pytest.mark.parametrize("name", BUILTIN)


@MACHINES
def test_lengths_by_definition(name):
    m = Machine.load(name)
    position, rotation = poses(m, 500, 1)
    # roundings of a few sums of numbers below one
    np.testing.assert_allclose(
        strut_lengths(m, position, rotation), lengths(m, position, rotation), atol=1e-15
    )


@MACHINES
def test_jacobian_is_the_derivative_of_the_lengths(name):
    m = Machine.load(name)
    position, rotation = poses(m, 50, 2)
    step = 1e-5
    numeric = np.empty((50, 6, 6))
    for k in range(6):
        e = step * np.eye(6)[k]

        def moved(sign, e=e):
            turn = Rotation.from_rotvec(sign * e[3:]).as_matrix()
            return lengths(m, position + sign * e[:3], turn @ rotation)

        numeric[:, :, k] = (moved(1) - moved(-1)) / (2 * step)
    # truncation ~ step^2, rounding ~ 1e-16 / step
    np.testing.assert_allclose(jacobian(m, position, rotation), numeric, atol=1e-9)


@MACHINES
def test_jacobian_maps_twist_to_rates(name):
    m = Machine.load(name)
    motion = states(m, 200, 3)
    _, rate, _ = strut_motion_from_platform(m, motion)
    expected = np.einsum("nij,nj->ni", jacobian(m, motion.position, motion.rotation), motion.twist)
    np.testing.assert_allclose(rate, expected, atol=1e-14)


@MACHINES
def test_rates_and_accelerations_are_derivatives_along_a_motion(name):
    m = Machine.load(name)
    made = six_axes(m, seed=4)
    time = np.linspace(0.0, 5.0, 400)
    length, rate, second = strut_motion_from_platform(m, made.at(time))
    h = 1e-4
    around = [strut_lengths(m, *(getattr(made.at(time + k * h), f) for f in ("position", "rotation"))) for k in
              (-2, -1, 1, 2)]  # fmt: skip
    first = (around[0] - 8 * around[1] + 8 * around[2] - around[3]) / (12 * h)
    curve = (-around[0] + 16 * around[1] - 30 * length + 16 * around[2] - around[3]) / (12 * h**2)
    # truncation ~ (2 pi 3.3 h)^4, rounding 1e-16 / h and 1e-16 / h^2 times the weights' sums
    np.testing.assert_allclose(rate, first, atol=1e-11)
    np.testing.assert_allclose(second, curve, atol=2e-7)


@MACHINES
def test_platform_motion_inverts_strut_motion(name):
    m = machine(untidy(name))
    motion = states(m, 1000, 5)
    length, rate, second = strut_motion_from_platform(m, motion)
    struts = StrutMotion(motion.time, length, rate, second, None, np.zeros(1000, dtype=np.int64))
    found, result = platform_motion(m, struts)
    assert np.all(result.status == 0)
    # pose errors of 1e-11 times the Jacobian's derivative and its inverse (condition below 10)
    np.testing.assert_allclose(found.position, motion.position, atol=1e-10)
    np.testing.assert_allclose(found.rotation, motion.rotation, atol=1e-10)
    np.testing.assert_allclose(found.twist, motion.twist, atol=1e-8)
    np.testing.assert_allclose(found.acceleration, motion.acceleration, atol=1e-7)


def test_platform_at_rest_has_struts_at_rest():
    m = Machine.load("uf")
    position, rotation = poses(m, 20, 6)
    still = PlatformMotion(np.zeros(20), position, rotation, np.zeros((20, 6)), np.zeros((20, 6)))
    _, rate, second = strut_motion_from_platform(m, still)
    np.testing.assert_array_equal(rate, 0.0)
    np.testing.assert_array_equal(second, 0.0)


def test_turning_at_constant_rate_accelerates_the_struts():
    """Centripetal part: without linear or angular acceleration L'' is not zero."""
    m = Machine.load("uf")
    twist = np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]])
    motion = PlatformMotion(
        np.zeros(1), m.home_position[None], m.home_rotation[None], twist, np.zeros((1, 6))
    )
    _, _, second = strut_motion_from_platform(m, motion)
    h = 1e-4
    turned = [Rotation.from_rotvec([0, 0, k * h]).as_matrix()[None] @ m.home_rotation for k in (-1, 0, 1)]
    back, now, ahead = (lengths(m, m.home_position[None], r) for r in turned)
    assert np.abs(second).min() > 1e-3
    np.testing.assert_allclose(second, (back - 2 * now + ahead) / h**2, atol=1e-6)


def test_rows_that_are_not_finite_stay_alone():
    m = Machine.load("uf")
    position, rotation = poses(m, 10, 7)
    broken = position.copy()
    broken[4, 1] = np.nan
    length = strut_lengths(m, broken, rotation)
    assert np.all(np.isnan(length[4]))
    np.testing.assert_array_equal(
        np.delete(length, 4, 0), np.delete(strut_lengths(m, position, rotation), 4, 0)
    )


@pytest.mark.parametrize(("p", "r"), [((4,), (4, 3, 3)), ((4, 3), (3, 3, 3)), ((4, 2), (4, 3, 3))])
def test_wrong_shapes_are_refused(p, r):
    with pytest.raises(ValueError, match=r"\(N, 3\)"):
        strut_lengths(Machine.load("uf"), np.zeros(p), np.zeros(r))
