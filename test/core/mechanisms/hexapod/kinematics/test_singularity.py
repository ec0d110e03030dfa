# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Singularities: measures by their definition, bounds that hold, and the kinds of freedom known from theory."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.kinematics.assembly.test_assembly import mid_points
from core.mechanisms.hexapod.kinematics.test_forward_kinematics import near_singular, singular_angle
from core.mechanisms.hexapod.machine_variants import BUILTIN, document
from core.platform_motions import poses
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.hexapod.geometry import Geometry
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.kinematics.singularity import (
    architectural_quality,
    compute_scaled_jacobian,
    is_architecturally_singular,
    nearby_singularity,
    singularity_measures,
    weakest_motion,
)
from pkm_identification.mechanisms.hexapod.machine import Machine

MACHINES = pytest.mark.parametrize("name", BUILTIN)


@MACHINES
@pytest.mark.parametrize("scale", [None, 1.0])
def test_condition_is_numpys_of_the_scaled_jacobian(name, scale):
    m = Machine.load(name)
    position, rotation = poses(m, 20, 1)
    length = scale or m.length_scale
    scaled = jacobian(m, position, rotation) @ np.diag([1, 1, 1, *[1 / length] * 3])
    measures = singularity_measures(m, position, rotation, scale)
    assert measures.length_scale == length
    np.testing.assert_allclose(measures.condition, np.linalg.cond(scaled), rtol=1e-10)
    np.testing.assert_allclose(measures.sigma_min, np.linalg.norm(scaled, -2, axis=(1, 2)), rtol=1e-10)
    np.testing.assert_array_equal(measures.sign, np.sign(np.linalg.det(scaled)))


@MACHINES
def test_estimates_are_sigma_over_its_numerical_gradient(name):
    m = Machine.load(name)
    position, rotation = poses(m, 10, 2)
    step, gradient = 1e-6, np.empty((10, 6))

    def sigma(e):
        turned = Rotation.from_rotvec(e[3:]).as_matrix() @ rotation
        return singularity_measures(m, position + e[:3], turned).sigma_min

    for k in range(6):
        e = step * np.eye(6)[k]
        gradient[:, k] = (sigma(e) - sigma(-e)) / (2 * step)
    measures = singularity_measures(m, position, rotation)
    for estimate, part in (
        (measures.translation_estimate, slice(0, 3)),
        (measures.rotation_estimate, slice(3, 6)),
    ):
        np.testing.assert_allclose(
            measures.sigma_min / estimate, np.linalg.norm(gradient[:, part], axis=1), atol=1e-8
        )


@pytest.mark.slow
@settings(max_examples=30)
@given(st.integers(0, 10_000), st.booleans())
def test_no_singularity_within_the_proved_distance(seed, turning):
    """Signs of the determinant and singular values along random rays out to the bound."""
    m = Machine.load(BUILTIN[seed % 3])
    position, rotation = poses(m, 1, seed)
    measures = singularity_measures(m, position, rotation)
    rng = np.random.default_rng(seed)
    ray = rng.normal(0, 1, (40, 3))
    ray *= (rng.uniform(0, 1, 40) / np.linalg.norm(ray, axis=1))[:, None]
    if turning:
        assert measures.free_rotation[0] > 0.01
        there = (
            np.repeat(position, 40, 0),
            Rotation.from_rotvec(ray * measures.free_rotation).as_matrix() @ rotation,
        )
    else:
        assert measures.free_translation[0] > 0.005
        there = position + ray * measures.free_translation, np.repeat(rotation, 40, 0)
    seen = singularity_measures(m, *there)
    assert np.all(seen.sign == measures.sign)
    assert seen.sigma_min.min() > 0


@MACHINES
def test_nearby_singularities_are_singular_and_beyond_the_proved_distance(name):
    m = Machine.load(name)
    position, rotation = poses(m, 30, 3)
    near = nearby_singularity(m, position, rotation)
    assert near.found.mean() > 0.9
    scaled = compute_scaled_jacobian(m, near.position[near.found], near.rotation[near.found])
    assert np.linalg.cond(scaled).min() > 1e9
    measures = singularity_measures(m, position, rotation)
    # a pose that is both moved and turned may be nearer than either alone: half of each must be left
    reach = near.translation / measures.free_translation + near.rotation_angle / measures.free_rotation
    assert reach[near.found].min() > 1.0


