# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward dynamics: undoes the inverse, agrees with MuJoCo and pinocchio, and keeps energy."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from core.mechanisms.hexapod.dynamics.pinocchio_energy import energy as pinocchio_energy
from core.mechanisms.hexapod.dynamics.pinocchio_loops import closed_loop_accelerations
from core.mechanisms.hexapod.dynamics.pinocchio_platform_tree import PinocchioPlatformHinges
from core.mechanisms.hexapod.dynamics.pinocchio_tree import PinocchioHexapod
from core.mechanisms.hexapod.dynamics.test_groups import HINGE, with_motor
from core.mechanisms.hexapod.machine_variants import BUILTIN, machine, untidy, with_joint
from core.platform_motions import states

from pkm_identification.errors import NotConverged
from pkm_identification.mechanisms.hexapod.dynamics import (
    forward_dynamics,
    integrate,
    platform_dynamics,
    strut_dynamics,
    strut_forces,
)
from pkm_identification.mechanisms.hexapod.dynamics.energy import compute_mechanical_energy
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.motion import PlatformMotion
from pkm_identification.simulation.plant import Plant

pytestmark = pytest.mark.slow

VARIANTS = pytest.mark.parametrize(
    "made",
    [
        *BUILTIN,
        *(with_motor(with_joint(untidy(name), "universal", HINGE)) for name in BUILTIN),
        *(with_joint(untidy(name), "no_spin") for name in BUILTIN),
        *(with_motor(with_joint(untidy(name), "platform", HINGE)) for name in BUILTIN),
    ],
    ids=[f"{name}{kind}" for kind in ("", "_untidy", "_no_spin", "_platform") for name in BUILTIN],
)
START = np.array([0.1, -0.2, 0.3, 0.6, -0.5, 0.8])


def assert_symmetric(mass):
    # to rounding: compiled code may contract the two halves differently
    np.testing.assert_allclose(mass, np.swapaxes(mass, 1, 2), rtol=0, atol=1e-14 * np.abs(mass).max())


def state(motion):
    return motion.position, motion.rotation, motion.twist


@VARIANTS
@pytest.mark.parametrize("friction", [True, False])
def test_undoes_the_inverse_dynamics(made, friction):
    m = machine(made)
    motion = states(m, 100, 1)
    wrench = np.random.default_rng(2).normal(size=(100, 6)) * 20.0
    force = strut_forces(m, motion, friction=friction, wrench=wrench)
    found = forward_dynamics(m, *state(motion), force, friction=friction, wrench=wrench)
    np.testing.assert_allclose(
        found, motion.acceleration, rtol=0, atol=1e-10 * np.abs(motion.acceleration).max()
    )


@VARIANTS
def test_mass_matrix_is_that_of_the_kinetic_energy(made):
    m = machine(made)
    motion = states(m, 20, 2)
    mass = platform_dynamics(m, *state(motion)).mass
    assert_symmetric(mass)
    assert np.all(np.linalg.eigvalsh(mass)[:, 0] > 0.0)
    kinetic = 0.5 * np.einsum("ni,nij,nj->n", motion.twist, mass, motion.twist)
    _, rate, _ = strut_motion_from_platform(m, motion)
    if not m.universal:
        m = without_axial_moments(m)
    energy = (
        PinocchioPlatformHinges(m).energies
        if m.hinged_platform
        else partial(pinocchio_energy, PinocchioHexapod(m))
    )
    expected = energy(motion)[:, 0] + 0.5 * m.motor_mass * np.sum(rate**2, axis=1)
    np.testing.assert_allclose(kinetic, expected, rtol=1e-11)


def without_axial_moments(m):
    """For oracles with universal joints: nobody feels the spin of a strut without axial moment."""
    thin = tuple(
        replace(s, body_b=replace(s.body_b, axial=0.0), body_e=replace(s.body_e, axial=0.0)) for s in m.struts
    )
    return replace(m, struts=thin)


