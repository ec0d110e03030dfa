# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Dynamics and kinematics against pinocchio, SciPy and the compiled pendulum: nothing of ours on the other side."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from core.mechanisms.multibody.random_graphs import random_mechanism
from scipy.optimize import root
from scipy.spatial.transform import Rotation

from benchmarks.mechanism_peers import PinocchioMechanism
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, builtin_mechanisms
from pkm_identification.mechanisms.pendulum.model import PendulumMotion, accelerations

BUILTIN = sorted(builtin_mechanisms())
# Seeds whose draw has freedom and is not close to a dead point, by the number of loops.
SEEDS = {
    0: (2, 11, 16, 25, 36, 38),
    1: (24, 40, 51, 54, 71, 91),
    2: (24, 65, 66, 194, 227, 380),
}
GRAPHS = [(seed, loops) for loops, seeds in SEEDS.items() for seed in seeds]


@cache
def mechanism(name: str) -> Mechanism:
    return Mechanism.load(name)


@cache
def graph(seed: int, loops: int) -> Mechanism:
    return random_mechanism(seed, loops)


def motion_near_home(
    made: Mechanism, count: int, seed: int, reach: float = 0.02
) -> kinematics.MechanismMotion:
    rng = np.random.default_rng(seed)
    n = made.degrees_of_freedom
    home = kinematics.read(made, "drives", made.home[None])
    return kinematics.motion_of_drives(
        made,
        home + rng.uniform(-reach, reach, (count, n)),
        rng.normal(0, 1, (count, n)),
        rng.normal(0, 5, (count, n)),
    )


def against_pinocchio(made: Mechanism, motion: kinematics.MechanismMotion, driven: bool) -> None:
    oracle = PinocchioMechanism(made)
    forces = dynamics.forces(made, motion, friction=False)
    for n in range(len(motion)):
        state = motion.configuration[n], motion.velocity[n], motion.acceleration[n]
        jacobian, acceleration, gap = oracle.constraints(*state)
        speed = 1.0 + np.abs(state[1]).max()
        assert np.abs(gap).max(initial=0.0) < 1e-10
        assert np.abs(jacobian @ state[1]).max(initial=0.0) < 1e-9 * speed
        assert np.abs(acceleration).max(initial=0.0) < 1e-8 * (speed**2 + np.abs(state[2]).max())
        expected = oracle.tree_forces(*state)
        found = dynamics.open_tree_forces(made, *state)[0]
        assert np.abs(found - expected).max() < 1e-10 * max(np.abs(expected).max(), 1.0)
        mass = oracle.mass(state[0])
        assert np.abs(dynamics.tree_mass_matrix(made, state[0])[0] - mass).max() < 1e-11 * max(
            mass.max(), 1.0
        )
        if driven:
            expected = oracle.driven_forces(*state)
            assert np.abs(forces[n] - expected).max() < 1e-8 * max(np.abs(expected).max(), 1.0)


# Levers between drive and joint, and motors with inertia of their own, are not pinocchio's.
WITHOUT_DRIVES = ("epaas", "mast_belt")


@pytest.mark.parametrize("name", BUILTIN)
def test_built_in_mechanisms_move_as_in_pinocchio(name):
    made = mechanism(name)
    against_pinocchio(made, motion_near_home(made, 5, 0), driven=not name.startswith(WITHOUT_DRIVES))


@pytest.mark.parametrize("name", [name for name in BUILTIN if name.startswith("epaas")])
def test_an_arms_forces_through_its_levers_do_the_work_of_pinocchios_torques(name):
    made = mechanism(name)
    motion, oracle, h = motion_near_home(made, 5, 0), PinocchioMechanism(made), 1e-6
    forces = dynamics.forces(made, motion, friction=False)
    for n in range(len(motion)):
        q = motion.configuration[n]
        torques = oracle.tree_forces(q, motion.velocity[n], motion.acceleration[n])
        steps = h * np.eye(len(q))
        moved = [kinematics.read(made, "drives", np.stack([q + step, q - step])) for step in steps]
        levers = np.column_stack([(ahead - behind) / (2 * h) for ahead, behind in moved])
        expected = np.linalg.solve(levers.T, torques)
        assert np.abs(forces[n] - expected).max() < 1e-7 * np.abs(expected).max()


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "loops"), GRAPHS)
def test_random_graphs_move_as_in_pinocchio(seed, loops):
    made = graph(seed, loops)
    assert made.loops == loops
    against_pinocchio(made, motion_near_home(made, 3, seed, 1e-3), driven=True)


