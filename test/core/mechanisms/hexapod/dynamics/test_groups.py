# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces by cause: they add up to the whole, and each is what pinocchio says of its terms."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.dynamics.pinocchio_loops import platform_force, tip_force
from core.mechanisms.hexapod.dynamics.pinocchio_tree import PinocchioHexapod
from core.mechanisms.hexapod.machine_variants import BUILTIN, changed, machine, untidy, with_joint
from core.platform_motions import at_rest, states

from pkm_identification.mechanisms.hexapod.dynamics import force_groups, friction_force, strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian

pytestmark = pytest.mark.slow

HINGE = (0.3, -0.8, 0.3)
NAMES = ("pm", "sm", "cor", "cen", "grp", "grs", "frict", "ext", "mh", "umd")


def with_motor(made, inertia=2e-5):
    return changed(
        made,
        drive={
            "sample_rate": 1000.0,
            "encoder": {"counts_per_meter": 8e5, "length_at_zero": [0.4] * 6},
            "motor": {
                "torque_constant": 0.1,
                "screw_lead": 0.005,
                "gear_ratio": 1.5,
                "force_limit": 1e3,
                "inertia": inertia,
            },
        },
    )


@pytest.mark.parametrize("name", BUILTIN)
@pytest.mark.parametrize("joint", ["universal", "no_spin", "platform"])
@pytest.mark.parametrize("friction", [True, False])
def test_groups_add_up_to_the_force(name, joint, friction):
    m = machine(with_motor(with_joint(untidy(name), joint, HINGE)))
    motion = states(m, 100, 1)
    wrench = np.random.default_rng(0).normal(size=(100, 6)) * 50.0
    groups = force_groups(m, motion, friction=friction, wrench=wrench)
    assert groups.names == NAMES
    whole = strut_forces(m, motion, friction=friction, wrench=wrench)
    size = np.sum([np.abs(getattr(groups, name)) for name in NAMES], axis=0).max(axis=1, keepdims=True)
    assert np.all(np.abs(groups.total - whole) <= 1e-12 * size)
    for name in NAMES[:-1]:
        if friction or name != "frict":
            assert np.abs(getattr(groups, name)).max() > 0.0, name
    assert np.all(groups.umd == 0.0)


@pytest.mark.parametrize(
    "made",
    [with_joint(untidy(name, 3), "universal", HINGE) for name in BUILTIN]
    + [with_joint(untidy("uf"), "no_spin")],
    ids=[*BUILTIN, "uf_no_spin"],
)
def test_every_group_is_pinocchios(made):
    """Coriolis is what changes sign with the strut's rate while its turning and its tip's acceleration stay."""
    if made["geometry"]["base_joint"]["type"] == "no_spin":
        # pinocchio's hinges spin the struts: without axial moments nobody feels it
        for strut in made["struts"]:
            for body in strut.values():
                body["inertia"][1] = 0.0
    m = machine(made)
    motion = states(m, 15, 2)
    oracle = PinocchioHexapod(m)
    still, none = np.zeros(3), np.zeros(6)
    expected = {name: np.zeros((len(motion), 6)) for name in NAMES[:6]}
    for n in range(len(motion)):
        turned, twist, acceleration = motion.rotation[n], motion.twist[n], motion.acceleration[n]
        swing = np.concatenate([still, twist[3:]])  # where the platform goes decides nothing of its own terms
        expected["pm"][n] = platform_force(m, motion, n, none, acceleration, still)
        expected["cen"][n] = platform_force(m, motion, n, swing, none, still)
        expected["grp"][n] = platform_force(m, motion, n, none, none, m.gravity)
        for i in range(6):
            r = turned @ m.platform_joints[i]
            p = motion.position[n] + r
            s = (p - m.base_joints[i]) / np.linalg.norm(p - m.base_joints[i])
            v = twist[:3] + np.cross(twist[3:], r)
            mirrored = v - 2.0 * (v @ s) * s
            driven = acceleration[:3] + np.cross(acceleration[3:], r)
            swung = np.cross(twist[3:], np.cross(twist[3:], r))
            one, other = (tip_force(oracle, i, p, each, swung, still) for each in (v, mirrored))
            for name, f in (
                ("sm", tip_force(oracle, i, p, still, driven, still)),
                ("cor", (one - other) / 2),
                ("cen", (one + other) / 2),
                ("grs", tip_force(oracle, i, p, still, still, m.gravity)),
            ):
                expected[name][n] += np.concatenate([f, np.cross(r, f)])
    transposed = np.swapaxes(jacobian(m, motion.position, motion.rotation), 1, 2)
    groups = force_groups(m, motion)
    for name, wrench in expected.items():
        force = np.linalg.solve(transposed, wrench[..., None])[..., 0]
        np.testing.assert_allclose(
            getattr(groups, name), force, rtol=0, atol=1e-10 * np.abs(force).max(), err_msg=name
        )


