# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward kinematics: undoes the inverse everywhere in the workspace, and says where it cannot."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import BUILTIN, changed, document
from core.platform_motions import lengths, poses, six_axes
from scipy.optimize import fsolve
from scipy.spatial.transform import Rotation

from pkm_identification.mechanisms.hexapod.kinematics.forward import (
    DEGRADED,
    FAILED,
    OK,
    forward_kinematics,
    platform_motion,
)
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import StrutMotion

pytestmark = pytest.mark.slow

MACHINES = pytest.mark.parametrize("name", BUILTIN)
# lengths agree to 1e-12 m; poses to that times 1 / sigma_min of the Jacobian (about 10), turns over a radius of 0.3 m
POSE = 1e-10


@MACHINES
def test_undoes_inverse_kinematics_over_the_workspace(name):
    m = Machine.load(name)
    position, rotation = poses(m, 5000, 1)
    length = lengths(m, position, rotation)
    result = forward_kinematics(m, length)
    assert np.all(result.status == OK)
    assert result.found.all()
    assert result.residual.max() <= 1e-12
    again = lengths(m, result.position, result.rotation)
    # one more rounding of a length
    assert np.abs(again - length).max() < 1.2e-12
    np.testing.assert_allclose(result.position, position, atol=POSE)
    np.testing.assert_allclose(result.rotation, rotation, atol=POSE)


@MACHINES
def test_each_pose_is_found_from_home_alone(name):
    m = Machine.load(name)
    position, rotation = poses(m, 300, 2)
    length = lengths(m, position, rotation)
    for n in range(300):
        result = forward_kinematics(m, length[n : n + 1])
        assert result.status[0] == OK
        np.testing.assert_allclose(result.position[0], position[n], atol=POSE)


@MACHINES
def test_rotations_are_rotations_after_a_long_motion(name):
    m = Machine.load(name)
    motion = six_axes(m, seed=3).at(np.linspace(0, 20, 20000))
    result = forward_kinematics(m, lengths(m, motion.position, motion.rotation))
    assert np.all(result.status == OK)
    product = result.rotation @ np.swapaxes(result.rotation, 1, 2)
    np.testing.assert_allclose(product, np.broadcast_to(np.eye(3), product.shape), atol=1e-14)
    # warm starts are close: two or three Newton steps
    assert np.median(result.iterations) <= 3


@MACHINES
def test_agrees_with_scipys_solver(name):
    m = Machine.load(name)
    position, rotation = poses(m, 8, 4, reach=0.04, turn=0.2)
    length = lengths(m, position, rotation)
    result = forward_kinematics(m, length)

    def error(q, target):
        turned = Rotation.from_rotvec(q[3:]).as_matrix()[None] @ m.home_rotation
        return lengths(m, q[None, :3], turned)[0] - target

    for n in range(8):
        start = np.concatenate([m.home_position, np.zeros(3)])
        q, _, good, _ = fsolve(error, start, args=(length[n],), xtol=1e-13, full_output=True)
        assert good == 1
        # fsolve's own tolerance
        np.testing.assert_allclose(result.position[n], q[:3], atol=1e-9)
        np.testing.assert_allclose(result.rotation[n], Rotation.from_rotvec(q[3:]).as_matrix() @ m.home_rotation,
                                   atol=1e-9)  # fmt: skip


def test_starts_where_told():
    m = Machine.load("uf")
    position, rotation = poses(m, 1, 5)
    length = lengths(m, position, rotation)
    exact = forward_kinematics(m, length, start=(position[0], rotation[0]))
    assert exact.iterations[0] == 0
    np.testing.assert_allclose(exact.rotation, rotation, atol=1e-15)
    assert forward_kinematics(m, length).iterations[0] > 0


@pytest.mark.parametrize("change", ["one_long", "all_short", "triangle"])
def test_lengths_no_pose_can_have_fail_without_harming_their_neighbours(change):
    m = Machine.load("uf")
    position, rotation = poses(m, 9, 6)
    length = lengths(m, position, rotation)
    good = forward_kinematics(m, length)
    broken = length.copy()
    if change == "one_long":
        broken[4, 2] = 5.0
    elif change == "all_short":
        broken[4] = 0.01
    else:
        broken[4, :3] = 0.01, 2.0, 0.01
    result = forward_kinematics(m, broken)
    assert result.status[4] == FAILED
    assert np.all(np.isnan(result.position[4]))
    assert np.all(np.isnan(result.rotation[4]))
    assert np.isinf(result.condition[4])
    assert not result.found[4]
    others = np.arange(9) != 4
    assert np.all(result.status[others] == OK)
    # the row behind starts from home instead of from its neighbour: the same pose within the tolerance
    np.testing.assert_allclose(result.position[others], good.position[others], atol=POSE)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.4, 0.0])
