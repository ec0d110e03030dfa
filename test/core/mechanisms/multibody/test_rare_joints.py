# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Planar joints and joints without spin, as files describe them, against the joints they are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

SLAB = {
    "mass": "2",
    "center_of_mass": ["0.1", "0.05", "-0.02"],
    "inertia": ["0.02", "0.03", "0.04", "0", "0", "0"],
}


def made(bodies: dict[str, Any], joints: dict[str, Any], drives: dict[str, Any], **more: Any) -> Mechanism:
    return Mechanism.from_document(
        {
            "schema": "1",
            "kind": "mechanism",
            "name": "trial",
            "bodies": bodies,
            "joints": joints,
            "drives": drives,
            **more,
        }
    )


def random_motion(mechanism: Mechanism, count: int = 10, reach: float = 0.3):
    rng = np.random.default_rng(5)
    n = mechanism.degrees_of_freedom
    drive = kinematics.read(mechanism, "drives", mechanism.home) + rng.uniform(-reach, reach, (count, n))
    return kinematics.motion_of_drives(mechanism, drive, *rng.normal(0, 1, (2, count, n)))


def same_forces(one: Mechanism, other: Mechanism) -> None:
    motion = random_motion(one)
    again = kinematics.motion_of_drives(other, motion.drive, motion.drive_rate, motion.drive_acceleration)
    expected = dynamics.forces(one, motion)
    np.testing.assert_allclose(dynamics.forces(other, again), expected, atol=1e-9 * np.abs(expected).max())


def slab_drives() -> dict[str, Any]:
    return {
        "x": {"body": "slab", "position": "x", "point": ["0.2", "0.1", "0"]},
        "y": {"body": "slab", "position": "y", "point": ["0.2", "0.1", "0"]},
        "turn": {"body": "slab", "angle": "3", "sequence": "xyz"},
    }


def test_a_planar_joint_is_two_slides_and_a_hinge():
    normal = ["0.2", "-0.3", "1"]
    planar = {"type": "planar", "bodies": ["ground", "slab"], "axis": normal}
    one = made({"slab": SLAB}, {"table": {**planar, "friction": {"viscous": "0.4"}}}, slab_drives())
    # the same directions: z along the normal, x of the ground made square to it
    z = np.array([0.2, -0.3, 1.0]) / np.linalg.norm([0.2, -0.3, 1.0])
    x = np.eye(3)[0] - z[0] * z
    x, y = ([repr(float(value)) for value in axis] for axis in (x, np.cross(z, x)))
    bare = {"mass": "0"}
    rub = {"friction": {"viscous": "0.4"}}
    other = made(
        {"first": bare, "second": bare, "slab": SLAB},
        {
            "along": {"type": "prismatic", "bodies": ["ground", "first"], "axis": x, **rub},
            "across": {"type": "prismatic", "bodies": ["first", "second"], "axis": y, **rub},
            "turn": {"type": "revolute", "bodies": ["second", "slab"], "axis": normal, **rub},
        },
        slab_drives(),
    )
    assert one.degrees_of_freedom == other.degrees_of_freedom == 3
    same_forces(one, other)


def test_a_rod_without_spin_is_one_without_inertia_about_itself():
    def hung(kind: str, axial: str) -> Mechanism:
        rod = {
            "mass": "1.5",
            "center_of_mass": ["0", "0", "0.3"],
            "inertia": ["0.05", "0.05", axial, "0", "0", "0"],
        }
        drives = {axis: {"body": "rod", "position": axis, "point": ["0", "0", "0.6"]} for axis in "xy"}
        return made(
            {"rod": rod},
            {"cross": {"type": kind, "bodies": ["ground", "rod"]}},
            drives,
            gravity=["1", "-2", "-9"],
        )

    free, hinged = hung("no_spin", "0.02"), hung("universal", "0")
    assert free.degrees_of_freedom == 2
    same_forces(free, hinged)
    # with hinges the rod spins, and its own inertia is felt
    motion = random_motion(hinged)
    spun = hung("universal", "0.02")
    again = kinematics.motion_of_drives(spun, motion.drive, motion.drive_rate, motion.drive_acceleration)
    assert np.abs(dynamics.forces(spun, again) - dynamics.forces(hinged, motion)).max() > 1e-4
