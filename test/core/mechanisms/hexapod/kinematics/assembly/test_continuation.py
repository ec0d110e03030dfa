# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Following the lengths from home: proved to stay in one assembly mode, and what that says of Newton's answers."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.kinematics.test_forward_kinematics import near_singular, singular_angle
from core.mechanisms.hexapod.machine_variants import BUILTIN
from core.platform_motions import lengths, poses, six_axes
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from pkm_identification.mechanisms.hexapod.kinematics.assembly.continuation import follow_lengths
from pkm_identification.mechanisms.hexapod.kinematics.forward import FAILED, OK, forward_kinematics
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.machine import Machine

pytestmark = pytest.mark.slow

MACHINES = pytest.mark.parametrize("name", BUILTIN)
COUNT = 20_000


def same(a, b, tolerance=1e-8):
    """Whether two results have the same poses, row by row."""
    return (np.abs(a[0] - b[0]).max(axis=1) < tolerance) & (np.abs(a[1] - b[1]).max(axis=(1, 2)) < tolerance)


def spread(m: Machine, count: int, seed: int, turn: float, reach: float = 0.25):
    """Poses with lengths inside the limits: position uniform in a cube about home, turn uniform in a ball."""
    rng = np.random.default_rng(seed)
    found = []
    while sum(len(p) for p, _ in found) < count:
        position = m.home_position + rng.uniform(-reach, reach, (200_000, 3))
        vector = rng.normal(0, 1, (200_000, 3))
        vector *= (turn * rng.uniform(0, 1, 200_000) ** (1 / 3) / np.linalg.norm(vector, axis=1))[:, None]
        rotation = Rotation.from_rotvec(vector).as_matrix() @ m.home_rotation
        length = lengths(m, position, rotation)
        inside = np.all((length >= m.length_limits[0]) & (length <= m.length_limits[1]), axis=1)
        found.append((position[inside], rotation[inside]))
    return tuple(np.concatenate(parts)[:count] for parts in zip(*found))


@MACHINES
def test_workspace_is_found_cold_and_warm_in_the_right_mode(name):
    """20 000 poses: Newton warm in random order, and the proved path from home, both find the very pose."""
    m = Machine.load(name)
    truth = poses(m, COUNT, 1, reach=0.2, turn=0.2)
    length = lengths(m, *truth)
    path, warm = follow_lengths(m, length), forward_kinematics(m, length)
    for result in (path, warm):
        assert np.all(result.status == OK)
        assert result.residual.max() <= 1e-12
        assert same((result.position, result.rotation), truth).all()
    assert np.all(path.fraction == 1.0)
    cold = [forward_kinematics(m, row[None]) for row in length[:2000]]
    assert all(result.status[0] == OK for result in cold)
    joined = np.concatenate([r.position for r in cold]), np.concatenate([r.rotation for r in cold])
    assert same(joined, (truth[0][:2000], truth[1][:2000])).all()


@MACHINES
def test_long_motion_is_followed_warm(name):
    m = Machine.load(name)
    motion = six_axes(m, 7).at(np.arange(COUNT) * 1e-3)
    result = forward_kinematics(m, lengths(m, motion.position, motion.rotation))
    assert np.all(result.status == OK)
    assert result.residual.max() <= 1e-12
    assert same((result.position, result.rotation), (motion.position, motion.rotation)).all()


def test_newton_from_home_up_to_a_radian_keeps_the_proved_mode():
    """Many of these poses belong to other modes than home's: then neither finds them, and both agree."""
    m = Machine.load("uf")
    truth = spread(m, 2000, 2, 1.0)
    length = lengths(m, *truth)
    path = follow_lengths(m, length)
    cold = [forward_kinematics(m, row[None]) for row in length]
    newton = np.concatenate([r.position for r in cold]), np.concatenate([r.rotation for r in cold])
    agreed = same(newton, (path.position, path.rotation), 1e-6)
    assert agreed[path.found].all()
    assert path.found.mean() > 0.99
    # an independent view: from the sample back to home, and only those that arrive are of home's mode
    home = np.repeat(lengths(m, m.home_position[None], m.home_rotation[None]), len(length), axis=0)
    back = follow_lengths(m, home, start=truth)
    arrived = back.found & same(
        (back.position, back.rotation), (m.home_position[None], m.home_rotation[None])
    )
    assert 0.5 < arrived.mean() < 0.99
    assert same((path.position, path.rotation), truth, 1e-6)[arrived].all()
    other = ~same((path.position, path.rotation), truth, 1e-6)
    assert not np.any(other & arrived)


