# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The drive train's states against SciPy's integrators, and elastic struts against force over stiffness."""

from __future__ import annotations

import math

import numpy as np
import pytest
from core.simulation.faults.faulty_runs import faulty_run
from scipy.integrate import solve_ivp

from pkm_identification.mechanisms.actuators.row import MOST_STATES
from pkm_identification.mechanisms.friction import Friction, padded_coefficients
from pkm_identification.simulation.actuated.stepping import Dynamics, Motion
from pkm_identification.simulation.imperfections.train_stepping import JointAxes, Train, advance_train

pytestmark = pytest.mark.slow

MASS, STEPS, PERIOD = 4.0, 20, 1e-3
FREQUENCY = np.array([1.0, 1.5, 2.0, 2.5, 3.0, 3.5])
AMPLITUDE = np.array([60.0, 90.0, 70.0, 120.0, 45.0, 100.0])  # N, some below breakaway
COULOMB, VISCOUS = 50.0, 200.0
PRESLIDING, BRISTLE_DAMPING = 5e-5, 300.0
EXCESS, STRIBECK = 0.4, 0.01


def drive(time: float) -> np.ndarray:
    return AMPLITUDE * np.sin(2 * np.pi * FREQUENCY * time)


def train(stiffness: float, damping: float, motor: float, bristles: bool, excess: float = EXCESS) -> Train:
    friction = Friction.of("coulomb", viscous=np.full(6, VISCOUS), coulomb=np.full(6, COULOMB))
    kept = np.array(friction.coefficients)
    if bristles:
        kept[1] = 0.0
    rows = [COULOMB, 0.0, COULOMB / PRESLIDING if bristles else 0.0, BRISTLE_DAMPING if bristles else 0.0]
    rows += [stiffness, damping, motor, 0.4]
    return Train(
        friction.laws,
        padded_coefficients(kept.ravel(), 6),
        np.zeros((4, 6)),
        np.outer(rows, np.ones(6)),
        np.array([excess, STRIBECK, 0.0, 0.0]),
        JointAxes(np.zeros((2, 0)), np.zeros(0, dtype=np.int64), np.ones(1)),
    )


def stepped(made: Train, duration: float) -> np.ndarray:
    """Lengths, rates and the train's state of six masses on sliders, (N, 5, 6)."""
    motion = Motion(
        np.array([0.0, 0, 0, 1, 0, 0, 0]), np.full(6, 0.4), np.zeros(6), np.zeros((0, MOST_STATES))
    )
    state = np.zeros((3, 6))
    state[1] = motion.coordinate
    still = np.zeros((2, 6)), np.array([np.eye(6) / MASS] * 2), np.array([np.eye(6)] * 2)
    rows = []
    for n in range(round(duration / PERIOD)):
        force = np.array([drive(n * PERIOD), drive((n + 1) * PERIOD)])
        advance_train(motion, Dynamics(*still), force, np.zeros((2, 0, 6)), made, state, PERIOD, STEPS)
        rows.append([motion.coordinate.copy(), motion.speed.copy(), *state.copy()])
    return np.array(rows)


def sliding(rate: float) -> float:
    return COULOMB * (1.0 + EXCESS * math.exp(-((rate / STRIBECK) ** 2)))


def drive_of_period(time: float, strut: int) -> float:
    """Forces go linearly from one period to the next."""
    n = math.floor(time / PERIOD + 1e-9)
    omega = 2 * math.pi * FREQUENCY[strut] * PERIOD
    a, b = math.sin(omega * n), math.sin(omega * (n + 1))
    return AMPLITUDE[strut] * (a + (time / PERIOD - n) * (b - a))


@pytest.mark.parametrize("strut", [0, 1, 4])
def test_bristles_agree_with_an_integrator_of_stiff_equations(strut):
    stiffness = COULOMB / PRESLIDING

    def derivative(time, y):
        rate, z = y[1], y[2]
        z_rate = rate - stiffness * abs(rate) * z / sliding(rate)
        friction = stiffness * z + BRISTLE_DAMPING * z_rate + VISCOUS * rate
        return [rate, (drive_of_period(time, strut) - friction) / MASS, z_rate]

    duration = 0.4
    found = stepped(train(0.0, 0.0, 0.0, True), duration)[:, :, strut]
    time = PERIOD * np.arange(1, len(found) + 1)
    exact = solve_ivp(
        derivative, (0, duration), [0.4, 0, 0], "Radau", time, rtol=1e-8, atol=1e-12, max_step=PERIOD
    ).y
    for row, column in ((0, 0), (1, 1), (2, 2)):
        size = np.ptp(exact[row])
        assert np.abs(found[:, column] - exact[row]).max() < 5e-3 * size
    # it moves elastically before it slides, and slides
    assert np.abs(exact[2]).max() > 0.5 * PRESLIDING


@pytest.mark.parametrize("motor", [0.0, 3.0])
def test_elastic_struts_agree_with_an_integrator(motor):
    stiffness, damping, strut = 2e5, 60.0, 1
    transition = 0.002

    def friction(rate):
        return VISCOUS * rate + COULOMB * min(max(rate / transition, -1.0), 1.0)

    def motor_rate(push, rate):
        """Rate at which friction and damper balance a push on a motor side without mass."""
        inside = (push + damping * rate) / (VISCOUS + COULOMB / transition + damping)
        if abs(inside) <= transition:
            return inside
        return (push + damping * rate - math.copysign(COULOMB, inside)) / (VISCOUS + damping)

    def derivative(time, y):
        length, rate, position = y[:3]
        push = drive_of_period(time, strut)
        spring = stiffness * (position - length)
        x_rate = y[3] if motor else motor_rate(push - spring, rate)
        passed = spring + damping * (x_rate - rate)
        change = (push - friction(x_rate) - passed) / motor if motor else 0.0
        return [rate, passed / MASS, x_rate, change]

    duration = 0.2
    found = stepped(train(stiffness, damping, motor, False, excess=0.0), duration)[:, :, strut]
    time = PERIOD * np.arange(1, len(found) + 1)
    exact = solve_ivp(
        derivative, (0, duration), [0.4, 0, 0.4, 0], "Radau", time, rtol=1e-7, atol=1e-11, max_step=PERIOD
    ).y
    for row, column in ((0, 0), (1, 1), (2, 3)):
        assert np.abs(found[:, column] - exact[row]).max() < 0.01 * np.ptp(exact[row])
    gap = exact[2] - exact[0]
    assert np.abs(found[:, 3] - found[:, 0] - gap).max() < 0.03 * np.abs(gap).max()
    assert np.abs(gap).max() > 2e-5


def test_struts_yield_by_force_over_stiffness():
    run = faulty_run("compliance=2e-7", name="rest", duration=1.0)
    # what friction does not hold, which struts that creep home leave a little to
    expected = 2e-7 * (run.truth.force - run.truth.resistance)[-1]
    np.testing.assert_allclose(run.length[-1] - run.truth.length[-1], expected, rtol=1e-3, atol=1e-9)
    moving = faulty_run("compliance=2e-7")
    passed = moving.truth.force - moving.truth.resistance
    gap = moving.length - moving.truth.length
    size = np.sqrt(np.mean((2e-7 * passed) ** 2))
    assert np.sqrt(np.mean((gap - 2e-7 * passed)[300:] ** 2)) < 0.05 * size