@VARIANTS
def test_strut_coordinates_say_the_same(made):
    m = machine(made)
    motion = states(m, 50, 3)
    _, _, acceleration = strut_motion_from_platform(m, motion)
    dynamics = strut_dynamics(m, *state(motion))
    assert_symmetric(dynamics.mass)
    assert np.all(np.linalg.eigvalsh(dynamics.mass)[:, 0] > 0.0)
    force = strut_forces(m, motion, friction=False)
    found = np.einsum("nij,nj->ni", dynamics.mass, acceleration) + dynamics.bias
    np.testing.assert_allclose(found, force, rtol=0, atol=1e-11 * np.abs(force).max())


@VARIANTS
def test_mujoco_accelerates_alike(made):
    """To 1e-8: MuJoCo wants moments that are a little larger than zero, and a mass matrix of 24 coordinates."""
    m = machine(made)
    motion = states(m, 10, 4)
    force = np.random.default_rng(3).normal(size=(10, 6)) * 100.0
    found = forward_dynamics(m, *state(motion), force)
    plant = Plant(m, stops=False)
    for n in range(10):
        plant.reset(motion.position[n], motion.rotation[n], motion.twist[n], force[n])
        scale = np.abs(found[n]).max()
        np.testing.assert_allclose(plant.state.acceleration, found[n], rtol=0, atol=1e-8 * scale)


@pytest.mark.parametrize(
    "made",
    [*BUILTIN, *(with_joint(untidy(name), "universal", HINGE) for name in BUILTIN)],
    ids=[*BUILTIN, *(f"{name}_untidy" for name in BUILTIN)],
)
def test_pinocchio_with_closed_loops_accelerates_alike(made):
    m = machine(made)
    motion = states(m, 10, 5)
    force = np.random.default_rng(4).normal(size=(10, 6)) * 100.0
    found = forward_dynamics(m, *state(motion), force, friction=False)
    expected = closed_loop_accelerations(m, motion, force)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


@VARIANTS
def test_free_fall_keeps_its_energy(made):
    m = machine(made)
    fall = integrate(m, np.linspace(0.0, 1.0, 21), twist=START, friction=False)
    energy = compute_mechanical_energy(m, fall)
    mass = platform_dynamics(m, *state(fall)).mass
    kinetic = 0.5 * np.einsum("ni,nij,nj->n", fall.twist, mass, fall.twist)
    assert np.ptp(kinetic) > 0.3 * kinetic.max()  # energy did change its form
    assert np.abs(energy - energy[0]).max() < 1e-9 * min(abs(energy[0]), kinetic.max())


def test_motion_runs_backwards_to_where_it_began():
    m = machine(untidy("uf"))
    push = np.array([40.0, -10.0, 25.0, 0.0, 30.0, -20.0])
    there = integrate(m, np.array([0.0, 0.3]), push, twist=START, friction=False)
    back = integrate(
        m, np.array([0.0, 0.3]), push, position=there.position[-1], rotation=there.rotation[-1],
        twist=-there.twist[-1], friction=False)  # fmt: skip
    np.testing.assert_allclose(back.position[-1], m.home_position, atol=1e-9)
    np.testing.assert_allclose(back.rotation[-1], m.home_rotation, atol=1e-9)
    np.testing.assert_allclose(back.twist[-1], -START, atol=1e-8)


def test_body_without_struts_falls_and_spins_freely():
    """Struts of no mass leave a rigid body: the parabola, and Euler's constant angular momentum."""
    made = untidy("uf")
    for strut in made["struts"]:
        for body in strut.values():
            body["mass"], body["inertia"] = 1e-13, [1e-13, 0.0]
    m = machine(made)
    time = np.linspace(0.0, 0.5, 6)
    fall = integrate(m, time, twist=START, friction=False)
    arm = fall.rotation @ m.platform.center_of_mass
    centre = fall.position + arm
    velocity = START[:3] + np.cross(START[3:], arm[0])
    expected = centre[0] + time[:, None] * velocity + 0.5 * time[:, None] ** 2 * m.gravity
    np.testing.assert_allclose(centre, expected, atol=1e-9)
    inertia = fall.rotation @ m.platform.inertia @ np.swapaxes(fall.rotation, 1, 2)
    momentum = np.einsum("nij,nj->ni", inertia, fall.twist[:, 3:])
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (6, 1)), atol=1e-10)
    np.testing.assert_allclose(
        fall.rotation @ np.swapaxes(fall.rotation, 1, 2), np.tile(np.eye(3), (6, 1, 1)), atol=1e-13
    )


