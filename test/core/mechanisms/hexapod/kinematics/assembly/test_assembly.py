# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""All assembly modes: known counts, proofs, mirror images, the machine's own mode, and what nobody can have."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from core.mechanisms.hexapod.kinematics.assembly.dietmaier import BASE, LENGTH, PLATFORM
from core.mechanisms.hexapod.machine_variants import BUILTIN, document
from core.platform_motions import lengths, poses
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from pkm_identification.mechanisms.hexapod.joint_limits import JointLimits
from pkm_identification.mechanisms.hexapod.kinematics.assembly.modes import assembly_modes, geometry_modes
from pkm_identification.mechanisms.hexapod.kinematics.passive import passive_angles
from pkm_identification.mechanisms.hexapod.machine import Machine

pytestmark = pytest.mark.slow

MACHINES = pytest.mark.parametrize("name", BUILTIN)


def residuals(base, platform, position, rotation, length):
    joints = position[:, None] + np.einsum("nij,kj->nki", rotation, platform)
    return np.linalg.norm(joints - base, axis=2) - length


def same(position, rotation, other_position, other_rotation, tolerance=1e-9):
    """For each pose, whether it is among the others."""
    away = np.abs(position[:, None] - other_position).max(axis=2)
    turned = np.abs(rotation[:, None] - other_rotation).max(axis=(2, 3))
    return np.any((away < tolerance) & (turned < tolerance), axis=1)


@pytest.mark.parametrize("seed", range(5))
def test_dietmaiers_platform_has_its_forty_modes(seed):
    modes = geometry_modes(BASE, PLATFORM, LENGTH, seed=seed)
    assert len(modes) == 40
    assert modes.certified.all()
    assert not modes.multiple.any()
    assert modes.settled
    assert modes.sign.sum() == 0
    assert np.abs(residuals(BASE, PLATFORM, modes.position, modes.rotation, LENGTH)).max() < 1e-12
    assert modes.residual.max() < 1e-12
    assert modes.chance_missed < 1e-3
    assert same(modes.position, modes.rotation, modes.position, modes.rotation).sum() == 40


def test_forty_modes_are_those_scipy_finds():
    """Another solver from other starts: what it finds is in the list, and most of the list is found."""
    modes = geometry_modes(BASE, PLATFORM, LENGTH)
    rng, seen = np.random.default_rng(5), np.zeros(40, dtype=bool)

    def error(q):
        return residuals(BASE, PLATFORM, q[None, :3], Rotation.from_rotvec(q[3:]).as_matrix()[None], LENGTH)[
            0
        ]

    for _ in range(150):
        start = np.concatenate([rng.normal(0, 0.6, 3), Rotation.random(random_state=rng).as_rotvec()])
        found = least_squares(error, start, xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=60)
        if np.abs(found.fun).max() < 1e-12:
            position, rotation = found.x[None, :3], Rotation.from_rotvec(found.x[3:]).as_matrix()[None]
            hit = same(modes.position, modes.rotation, position, rotation, 1e-7)
            assert hit.sum() == 1
            seen |= hit
    assert seen.sum() > 20


@MACHINES
def test_flat_base_and_platform_have_mirrored_modes(name):
    """Four or eight, in pairs mirrored in the base plane; a pair is one of the source's 'up to reflection'."""
    m = Machine.load(name)
    position, rotation = poses(m, 6, 1)
    for length in [
        *lengths(m, position, rotation),
        *lengths(m, m.home_position[None], m.home_rotation[None]),
    ]:
        modes = assembly_modes(m, length)
        assert len(modes) in (4, 8)
        assert modes.settled
        assert modes.certified.all()
        flip = np.diag([1.0, 1.0, -1.0])
        # the mirrored platform's flat joints are met by a proper rotation, its third column turned about
        mirrored = flip @ modes.rotation @ flip
        assert same(modes.position @ flip, mirrored, modes.position, modes.rotation).all()


@MACHINES
def test_first_mode_is_the_machines_own(name):
    m = Machine.load(name)
    position, rotation = poses(m, 10, 2)
    for n, length in enumerate(lengths(m, position, rotation)):
        modes = assembly_modes(m, length)
        assert modes.home == 0
        np.testing.assert_allclose(modes.position[0], position[n], atol=1e-10)
        np.testing.assert_allclose(modes.rotation[0], rotation[n], atol=1e-10)


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_pose_of_any_geometry_is_among_its_modes(seed):
    rng = np.random.default_rng(seed)
    base, platform = rng.normal(0, 1, (6, 3)), rng.normal(0, 1, (6, 3))
    position, rotation = rng.normal(0, 1, (1, 3)), Rotation.random(random_state=rng).as_matrix()[None]
    length = np.linalg.norm(position + platform @ rotation[0].T - base, axis=1)
    modes = geometry_modes(base, platform, length, seed=seed)
    assert modes.settled
    assert len(modes) % 2 == 0
    assert len(modes) <= 40
    assert np.abs(residuals(base, platform, modes.position, modes.rotation, length)).max() < 1e-11
    # to the accuracy that the pose's condition leaves
    assert same(position, rotation, modes.position, modes.rotation, 1e-9 * modes.condition.max()).all()


