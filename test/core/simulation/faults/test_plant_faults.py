# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults of the machine itself: forces and motion obey the machine they make, by inverse dynamics and by formula."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import changed, machine
from core.simulation.faults.faulty_runs import faulty_run, faulty_simulator
from core.simulation.simulated import relative_rms

from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.rotation import matrix_from_vector
from pkm_identification.simulation.faults import parse_fault, with_faults
from pkm_identification.simulation.imperfections.setup import Setup
from pkm_identification.simulation.plant import Plant

pytestmark = pytest.mark.slow

UF = Machine.load("uf")


def made(text: str, seed: int = 5) -> Machine:
    return with_faults(Setup.of(UF, seed), [parse_fault(text)]).machine


def described(**changes) -> Machine:
    """The machine as a file would describe it."""
    return machine(changed("uf", **changes))


def test_a_tilted_base_by_the_force_that_holds_the_machine():
    run = faulty_run("gravity_direction=0.03,-0.02", name="rest", duration=1.0)
    tilted = replace(UF, gravity=matrix_from_vector([0.03, -0.02, 0.0]) @ UF.gravity)
    still = run.truth.motion[-1:]
    np.testing.assert_allclose(run.truth.force[-1], strut_forces(tilted, still)[0], atol=0.05)
    assert np.abs(strut_forces(UF, still)[0] - run.truth.force[-1]).max() > 1.0
    up = made("gravity_direction=upside_down")
    np.testing.assert_allclose(up.gravity, [0.0, 0.0, 9.81], atol=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "motor_inertia=4",
        "center_of_mass=0.01,-0.005,0.02",
        "products_of_inertia=0.02,0.01,-0.015",
        "unequal_struts=0.1",
        "hinge_axis=0.4",
        "hinge_at_platform=0.4",
        "no_spin",
        "geometry=0.003",
        "friction_transition=0.01",
        "joint_friction=2,0.5",
    ],
)
def test_the_plant_is_the_machine_the_fault_makes(text):
    run = faulty_run(text)
    assert run.loop_gap < 1e-9
    size = run.truth.force
    right = relative_rms(strut_forces(made(text), run.truth.motion) - size, size)
    wrong = relative_rms(strut_forces(UF, run.truth.motion) - size, size)
    assert right < 2e-4
    assert wrong > max(5e-4, 5 * right)  # spin of thin struts is felt least


def test_friction_of_joints_comes_to_what_the_file_says():
    joints = {"base": {"coulomb": 1.0, "viscous": 0.2}, "platform": {"coulomb": [1, 2, 3, 4, 5, 6]}}
    rubbing = described(friction__joints=joints)
    more = with_faults(Setup.of(rubbing, 5), [parse_fault("joint_friction=2,0.5")]).machine
    expected = [np.full(6, 3.0), np.full(6, 0.7), np.arange(3.0, 9.0), np.full(6, 0.5)]
    np.testing.assert_allclose(more.joint_friction.coefficients, expected, rtol=1e-15)


def test_what_is_drawn_has_the_stated_size():
    shift = (
        made("geometry=0.003").base_joints - UF.base_joints,
        made("geometry=0.003").platform_joints - UF.platform_joints,
    )
    assert np.sqrt(np.mean(np.square(shift))) == pytest.approx(0.003, rel=1e-9)
    assert not np.allclose(shift[0], made("geometry=0.003", seed=6).base_joints - UF.base_joints)
    np.testing.assert_allclose(made("geometry=-0.003").base_joints - UF.base_joints, -shift[0], atol=1e-15)
    masses = [strut.body_b.mass for strut in made("unequal_struts=0.1").struts]
    assert np.std(masses) == pytest.approx(0.1 * UF.struts[0].body_b.mass, rel=1e-9)
    assert np.mean(masses) == pytest.approx(UF.struts[0].body_b.mass, rel=1e-9)
    assert made("motor_inertia=4").motor_mass == pytest.approx(4.0, rel=1e-12)
    np.testing.assert_allclose(
        made("geometry_2=0.001").base_joints[1] - UF.base_joints[1], [0.001, 0, 0], atol=1e-15
    )


