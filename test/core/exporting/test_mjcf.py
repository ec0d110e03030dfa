# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The exported MJCF in MuJoCo: at home from its first frame, held there by the keyframe, moved as we compute."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import changed, machine, untidy, with_joint
from core.simulation.multibody.built import closed_by_planar_joints, coupled, mechanism

from pkm_identification.exporting.display import name_bodies
from pkm_identification.exporting.mjcf import build_complete_mjcf
from pkm_identification.mechanisms.multibody.dynamics import forces
from pkm_identification.mechanisms.multibody.extents import compute_body_extents
from pkm_identification.mechanisms.multibody.kinematics import body_poses, motion_of_drives, read
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

# joints of hexapods: a hinged base, no spin (a universal joint in MuJoCo), a hinged platform, joints with friction
HEXAPODS = ("uf", "hexel", "ford", "untidy", "platform", "joints rub")
DRIVEN = (*HEXAPODS, "mast", "four-bar", "coupled", "block")
DURATION, PUSHED = 0.1, 0.02  # s, and share of the machine's size


def made(name: str) -> Mechanism:
    if name in ("mast", "four-bar", "epaas"):
        return mechanism(name)
    if name in ("coupled", "block"):
        return {"coupled": coupled, "block": closed_by_planar_joints}[name]()
    if name == "platform":
        return name_bodies(machine(with_joint(untidy("uf", seed=3), "platform", "radial")))
    if name == "joints rub":
        # hinges alone: forces of spherical joints' Coulomb friction have a direction that MuJoCo does not know
        rub = {"base": {"coulomb": 0.0, "viscous": 0.3}, "platform": {"coulomb": 0.0, "viscous": 0.0}}
        return name_bodies(machine(changed(untidy("uf", seed=3), friction__joints=rub)))
    return name_bodies(machine(untidy("uf", seed=3) if name == "untidy" else name))


@pytest.fixture(scope="module", params=DRIVEN)
def pair(request):
    it = made(request.param)
    return it, mujoco.MjModel.from_xml_string(build_complete_mjcf(it))


def places(model, data, it):
    return np.array([data.body(body.name).xpos for body in it.description.bodies])


def test_the_first_frame_is_home_and_assembled(pair):
    it, model = pair
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(model.qpos0, model.key("home").qpos, atol=1e-12)
    assert np.abs(data.efc_pos[: data.ne]).max(initial=0.0) < 1e-12
    rotation, position = (part[0] for part in body_poses(it, it.home))
    np.testing.assert_allclose(places(model, data, it), position, atol=1e-12)
    for body, turn in zip(it.description.bodies, rotation, strict=True):
        np.testing.assert_allclose(data.body(body.name).xmat.reshape(3, 3), turn, atol=1e-12)


@pytest.mark.slow
def test_it_stays_at_home_with_the_forces_of_the_keyframe(pair):
    _, model = pair
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    for _ in range(1000):
        mujoco.mj_step(model, data)
    assert not data.warning.number.any()
    assert np.abs(data.qpos - model.key("home").qpos).max() < 1e-6


@pytest.mark.slow
def test_our_forces_move_it_as_we_say(pair):
    """By our inverse dynamics alone, nothing corrected: from rest at home along a curve, with viscous friction."""
    it, model = pair
    model = mujoco.MjModel.from_xml_string(build_complete_mjcf(it))
    # Coulomb friction is a soft constraint in MuJoCo: its value is looked at below
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS)
    home = read(it, "drives", it.home)
    size = np.max(compute_body_extents(it))
    way = (
        PUSHED
        * size
        * np.where([drive.measure.unit == "rad" for drive in it.description.drives], 1 / size, 1)
    )
    way *= np.cos(np.arange(len(way)))
    time = np.arange(round(DURATION / model.opt.timestep) + 1)[:, None] * model.opt.timestep
    w = np.pi / DURATION
    motion = motion_of_drives(
        it,
        home + 0.5 * way * (1.0 - np.cos(w * time)),
        0.5 * way * w * np.sin(w * time),
        0.5 * way * w**2 * np.cos(w * time),
        start=it.home,
    )
    friction = it.description.friction
    rates = np.asarray(motion.drive_rate)
    control = forces(it, motion, friction=True) - forces_of_coulomb(friction, rates)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    for force in 0.5 * (control[:-1] + control[1:]):  # held from sample to sample
        data.ctrl[:] = force
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    ours = np.asarray(body_poses(it, motion.configuration)[1])
    moved = np.abs(ours[-1] - ours[0]).max()
    assert moved > 0.003 * size
    assert np.abs(places(model, data, it) - ours[-1]).max() < 1e-3 * moved


def forces_of_coulomb(friction, rates):
    return friction.coulomb * np.clip(rates / friction.transition_rate, -1.0, 1.0)


def test_it_has_shapes_motors_limits_and_no_contacts(pair):
    it, model = pair
    drives = it.description.drives
    assert [model.actuator(k).name for k in range(model.nu)] == [drive.name for drive in drives]
    assert model.ngeom >= len(it.description.bodies)
    assert not model.geom_contype.any()
    assert not model.geom_conaffinity.any()
    masses = sum(float(body.parameters[0]) for body in it.description.bodies)
    np.testing.assert_allclose(model.body_mass.sum(), masses, rtol=1e-9)


@pytest.mark.parametrize("name", ["uf", "mast"])
def test_driven_joints_have_limits_and_friction(name):
    it = made(name)
    model = mujoco.MjModel.from_xml_string(build_complete_mjcf(it))
    for k, drive in enumerate(it.description.drives):
        ((joint, factor),) = drive.measure.joints.items()
        assert float(factor) == 1.0
        slide = model.joint(joint)
        assert slide.limited[0]
        np.testing.assert_allclose(slide.range, [float(end) for end in drive.limits])
        assert slide.damping[0] == pytest.approx(it.description.friction.viscous[k])
        assert slide.frictionloss[0] == pytest.approx(it.description.friction.coulomb[k])


def test_what_mujoco_has_no_place_for_is_named():
    text = build_complete_mjcf(made("epaas"))
    model = mujoco.MjModel.from_xml_string(text)
    assert model.nu == 1
    remark = text.split("<!--")[1].split("-->")[0]
    for k in range(1, 5):
        assert f"the motor of 'length_{k}'" in remark
