# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Study's quadrics: exact, and their proofs hold."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.kinematics.assembly.dietmaier import BASE, LENGTH, PLATFORM
from core.mechanisms.hexapod.machine_variants import BUILTIN
from core.platform_motions import lengths, poses
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import fsolve
from scipy.spatial.transform import Rotation

from pkm_identification.mechanisms.hexapod.kinematics.assembly.modes import geometry_modes
from pkm_identification.mechanisms.hexapod.kinematics.assembly.path_tracking import machine_quadrics
from pkm_identification.mechanisms.hexapod.kinematics.assembly.study_quadrics import (
    certify,
    pose_from_study,
    quadrics,
    study_from_pose,
)
from pkm_identification.mechanisms.hexapod.machine import Machine

MACHINES = pytest.mark.parametrize("name", BUILTIN)


def values(system, z, length):
    return 0.5 * np.einsum("nj,ijk,nk->ni", z, system.form, z) - system.constant(length)


@MACHINES
def test_every_pose_is_a_root_for_its_lengths(name):
    m, rng = Machine.load(name), np.random.default_rng(1)
    position, rotation = rng.normal(0, 0.5, (200, 3)), Rotation.random(200, random_state=1).as_matrix()
    system = machine_quadrics(m)
    z = study_from_pose(position, rotation, system.scale)
    # sums of a few dozen terms of size ten
    np.testing.assert_allclose(values(system, z, lengths(m, position, rotation)), 0.0, atol=1e-13)
    back = pose_from_study(z, system.scale)
    np.testing.assert_allclose(back[0], position, atol=1e-14)
    np.testing.assert_allclose(back[1], rotation, atol=1e-14)


def test_curvature_bounds_the_change_of_the_derivative():
    """|F'(z)^-1 (F'(y) - F'(z))| <= K |y - z|, with K from the certificate's radii."""
    m, rng = Machine.load("uf"), np.random.default_rng(2)
    position, rotation = poses(m, 50, 2)
    system = machine_quadrics(m)
    z = study_from_pose(position, rotation, system.scale)
    proof = certify(system, z, lengths(m, position, rotation))
    assert proof.proved.all()
    # at a root the radius with no other root is 2 / K
    bound = 2 / proof.unique
    for n in range(50):
        y = rng.normal(0, 1, 8)
        change = np.linalg.solve(
            np.einsum("ijk,k->ij", system.form, z[n]), np.einsum("ijk,k->ij", system.form, y)
        )
        assert np.linalg.norm(change, 2) <= bound[n] * np.linalg.norm(y) * (1 + 1e-9)


@pytest.mark.slow
@given(st.integers(0, 10_000), st.floats(-6, -0.5))
def test_a_proved_root_is_there_and_as_near_as_said(seed, size):
    m, rng = Machine.load("uf"), np.random.default_rng(seed)
    position, rotation = poses(m, 1, seed)
    system = machine_quadrics(m)
    root = study_from_pose(position, rotation, system.scale)
    length = lengths(m, position, rotation)
    z = root + 10**size * rng.normal(0, 1, 8)
    proof = certify(system, z, length)
    if not proof.proved[0]:
        assert proof.error[0] == np.inf
        return
    found, _, good, _ = fsolve(
        lambda y: values(system, y[None], length)[0], z[0], xtol=1e-13, full_output=True
    )
    assert good == 1
    assert np.linalg.norm(found - z[0]) <= proof.error[0] * (1 + 1e-6) + 1e-12


def test_no_second_root_lies_where_it_was_proved_absent():
    modes = geometry_modes(BASE, PLATFORM, LENGTH)
    system = quadrics(BASE, PLATFORM, 0.7)
    z = study_from_pose(modes.position, modes.rotation, system.scale)
    proof = certify(system, z, np.broadcast_to(LENGTH, (40, 6)))
    assert proof.proved.all()
    apart = np.minimum(
        np.linalg.norm(z[:, None] - z, axis=2), np.linalg.norm(z[:, None] + z, axis=2)
    ) + np.diag(np.full(40, np.inf))
    assert np.all(apart.min(axis=1) > proof.unique - proof.error)


def test_nothing_is_proved_at_a_singular_pose_or_without_numbers():
    m = Machine.load("uf")
    system = machine_quadrics(m)
    # flat in its base plane: no strut can lift the platform
    position, rotation = np.zeros((1, 3)), np.eye(3)[None]
    z = study_from_pose(position, rotation, system.scale)
    length = lengths(m, position, rotation)
    for point, target in ((z, length), (z * np.nan, length), (z, length * np.nan)):
        proof = certify(system, point, target)
        assert not proof.proved[0]
        assert (proof.error[0], proof.unique[0]) == (np.inf, 0.0)