@pytest.mark.slow
def test_fichters_singularity_is_where_its_determinant_vanishes():
    """Turned by 90 degrees similar hexagons are singular; the freedom there is a screw about z."""
    angle = singular_angle()
    m, position, rotation = near_singular(angle)
    motion = weakest_motion(m, position[0], rotation[0])
    assert motion.freedom == 1
    assert motion.kind == "screw"
    np.testing.assert_allclose(np.abs(motion.direction), [0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(motion.point[:2], 0.0, atol=1e-6)
    np.testing.assert_allclose(jacobian(m, position, rotation)[0] @ motion.twist, 0.0, atol=1e-9)
    away = near_singular(angle + 0.3)
    near = nearby_singularity(*away)
    assert near.found[0]
    assert near.rotation_angle[0] <= 0.3 + 1e-6
    assert weakest_motion(away[0], away[1][0], away[2][0]).freedom == 0


def test_kinds_of_freedom():
    """Flat in the base plane: lift and two tilts. Struts that meet one line: a turn about it. Level struts: a lift."""
    m = Machine.load("uf")
    flat = weakest_motion(m, np.zeros(3), np.eye(3))
    assert flat.freedom == 3
    meeting = _through_a_line()
    motion = weakest_motion(meeting, meeting.home_position, meeting.home_rotation)
    assert motion.kind == "rotation"
    assert motion.pitch == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(np.abs(motion.direction), [0, 0, 1], atol=1e-9)
    np.testing.assert_allclose(motion.point[:2], [0.05, 0.0], atol=1e-9)
    level = _level()
    motion = weakest_motion(level, level.home_position, level.home_rotation)
    assert motion.kind == "translation"
    assert motion.point is None
    assert motion.pitch == np.inf
    np.testing.assert_allclose(np.abs(motion.direction), [0, 0, 1], atol=1e-9)


def _through_a_line() -> Geometry:
    """Six struts that all meet the vertical line at x = 0.05: it can turn about that line."""
    rng = np.random.default_rng(3)
    tips = rng.uniform(-0.3, 0.3, (6, 3))
    on_line = np.column_stack([np.full(6, 0.05), np.zeros(6), rng.uniform(-1, 1, 6)])
    base = tips + [0, 0, -0.5] + 1.5 * (on_line - tips - [0, 0, -0.5])
    return Geometry(base, tips, np.array([0, 0, -0.5]), np.eye(3))


def _level() -> Geometry:
    """Six horizontal struts at different heights cannot hold the vertical."""
    rng = np.random.default_rng(4)
    tips = rng.uniform(-0.3, 0.3, (6, 3))
    away = np.column_stack([rng.normal(0, 0.5, (6, 2)), np.zeros(6)])
    return Geometry(tips + np.array([0, 0, -0.5]) + away, tips, np.array([0, 0, -0.5]), np.eye(3))


@MACHINES
def test_built_in_machines_are_not_architecturally_singular(name):
    m = Machine.load(name)
    assert not is_architecturally_singular(m)
    assert architectural_quality(m) > 0.1


def test_mid_point_special_6_6_is_caught_in_every_pose_and_on_loading():
    base, platform, _ = mid_points()
    rng = np.random.default_rng(6)
    for _ in range(100):
        pose = rng.normal(0, 1, 3), Rotation.random(random_state=rng).as_matrix()
        assert is_architecturally_singular(Geometry(base, platform, *pose))
    made = document("uf")
    made["geometry"] |= {
        "base_joints": base.tolist(),
        "platform_joints": platform.tolist(),
        "home": {"position": [0.0, 0.0, -0.8]},
        "length_limits": [0.1, 3.0],
    }
    with pytest.raises(MachineError, match="architecturally singular"):
        Machine.from_document(made)


def test_side_joints_off_the_middle_are_not():
    base, platform, _ = mid_points()
    moved = base.copy()
    moved[1::2] += 0.1 * (base[0::2] - base[1::2])
    assert not is_architecturally_singular(Geometry(moved, platform, np.array([0.1, 0, -0.8]), np.eye(3)))


def test_rows_without_meaning_stay_alone():
    m = Machine.load("uf")
    position, rotation = poses(m, 4, 5)
    broken = position.copy()
    broken[1] = np.nan
    good, mixed = singularity_measures(m, position, rotation), singularity_measures(m, broken, rotation)
    for name in ("condition", "sigma_min", "free_translation", "free_rotation", "translation_estimate"):
        assert np.isnan(getattr(mixed, name)[1])
        np.testing.assert_allclose(np.delete(getattr(mixed, name), 1), np.delete(getattr(good, name), 1))
    assert mixed.sign[1] == 0
    assert singularity_measures(m, np.empty((0, 3)), np.empty((0, 3, 3))).condition.shape == (0,)


def test_bad_input_is_refused():
    m = Machine.load("uf")
    position, rotation = poses(m, 2, 6)
    with pytest.raises(ValueError, match=r"\(N, 3\)"):
        singularity_measures(m, position[0], rotation[0])
    with pytest.raises(ValueError, match="length_scale"):
        singularity_measures(m, position, rotation, 0.0)
    with pytest.raises(ValueError, match="finite"):
        nearby_singularity(m, position * np.nan, rotation)
    with pytest.raises(ValueError, match="finite"):
        weakest_motion(m, position[0] * np.nan, rotation[0])
    with pytest.raises(ValueError, match=r"\(3,\)"):
        weakest_motion(m, position, rotation)
