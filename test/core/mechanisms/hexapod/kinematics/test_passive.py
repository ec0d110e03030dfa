# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Passive joints: angles by their definition, limits inside and out."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import BUILTIN, machine, with_joint
from core.platform_motions import poses
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from pkm_identification.mechanisms.hexapod.joint_limits import JointLimits
from pkm_identification.mechanisms.hexapod.kinematics.passive import passive_angles
from pkm_identification.mechanisms.hexapod.machine import Machine

MACHINES = pytest.mark.parametrize("name", BUILTIN)


def directions(m, position, rotation):
    joints = position[:, None] + np.einsum("nij,kj->nki", rotation, m.platform_joints)
    strut = joints - m.base_joints
    return strut / np.linalg.norm(strut, axis=2, keepdims=True)


@pytest.mark.parametrize("joint", ["universal", "platform"])
@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.3, -1.0, 0.2), "tangential"])
@MACHINES
def test_turning_both_hinges_by_the_angles_moves_the_home_strut_onto_the_strut(name, joint, axis):
    """The oracle builds the joint: second hinge at home, then the first, as the cross is made."""
    m = machine(with_joint(name, joint, axis))
    position, rotation = poses(m, 50, 1)
    angles = passive_angles(m, position, rotation)
    home = directions(m, m.home_position[None], m.home_rotation[None])[0]
    now = directions(m, position, rotation)
    if joint == "platform":  # as seen from there
        home, now = home @ m.home_rotation, now @ rotation
    for i in range(6):
        hinge = np.cross(m.first_axes[i], home[i])
        hinge /= np.linalg.norm(hinge)
        second = Rotation.from_rotvec(angles.second[:, i, None] * hinge)
        first = Rotation.from_rotvec(angles.first[:, i, None] * m.first_axes[i])
        np.testing.assert_allclose((first * second).apply(home[i]), now[:, i], atol=1e-13)


@MACHINES
def test_swing_is_the_angle_between_strut_directions_seen_from_the_platform(name):
    m = Machine.load(name)
    position, rotation = poses(m, 50, 2)
    swing = passive_angles(m, position, rotation).swing
    home = directions(m, m.home_position[None], m.home_rotation[None])[0] @ m.home_rotation
    for n in range(50):
        seen = directions(m, position[n : n + 1], rotation[n : n + 1])[0] @ rotation[n]
        expected = np.arctan2(np.linalg.norm(np.cross(seen, home), axis=1), np.sum(seen * home, axis=1))
        np.testing.assert_allclose(swing[n], expected, atol=1e-7)


def test_ends_change_their_parts_with_the_joints():
    base, platform = (machine(with_joint("uf", joint)) for joint in ("universal", "platform"))
    position, rotation = poses(base, 20, 6)
    swing = passive_angles(platform, position, rotation).swing
    now = directions(base, position, rotation)
    home = directions(base, base.home_position[None], base.home_rotation[None])
    np.testing.assert_allclose(swing, np.arccos(np.clip(np.sum(now * home, axis=2), -1, 1)), atol=1e-7)


@MACHINES
def test_zero_at_home(name):
    m = Machine.load(name)
    angles = passive_angles(m, m.home_position[None], m.home_rotation[None])
    for values in (angles.first, angles.second, angles.swing):
        np.testing.assert_allclose(values, 0.0, atol=1e-15)


@pytest.mark.slow
@given(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5), st.floats(0, 1.0))
def test_within_is_what_each_limit_says(low, high, swing):
    m = Machine.load("uf")
    position, rotation = poses(m, 40, 3)
    low, high = min(low, high), max(low, high)
    limits = JointLimits(first=(low, high), second=0.2, swing=swing)
    angles = passive_angles(m, position, rotation, limits)
    for n in range(40):
        allowed = all(
            low <= angles.first[n, i] <= high
            and abs(angles.second[n, i]) <= 0.2
            and angles.swing[n, i] <= swing
            for i in range(6)
        )
        assert angles.within[n] == allowed


def test_limits_that_cut_the_workspace():
    m = Machine.load("uf")
    position, rotation = poses(m, 200, 4)
    free = passive_angles(m, position, rotation)
    assert free.within.all()
    half = np.median(free.swing.max(axis=1))
    assert passive_angles(m, position, rotation, JointLimits(swing=half)).within.sum() == 100


def test_strut_along_the_first_hinge_has_no_first_angle():
    m = machine(with_joint("uf", "universal"))
    position = m.base_joints[0] + [0.4, 0.0, 0.0] - m.platform_joints[0]
    angles = passive_angles(m, position[None], np.eye(3)[None])
    assert np.isnan(angles.first[0, 0])
    assert np.isfinite(angles.first[0, 1:]).all()
    assert not angles.within[0]


def test_rows_without_meaning_are_outside_alone():
    m = Machine.load("uf")
    position, rotation = poses(m, 5, 5)
    position[1, 0] = np.nan
    rotation[3] = np.nan
    np.testing.assert_array_equal(
        passive_angles(m, position, rotation).within, [True, False, True, False, True]
    )


def test_bad_input_is_refused():
    m = Machine.load("uf")
    with pytest.raises(ValueError, match=r"\(N, 3\)"):
        passive_angles(m, np.zeros(3), np.eye(3))
    with pytest.raises(ValueError, match="lowest, highest"):
        JointLimits(first=(0.2, -0.2))
    with pytest.raises(ValueError, match="lowest, highest"):
        JointLimits(second=float("nan"))
    with pytest.raises(ValueError, match="at least 0"):
        JointLimits(swing=-0.1)
