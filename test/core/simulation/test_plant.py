# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The simulated machine is the machine: energy, loops, free fall, inverse dynamics, another solver of the loops."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import BUILTIN, changed, machine
from core.simulation.simulated import VARIANTS, relative_rms, rich_run, variant
from scipy.signal import butter, sosfiltfilt

from pkm_identification.errors import MachineError, NotConverged
from pkm_identification.exporting.display import name_bodies
from pkm_identification.exporting.mjcf import build_complete_mjcf
from pkm_identification.mechanisms.hexapod.dynamics import friction_force, strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.forward import platform_motion
from pkm_identification.motion import StrutMotion
from pkm_identification.simulation.plant import Plant

pytestmark = pytest.mark.slow

PERIOD = 1e-3
TWIST = np.array([0.15, -0.1, 0.1, 0.5, -0.4, 0.3])

ALL = pytest.mark.parametrize("name", VARIANTS)


@ALL
def test_energy_is_conserved_without_friction_and_drives(name):
    # constant strut forces are conservative (potential -F . L); these balance gravity at home, so that the platform
    # wanders for a second instead of falling out of its workspace
    plant = Plant(variant(name), friction=False, stops=False)
    holding = plant.holding_force()
    plant.reset(twist=0.5 * TWIST, force=holding)
    start = plant.energy - holding @ plant.length
    resting = Plant(variant(name), friction=False, stops=False)
    kinetic = start - (resting.energy - holding @ resting.length)
    drift = []
    for _ in range(1000):
        plant.advance(holding, PERIOD)
        drift.append(plant.energy - holding @ plant.length - start)
    assert kinetic > 0
    assert np.abs(drift).max() < 1e-4 * kinetic


def test_energy_lost_is_the_work_of_friction():
    run = rich_run("uf")
    plant = Plant(variant("uf"), stops=False)
    plant.reset(force=run.truth.force[0])
    start = plant.energy
    power = np.sum((run.truth.force - run.truth.resistance) * run.truth.rate, axis=1)
    for force in run.truth.force[1:2001]:
        plant.advance(force, PERIOD)
    work = PERIOD * np.sum(0.5 * (power[1:2001] + power[:2000]))
    lost = PERIOD * np.sum(np.sum(run.truth.resistance * run.truth.rate, axis=1)[:2001])
    assert lost > 10  # J: the balance below is not of zeros
    assert plant.energy - start == pytest.approx(work, abs=2e-4 * lost)


@ALL
def test_loops_stay_closed_and_forces_agree_with_inverse_dynamics(name):
    run = rich_run(name)
    assert run.loop_gap < 1e-6
    force = strut_forces(variant(name), run.truth.motion)
    assert relative_rms(force - run.truth.force, run.truth.force) < 0.005
    # not by way of resting: the motion is as rich as it is meant to be
    assert np.abs(run.truth.motion.acceleration[:, :3]).max() > 0.5
    assert np.abs(run.truth.motion.twist[:, 3:]).max() > 0.2


@ALL
def test_what_encoders_and_currents_show_agrees_with_inverse_dynamics(name):
    # as an owner would do it: differentiate lengths, solve for the platform, compare both sides in one band. This fails
    # when the integration is wrong, or when forces and lengths are not of the same instant.
    run = rich_run(name)
    c = {k: run.length[2 + k : len(run) - 2 + k] for k in range(-2, 3)}
    rate = (-c[2] + 8 * c[1] - 8 * c[-1] + c[-2]) / (12 * PERIOD)
    acceleration = (-c[2] + 16 * c[1] - 30 * c[0] + 16 * c[-1] - c[-2]) / (12 * PERIOD**2)
    struts = StrutMotion(run.time[2:-2], c[0], rate, acceleration, None, np.zeros(len(rate), dtype=np.int64))
    motion, _ = platform_motion(variant(name), struts)
    band = butter(4, 10.0, fs=1 / PERIOD, output="sos")
    predicted = sosfiltfilt(band, strut_forces(variant(name), motion), axis=0)[300:-300]
    measured = sosfiltfilt(band, run.force[2:-2], axis=0)[300:-300]
    assert relative_rms(predicted - measured, measured) < 0.002


@pytest.mark.parametrize("name", ["untidy"])
def test_a_finer_integration_changes_nothing(name):
    run = rich_run(name)
    fine = Plant(variant(name), steps=50)
    fine.reset(force=run.truth.force[0])
    for before, after in zip(run.truth.force[:1000], run.truth.force[1:1001]):
        for part in (0.25, 0.5, 0.75, 1.0):
            fine.advance(before + part * (after - before), PERIOD / 4)
    np.testing.assert_allclose(fine.length, run.truth.length[1000], rtol=0, atol=2e-7)