def test_same_seed_same_result():
    m = Machine.load("uf")
    length = lengths(m, *poses(m, 1, 3))[0]
    first, second = assembly_modes(m, length, seed=4), assembly_modes(m, length, seed=4)
    for field in fields(first):
        np.testing.assert_array_equal(getattr(first, field.name), getattr(second, field.name))
    other = assembly_modes(m, length, seed=5)
    assert not np.array_equal(first.hits, other.hits)
    np.testing.assert_allclose(other.position, first.position, atol=1e-10)


def test_within_tells_length_limits_and_joint_limits():
    m = Machine.load("uf")
    length = lengths(m, *poses(m, 1, 6))[0]
    assert assembly_modes(m, length).within.all()
    limits = JointLimits(swing=0.9)
    modes = assembly_modes(m, length, limits)
    expected = passive_angles(m, modes.position, modes.rotation).swing.max(axis=1) <= 0.9
    np.testing.assert_array_equal(modes.within, expected)
    assert 0 < expected.sum() < len(modes)
    made = document("uf")
    made["geometry"]["length_limits"] = [0.36, 0.461]
    outside = length.copy()
    outside[0] = 0.47
    assert not assembly_modes(Machine.from_document(made), outside).within.any()


def test_lengths_no_pose_can_have_give_no_mode():
    m = Machine.load("uf")
    for length in (np.full(6, 0.01), np.array([5.0, 0.4, 0.4, 0.4, 0.4, 0.4])):
        modes = assembly_modes(m, length)
        assert len(modes) == 0
        assert modes.home is None
        assert modes.position.shape == (0, 3)
        assert modes.rotation.shape == (0, 3, 3)


def parallel_struts():
    ring = np.deg2rad(np.arange(6) * 60.0)
    hexagon = np.column_stack([np.cos(ring), np.sin(ring), np.zeros(6)])
    return hexagon, hexagon, np.full(6, 1.3)


def mid_points():
    """The special 6-6 with its side joints in the middle: singular in every pose."""
    corner = np.deg2rad([0.0, 120.0, 240.0])
    triangle = np.column_stack([np.cos(corner), np.sin(corner), np.zeros(3)])
    sides = 0.5 * (triangle + np.roll(triangle, -1, axis=0))
    joints = np.stack([triangle, sides], axis=1).reshape(6, 3)
    turn = Rotation.from_rotvec([0, 0, -np.pi / 3]).as_matrix()
    platform = 0.75 * np.roll(joints @ turn.T, 1, axis=0)
    tilt = Rotation.from_rotvec([0.1, 0.2, 0.1]).as_matrix()
    return joints, platform, np.linalg.norm([0.1, 0.05, -0.8] + platform @ tilt.T - joints, axis=1)


@pytest.mark.parametrize("made", [parallel_struts, mid_points])
def test_platform_that_moves_with_its_lengths_held_is_a_continuum(made):
    modes = geometry_modes(*made())
    assert modes.continuum
    assert not modes.settled
    assert not modes.certified.any()
    assert modes.residual.max() < 1e-9


def test_singular_pose_is_a_multiple_mode_and_never_certified():
    from core.mechanisms.hexapod.kinematics.test_forward_kinematics import near_singular, singular_angle

    m, position, rotation = near_singular(singular_angle())
    modes = assembly_modes(m, lengths(m, position, rotation)[0])
    near = np.linalg.norm(modes.position - position[0], axis=1) < 1e-3
    assert near.any()
    assert modes.multiple[near].all()
    assert not modes.settled
    assert modes.residual[near].max() < 1e-10


@pytest.mark.parametrize(
    ("length", "message"),
    [
        (np.ones(5), r"\(6,\)"),
        (np.ones((1, 6)), r"\(6,\)"),
        ([0.4, 0.4, np.nan, 0.4, 0.4, 0.4], "positive finite"),
        ([0.4, 0.4, np.inf, 0.4, 0.4, 0.4], "positive finite"),
        ([0.4, 0.4, 0.0, 0.4, 0.4, 0.4], "positive finite"),
    ],
)
def test_bad_lengths_are_refused(length, message):
    with pytest.raises(ValueError, match=message):
        assembly_modes(Machine.load("uf"), length)


def test_bad_joints_are_refused():
    with pytest.raises(ValueError, match="base_joints"):
        geometry_modes(BASE[:5], PLATFORM, LENGTH)
    with pytest.raises(ValueError, match="platform_joints"):
        geometry_modes(BASE, PLATFORM * np.nan, LENGTH)
    with pytest.raises(ValueError, match="one place"):
        geometry_modes(BASE, np.ones((6, 3)), LENGTH)
