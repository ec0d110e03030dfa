# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The exported MJCF in MuJoCo: at home from its first frame, held there by the keyframe, with our inverse dynamics."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import changed, machine, untidy, with_joint

from pkm_identification.exporting.mjcf import build_complete_mjcf
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.kinematics.strut_frames import (
    compute_strut_coordinates,
    strut_frames,
)
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.rotation import matrix_from_vector

MACHINES = ("uf", "hexel", "ford", "untidy", "platform", "joints rub")
STATES = 5
# MuJoCo's Coulomb friction acts fully above that rate; beneath, it is a soft constraint
MOVING = 0.05


def made(name: str) -> Machine:
    if name == "platform":
        return machine(with_joint(untidy("uf", seed=3), "platform", "radial"))
    if name == "joints rub":
        # hinges alone: MuJoCo's model has no joints at the struts' other ends
        rub = {"base": {"coulomb": 0.0, "viscous": 0.3}, "platform": {"coulomb": 0.0, "viscous": 0.0}}
        return machine(changed(untidy("uf", seed=3), friction__joints=rub))
    return machine(untidy("uf", seed=3)) if name == "untidy" else machine(name)


@pytest.fixture(scope="module", params=MACHINES)
def pair(request):
    it = made(request.param)
    return it, mujoco.MjModel.from_xml_string(build_complete_mjcf(it))


def test_the_first_frame_is_home_and_assembled(pair):
    it, model = pair
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(model.qpos0, model.key("home").qpos, atol=1e-12)
    np.testing.assert_allclose(data.body("platform").xpos, it.home_position, atol=1e-12)
    np.testing.assert_allclose(data.body("platform").xmat.reshape(3, 3), it.home_rotation, atol=1e-12)
    for i in range(1, 7):
        np.testing.assert_allclose(data.site(f"tip_{i}").xpos, data.site(f"joint_{i}").xpos, atol=1e-12)


@pytest.mark.slow
def test_it_stays_at_home_with_the_forces_of_the_keyframe(pair):
    _, model = pair
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    for _ in range(1000):
        mujoco.mj_step(model, data)
    assert not data.warning.number.any()
    assert np.abs(data.qpos - model.key("home").qpos).max() < 1e-6


def test_it_has_shapes_motors_limits_and_no_contacts(pair):
    it, model = pair
    assert model.nu == 6
    assert model.ngeom >= 6 * 2 + 2 * 6
    assert not model.geom_contype.any()
    assert not model.geom_conaffinity.any()
    for i in range(6):
        slide = model.joint(f"strut_{i + 1}")
        assert slide.limited[0]
        np.testing.assert_allclose(slide.range, it.length_limits)
    masses = it.platform.mass + sum(s.body_b.mass + s.body_e.mass for s in it.struts)
    np.testing.assert_allclose(model.body_mass.sum(), masses, rtol=1e-12)


def coordinates(it, frames, data, model, position, rotation):
    """The tree's positions by joint at a pose: those of `compute_strut_coordinates`, which MuJoCo's frames confirm."""
    struts = compute_strut_coordinates(frames, it, position, rotation)
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, rotation.ravel())
    q = np.zeros(model.nq)
    for i in range(6):
        for stem, value in zip(("first", "second", "strut"), struts[i], strict=True):
            q[model.joint(f"{stem}_{i + 1}").qposadr[0]] = value
    place = model.joint("platform").qposadr[0]
    q[place : place + 7] = [*position, *quaternion]
    return q, struts


def inverse_dynamics(it: Machine, model, motion: PlatformMotion, n: int):
    """Strut forces by mj_inverse of the open tree, projected by the virtual power of a closed motion."""
    data, frames = mujoco.MjData(model), strut_frames(it)
    x, r = motion.position[n], motion.rotation[n]
    (v, w), (a, al) = motion.twist[n].reshape(2, 3), motion.acceleration[n].reshape(2, 3)

    def at(t, v=v, w=w, a=a, al=al):
        turn = matrix_from_vector(t * w + 0.5 * t**2 * al)
        return coordinates(it, frames, data, model, x + t * v + 0.5 * t**2 * a, turn @ r)[1]

    h = 1e-4
    before, now, after = at(-h), at(0.0), at(h)
    dofs = np.array(
        [[model.joint(f"{s}_{i + 1}").dofadr[0] for s in ("first", "second", "strut")] for i in range(6)]
    )
    free = model.joint("platform").dofadr[0] + np.arange(6)
    data.qpos[:] = coordinates(it, frames, data, model, x, r)[0]
    data.qvel[dofs], data.qacc[dofs] = (after - before) / (2 * h), (after - 2 * now + before) / h**2
    data.qvel[free], data.qacc[free] = np.append(v, r.T @ w), np.append(a, r.T @ al)
    mujoco.mj_inverse(model, data)
    closed = np.zeros((model.nv, 6))
    zero, step = np.zeros(3), 1e-6
    for k in range(6):
        unit = np.eye(6)[k]
        pair = [at(t, unit[:3], unit[3:], zero, zero) for t in (-step, step)]
        closed[dofs, k] = (pair[1] - pair[0]) / (2 * step)
        closed[free, k] = np.append(unit[:3], r.T @ unit[3:])
    rates = jacobian(it, x[None], r[None])[0]
    return np.linalg.solve(rates.T, closed.T @ data.qfrc_inverse)


def test_its_inverse_dynamics_are_ours(pair):
    it, model = pair
    flags = model.opt.disableflags
    model.opt.disableflags = flags | int(mujoco.mjtDisableBit.mjDSBL_EQUALITY)
    rng = np.random.default_rng(6)
    size, done = it.length_scale, 0
    while done < STATES:
        scale = np.repeat([size, 1.0], 3)
        motion = PlatformMotion(
            time=np.zeros(1),
            position=it.home_position + 0.05 * size * rng.uniform(-1, 1, (1, 3)),
            rotation=(matrix_from_vector(0.1 * rng.normal(size=3)) @ it.home_rotation)[None],
            twist=scale * rng.normal(size=(1, 6)),
            acceleration=scale * rng.normal(size=(1, 6)),
        )
        rates = jacobian(it, motion.position, motion.rotation)[0] @ motion.twist[0]
        lengths = strut_lengths(it, motion.position, motion.rotation)[0]
        low, high = it.length_limits
        # at its limits MuJoCo's struts are stopped
        if np.abs(rates).min() < MOVING or lengths.min() < low or lengths.max() > high:
            continue
        ours = strut_forces(it, motion)[0]
        its = inverse_dynamics(it, model, motion, 0)
        # joint accelerations are differences of second order
        np.testing.assert_allclose(its, ours, atol=1e-5 * np.abs(ours).max())
        done += 1
    model.opt.disableflags = flags
