# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Thirteen bodies with ten parameters each: pinocchio's joint torque regressor, column by column."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from core.mechanisms.hexapod.dynamics.pinocchio_loops import ORDER, tip_regressor
from core.mechanisms.hexapod.dynamics.pinocchio_tree import PinocchioHexapod
from core.mechanisms.hexapod.dynamics.test_groups import HINGE
from core.mechanisms.hexapod.machine_variants import BUILTIN, machine, untidy, with_joint
from core.platform_motions import states

from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.dynamics.thirteen_bodies import (
    BODY_NAMES,
    SYMMETRIES,
    body_mapping,
    compute_body_regressor,
    list_body_parameters,
)
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian


@pytest.mark.parametrize("name", BUILTIN)
@pytest.mark.parametrize("hinge", [(1.0, 0.0, 0.0), HINGE])
def test_columns_are_pinocchios(name, hinge):
    m = machine(with_joint(untidy(name), "universal", hinge))
    motion = states(m, 10, 1)
    oracle = PinocchioHexapod(m)
    for model, *_ in oracle.struts:
        model.gravity.linear = m.gravity
    wrench = np.empty((10, 6, len(BODY_NAMES)))
    for n in range(10):
        turned = motion.rotation[n]
        v, w = motion.twist[n, :3], motion.twist[n, 3:]
        a, al = motion.acceleration[n, :3], motion.acceleration[n, 3:]
        local = pin.bodyRegressor(
            pin.Motion(turned.T @ v, turned.T @ w),
            pin.Motion(turned.T @ (a - m.gravity - np.cross(w, v)), turned.T @ al),
        )[:, ORDER]
        wrench[n, :3, :10] = turned @ local[:3]
        wrench[n, 3:, :10] = turned @ local[3:]
        for i in range(6):
            r = turned @ m.platform_joints[i]
            v_p = v + np.cross(w, r)
            a_p = a + np.cross(al, r) + np.cross(w, np.cross(w, r))
            columns = tip_regressor(oracle, i, motion.position[n] + r, v_p, a_p)
            wrench[n, :3, 10 + 20 * i : 30 + 20 * i] = columns
            wrench[n, 3:, 10 + 20 * i : 30 + 20 * i] = np.cross(r, columns, axisb=0, axisc=0)
    transposed = np.swapaxes(jacobian(m, motion.position, motion.rotation), 1, 2)
    expected = np.linalg.solve(transposed, wrench)
    found = compute_body_regressor(m, motion)
    size = np.abs(expected).max(axis=(0, 1))
    # the masses of bodies B hang on a point that does not move
    assert np.all(size[[k for k, name in enumerate(BODY_NAMES) if name.startswith("m_b")]] < 1e-12)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * size.max())
    assert np.all(np.abs(found - expected).max(axis=(0, 1)) <= 1e-9 * size + 1e-12)


@pytest.mark.parametrize("name", BUILTIN)
@pytest.mark.parametrize("joint", ["universal", "no_spin", "platform"])
def test_times_the_machines_parameters_it_is_the_force(name, joint):
    m = machine(with_joint(untidy(name), joint, HINGE))
    motion = states(m, 40, 2)
    force = strut_forces(m, motion, friction=False)
    found = compute_body_regressor(m, motion) @ list_body_parameters(m)
    np.testing.assert_allclose(found, force, rtol=0, atol=1e-12 * np.abs(force).max())


def test_symmetric_sets_build_up_the_same_bodies():
    m = machine("uf")
    parameters = list_body_parameters(m)
    for symmetry, count in zip(SYMMETRIES, (130, 30, 58, 18), strict=True):
        names, mapping = body_mapping(symmetry)
        assert len(names) == count == len(set(names)) == mapping.shape[1]
        # struts of `uf` are equal and round: each set holds its parameters exactly
        fitted = np.linalg.lstsq(mapping, parameters, rcond=None)[0]
        np.testing.assert_allclose(mapping @ fitted, parameters, atol=1e-14)
    assert body_mapping("general")[0] == BODY_NAMES
    with pytest.raises(ValueError, match="symmetry 'round': must be one of general, alike, "):
        body_mapping("round")
