# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mechanical energy: its change is the strut forces' work, column by column; pinocchio has the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from core.mechanisms.hexapod.dynamics.pinocchio_tree import PinocchioHexapod
from core.mechanisms.hexapod.machine_variants import BUILTIN, machine, untidy, with_joint
from core.platform_motions import at_rest, six_axes, states

from pkm_identification.mechanisms.hexapod.dynamics import (
    basis_parameters,
    friction_force,
    regressor,
    strut_forces,
)
from pkm_identification.mechanisms.hexapod.dynamics.basis import (
    INERTIAL_COLUMNS,
    strut_column,
)
from pkm_identification.mechanisms.hexapod.dynamics.energy import (
    compute_energy_regressor,
    compute_mechanical_energy,
)
from pkm_identification.mechanisms.hexapod.dynamics.strut import I_A, I_X, I_Z
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.motion import STRUTS

VARIANTS = pytest.mark.parametrize(
    "made",
    [*BUILTIN, untidy("uf", 1), untidy(with_joint("uf", "universal", (0.6, -0.8, 0.1)), 2)]
    + [with_joint(name, "no_spin") for name in BUILTIN]
    + [untidy(with_joint("uf", "no_spin"), 3), untidy(with_joint("uf", "platform", (0.6, -0.8, 0.1)), 4)],
    ids=[
        *BUILTIN,
        "untidy",
        "skew_hinge",
        *(f"{name}_no_spin" for name in BUILTIN),
        "untidy_no_spin",
        "platform",
    ],
)
TIME = np.linspace(0.0, 4.0, 60)
STEP = 1e-3
# Central difference of sixth order: the fastest content of an energy is twice the highest tone, 6.6 Hz, and
# (2 pi 6.6 STEP)^6 / 140 is 4e-11 of a column's rate (some hold overtones); differencing rounds to about
# 1e-16 / STEP of the size of the column.
ACCURACY = 1e-9


def rate_of(function, harmonics):
    """Time derivative of a function of a motion along the motion."""
    weights = {1: 45, 2: -9, 3: 1}
    total = 0.0
    for k, weight in weights.items():
        total = total + weight * (
            function(harmonics.at(TIME + k * STEP)) - function(harmonics.at(TIME - k * STEP))
        )
    return total / (60 * STEP)


def assert_same_power(found, expected, size):
    """Equal to the accuracy of the difference, relative to each column's largest rate and its size."""
    bound = ACCURACY * (np.abs(expected).max(axis=0) + size) + 1e-15
    worst = np.abs(found - expected).max(axis=0)
    assert np.all(worst <= bound), worst / bound


@VARIANTS
def test_change_of_energy_is_the_power_of_the_strut_forces(made):
    m = machine(made)
    harmonics = six_axes(m, seed=4)
    motion = harmonics.at(TIME)
    _, rate, _ = strut_motion_from_platform(m, motion)
    force = strut_forces(m, motion, friction=False)
    power = np.sum(force * rate, axis=1)
    found = rate_of(lambda at: compute_mechanical_energy(m, at), harmonics)
    assert_same_power(found, power, np.abs(compute_mechanical_energy(m, motion)).max())
    # what the drives deliver besides is friction's
    lost = np.sum((strut_forces(m, motion) - force) * rate, axis=1)
    np.testing.assert_allclose(
        lost, np.sum(friction_force(rate, m.friction) * rate, axis=1), rtol=1e-9, atol=1e-9
    )


@VARIANTS
def test_every_column_is_the_work_of_its_own_forces(made):
    m = machine(made)
    harmonics = six_axes(m, seed=5)
    motion = harmonics.at(TIME)
    mapping = np.eye(64)[:, :INERTIAL_COLUMNS]
    if not m.universal:
        # without spin the axes of I_x and I_z are not fixed in the rod: only the two together balance
        x, z = ([strut_column(i, kind) for i in range(STRUTS)] for kind in (I_X, I_Z))
        mapping[z, x] = 1.0
        mapping = np.delete(mapping, z, axis=1)
    _, rate, _ = strut_motion_from_platform(m, motion)
    power = np.einsum("nip,ni->np", regressor(m, motion, mapping), rate)
    energy = compute_energy_regressor(m, motion, mapping)
    found = rate_of(lambda at: compute_energy_regressor(m, at, mapping), harmonics)
    assert_same_power(found, power, np.abs(energy).max(axis=0))


