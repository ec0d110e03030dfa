# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Strut forces against pinocchio's tree, statics against virtual work, power against energy."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.dynamics.pinocchio_tree import PinocchioHexapod
from core.mechanisms.hexapod.machine_variants import BUILTIN, machine, untidy, with_joint
from core.platform_motions import lengths, poses, states
from scipy.spatial.transform import Rotation

from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion

pytestmark = pytest.mark.slow

MACHINES = pytest.mark.parametrize("name", BUILTIN)


def without_axial(made: dict) -> dict:
    for strut in made["struts"]:
        for body in strut.values():
            body["inertia"] = [body["inertia"][0], 0.0]
    return made


def assert_equals_pinocchio(m: Machine, motion: PlatformMotion) -> None:
    expected = PinocchioHexapod(m).strut_forces(motion)
    # two ways through the same sums, each ending in J^-T (condition below 10): a few hundred roundings
    tolerance = 1e-12 * np.abs(expected).max()
    np.testing.assert_allclose(strut_forces(m, motion, friction=False), expected, rtol=0, atol=tolerance)


@MACHINES
def test_builtin_machines_equal_pinocchio(name):
    m = Machine.load(name)
    assert_equals_pinocchio(m, states(m, 60, 1))


@MACHINES
@pytest.mark.parametrize("first_axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.3, -0.8, 0.52), "tangential"])
def test_universal_joints_with_any_first_axis_equal_pinocchio(name, first_axis):
    """Centre of mass off the origin, products of inertia, six different struts."""
    m = machine(with_joint(untidy(name), "universal", first_axis))
    assert_equals_pinocchio(m, states(m, 60, 2))


@MACHINES
def test_struts_without_spin_equal_pinocchio_when_there_is_no_axial_inertia(name):
    m = machine(with_joint(without_axial(untidy(name)), "no_spin"))
    assert_equals_pinocchio(m, states(m, 60, 3))


@MACHINES
def test_spin_of_the_struts_matters(name):
    """The two strut models differ by the axial inertia alone."""
    spinning, still = (machine(with_joint(untidy(name), joint)) for joint in ("universal", "no_spin"))
    motion = states(spinning, 20, 4)
    difference = strut_forces(spinning, motion, friction=False) - strut_forces(still, motion, friction=False)
    assert np.abs(difference).max() > 1e-6
    pair = [machine(with_joint(without_axial(untidy(name)), joint)) for joint in ("universal", "no_spin")]
    forces = [strut_forces(m, motion, friction=False) for m in pair]
    np.testing.assert_allclose(forces[0], forces[1], rtol=1e-12, atol=1e-12 * np.abs(forces[0]).max())


@MACHINES
def test_gravity_in_any_direction_equals_pinocchio(name):
    made = untidy(name)
    made["gravity"] = [3.0, -4.0, 6.5]
    m = machine(made)
    assert_equals_pinocchio(m, states(m, 20, 5))


@MACHINES
def test_friction_of_the_file_is_added_strut_by_strut(name):
    m = machine(untidy(name))
    motion = states(m, 50, 9)
    _, rate, _ = strut_motion_from_platform(m, motion)
    added = strut_forces(m, motion) - strut_forces(m, motion, friction=False)
    expected = m.friction.viscous * rate + m.friction.coulomb * np.clip(rate / 0.002, -1, 1)
    np.testing.assert_allclose(added, expected, atol=1e-12 * np.abs(strut_forces(m, motion)).max())


def moved(name: str, joint: str, order, turn: Rotation) -> Machine:
    """Struts in another order, everything turned in the base frame: gravity and hinges too."""
    hinges = np.random.default_rng(14).uniform(-1, 1, (6, 3))[list(order)] + np.array([0.0, 2.0, 0.0])
    made = with_joint(untidy(name), joint, turn.apply(hinges) if joint == "universal" else hinges)
    geometry, order = made["geometry"], list(order)
    geometry["base_joints"] = turn.apply(np.array(geometry["base_joints"])[order]).tolist()
    geometry["platform_joints"] = np.array(geometry["platform_joints"])[order].tolist()
    geometry["home"] = {
        "position": turn.apply(geometry["home"]["position"]).tolist(),
        "quaternion": turn.as_quat().tolist(),
    }
    made["gravity"] = turn.apply(made["gravity"]).tolist()
    made["struts"] = [made["struts"][i] for i in order]
    for key in ("viscous", "coulomb"):
        made["friction"][key] = np.array(made["friction"][key])[order].tolist()
    return Machine.from_document(made)


@MACHINES
@pytest.mark.parametrize("joint", ["universal", "platform"])
def test_forces_do_not_depend_on_numbering_or_on_the_base_frame(name, joint):
    order = np.random.default_rng(10).permutation(6)
    turn = Rotation.from_rotvec([0.5, 1.2, -0.9])
    m, other = moved(name, joint, range(6), Rotation.identity()), moved(name, joint, order, turn)
    motion = states(m, 50, 10)

    def six(values):
        return np.hstack([turn.apply(values[:, :3]), turn.apply(values[:, 3:])])

    turned = PlatformMotion(motion.time, turn.apply(motion.position), turn.as_matrix() @ motion.rotation,
                            six(motion.twist), six(motion.acceleration))  # fmt: skip
    force = strut_forces(m, motion)
    # also the bend of the friction law amplifies roundings of the rate, by F_c / 0.002 m/s
    np.testing.assert_allclose(strut_forces(other, turned), force[:, order], atol=1e-11 * np.abs(force).max())


def test_rows_without_a_pose_are_nan_and_stay_alone():
    m = machine(untidy("uf"))
    motion = states(m, 8, 12)
    whole = strut_forces(m, motion)
    broken = PlatformMotion(motion.time, motion.position.copy(), motion.rotation.copy(), motion.twist.copy(),
                            motion.acceleration)  # fmt: skip
    broken.position[2] = np.nan
    broken.rotation[4, 1, 1] = np.inf
    force = strut_forces(m, broken)
    assert np.all(np.isnan(force[[2, 4]]))
    np.testing.assert_array_equal(np.delete(force, [2, 4], 0), np.delete(whole, [2, 4], 0))


def test_home_pose_is_where_the_lengths_say():
    """Guards the tests above: the random states are different poses, not one."""
    m = Machine.load("uf")
    position, rotation = poses(m, 100, 13)
    assert np.ptp(lengths(m, position, rotation), axis=0).min() > 0.05
