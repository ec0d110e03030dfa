# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motion beside a known one is that of the forward kinematics, for machines that differ a little or much."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.platform_motions import lengths, poses

from pkm_identification.mechanisms.hexapod.kinematics.forward import platform_motion
from pkm_identification.mechanisms.hexapod.kinematics.nearby import inverse_jacobians, nearby_motion
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import StrutMotion

pytestmark = pytest.mark.slow
UF = Machine.load("uf")
COUNT = 50


def struts() -> StrutMotion:
    rng = np.random.default_rng(1)
    rate, acceleration = rng.normal(0.0, 0.2, (COUNT, 6)), rng.normal(0.0, 2.0, (COUNT, 6))
    return StrutMotion(
        np.arange(COUNT) * 0.02,
        lengths(UF, *poses(UF, COUNT, 1, reach=0.05, turn=0.2)),
        rate,
        acceleration,
        None,
        np.zeros(COUNT, dtype=np.int64),
    )


@pytest.mark.parametrize("shift", [0.0, 3e-5, 0.01])
def test_it_is_the_motion_of_the_forward_kinematics(shift):
    known = struts()
    motion = platform_motion(UF, known)[0]
    moved = replace(UF, base_joints=UF.base_joints + shift * np.eye(6, 3))
    longer = replace(known, length=known.length + shift * np.eye(6)[4])
    found = nearby_motion(moved, longer, motion, inverse_jacobians(UF, motion))
    wanted = platform_motion(moved, longer)[0]
    np.testing.assert_allclose(found.position, wanted.position, atol=1e-10)
    np.testing.assert_allclose(found.rotation, wanted.rotation, atol=1e-10)
    np.testing.assert_allclose(found.twist, wanted.twist, atol=1e-8)
    np.testing.assert_allclose(found.acceleration, wanted.acceleration, atol=1e-6)


def test_rows_without_a_pose_have_none():
    known = struts()
    motion = platform_motion(UF, known)[0]
    length = known.length.copy()
    length[3] = np.nan
    length[5] = 10.0 * length[5]
    unknown = replace(motion, position=motion.position.copy())
    unknown.position[7] = np.nan
    found = nearby_motion(UF, replace(known, length=length), unknown, inverse_jacobians(UF, unknown))
    assert np.flatnonzero(np.isnan(found.acceleration).any(axis=1)).tolist() == [3, 5, 7]
    assert np.isfinite(found.position[4]).all()
