# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of passive joints: whichever of them close the loops, against the power that relative turning takes."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest

from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.description.reader import parse_text
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, builtin_mechanisms
from pkm_identification.numerics.rotation import build_vector_from_matrix


def rubbing(name: str, backwards: bool = False, **friction: str) -> Mechanism:
    """A built-in mechanism whose passive joints rub, its joints in the file's order or the other way round."""
    given = deepcopy(parse_text(builtin_mechanisms()[name]))
    driven = {drive["joint"] for drive in given["drives"].values()}
    for joint, entry in given["joints"].items():
        if joint not in driven:
            entry["friction"] = friction
    if backwards:
        given["joints"] = dict(reversed(given["joints"].items()))
        given.pop("closed_form", None)
    return Mechanism.from_document(given)


def moved(made: Mechanism, count: int = 10):
    rng = np.random.default_rng(3)
    n = made.degrees_of_freedom
    drive = kinematics.read(made, "drives", made.home) + rng.uniform(-0.03, 0.03, (count, n))
    return kinematics.motion_of_drives(made, drive, *rng.normal(0, 0.5, (2, count, n)))


def friction_forces(made: Mechanism, motion) -> np.ndarray:
    return dynamics.forces(made, motion) - dynamics.forces(made, motion, friction=False)


@pytest.mark.parametrize(
    ("name", "friction"),
    [("four-bar", {"viscous": "0.3", "coulomb": "0.7"}), ("mast", {"viscous": "0.2", "coulomb": "0.7"})],
)
def test_it_does_not_matter_which_joints_close_the_loops(name, friction):
    one, other = rubbing(name, **friction), rubbing(name, backwards=True, **friction)
    assert {joint.name for joint in one.tree.cut} != {joint.name for joint in other.tree.cut}
    motion = moved(one)
    again = kinematics.motion_of_drives(other, motion.drive, motion.drive_rate, motion.drive_acceleration)
    expected = friction_forces(one, motion)
    assert np.abs(expected).max() > 0.1
    np.testing.assert_allclose(friction_forces(other, again), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["mast", "suspension"])
def test_viscous_friction_takes_the_power_of_relative_turning(name):
    """c |w_b - w_a|^2 of every passive joint that turns, of rotations differentiated; slides by their coordinate."""
    made = rubbing(name, viscous="0.2")
    motion = moved(made)
    h = 1e-5
    names = ["ground", *(body.name for body in made.description.bodies)]
    there = []
    for sign in (-1.0, 1.0):
        drive = motion.drive + sign * h * motion.drive_rate
        found = kinematics.close_drives(made, drive, start=motion.configuration)
        turns, _ = kinematics.body_poses(made, found.required(drive, "drives"))
        there.append((turns, found.configuration))
    turning = build_vector_from_matrix(there[1][0] @ np.swapaxes(there[0][0], 2, 3)) / (2 * h)
    turning = np.concatenate([np.zeros((len(motion), 1, 3)), turning], axis=1)
    power = np.zeros(len(motion))
    for joint in made.description.joints:
        if not joint.rubs:
            continue
        a, b = (names.index(body) for body in joint.bodies)
        if joint.type == "prismatic":
            k = made.tree.frames[made.tree.joint_frames[joint.name][0]].coordinate
            power += 0.2 * ((there[1][1] - there[0][1])[:, k] / (2 * h)) ** 2
        else:
            power += 0.2 * np.sum((turning[:, b] - turning[:, a]) ** 2, axis=1)
    found = np.sum(friction_forces(made, motion) * motion.drive_rate, axis=1)
    np.testing.assert_allclose(found, power, rtol=1e-6)


def test_coulomb_friction_bends_where_the_file_says():
    """Far below the transition rate it is a viscous friction of the coefficient over that rate."""
    given = deepcopy(parse_text(builtin_mechanisms()["mast"]))
    for i in (1, 2, 3):
        given["joints"][f"ball_{i}"]["friction"] = {"coulomb": "0.6"}
    wide = Mechanism.from_document({**given, "friction": {"joints": {"transition_rate": "30"}}})
    for i in (1, 2, 3):
        given["joints"][f"ball_{i}"]["friction"] = {"viscous": "0.02"}
    motion = moved(wide)
    np.testing.assert_allclose(
        friction_forces(wide, motion), friction_forces(Mechanism.from_document(given), motion), rtol=1e-9
    )
