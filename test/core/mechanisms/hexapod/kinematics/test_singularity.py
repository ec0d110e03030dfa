# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Geometries that are singular in every pose are told from those that are not."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.kinematics.assembly.test_assembly import mid_points
from core.mechanisms.hexapod.machine_variants import BUILTIN, document
from scipy.spatial.transform import Rotation

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.hexapod.geometry import SINGULAR_RATIO, Geometry, compute_jacobian_quality
from pkm_identification.mechanisms.hexapod.machine import Machine


def best_ratio(geometry: Machine | Geometry) -> float:
    """Smallest by largest singular value of the Jacobian, the best of poses around home."""
    return float(compute_jacobian_quality(geometry)[0].max())


@pytest.mark.parametrize("name", BUILTIN)
def test_built_in_machines_are_not_architecturally_singular(name):
    assert best_ratio(Machine.load(name)) > 0.1


def test_mid_point_special_6_6_is_caught_in_every_pose_and_on_loading():
    base, platform, _ = mid_points()
    rng = np.random.default_rng(6)
    for _ in range(100):
        pose = rng.normal(0, 1, 3), Rotation.random(random_state=rng).as_matrix()
        assert best_ratio(Geometry(base, platform, *pose)) < SINGULAR_RATIO
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
    assert best_ratio(Geometry(moved, platform, np.array([0.1, 0, -0.8]), np.eye(3))) > SINGULAR_RATIO
