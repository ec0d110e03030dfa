# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The regressor: linear in the parameters it names, and of the rank the mechanism has."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from core.mechanisms.hexapod.dynamics.pinocchio_tree import PinocchioHexapod
from core.mechanisms.hexapod.dynamics.thirteen_bodies import forces
from core.mechanisms.hexapod.machine_variants import BUILTIN, document, machine, untidy, with_joint
from core.platform_motions import along, six_axes, states

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.hexapod.dynamics import (
    basis_parameters,
    regressor,
    strut_forces,
)
from pkm_identification.mechanisms.hexapod.dynamics.basis import strut_column
from pkm_identification.mechanisms.hexapod.dynamics.strut import I_A, I_X, I_Z
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import NAMES, list_hexapod_parameters
from pkm_identification.motion import PlatformMotion

pytestmark = pytest.mark.slow

MACHINES = pytest.mark.parametrize("name", BUILTIN)
JOINTS = pytest.mark.parametrize("joint", ["universal", "no_spin", "platform"])


def assert_same(actual: np.ndarray, expected: np.ndarray, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@MACHINES
@JOINTS
def test_regressor_of_the_whole_basis_times_its_parameters_is_the_force(name, joint):
    m = machine(with_joint(untidy(name), joint, (0.3, -0.8, 0.52)))
    motion = states(m, 100, 1)
    columns = regressor(m, motion, np.eye(64))
    # columns of a group cancel partly: a hundred roundings more than the force itself
    assert_same(columns @ basis_parameters(m), strut_forces(m, motion), 1e-11)


@MACHINES
@JOINTS
@pytest.mark.parametrize("which", NAMES)
def test_regressor_of_each_parameter_set_is_the_force(name, joint, which):
    m = machine(with_joint(untidy(name), joint))
    motion = states(m, 30, 2)
    parameters = list_hexapod_parameters(m, which)
    mapping = np.column_stack([parameters.mapping, parameters.known])
    columns = regressor(m, motion, mapping)
    assert columns.shape == (30, 6, len(parameters.names) + 1)
    assert_same(columns @ np.append(parameters.nominal, 1.0), strut_forces(m, motion), 1e-11)


@MACHINES
def test_source_set_equals_the_thirteen_bodies_written_out(name):
    """oh12 without spin, with every one of the twelve at random: also I_xx and I_zz of the struts differ."""
    made = with_joint(name, "no_spin")
    made["platform"]["center_of_mass"] = [0.02, -0.03, 0.04]
    m = machine(made)
    parameters = list_hexapod_parameters(m, "oh12")
    rng = np.random.default_rng(4)
    motion = states(m, 30, 4)
    columns = regressor(m, motion, parameters.mapping)
    for _ in range(5):
        values = parameters.scale * rng.uniform(0.2, 3.0, 12)
        assert_same(columns @ values, forces(m, motion, dict(zip(parameters.names, values, strict=True))))


@MACHINES
def test_struts_that_are_not_round_equal_pinocchio(name):
    """Universal joints with three different moments: x about the second hinge, axial, z the third."""
    m = machine(with_joint(untidy(name), "universal", (0.6, 0.0, 0.8)))
    rng = np.random.default_rng(5)
    phi = basis_parameters(m)
    oracle = PinocchioHexapod(m)
    for i, (model, *_) in enumerate(oracle.struts):
        b, e = m.struts[i].body_b, m.struts[i].body_e
        x, axial, z = b.transverse * rng.uniform(0.5, 2.0, 3)
        # the tree's second hinge is its y; its z lies along the strut
        model.inertias[2] = pin.Inertia(b.mass, np.array([0, 0, b.center_of_mass]), np.diag([z, x, axial]))
        steiner = b.mass * b.center_of_mass**2 + e.transverse + e.mass * e.center_of_mass**2
        phi[strut_column(i, I_X)] = x + steiner
        phi[strut_column(i, I_A)] = axial + e.axial
        phi[strut_column(i, I_Z)] = z + steiner
    phi[-12:] = 0.0
    motion = states(m, 40, 5)
    expected = oracle.strut_forces(motion)
    assert_same(regressor(m, motion, np.eye(64)) @ phi, expected, 1e-11)
    assert_same(strut_forces(m, motion, parameters=phi), expected, 1e-11)


def rank(m: Machine, motion: PlatformMotion) -> int:
    """Rank of the stacked twelve columns, each scaled to unit norm (a zero column stays zero).

    With that scaling the ranks are clear: what the motions show is above 1e-6, what they do not below 1e-12.
    """
    columns = regressor(m, motion, list_hexapod_parameters(m, "oh12").mapping).reshape(-1, 12)
    norms = np.linalg.norm(columns, axis=0)
    columns = columns / np.where(norms > 1e-9 * norms.max(), norms, np.inf)
    values = np.linalg.svd(columns, compute_uv=False)
    values /= values[0]
    # a rank must not depend on the threshold
    assert not np.any((values > 1e-11) & (values < 1e-6)), values
    return int(np.count_nonzero(values > 1e-8))


@pytest.mark.parametrize(("axes", "expected"), [("x", 4), ("z", 5), ("xy", 5), ("six", 8)])
def test_rank_of_the_sources_twelve_columns(axes, expected):
    """What each motion can show at most (reference 000, section 8)."""
    m = machine(with_joint("uf", "no_spin"))
    made = six_axes(m, 6) if axes == "six" else along(m, axes, 6)
    assert rank(m, made.at(np.linspace(0, 4, 800))) == expected


def test_universal_joint_adds_the_axial_inertia_to_what_can_be_seen():
    m = Machine.load("uf")
    assert rank(m, six_axes(m, 6).at(np.linspace(0, 4, 800))) == 9


def test_axial_columns_are_zero_without_spin_and_not_with_it():
    motion = six_axes(Machine.load("uf"), 7).at(np.linspace(0, 2, 200))
    for joint, zero in (("no_spin", True), ("universal", False)):
        m = machine(with_joint("uf", joint))
        parameters = list_hexapod_parameters(m, "oh12")
        columns = regressor(m, motion, parameters.mapping)
        for name in ("Iyy_b", "Iyy_e"):
            column = columns[:, :, parameters.names.index(name)]
            # without spin the angular velocity is perpendicular to the axis, to rounding
            assert (np.abs(column).max() < 1e-14 * np.abs(columns).max()) == zero


@JOINTS
def test_friction_columns_belong_to_one_strut_each(joint):
    m = machine(with_joint("uf", joint))
    parameters = list_hexapod_parameters(m, "identifiable")
    motion = states(m, 30, 8)
    columns = regressor(m, motion, parameters.mapping)
    for i in range(6):
        for kind in ("viscous", "coulomb"):
            column = columns[:, :, parameters.names.index(f"{kind}_{i + 1}")]
            assert np.all(np.delete(column, i, 1) == 0.0)
            assert np.any(column[:, i] != 0.0)
            if kind == "coulomb":
                assert np.abs(column).max() <= 1.0


def test_singular_and_missing_poses_give_nan_rows_alone():
    m = Machine.load("uf")
    motion = states(m, 5, 9)
    broken = PlatformMotion(
        motion.time, motion.position.copy(), motion.rotation, motion.twist, motion.acceleration
    )
    broken.position[1] = np.nan
    mapping = list_hexapod_parameters(m).mapping
    columns = regressor(m, broken, mapping)
    assert np.all(np.isnan(columns[1]))
    np.testing.assert_array_equal(np.delete(columns, 1, 0), np.delete(regressor(m, motion, mapping), 1, 0))


@pytest.mark.parametrize("shape", [(58, 3), (64,), (3, 64)])
def test_mapping_of_another_basis_is_refused(shape):
    m = Machine.load("uf")
    with pytest.raises(ValueError, match=r"expected \(64, P\)"):
        regressor(m, states(m, 2, 10), np.zeros(shape))


@JOINTS
def test_strut_along_its_fixed_hinge_is_refused_or_gives_no_half_finite_row(joint):
    """There the joint's cross has no direction; half a row of NaN would poison the filters behind it."""
    made = document("uf")
    geometry = made["geometry"]
    span = (
        np.array(geometry["home"]["position"]) + geometry["platform_joints"][0] - geometry["base_joints"][0]
    )
    if joint == "platform":
        geometry["platform_joint"] = {"type": "universal", "first_axis": span.tolist()}
        geometry["base_joint"] = {"type": "spherical"}
    else:
        geometry["base_joint"] = {"type": joint, "first_axis": span.tolist()}
    try:
        m = machine(made)
    except MachineError:
        return
    motion = PlatformMotion(
        np.zeros(1), m.home_position[None], m.home_rotation[None], np.ones((1, 6)), np.ones((1, 6))
    )
    columns = regressor(m, motion, list_hexapod_parameters(m).mapping)
    finite = np.isfinite(columns)
    assert finite.all() or not finite.any()