@pytest.mark.parametrize(("seed", "loops"), GRAPHS)
def test_identities_of_dynamics_hold_on_random_graphs(seed, loops):
    made = graph(seed, loops)
    motion = motion_near_home(made, 4, seed, 1e-3)
    forces = dynamics.forces(made, motion)
    scale = max(np.abs(forces).max(), 1.0)
    # linear in the bodies' parameters
    columns = dynamics.regressor(made, motion)
    assert np.abs(columns @ made.parameters.ravel() - forces).max() < 1e-9 * scale
    # mass times acceleration plus bias, and back
    mass = dynamics.mass_matrix(made, motion.configuration)
    again = np.einsum("nij,nj->ni", mass, motion.drive_acceleration) + dynamics.bias(made, motion)
    assert np.abs(again - forces).max() < 1e-9 * scale
    assert np.abs(mass - np.swapaxes(mass, 1, 2)).max() < 1e-12 * np.abs(mass).max()
    back = dynamics.forward_dynamics(made, motion.configuration, motion.drive_rate, forces)
    size = np.abs(motion.acceleration).max()
    assert np.abs(back.acceleration - motion.acceleration).max() < 1e-6 * size
    # power is the rate of energy
    h = 1e-6
    total = []
    for sign in (-1.0, 1.0):
        drive = motion.drive + sign * h * motion.drive_rate + 0.5 * h**2 * motion.drive_acceleration
        rate = motion.drive_rate + sign * h * motion.drive_acceleration
        moved = kinematics.motion_of_drives(made, drive, rate, 0 * rate, start=motion.configuration)
        total.append(sum(dynamics.energy(made, moved)))
    power = np.sum(forces * motion.drive_rate, axis=1)
    rate_of_energy = (total[1] - total[0]) / (2 * h)
    rounding = 1e-15 * np.abs(total).max() / h
    assert np.abs(power - rate_of_energy).max() < 1e-6 * np.abs(power).max() + 10 * rounding + 1e-6


def test_the_suspension_has_three_loops_two_degrees_of_freedom_and_seven_bodies():
    """As the text counts them (Iriarte et al. 2017)."""
    suspension = Mechanism.load("suspension")
    assert (suspension.loops, suspension.degrees_of_freedom) == (3, 2)
    assert len(suspension.description.bodies) == 7


def test_the_suspension_closes_where_scipy_closes_it():
    """Distances between points alone, of the numbers in the file: arm angle u and the steering point K are unknown."""
    made = mechanism("suspension")
    angles = np.linspace(-0.3, 0.3, 7)
    found = kinematics.close_drives(made, np.column_stack([angles, 0 * angles]))
    rotation, position = kinematics.body_poses(made, found.configuration)
    names = [body.name for body in made.description.bodies]
    hub = names.index("hub")
    ball, steer = np.array([0.01, -0.012, 0.21]), np.array([-0.11, 0.02, 0.065])
    upper, rack = np.array([0.01, 0.02, 0.2]), np.array([0.02, 0.11, 0.06])

    def about_y(angle: float, point: list[float]) -> np.ndarray:
        return Rotation.from_rotvec([0, angle, 0]).apply(point)

    guess = np.array([0.0, *(np.array([0.35, 0.12, 0.06]))])
    for n, angle in enumerate(angles):
        d = about_y(angle, [0.35, 0.01, 0.0])

        def gaps(x: np.ndarray, d: np.ndarray = d) -> list[float]:
            g, k = upper + about_y(x[0], [0.33, -0.02, 0.01]), x[1:]
            return [
                np.linalg.norm(g - d) - np.linalg.norm(ball),
                np.linalg.norm(k - d) - np.linalg.norm(steer),
                np.linalg.norm(k - g) - np.linalg.norm(steer - ball),
                np.linalg.norm(k - rack) - 0.35,
            ]

        solved = root(gaps, guess, tol=1e-13)
        assert solved.success
        np.testing.assert_allclose(position[n, hub], d, atol=1e-10)
        upright = upper + about_y(solved.x[0], [0.33, -0.02, 0.01])
        np.testing.assert_allclose(position[n, hub] + rotation[n, hub] @ ball, upright, atol=1e-9)
        np.testing.assert_allclose(position[n, hub] + rotation[n, hub] @ steer, solved.x[1:], atol=1e-9)


def test_the_pendulum_falls_as_the_compiled_one():
    made = mechanism("pendulum")
    rng = np.random.default_rng(0)
    state, rate = rng.uniform(-1, 1, (20, 3)), rng.normal(size=(20, 3))
    push = rng.normal(0, 5, 20)
    motion = PendulumMotion(np.arange(20.0), state, rate, np.zeros((20, 3)), push)
    expected = accelerations(np.array([0.5, 0.75, 0.75, 0.5, 1.5]), motion)
    force = np.column_stack([push, np.zeros((20, 2))])
    closed = kinematics.close_drives(made, state)
    found = dynamics.forward_dynamics(made, closed.configuration, rate, force)
    np.testing.assert_allclose(found.drive_acceleration, expected, rtol=1e-10, atol=1e-10)