@pytest.mark.parametrize("joint", ["universal", "no_spin"])
def test_spin_stores_energy_only_in_universal_joints(joint):
    m = machine(with_joint("uf", joint))
    columns = compute_energy_regressor(m, states(m, 50, 1), np.eye(64))
    axial = columns[:, [strut_column(i, I_A) for i in range(STRUTS)]]
    if joint == "universal":
        assert np.all(axial.max(axis=0) > 0.0)
        assert np.all(axial >= 0.0)
    else:
        assert np.all(axial == 0.0)


@VARIANTS
def test_columns_build_up_the_energy(made):
    m = machine(made)
    motion = states(m, 100, 2)
    basis = basis_parameters(m)
    columns = compute_energy_regressor(m, motion, np.eye(64))
    assert columns.shape == (100, 64)
    assert np.all(columns[:, INERTIAL_COLUMNS:] == 0.0)  # friction stores none
    energy = compute_mechanical_energy(m, motion)
    np.testing.assert_allclose(columns @ basis, energy, rtol=1e-12)
    # two ways to share a basis between parameters, friction rows and repeated entries among them
    mapping = np.random.default_rng(0).normal(size=(64, 7))
    size = np.abs(columns) @ np.abs(mapping)
    assert np.all(np.abs(compute_energy_regressor(m, motion, mapping) - columns @ mapping) <= 1e-13 * size)


@pytest.mark.parametrize("made", [*BUILTIN, untidy("uf", 6)], ids=[*BUILTIN, "untidy"])
@pytest.mark.parametrize("moving", [True, False], ids=["moving", "at_rest"])
def test_pinocchio_has_the_same_energy(made, moving):
    m = machine(made)
    motion = states(m, 40, 3) if moving else at_rest(m, 40, 3)
    expected = np.array([tree_energy(PinocchioHexapod(m), motion, n) for n in range(len(motion))])
    # bodies B count from their base joints here, from the base frame's origin there
    expected += sum(
        strut.body_b.mass * m.gravity @ joint for strut, joint in zip(m.struts, m.base_joints, strict=True)
    )
    np.testing.assert_allclose(compute_mechanical_energy(m, motion), expected, rtol=1e-11)


def tree_energy(tree, motion, n):
    """Kinetic plus potential energy of platform and struts by pinocchio."""
    m = tree.machine
    x, turned = motion.position[n], motion.rotation[n]
    v, w = motion.twist[n, :3], motion.twist[n, 3:]
    body = pin.Inertia(m.platform.mass, m.platform.center_of_mass, np.array(m.platform.inertia))
    twist = pin.Motion(turned.T @ v, turned.T @ w)
    total = 0.5 * twist.vector @ (body * twist).vector - m.platform.mass * m.gravity @ (
        x + turned @ m.platform.center_of_mass
    )
    for (model, data, slide, placement), joint in zip(tree.struts, m.platform_joints, strict=True):
        arm = turned @ joint
        local = placement.actInv(x + arm)
        d = local / np.linalg.norm(local)
        q = np.array([np.arctan2(-d[1], d[2]), np.arcsin(d[0]), np.linalg.norm(local)])
        point = pin.computeJointJacobian(model, data, q, slide)[:3]
        pin.forwardKinematics(model, data, q)
        qd = np.linalg.solve(data.oMi[slide].rotation @ point, v + np.cross(w, arm))
        total += pin.computeKineticEnergy(model, data, q, qd) + pin.computePotentialEnergy(model, data, q)
    return total


def test_accelerations_are_not_used():
    m = machine("uf")
    motion = states(m, 20, 4)
    blind = replace(motion, acceleration=np.full((20, 6), np.nan))
    np.testing.assert_array_equal(compute_mechanical_energy(m, blind), compute_mechanical_energy(m, motion))


def test_a_missing_pose_spoils_only_its_own_row():
    m = machine("uf")
    motion = states(m, 5, 5)
    energy = compute_mechanical_energy(m, motion)
    motion.position[2] = np.nan
    found = compute_mechanical_energy(m, motion)
    assert np.isnan(found[2])
    others = [0, 1, 3, 4]
    np.testing.assert_array_equal(found[others], energy[others])


def test_a_mapping_of_another_basis_is_refused():
    m = machine("uf")
    with pytest.raises(ValueError, match=r"mapping has shape \(57, 3\), expected \(64, P\)"):
        compute_energy_regressor(m, states(m, 2, 6), np.zeros((57, 3)))
