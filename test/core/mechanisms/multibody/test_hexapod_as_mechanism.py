# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A hexapod described as thirteen bodies with loops, against the compiled special case."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import BUILTIN, machine, rubbing, untidy, with_joint
from core.platform_motions import states

from pkm_identification.errors import MachineError, MotionRefused
from pkm_identification.mechanisms.hexapod.dynamics import forward_dynamics, strut_dynamics, strut_forces
from pkm_identification.mechanisms.hexapod.dynamics.joint_friction import (
    joint_friction_columns as hexapod_columns,
)
from pkm_identification.mechanisms.hexapod.dynamics.thirteen_bodies import BODIES, compute_body_regressor
from pkm_identification.mechanisms.hexapod.joint_friction import COEFFICIENTS, ENDS
from pkm_identification.mechanisms.hexapod.joint_limits import JointLimits
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths, strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.kinematics.passive import angle_use
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.joint_friction import (
    joint_friction_columns,
    list_joint_friction_names,
)
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.rigid_bodies import BODY_PARAMETERS

MACHINES = {
    **{name: name for name in BUILTIN},
    "untidy": untidy("uf", seed=1),
    "no spin": with_joint("hexel", "no_spin"),
    "hinged platform": with_joint(untidy("uf", seed=2), "platform", (1.0, 0.2, -0.1)),
    "slanted hinge": with_joint("ford", "universal", (1.0, 0.3, -0.2)),
    "rubbing joints": rubbing(untidy("uf", seed=1)),
    "rubbing joints, no spin": rubbing(with_joint("hexel", "no_spin")),
    "rubbing joints, hinged platform": rubbing(with_joint("uf", "platform", (1.0, 0.2, -0.1))),
}


@cache
def pair(name: str):
    own = machine(MACHINES[name])
    return own, Mechanism.from_machine(own)


@cache
def motions(name: str, count: int = 30):
    own, general = pair(name)
    motion = states(own, count, seed=4)
    return motion, kinematics.motion_of_pose(
        general, motion.position, motion.rotation, motion.twist, motion.acceleration
    )


def close(found, expected, tolerance=1e-9):
    scale = np.abs(expected).max()
    assert np.abs(found - expected).max() <= tolerance * scale


@pytest.mark.parametrize("name", MACHINES)
def test_it_is_the_same_machine(name):
    own, general = pair(name)
    assert general.degrees_of_freedom == 6
    assert general.loops == 5
    assert general.redundant_constraints == ()
    assert len(general.description.bodies) == len(BODIES) == 13
    motion, moved = motions(name)
    close(moved.drive, strut_lengths(own, motion.position, motion.rotation))
    _, rate, acceleration = strut_motion_from_platform(own, motion)
    close(moved.drive_rate, rate)
    close(moved.drive_acceleration, acceleration)


@pytest.mark.parametrize("name", MACHINES)
def test_forces_are_those_of_the_compiled_hexapod(name):
    own, general = pair(name)
    motion, moved = motions(name)
    close(dynamics.forces(general, moved), strut_forces(own, motion))
    close(dynamics.forces(general, moved, friction=False), strut_forces(own, motion, friction=False))
    wrench = np.array([30.0, -20.0, 10.0, 1.0, 2.0, -3.0])
    close(
        dynamics.forces(general, moved, wrench={BODIES[0]: wrench}), strut_forces(own, motion, wrench=wrench)
    )


@pytest.mark.parametrize("name", MACHINES)
def test_the_130_columns_are_those_of_the_thirteen_bodies(name):
    own, general = pair(name)
    motion, moved = motions(name)
    expected = compute_body_regressor(own, motion)
    found = dynamics.regressor(general, moved)
    assert found.shape[2] == len(BODIES) * len(BODY_PARAMETERS) == 130
    close(found, expected)
    # column by column, each against its own size
    size = np.abs(expected).max(axis=(0, 1))
    assert np.all(np.abs(found - expected).max(axis=(0, 1)) <= 1e-9 * np.maximum(size, 1e-3))


@pytest.mark.parametrize("name", MACHINES)
def test_mass_matrix_and_bias_are_those_of_the_struts(name):
    own, general = pair(name)
    motion, moved = motions(name)
    expected = strut_dynamics(own, motion.position, motion.rotation, motion.twist)
    close(dynamics.mass_matrix(general, moved.configuration), expected.mass)
    close(dynamics.bias(general, moved), expected.bias)