def test_joints_elsewhere_start_where_encoders_show_home():
    run = faulty_run("geometry=0.003")
    home = strut_lengths(UF, UF.home_position[None], UF.home_rotation[None])[0]
    np.testing.assert_allclose(run.length[0], home, atol=1e-9)
    assert np.abs(run.truth.motion.position[0] - UF.home_position).max() > 1e-4


FRICTION = UF.friction


def coulomb_shape(rate: np.ndarray) -> np.ndarray:
    return np.clip(rate / FRICTION.transition_rate, -1.0, 1.0)


def test_laws_the_file_leaves_out_by_their_formulas():
    text = ("friction_stribeck=0.6,0.02", "friction_asymmetric=0.25", "friction_position=2")
    run = faulty_run(*text)
    rate, bend = run.truth.rate, coulomb_shape(run.truth.rate)
    home = strut_lengths(UF, UF.home_position[None], UF.home_rotation[None])[0]
    place = 1.0 + 2.0 * (run.truth.length - home)
    expected = FRICTION.viscous * rate
    expected += FRICTION.coulomb * place * bend * (1.0 + 0.6 * np.exp(-((rate / 0.02) ** 2)))
    expected += 0.25 * FRICTION.coulomb * np.abs(bend)
    np.testing.assert_allclose(run.truth.resistance, expected, rtol=1e-9, atol=1e-9)


def test_friction_grows_with_load():
    run = faulty_run("friction_load=0.05")
    own = FRICTION.viscous * run.truth.rate + FRICTION.coulomb * coulomb_shape(run.truth.rate)
    load = np.abs(run.truth.force - run.truth.resistance)
    np.testing.assert_allclose(
        run.truth.resistance, own + 0.05 * coulomb_shape(run.truth.rate) * load, rtol=1e-9, atol=1e-7
    )


def test_joint_friction_takes_the_power_its_axes_turn_with():
    moment, viscous = 2.0, 0.5
    run = faulty_run(f"joint_friction={moment},{viscous}")
    motion, n = run.truth.motion, slice(300, 1700, 50)
    tips = (
        motion.position[:, None]
        + np.einsum("nab,ib->nia", motion.rotation, UF.platform_joints)
        - UF.base_joints
    )
    axes = tips / np.linalg.norm(tips, axis=2, keepdims=True)
    x = UF.first_axes[0]
    y = np.cross(axes, x)
    y /= np.linalg.norm(y, axis=2, keepdims=True)
    # angular velocity of a strut from differences of its axis, split along its two hinges (y is across x)
    axes_rate = (axes[2:] - axes[:-2]) / (2e-3)
    swing = np.cross(axes[1:-1], axes_rate)
    first = np.einsum("nia,nia->ni", swing, np.cross(y[1:-1], axes[1:-1])) / np.einsum(
        "a,nia->ni", x, np.cross(y[1:-1], axes[1:-1])
    )
    second = np.einsum("nia,nia->ni", swing - first[..., None] * x, y[1:-1])
    body = first[..., None] * x + second[..., None] * y[1:-1]
    relative = motion.twist[1:-1, None, 3:] - body
    rates = np.concatenate([first[..., None], second[..., None], relative], axis=2)
    # about each hinge of the universal joint, against the rotation of the spherical one
    size = np.linalg.norm(relative, axis=2, keepdims=True)
    shape = np.concatenate([np.clip(rates[..., :2] / 0.02, -1, 1), relative / np.maximum(size, 0.02)], axis=2)
    power = np.sum((moment * shape + viscous * rates) * rates, axis=(1, 2))
    own = FRICTION.viscous * run.truth.rate + FRICTION.coulomb * coulomb_shape(run.truth.rate)
    felt = np.sum((run.truth.resistance - own) * run.truth.rate, axis=1)[1:-1]
    assert power[n].max() > 1.0  # W
    np.testing.assert_allclose(felt[n], power[n], rtol=2e-3, atol=2e-3 * power[n].max())