@pytest.mark.parametrize(
    "law",
    [
        {},
        {"law": "smooth"},
        {"law": "stribeck", "static_ratio": 1.5, "stribeck_rate": 0.01},
        {"law": "asymmetric", "asymmetry": [5.0, -5.0, 5.0, 5.0, -5.0, -5.0]},
    ],
)
def test_simulator_moves_alike_with_friction(law):
    """MuJoCo's bodies with the simulator's stepping against our equations with SciPy's: 50 ms, pushed and braked."""
    made = untidy("uf")
    made["friction"] |= law
    m = machine(made)
    push = strut_forces(m, states(m, 1, 8), friction=False)[0]
    time = np.linspace(0.0, 0.05, 6)
    ours = integrate(m, time, push, twist=0.3 * START, tolerance=1e-9)
    plant = Plant(m, stops=False)
    plant.reset(twist=0.3 * START, force=push)
    for k in range(1, 6):
        for _ in range(40):
            plant.advance(push, 0.00025)
        reached = plant.state
        np.testing.assert_allclose(reached.position, ours.position[k], atol=2e-7)
        np.testing.assert_allclose(reached.twist, ours.twist[k], atol=2e-5)


def test_force_that_follows_the_state_holds_the_platform():
    m = machine("uf")

    def hold(time, position, rotation, twist):
        return strut_dynamics(m, position[None], rotation[None]).bias[0]

    motion = integrate(m, np.array([0.0, 0.1, 0.2]), hold, friction=False)
    np.testing.assert_allclose(motion.position, np.tile(m.home_position, (3, 1)), atol=1e-12)
    np.testing.assert_allclose(motion.acceleration, 0.0, atol=1e-10)


def test_singular_pose_still_moves():
    """At a singular pose no strut force can hold the platform, but what it does is well defined."""
    m = machine("uf")
    # all platform joints in the base joints' plane: struts cannot push along z
    position, rotation, twist = np.array([[0.02, 0.01, 0.0]]), np.eye(3)[None], 0.2 * START[None]
    assert np.isnan(strut_dynamics(m, position, rotation).mass).all()
    push = np.array([[10.0, -5.0, 3.0, 0.0, 20.0, -7.0]])
    found = forward_dynamics(m, position, rotation, twist, push, friction=False)
    motion = PlatformMotion(np.zeros(1), position, rotation, twist, np.zeros((1, 6)))
    expected = closed_loop_accelerations(m, motion, push)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_what_has_no_acceleration_is_said():
    m = machine("uf")
    touching = m.base_joints[0] - m.platform_joints[0]
    args = touching[None], np.eye(3)[None], np.zeros((1, 6))
    assert np.isnan(forward_dynamics(m, *args, np.zeros(6))).all()
    with pytest.raises(NotConverged, match=r"has no acceleration at 0\.0000 s"):
        integrate(m, np.array([0.0, 0.1]), position=touching, rotation=np.eye(3))


def test_shapes_and_times_are_checked():
    m = machine("uf")
    motion = states(m, 3, 9)
    with pytest.raises(ValueError, match=r"force has shape \(2, 6\), expected \(1, 6\) or \(3, 6\)"):
        forward_dynamics(m, *state(motion), np.zeros((2, 6)))
    with pytest.raises(ValueError, match=r"twist has shape \(2, 6\)"):
        platform_dynamics(m, motion.position, motion.rotation, np.zeros((2, 6)))
    for times in ([0.0, 0.0], [], [0.0, np.nan], [[0.0, 1.0]]):
        with pytest.raises(ValueError, match="finite, increasing"):
            integrate(m, np.array(times))
    alone = integrate(m, np.array([2.0]), twist=START)
    assert len(alone) == 1
    np.testing.assert_array_equal(alone.twist[0], START)