@pytest.mark.parametrize("name", MACHINES)
def test_forward_dynamics_is_that_of_the_hexapod(name):
    own, general = pair(name)
    motion, moved = motions(name)
    force = strut_forces(own, motion) + np.random.default_rng(0).normal(0, 50, (len(motion), 6))
    expected = forward_dynamics(own, motion.position, motion.rotation, motion.twist, force)
    found = dynamics.forward_dynamics(general, moved.configuration, moved.drive_rate, force)
    # the platform's acceleration of the struts': through the compiled machine's kinematics
    reached = type(motion)(motion.time, motion.position, motion.rotation, motion.twist, expected)
    close(found.drive_acceleration, strut_motion_from_platform(own, reached)[2])


def test_forward_kinematics_comes_back_to_the_pose():
    _, general = pair("uf")
    motion, moved = motions("uf")
    found = kinematics.close_drives(general, moved.drive)
    assert found.found.all()
    rotation, position = kinematics.body_poses(general, found.configuration)
    np.testing.assert_allclose(position[:, 0], motion.position, atol=1e-9)
    np.testing.assert_allclose(rotation[:, 0], motion.rotation, atol=1e-9)


def test_a_pose_out_of_reach_is_refused():
    _, general = pair("uf")
    rotation, position = (part[:, 0] for part in kinematics.body_poses(general, general.home))
    places = np.repeat(position, 2, axis=0)
    places[1] += [0.0, 0.0, 100.0]
    with pytest.raises(MotionRefused, match=r"row 2: pose .*out of reach"):
        kinematics.motion_of_pose(
            general, places, rotation.repeat(2, axis=0), np.zeros((2, 6)), np.zeros((2, 6))
        )


def test_a_strut_along_a_hinge_that_no_spin_does_not_have():
    own, general = pair("no spin")
    home = own.home_position + own.platform_joints @ own.home_rotation.T - own.base_joints
    hinges = home / np.linalg.norm(home, axis=1, keepdims=True)
    twisted = Mechanism.from_machine(replace(own, first_axes=hinges))
    motion, moved = motions("no spin")
    again = kinematics.motion_of_pose(
        twisted, motion.position, motion.rotation, motion.twist, motion.acceleration
    )
    close(dynamics.forces(twisted, again), dynamics.forces(general, moved))
    with pytest.raises(MachineError, match="runs along strut 1 at home"):
        Mechanism.from_machine(replace(own, base_joint="universal", first_axes=hinges))


def test_columns_of_friction_in_the_joints_are_those_of_the_hexapod():
    own, general = pair("rubbing joints")
    motion, moved = motions("rubbing joints")
    expected = hexapod_columns(own, motion, own.joint_friction.transition_rate)
    names = {f"{kind}_{end}_{i + 1}": None for end in ENDS for kind in COEFFICIENTS for i in range(6)}
    found = dict(
        zip(list_joint_friction_names(general), np.moveaxis(joint_friction_columns(general, moved), 2, 0))
    )
    assert found.keys() == names.keys()
    for name, column in zip(names, np.moveaxis(expected, 2, 0), strict=True):
        close(found[name], column)
    coefficients = own.joint_friction.coefficients.ravel()
    by_columns = sum(c * found[name] for c, name in zip(coefficients, names, strict=True))
    without = dynamics.forces(Mechanism.from_machine(replace(own, joint_friction=None)), moved)
    close(dynamics.forces(general, moved) - without, by_columns)


@pytest.mark.parametrize("name", ["uf", "no_spin", "platform"])
def test_limits_of_passive_joints_are_those_of_the_hexapod(name):
    """Also where they are not alike either way, and lie beyond half a turn from where the joint's own angle is zero."""
    limits = JointLimits(first=(-0.9, 2.5), second=(-0.6, 0.4), swing=0.5)
    own = replace(machine("uf" if name == "uf" else with_joint("uf", name)), joint_limits=limits)
    mechanism = Mechanism.from_machine(own)
    poses = states(own, 30, seed=3)
    expected = angle_use(own, poses.position, poses.rotation)
    found = kinematics.close_pose(mechanism, poses.position, poses.rotation)
    use = mechanism.joint_use(found.configuration)
    order = [6 * kind + strut for strut in range(6) for kind in range(3)]
    close(np.abs(use), expected[:, order])
    assert np.abs(use).max() > 0.1
    assert not Mechanism.from_machine(machine("uf")).joint_use(found.configuration).size