def test_energy_is_conserved_with_hinges_at_the_platform():
    # strut bodies with a moment about their own axis that matters
    heavy = described(strut__body_b__inertia=[0.5635, 0.4], strut__body_e__inertia=[0.3, 0.4])
    hinged = with_faults(Setup.of(heavy), [parse_fault("hinge_at_platform=0.8")]).machine
    plant = Plant(hinged, friction=False, stops=False)
    twist = np.array([0.1, -0.1, 0.1, 0.5, -0.4, 0.6])
    holding = plant.holding_force()
    resting = plant.energy - holding @ plant.length
    plant.reset(twist=twist, force=holding)
    start = plant.energy - holding @ plant.length
    base = Plant(heavy, friction=False, stops=False)
    base.reset(twist=twist, force=holding)
    # the spin is another one than with hinges at the base
    assert abs(plant.energy - base.energy) > 0.01 * (start - resting)
    drift = []
    for _ in range(400):
        plant.advance(holding, 1e-3)
        drift.append(plant.energy - holding @ plant.length - start)
    assert np.abs(drift).max() < 1e-4 * (start - resting)


def test_spin_of_struts_without_inertia_about_their_axes_is_not_felt():
    thin = described(strut__body_b__inertia=[0.5635, 0.0], strut__body_e__inertia=[0.3, 0.0])
    hinged = with_faults(Setup.of(thin), [parse_fault("hinge_at_platform")]).machine
    twist = np.array([0.1, -0.1, 0.1, 0.5, -0.4, 0.6])
    states = []
    for made in (thin, hinged):
        plant = Plant(made)
        plant.reset(twist=twist, force=plant.holding_force())
        states.append(plant.state.acceleration)
    np.testing.assert_allclose(states[0], states[1], rtol=1e-6)


def test_the_machine_changes_at_half_time():
    run = faulty_run("changed_during_log=0.5", "changed_during_log_friction=-0.4")
    after = made("changed_during_log=0.5")
    platform = after.platform
    heavier = replace(
        UF,
        platform=replace(platform, mass=1.5 * platform.mass, inertia=1.5 * platform.inertia),
        friction=UF.friction.changed(coulomb=0.6 * UF.friction.coulomb, viscous=0.6 * UF.friction.viscous),
    )
    halves = run.time < 1.0 - 1e-9
    motion, force = run.truth.motion, run.truth.force
    assert relative_rms((strut_forces(UF, motion) - force)[halves], force[halves]) < 2e-4
    assert relative_rms((strut_forces(heavier, motion) - force)[~halves], force[~halves]) < 2e-4
    simulator = faulty_simulator("changed_during_log_friction=-0.4")
    first = simulator.run().force
    simulator.reset()
    # MuJoCo takes principal moments from the platform that is put back: rounding
    np.testing.assert_allclose(simulator.run().force, first, rtol=1e-6)


def test_platforms_and_joints_of_other_machines_are_elsewhere_too():
    mast = Mechanism.load("mast")
    document = copy.deepcopy(dict(mast.description.document))
    document["bodies"]["platform"]["center_of_mass"] = ["0.01", "0", "0.02"]
    (fault,) = (parse_fault("center_of_mass=0.01,0,0.02"),)
    moved = with_faults(Setup.of(mast), [fault]).machine
    expected = Mechanism.from_document(document)
    at = kinematics.at_rest(mast, mast.home[None])
    found = dynamics.forces(moved, at)
    np.testing.assert_allclose(found, dynamics.forces(expected, at), rtol=1e-9)
    assert np.abs(found - dynamics.forces(mast, at)).max() > 0.1
    turned = with_faults(Setup.of(mast, 1), [parse_fault("products_of_inertia=0.001,0,0")]).machine
    assert not np.array_equal(turned.parameters, mast.parameters)
    shifted = with_faults(Setup.of(mast, 1), [parse_fault("geometry=0.0005")]).machine
    pairs = zip(shifted.description.joints, mast.description.joints, strict=True)
    shift = np.array([np.array(a.place, float) - np.array(b.place, float) for a, b in pairs])
    assert np.sqrt(np.mean(shift**2)) == pytest.approx(0.0005)
    # a planar machine stays in its plane, and closes
    bar = Mechanism.load("four-bar")
    four = with_faults(Setup.of(bar, 1), [parse_fault("geometry=0.0005")]).machine
    assert four.name == bar.name
