# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The generated MuJoCo model holds what the machine file says."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import changed, machine
from core.simulation.simulated import VARIANTS, variant

from pkm_identification.mechanisms.hexapod.kinematics.strut_frames import (
    compute_strut_coordinates,
    strut_frames,
)
from pkm_identification.simulation.model import build_hexapod_model


@pytest.mark.parametrize("name", VARIANTS)
def test_bodies_joints_and_gravity(name):
    made = variant(name)
    model = build_hexapod_model(made).model
    assert (model.nbody, model.nv, model.neq, model.ngeom) == (14, 30 if made.hinged_platform else 24, 0, 0)
    assert not model.dof_damping.any()
    np.testing.assert_array_equal(model.opt.gravity, made.gravity)
    assert model.body("platform").mass[0] == made.platform.mass
    np.testing.assert_allclose(model.body("platform").ipos, made.platform.center_of_mass)
    axes = np.zeros(9)
    mujoco.mju_quat2Mat(axes, model.body("platform").iquat)
    axes = axes.reshape(3, 3)
    inertia = axes @ np.diag(model.body("platform").inertia) @ axes.T
    np.testing.assert_allclose(inertia, made.platform.inertia, rtol=1e-9, atol=1e-9 * inertia.max())
    for i, strut in enumerate(made.struts, start=1):
        for letter, body, sign in (("b", strut.body_b, 1), ("e", strut.body_e, -1)):
            there = model.body(f"strut_{i}_{letter}")
            assert there.mass[0] == body.mass
            np.testing.assert_array_equal(there.ipos, [0, 0, sign * body.center_of_mass])
            axial = body.axial if made.universal else 1e-9 * body.transverse
            np.testing.assert_array_equal(there.inertia, [body.transverse, body.transverse, axial])


def test_a_hinge_in_any_direction():
    made = machine(changed("uf", geometry__base_joint={"type": "universal", "first_axis": [0.3, 2.0, -0.4]}))
    model = build_hexapod_model(made).model
    data = mujoco.MjData(model)
    struts = compute_strut_coordinates(strut_frames(made), made, made.home_position, made.home_rotation)
    data.qpos[: struts.size] = struts.ravel()
    mujoco.mj_kinematics(model, data)
    for i in range(1, 7):
        np.testing.assert_allclose(
            data.xaxis[model.joint(f"first_{i}").id], made.first_axes[i - 1], atol=1e-12
        )
        np.testing.assert_allclose(data.site(f"tip_{i}").xpos, data.site(f"joint_{i}").xpos, atol=1e-12)


def test_point_masses_flat_platforms_and_odd_names():
    point = {"mass": 1.0, "center_of_mass": 0.1, "inertia": [0.0, 0.0]}
    made = machine(
        changed(
            "uf",
            name='<a> & "b"',
            strut__body_b=point,
            strut__body_e=point,
            platform__inertia=[1.0, 1.0, 2.0, 0.0, 0.0, 0.0],
        )
    )
    model = build_hexapod_model(made).model
    np.testing.assert_allclose(np.sort(model.body("platform").inertia), [1, 1, 2], rtol=1e-8)