def test_wrench_is_carried_by_the_struts():
    """Virtual work: what the wrench does and what the struts do against it cancel in every motion."""
    m = machine("uf")
    motion = states(m, 50, 3)
    wrench = np.random.default_rng(1).normal(size=(50, 6)) * 30.0
    _, rate, _ = strut_motion_from_platform(m, motion)
    loaded = strut_forces(m, motion, wrench=wrench) - strut_forces(m, motion)
    ext = force_groups(m, motion, wrench=wrench).ext
    np.testing.assert_allclose(loaded, ext, atol=1e-10 * np.abs(ext).max())
    power = np.sum(ext * rate, axis=1) + np.sum(wrench * motion.twist, axis=1)
    assert np.abs(power).max() < 1e-11 * np.abs(wrench).max()
    # one wrench for all rows
    same = strut_forces(m, motion, wrench=wrench[0])
    np.testing.assert_array_equal(same, strut_forces(m, motion, wrench=np.tile(wrench[0], (50, 1))))


def test_payload_is_the_wrench_of_its_weight_at_rest():
    m = machine("uf")
    heavy = machine(changed("uf", platform__mass=m.platform.mass + 3.0))
    motion = at_rest(m, 20, 4)
    weight = np.concatenate([3.0 * m.gravity, np.zeros(3)])
    np.testing.assert_allclose(
        strut_forces(m, motion, wrench=weight), strut_forces(heavy, motion), rtol=1e-10, atol=1e-10
    )


def test_friction_and_motor_groups():
    m = machine(with_motor("uf"))
    motion = states(m, 50, 5)
    _, rate, acceleration = strut_motion_from_platform(m, motion)
    groups = force_groups(m, motion)
    np.testing.assert_allclose(groups.frict, friction_force(rate, m.friction), rtol=1e-10)
    mass = 2e-5 * (2 * np.pi * 1.5 / 0.005) ** 2
    size = mass * np.abs(acceleration).max()
    np.testing.assert_allclose(groups.mh, mass * acceleration, rtol=0, atol=1e-12 * size)
    assert np.all(force_groups(machine("uf"), motion).mh == 0.0)


def test_at_rest_only_gravity_is_left():
    m = machine(with_motor("uf"))
    groups = force_groups(m, at_rest(m, 10, 6))
    for name in ("pm", "sm", "cor", "cen", "frict", "ext", "mh"):
        assert np.all(getattr(groups, name) == 0.0), name


def test_missing_pose_is_a_row_of_nan_and_a_wrong_wrench_is_refused():
    m = machine("uf")
    motion = states(m, 4, 7)
    whole = force_groups(m, motion).total
    motion.position[1] = np.nan
    total = force_groups(m, motion).total
    assert np.isnan(total[1]).all()
    np.testing.assert_array_equal(np.delete(total, 1, 0), np.delete(whole, 1, 0))
    for call in (force_groups, strut_forces):
        with pytest.raises(ValueError, match=r"wrench has shape \(3, 6\), expected \(6,\) or \(4, 6\)"):
            call(m, motion, wrench=np.zeros((3, 6)))
