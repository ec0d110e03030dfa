# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Universal joints at the platform, hinges in any direction: pinocchio's tree that grows from the platform."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.dynamics.pinocchio_platform_tree import PinocchioPlatformHinges, rod
from core.mechanisms.hexapod.machine_variants import BUILTIN, machine, untidy, with_joint
from core.platform_motions import states

from pkm_identification.mechanisms.hexapod.dynamics import (
    basis_parameters,
    forward_dynamics,
    platform_dynamics,
    regressor,
    strut_forces,
)
from pkm_identification.mechanisms.hexapod.dynamics.basis import strut_column
from pkm_identification.mechanisms.hexapod.dynamics.energy import compute_mechanical_energy
from pkm_identification.mechanisms.hexapod.dynamics.strut import I_A, I_X, I_Z
from pkm_identification.mechanisms.hexapod.dynamics.thirteen_bodies import (
    compute_body_regressor,
    list_body_parameters,
)

pytestmark = pytest.mark.slow

MACHINES = pytest.mark.parametrize("name", BUILTIN)
OWN = np.random.default_rng(0).uniform(-1, 1, (6, 3)) + np.array([0.0, 2.0, 0.0])
HINGES = pytest.mark.parametrize(
    "hinges",
    [(1.0, 0.0, 0.0), (0.3, -0.8, 0.52), OWN, "radial", "tangential"],
    ids=["x", "skew", "own", "radial", "tangential"],
)


def made(name, hinges):
    return machine(with_joint(untidy(name), "platform", hinges))


def assert_same(found, expected, tolerance=1e-12):
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@MACHINES
@HINGES
def test_forces_equal_pinocchio(name, hinges):
    m = made(name, hinges)
    motion = states(m, 60, 1)
    assert_same(strut_forces(m, motion, friction=False), PinocchioPlatformHinges(m).strut_forces(motion))


@MACHINES
@HINGES
def test_columns_of_thirteen_bodies_equal_pinocchio(name, hinges):
    m = made(name, hinges)
    motion = states(m, 10, 2)
    expected = PinocchioPlatformHinges(m).columns(motion)
    found = compute_body_regressor(m, motion)
    size = np.abs(expected).max(axis=(0, 1))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * size.max())
    assert np.all(np.abs(found - expected).max(axis=(0, 1)) <= 1e-9 * size + 1e-12)
    assert_same(found @ list_body_parameters(m), strut_forces(m, motion, friction=False))


@MACHINES
def test_struts_that_are_not_round_equal_pinocchio(name):
    """Three different moments: x about the second hinge, axial, z the third."""
    m = made(name, OWN)
    rng = np.random.default_rng(5)
    phi = basis_parameters(m)
    oracle = PinocchioPlatformHinges(m)
    for i, (slide, _) in enumerate(oracle.bodies):
        b, e = m.struts[i].body_b, m.struts[i].body_e
        x, axial, z = b.transverse * rng.uniform(0.5, 2.0, 3)
        # the tree's second hinge is its y; its z lies along the strut
        oracle.model.inertias[slide] = rod(b.mass, b.center_of_mass, (z, x, axial))
        steiner = b.mass * b.center_of_mass**2 + e.transverse + e.mass * e.center_of_mass**2
        phi[strut_column(i, I_X)] = x + steiner
        phi[strut_column(i, I_A)] = axial + e.axial
        phi[strut_column(i, I_Z)] = z + steiner
    phi[-12:] = 0.0
    motion = states(m, 40, 5)
    expected = oracle.strut_forces(motion)
    assert_same(regressor(m, motion, np.eye(64)) @ phi, expected, 1e-11)
    assert_same(strut_forces(m, motion, parameters=phi), expected, 1e-11)


@MACHINES
@HINGES
def test_accelerations_and_energies_equal_pinocchio(name, hinges):
    m = made(name, hinges)
    motion = states(m, 20, 3)
    oracle = PinocchioPlatformHinges(m)
    force = np.random.default_rng(4).normal(size=(20, 6)) * 100.0
    state = motion.position, motion.rotation, motion.twist
    assert_same(
        forward_dynamics(m, *state, force, friction=False), oracle.accelerations(motion, force), 1e-10
    )
    expected = oracle.energies(motion)
    mass = platform_dynamics(m, *state).mass
    kinetic = 0.5 * np.einsum("ni,nij,nj->n", motion.twist, mass, motion.twist)
    np.testing.assert_allclose(kinetic, expected[:, 0], rtol=1e-11)
    # bodies B count from their base joints here, from the base frame's origin there
    offset = sum(s.body_b.mass * m.gravity @ joint for s, joint in zip(m.struts, m.base_joints, strict=True))
    np.testing.assert_allclose(
        compute_mechanical_energy(m, motion), expected.sum(axis=1) + offset, rtol=1e-11
    )


def test_where_the_joints_are_matters():
    """The spin follows the platform's turning there, the travel alone at the base."""
    base, platform = (machine(with_joint(untidy("uf"), joint)) for joint in ("universal", "platform"))
    motion = states(base, 20, 4)
    difference = strut_forces(base, motion, friction=False) - strut_forces(platform, motion, friction=False)
    assert np.abs(difference).max() > 0.01 * np.abs(strut_forces(base, motion, friction=False)).max()


@MACHINES
def test_a_hinge_may_point_either_way(name):
    there, back = made(name, OWN), made(name, -OWN)
    motion = states(there, 20, 6)
    assert_same(strut_forces(there, motion), strut_forces(back, motion), 1e-13)
