# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Kinematics do not depend on how struts are numbered, what a metre is, or where the base frame lies."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import BUILTIN, document
from core.platform_motions import states
from scipy.spatial.transform import Rotation

from pkm_identification.mechanisms.hexapod.kinematics.forward import platform_motion
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion, StrutMotion

MACHINES = pytest.mark.parametrize("name", BUILTIN)


def moved(name: str, order=range(6), scale: float = 1.0, turn: Rotation | None = None, shift=(0.0, 0.0, 0.0)):
    """The machine with struts in another order, other units of length, and its base moved in the base frame."""
    made = document(name)
    geometry = made["geometry"]
    turn = turn or Rotation.identity()
    base = scale * np.array(geometry["base_joints"])[list(order)]
    geometry["base_joints"] = (turn.apply(base) + shift).tolist()
    geometry["platform_joints"] = (scale * np.array(geometry["platform_joints"])[list(order)]).tolist()
    home = scale * np.array(geometry["home"]["position"])
    geometry["home"] = {
        "position": (turn.apply(home) + shift).tolist(),
        "quaternion": (turn * Rotation.from_quat(geometry["home"]["quaternion"])).as_quat().tolist(),
    }
    geometry["length_limits"] = [scale * x for x in geometry["length_limits"]]
    if scale != 1.0:
        # a file's bodies have to be as large as its geometry
        made.pop("drive", None)
        geometry.pop("rate_limit", None)
        for body in (made["platform"], *made["strut"].values()):
            body["mass"] *= scale**3
            body["center_of_mass"] = (scale * np.array(body["center_of_mass"])).tolist()
            body["inertia"] = [scale**5 * x for x in body["inertia"]]
    return Machine.from_document(made)


def strut_motion(m: Machine, motion: PlatformMotion) -> StrutMotion:
    return StrutMotion(
        motion.time, *strut_motion_from_platform(m, motion), None, np.zeros(len(motion), dtype=np.int64)
    )


@MACHINES
def test_numbering_of_struts(name):
    m, order = Machine.load(name), np.random.default_rng(1).permutation(6)
    other = moved(name, order)
    motion = states(m, 100, 1)
    struts, permuted = strut_motion(m, motion), strut_motion(other, motion)
    for field in ("length", "rate", "acceleration"):
        np.testing.assert_array_equal(getattr(permuted, field), getattr(struts, field)[:, order])
    np.testing.assert_array_equal(
        jacobian(other, motion.position, motion.rotation),
        jacobian(m, motion.position, motion.rotation)[:, order],
    )
    found, _ = platform_motion(m, struts)
    again, _ = platform_motion(other, permuted)
    np.testing.assert_allclose(again.position, found.position, atol=1e-11)
    np.testing.assert_allclose(again.acceleration, found.acceleration, atol=1e-8)


@MACHINES
@pytest.mark.parametrize("scale", [0.01, 30.0])
def test_unit_of_length(name, scale):
    """A machine thirty times as large, moving alike, has the same angles and thirty times the lengths."""
    m, other = Machine.load(name), moved(name, scale=scale)
    motion = states(m, 100, 2)
    segment_length = np.array([scale] * 3 + [1.0] * 3)
    larger = PlatformMotion(
        motion.time,
        scale * motion.position,
        motion.rotation,
        segment_length * motion.twist,
        segment_length * motion.acceleration,
    )
    struts, scaled = strut_motion(m, motion), strut_motion(other, larger)
    for field in ("length", "rate", "acceleration"):
        np.testing.assert_allclose(
            getattr(scaled, field), scale * getattr(struts, field), rtol=1e-12, atol=1e-12
        )
    found, result = platform_motion(other, scaled)
    assert np.all(result.status == 0)
    # the tolerance of 1e-12 m is absolute: relative to a machine of a centimetre it is a hundred times coarser
    tolerance = 1e-10 / min(scale, 1.0)
    np.testing.assert_allclose(found.position / scale, motion.position, atol=tolerance)
    np.testing.assert_allclose(found.rotation, motion.rotation, atol=tolerance)
    reference = platform_motion(m, struts)[1]
    np.testing.assert_allclose(result.condition, reference.condition, rtol=1e-8)


@MACHINES
def test_base_frame_turned_and_shifted(name):
    m = Machine.load(name)
    turn, shift = Rotation.from_rotvec([0.7, -1.1, 2.0]), np.array([0.3, -0.2, 1.0])
    other = moved(name, turn=turn, shift=shift)
    motion = states(m, 100, 3)

    def six(values):
        return np.hstack([turn.apply(values[:, :3]), turn.apply(values[:, 3:])])

    turned = PlatformMotion(
        motion.time,
        turn.apply(motion.position) + shift,
        turn.as_matrix() @ motion.rotation,
        six(motion.twist),
        six(motion.acceleration),
    )
    struts, same = strut_motion(m, motion), strut_motion(other, turned)
    for field in ("length", "rate", "acceleration"):
        # accelerations are of size 10: a few of their roundings
        np.testing.assert_allclose(getattr(same, field), getattr(struts, field), rtol=1e-12, atol=1e-13)
    found, result = platform_motion(other, same)
    assert np.all(result.status == 0)
    np.testing.assert_allclose(found.position, turned.position, atol=1e-10)
    np.testing.assert_allclose(found.rotation, turned.rotation, atol=1e-10)
    np.testing.assert_allclose(found.acceleration, turned.acceleration, atol=1e-7)
