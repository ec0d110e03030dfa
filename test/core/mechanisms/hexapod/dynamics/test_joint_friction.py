# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of the joints: virtual work with the rates that pinocchio's trees give them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from core.mechanisms.hexapod.dynamics.pinocchio_loops import tip_state
from core.mechanisms.hexapod.dynamics.pinocchio_platform_tree import PinocchioPlatformHinges
from core.mechanisms.hexapod.dynamics.pinocchio_tree import PinocchioHexapod
from core.mechanisms.hexapod.machine_variants import BUILTIN, machine, rubbing, untidy, with_joint
from core.platform_motions import at_rest, states

from pkm_identification.mechanisms.hexapod.dynamics import (
    basis_columns,
    basis_parameters,
    force_groups,
    forward_dynamics,
    regressor,
    strut_forces,
)
from pkm_identification.mechanisms.hexapod.dynamics.joint_friction import joint_friction_columns
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion

pytestmark = pytest.mark.slow

HINGES = np.random.default_rng(1).uniform(-1, 1, (6, 3)) + np.array([0.0, 2.0, 0.0])
JOINTS = pytest.mark.parametrize("joint", ["universal", "platform", "no_spin"])
MACHINES = pytest.mark.parametrize("name", BUILTIN)


def made(name: str, joint: str, seed: int = 0) -> Machine:
    return machine(rubbing(with_joint(untidy(name), joint, HINGES), seed))


def unit_twists(motion: PlatformMotion, n: int) -> PlatformMotion:
    """The pose of one sample, six times, with the six unit twists."""
    return PlatformMotion(
        np.arange(6.0),
        np.tile(motion.position[n], (6, 1)),
        np.tile(motion.rotation[n], (6, 1, 1)),
        np.eye(6),
        np.zeros((6, 6)),
    )


def rate_maps(m: Machine, motion: PlatformMotion, n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rates of every strut's base and platform joint per twist: (2, 6) of universal joints, else (3, 6)."""
    unit = unit_twists(motion, n)
    position, rotation = motion.position[n], motion.rotation[n]
    maps = []
    if m.hinged_platform:
        oracle = PinocchioPlatformHinges(m)
        *_, to_rates = oracle._state(unit, 0)
        for slide, _ in oracle.bodies:
            first = oracle.model.idx_vs[slide] - 2
            body = pin.getJointJacobian(
                oracle.model, oracle.data, slide, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            )
            maps.append((body[3:] @ to_rates, to_rates[first : first + 2]))
        return maps
    oracle = PinocchioHexapod(m)
    for i in range(6):
        arm = rotation @ m.platform_joints[i]
        hinged, turning = np.empty((2, 6)), np.empty((3, 6))
        for k, twist in enumerate(np.eye(6)):
            velocity = twist[:3] + np.cross(twist[3:], arm)
            if m.universal:
                q, rates, *_ = tip_state(oracle, i, position + arm, velocity, np.zeros(3))
                model, data, slide, _ = oracle.struts[i]
                pin.forwardKinematics(model, data, q, rates)
                hinged[:, k] = rates[:2]
                turning[:, k] = data.oMi[slide].rotation @ data.v[slide].angular
            else:
                span = position + arm - m.base_joints[i]
                turning[:, k] = np.cross(span, velocity) / (span @ span)
        own = np.hstack([np.zeros((3, 3)), np.eye(3)]) - turning
        maps.append((hinged if m.universal else turning, own))
    return maps


def torque(rate: np.ndarray, coulomb: float, viscous: float, transition: float) -> np.ndarray:
    if len(rate) == 2:
        return coulomb * np.clip(rate / transition, -1, 1) + viscous * rate
    return coulomb * rate / max(float(np.linalg.norm(rate)), transition) + viscous * rate


@MACHINES
@JOINTS
def test_forces_do_the_work_of_the_joints(name, joint):
    m = made(name, joint)
    # fast, and so slow that most joints are inside the bend
    motion = states(m, 12, 1)
    twist = motion.twist * np.where(np.arange(12) < 6, 1.0, 0.02)[:, None]
    motion = replace(motion, twist=twist)
    rough, smooth = m.joint_friction, replace(m, joint_friction=None)
    found = strut_forces(m, motion) - strut_forces(smooth, motion)
    expected = np.empty_like(found)
    for n in range(len(motion)):
        wrench = np.zeros(6)
        for i, maps in enumerate(rate_maps(m, motion, n)):
            for end, rows in enumerate(maps):
                coulomb, viscous = rough.coefficients[2 * end : 2 * end + 2, i]
                wrench += rows.T @ torque(rows @ twist[n], coulomb, viscous, rough.transition_rate)
        jac = jacobian(m, motion.position[n : n + 1], motion.rotation[n : n + 1])[0]
        expected[n] = np.linalg.solve(jac.T, wrench)
    size = np.abs(strut_forces(m, motion)).max()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * size)
    assert np.abs(found[:6]).max() > 1.0


@MACHINES
@JOINTS
def test_columns_build_up_the_force(name, joint):
    m = made(name, joint, 2)
    motion = states(m, 40, 2)
    assert basis_columns(m) == 88
    force = strut_forces(m, motion)
    found = regressor(m, motion, np.eye(88)) @ basis_parameters(m)
    np.testing.assert_allclose(found, force, rtol=0, atol=1e-11 * np.abs(force).max())
    own = joint_friction_columns(m, motion, m.joint_friction.transition_rate)
    columns = regressor(m, motion, np.eye(88))
    np.testing.assert_allclose(own, columns[:, :, 64:], rtol=0, atol=1e-12 * np.abs(own).max())
    # of a machine whose file knows none, too
    plain = joint_friction_columns(replace(m, joint_friction=None), motion, m.joint_friction.transition_rate)
    np.testing.assert_array_equal(plain, own)


@JOINTS
def test_groups_and_accelerations_have_it(joint):
    m = made("uf", joint, 3)
    motion = states(m, 30, 3)
    force = strut_forces(m, motion)
    groups = force_groups(m, motion)
    np.testing.assert_allclose(groups.total, force, rtol=0, atol=1e-12 * np.abs(force).max())
    bare = force_groups(replace(m, joint_friction=None), motion).frict
    assert np.abs(groups.frict - bare).max() > 1.0
    assert not force_groups(m, motion, friction=False).frict.any()
    found = forward_dynamics(m, motion.position, motion.rotation, motion.twist, force)
    size = np.abs(motion.acceleration).max()
    np.testing.assert_allclose(found, motion.acceleration, rtol=0, atol=1e-10 * size)


def test_it_takes_power_and_nothing_at_rest():
    m = made("uf", "universal", 4)
    motion = states(m, 50, 4)
    smooth = replace(m, joint_friction=None)
    force = strut_forces(m, motion) - strut_forces(smooth, motion)
    rate = np.einsum("nij,nj->ni", jacobian(m, motion.position, motion.rotation), motion.twist)
    assert np.all(np.sum(force * rate, axis=1) > 0.0)
    still = at_rest(m, 5, 4)
    np.testing.assert_array_equal(strut_forces(m, still), strut_forces(smooth, still))