def test_agrees_with_integrating_the_platforms_rates():
    """An oracle without Newton: x' = J^-1 L' along the same straight path of squared lengths, by SciPy."""
    m = Machine.load("uf")
    position, rotation = poses(m, 4, 3, reach=0.12, turn=0.4)
    begin = lengths(m, m.home_position[None], m.home_rotation[None])[0]
    for end in lengths(m, position, rotation):

        def slope(t, q, end=end):
            turned = Rotation.from_quat(q[3:])
            length = np.sqrt(begin**2 + t * (end**2 - begin**2))
            j = jacobian(m, q[None, :3], turned.as_matrix()[None])[0]
            twist = np.linalg.solve(j, (end**2 - begin**2) / (2 * length))
            x, y, z, w = q[3:]
            spin = 0.5 * np.array([[w, z, -y], [-z, w, x], [y, -x, w], [-x, -y, -z]]) @ twist[3:]
            return np.concatenate([twist[:3], spin])

        start = np.concatenate([m.home_position, Rotation.from_matrix(m.home_rotation).as_quat()])
        moved = solve_ivp(slope, (0, 1), start, rtol=1e-11, atol=1e-12).y[:, -1]
        result = follow_lengths(m, end[None])
        np.testing.assert_allclose(result.position[0], moved[:3], atol=1e-8)
        np.testing.assert_allclose(result.rotation[0], Rotation.from_quat(moved[3:]).as_matrix(), atol=1e-8)


def test_determinant_keeps_its_sign():
    m = Machine.load("uf")
    path = follow_lengths(m, lengths(m, *spread(m, 2000, 4, 2.0)))
    found = np.linalg.det(jacobian(m, path.position[path.found], path.rotation[path.found]))
    home = np.linalg.det(jacobian(m, m.home_position[None], m.home_rotation[None]))
    assert np.all(np.sign(found) == np.sign(home))


@pytest.mark.parametrize("beyond", [1.2, 1.5, 2.0, 3.0])
def test_pose_behind_a_singularity_is_not_found_but_its_image_on_this_side(beyond):
    """Similar hexagons: turns mirrored at the singular one have equal lengths at equal height differences."""
    angle = singular_angle()
    m, position, _ = near_singular(0.0)
    turned = near_singular(beyond * angle)[2]
    result = follow_lengths(m, lengths(m, position, turned))
    assert result.status[0] == OK
    vector = Rotation.from_matrix(result.rotation[0]).as_rotvec()
    np.testing.assert_allclose(vector, [0, 0, (2 - beyond) * angle], atol=1e-10)


def test_path_that_ends_in_a_singularity_is_blocked_there():
    """Lowered until the platform lies flat in the base plane, where no strut can lift it."""
    m, position, rotation = near_singular(0.0)
    flat = lengths(m, np.zeros((1, 3)), rotation)
    result = follow_lengths(m, flat)
    assert result.status[0] == FAILED
    assert 0.999 < result.fraction[0] < 1.0
    assert np.isnan(result.position).all()
    half = 0.5 * (lengths(m, position, rotation) + flat)
    assert follow_lengths(m, half).status[0] == OK


@pytest.mark.parametrize(
    "row", [[5.0, 0.4, 0.4, 0.4, 0.4, 0.4], [np.nan] * 6, [-0.4] * 6, [0.0] * 6, [0.01] * 6]
)
def test_lengths_no_pose_can_have_fail_alone(row):
    m = Machine.load("uf")
    length = lengths(m, *poses(m, 5, 5))
    good = follow_lengths(m, length)
    length[2] = row
    result = follow_lengths(m, length)
    np.testing.assert_array_equal(result.status, [OK, OK, FAILED, OK, OK])
    assert result.fraction[2] < 1.0
    assert np.isnan(result.position[2]).all()
    assert np.isnan(result.rotation[2]).all()
    assert np.isinf(result.residual[2])
    np.testing.assert_array_equal(np.delete(result.position, 2, 0), np.delete(good.position, 2, 0))


def test_starts_where_told_for_all_or_for_each():
    m = Machine.load("uf")
    position, rotation = poses(m, 3, 6)
    length = lengths(m, position, rotation)
    each = follow_lengths(m, length, start=(position, rotation))
    np.testing.assert_array_equal(each.steps, 1)
    np.testing.assert_allclose(each.position, position, atol=1e-12)
    one = follow_lengths(m, length, start=(position[0], rotation[0]))
    np.testing.assert_allclose(one.position, position, atol=1e-10)


def test_bad_input_is_refused_and_nothing_gives_nothing():
    m = Machine.load("uf")
    assert follow_lengths(m, np.empty((0, 6))).position.shape == (0, 3)
    with pytest.raises(ValueError, match=r"\(N, 6\)"):
        follow_lengths(m, np.zeros(6))
    with pytest.raises(ValueError, match="start has shapes"):
        follow_lengths(m, np.ones((3, 6)), start=(np.zeros((2, 3)), np.zeros((2, 3, 3))))
    with pytest.raises(ValueError, match="not finite"):
        follow_lengths(m, np.ones((3, 6)), start=(np.full(3, np.nan), np.eye(3)))