@pytest.mark.parametrize("name", ["uf", "platform"])
def test_mujocos_own_constraints_converge_to_the_same_motion(name):
    run = rich_run(name)
    made = variant(name)
    samples = 1000

    def deviation(timestep: float) -> float:
        model = mujoco.MjModel.from_xml_string(build_complete_mjcf(name_bodies(made)))
        model.opt.timestep, model.dof_damping[:], model.dof_frictionloss[:] = timestep, 0.0, 0.0
        # direct stiffness and damping of a critically damped constraint as fast as the time step allows
        rate = 1.0 / (2.0 * timestep)
        model.eq_solref[:], model.eq_solimp[:] = (-(rate**2), -2.0 * rate), (0.9999, 0.9999, 1e-3, 0.5, 2.0)
        data = mujoco.MjData(model)
        slides = np.array([model.joint(f"strut_{i + 1}").qposadr[0] for i in range(6)])
        rates = np.array([model.joint(f"strut_{i + 1}").dofadr[0] for i in range(6)])
        steps = round(PERIOD / timestep)
        for before, after in zip(run.truth.force[:samples], run.truth.force[1 : samples + 1]):
            for k in range(steps):
                drive = before + (k + 0.5) / steps * (after - before)
                data.qfrc_applied[rates] = drive - friction_force(data.qvel[rates], made.friction)
                mujoco.mj_step(model, data)
        return float(np.abs(data.qpos[slides] - run.truth.length[samples]).max())

    travel = np.ptp(run.truth.length[: samples + 1], axis=0).max()
    coarse, fine = deviation(1e-4), deviation(2.5e-5)
    assert coarse < 0.01 * travel
    # its integrator is of first order: a quarter of the step, a quarter of the deviation
    assert fine < 0.35 * coarse


def test_platform_on_massless_struts_falls_freely():
    light = {"mass": 1e-9, "center_of_mass": 0.1, "inertia": [0.0, 0.0]}
    made = machine(changed("uf", strut__body_b=light, strut__body_e=light, gravity=[1.0, -2.0, -9.0]))
    plant = Plant(made, friction=False)
    for _ in range(100):
        plant.advance(np.zeros(6), PERIOD)
    state = plant.state
    np.testing.assert_allclose(state.acceleration, [*made.gravity, 0, 0, 0], atol=1e-6)
    np.testing.assert_allclose(state.position, made.home_position + 0.5 * 0.1**2 * made.gravity, atol=1e-9)
    np.testing.assert_allclose(state.rotation, made.home_rotation, atol=1e-9)


@pytest.mark.parametrize("name", BUILTIN)
def test_holding_force_holds(name):
    plant = Plant(variant(name))
    plant.set_force(plant.holding_force())
    assert np.abs(plant.state.acceleration).max() < 1e-9
    plant.reset(force=np.zeros(6))
    assert np.abs(plant.state.acceleration).max() > 1.0


def test_resistance_is_the_friction_law():
    made = variant("uf")
    plant = Plant(made)
    rng = np.random.default_rng(0)
    for size in (0.002, 0.02, 0.5):
        plant.reset(twist=size * rng.uniform(-1, 1, 6))
        state = plant.state
        np.testing.assert_allclose(state.resistance, friction_force(state.rate, made.friction), rtol=1e-12)
    assert not Plant(made, friction=False).state.resistance.any()


def test_a_joint_without_spin_has_no_preferred_direction():
    made = variant("no_spin")
    along = made.home_position + made.home_rotation @ made.platform_joints[0] - made.base_joints[0]
    # a universal joint with this hinge would be singular
    hinges = np.tile(along / np.linalg.norm(along), (6, 1))
    twisted = Plant(replace(made, first_axes=hinges), friction=False)
    plain = Plant(made, friction=False)
    for plant in (twisted, plain):
        plant.reset(twist=TWIST)
        for _ in range(50):
            plant.advance(np.zeros(6), PERIOD)
    np.testing.assert_allclose(twisted.length, plain.length, rtol=0, atol=1e-12)
    with pytest.raises(MachineError, match="first_axis runs along strut 1"):
        Plant(replace(made, base_joint="universal", first_axes=hinges))


def test_stiff_friction_is_stable():
    # 5e6 N s/m on a few kilograms: explicit methods need microseconds, and A-stable ones ring
    made = variant("uf")
    friction = made.friction.changed(coulomb=np.full(6, 5000.0), transition_rate=0.001)
    plant = Plant(replace(made, friction=friction))
    plant.reset(twist=TWIST)
    for _ in range(200):
        plant.advance(np.zeros(6), PERIOD)
    assert np.abs(plant.state.rate).max() < 1e-4


@pytest.mark.parametrize("name", BUILTIN)
def test_end_stops_catch_the_platform(name):
    made = variant(name)
    plant = Plant(made, friction=False)
    lengths = []
    for _ in range(2000):
        plant.advance(np.zeros(6), PERIOD)
        lengths.append(plant.length)
    low, high = made.length_limits
    assert np.max(lengths) > high - 1e-3  # it did fall into them
    assert np.max(lengths) < high + 0.005
    assert np.min(lengths) > low - 0.005


def test_a_singular_pose_is_reported():
    plant = Plant(variant("uf"), stops=False, friction=False)
    with pytest.raises(NotConverged, match=r"uf.*regular workspace"):
        plant.reset(twist=np.full(6, np.nan))