def test_row_without_meaning_fails_alone(value):
    m = Machine.load("uf")
    position, rotation = poses(m, 5, 7)
    length = lengths(m, position, rotation)
    length[0, 3] = value
    length[2, 5] = value
    result = forward_kinematics(m, length)
    np.testing.assert_array_equal(result.status, [FAILED, OK, FAILED, OK, OK])
    assert np.all(np.isnan(result.position[[0, 2]]))
    np.testing.assert_allclose(result.position[[1, 3, 4]], position[[1, 3, 4]], atol=POSE)


def near_singular(angle: float) -> tuple[Machine, np.ndarray, np.ndarray]:
    """A machine of two similar hexagons, turned: singular at 90 degrees (Fichter 1986)."""
    made = document("hexel")
    base = np.deg2rad([-10.0, 10.0, 110.0, 130.0, 230.0, 250.0])
    hexagon = np.column_stack([np.cos(base), np.sin(base), np.zeros(6)])
    joints = {
        "base_joints": (0.45 * hexagon).tolist(),
        "platform_joints": (0.3 * np.roll(hexagon, 1, 0)).tolist(),
    }
    made = changed(made, **{f"geometry__{key}": value for key, value in joints.items()})
    made["geometry"]["length_limits"] = [0.1, 2.0]
    m = Machine.from_document(made)
    rotation = Rotation.from_rotvec([0, 0, angle]).as_matrix()
    return m, m.home_position[None], rotation[None]


def singular_angle() -> float:
    """The turn about z where this machine's Jacobian loses rank, found by its determinant's sign."""
    from scipy.optimize import brentq

    from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian

    def determinant(angle):
        return np.linalg.det(jacobian(*near_singular(angle))[0])

    angles = np.linspace(-2.5, 2.5, 60)
    values = [determinant(a) for a in angles]
    for a, b, u, v in zip(angles[:-1], angles[1:], values[:-1], values[1:], strict=True):
        if u * v < 0:
            return brentq(determinant, a, b, xtol=1e-14)
    raise AssertionError("no singular turn found")


def test_pose_near_a_singularity_is_degraded():
    angle = singular_angle()
    m, position, rotation = near_singular(angle + 3e-3)
    result = forward_kinematics(m, lengths(m, position, rotation), start=(position[0], rotation[0]))
    assert result.status[0] == DEGRADED
    assert result.condition[0] > 100
    assert np.all(np.isfinite(result.position))
    away = near_singular(angle + 0.5)[2]
    result = forward_kinematics(m, lengths(m, position, away), start=(position[0], away[0]))
    assert result.status[0] == OK


def test_singular_pose_gives_no_motion_that_is_not_finite_and_called_good():
    m, position, rotation = near_singular(singular_angle())
    length = lengths(m, position, rotation)
    struts = StrutMotion(
        np.zeros(1), length, np.ones((1, 6)), np.ones((1, 6)), None, np.zeros(1, dtype=np.int64)
    )
    motion, result = platform_motion(m, struts)
    if result.status[0] == OK:
        assert np.all(np.isfinite(motion.twist))
    else:
        assert result.condition[0] > 100


def test_condition_is_the_frobenius_condition_of_the_scaled_jacobian():
    from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian

    m = Machine.load("uf")
    position, rotation = poses(m, 20, 8)
    result = forward_kinematics(m, strut_lengths(m, position, rotation))
    scaled = jacobian(m, position, rotation) / np.array([1, 1, 1, *[m.length_scale] * 3])
    expected = np.linalg.norm(scaled, axis=(1, 2)) * np.linalg.norm(np.linalg.inv(scaled), axis=(1, 2)) / 6
    # one Newton step behind: the inverse belongs to a pose 1e-6 away at most
    np.testing.assert_allclose(result.condition, expected, rtol=1e-9)
    spectral = np.linalg.cond(scaled)
    assert np.all(spectral <= 6 * result.condition * (1 + 1e-9))
    assert np.all(result.condition >= 1 - 1e-9)


def test_empty_batch_and_wrong_shape():
    m = Machine.load("uf")
    assert forward_kinematics(m, np.empty((0, 6))).position.shape == (0, 3)
    with pytest.raises(ValueError, match=r"\(N, 6\)"):
        forward_kinematics(m, np.zeros(6))
