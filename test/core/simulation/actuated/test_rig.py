# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Actuators on a mass against SciPy's integrators on the actuators' own equations, delays by the method of steps."""

from __future__ import annotations

import numpy as np
import pytest
from core.simulation.actuated.servos import ALL, BELT, LAG, REDUCED, SCREW, SERVO, VANE
from scipy.integrate import solve_ivp

from pkm_identification.simulation.actuated.rig import Rig

DURATION = 0.03


def exact(actuator, mass, load, command, before):
    """Position by time of a mass that rests until a new command comes at time zero."""
    start, _ = actuator.equilibrium(load)
    late, total = actuator.delays.command, sum(actuator.delays)
    pieces = []

    def position(t):
        if t <= 0.0 or not pieces:
            return 0.0
        k = np.searchsorted([end for end, _ in pieces], t)
        return pieces[min(k, len(pieces) - 1)][1](t)[-2]

    def change(t, y, fresh):
        state, x, v = y[:-2], y[-2], y[-1]
        seen = position(t - total) if total > 0 else x
        signal = actuator.signal(command if fresh else before, seen)
        force = actuator.force(state, signal, x, v)
        moving = np.array([v, (force - load) / (mass + actuator.inertia)])
        return np.concatenate([actuator.derivative(state, signal, x, v), moving])

    ends = sorted({late, *(late + total * np.arange(1, 60)), DURATION} if total else {DURATION})
    y, t = np.concatenate([start, [0.0, 0.0]]), 0.0
    for end in (e for e in ends if 0.0 < e <= DURATION):
        made = solve_ivp(
            change, (t, end), y, "Radau" if actuator is BELT else "DOP853", None, True,
            args=(t >= late,), rtol=1e-10, atol=1e-13, max_step=1e-4 if actuator is VANE else np.inf,
        )  # fmt: skip
        assert made.success
        pieces.append((end, made.sol))
        t, y = end, made.y[:, -1]
    return position


CASES = {
    "hydraulic": (SERVO, 5.1, 50.0, -0.3),
    "hydraulic_reduced": (REDUCED, 2.7, 26.0, 0.3),
    "vane": (VANE, 0.338, 0.0, 0.5),
    "two_inertia": (BELT, 1.1, 20.0, 1.5),
    "screw": (SCREW, 20.0, 200.0, 6.0),
    "first_order": (LAG, 4.0, 40.0, 60.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_step_is_that_of_an_exact_integrator_to_second_order(name):
    actuator, mass, load, more = CASES[name]
    rest = actuator.equilibrium(load)[1]
    true = exact(actuator, mass, load, rest + more, rest)
    errors = []
    for step in (20e-6, 10e-6):
        rig = Rig([actuator], mass, load, step=step)
        run = rig.run(lambda t: np.array([rest + more]), DURATION, 1e-3)
        wanted = np.array([true(t) for t in run.time])
        errors.append(np.abs(run.position[:, 0] - wanted).max() / np.ptp(wanted))
    assert errors[0] < 2e-3
    assert errors[1] < 0.4 * errors[0] or errors[1] < 1e-8


@pytest.mark.parametrize("actuator", ALL, ids=lambda a: a.type)
def test_rest_is_rest(actuator):
    rig = Rig([actuator], 5.0, 30.0, position=0.2)
    hold = rig.holding_command
    run = rig.run(lambda t: hold, 0.1, 1e-2)
    assert np.abs(run.position - 0.2).max() < 1e-9
    np.testing.assert_allclose(run.force, 30.0, rtol=1e-9)


def stored(actuator, state, x, v, mass):
    """Energy in J of mass and actuator."""
    total = 0.5 * (mass + actuator.inertia) * v**2
    if actuator.type == "two_inertia":
        g = actuator.motor.ratio
        total += 0.5 * actuator.motor_inertia * (g * state[1]) ** 2
        total += 0.5 * actuator.stiffness * (g * (state[0] - x)) ** 2
    if actuator.type == "screw":
        total += 0.5 * actuator.motor.winding.inductance * state[0] ** 2
    if actuator.type in ("hydraulic", "hydraulic_reduced", "vane"):
        total += 0.5 * actuator.oil_compliance * state[0 if actuator is REDUCED else 2] ** 2
    return total


@pytest.mark.parametrize("actuator", [a for a in ALL if a is not LAG], ids=lambda a: a.type)
def test_a_drive_without_command_gives_no_energy(actuator):
    """Masses thrown at drives that are switched off; no seed of a throw may gain anything in any small step."""
    rng = np.random.default_rng(5)
    for mass in rng.uniform(0.5, 30.0, 3):
        rig = Rig([actuator], mass)
        rig.drives.enable(False)
        if actuator.type in ("hydraulic", "hydraulic_reduced", "vane"):
            rig.drives.states[0, 0] = 0.0 if actuator is REDUCED else actuator.rest_signal
        rig.speed[:] = rng.uniform(-0.4, 0.4)
        energy = stored(actuator, rig.drives.states[0], 0.0, rig.speed[0], mass)
        first = energy
        for _ in range(300):
            rig.advance(np.zeros(1), 20e-6)
            now = stored(actuator, rig.drives.states[0], rig.drives.coordinate[0], rig.speed[0], mass)
            assert now <= energy + 1e-9 * first
            energy = now


@pytest.mark.slow
def test_a_million_small_steps_leave_no_nan_and_bring_the_servo_home():
    """18 s of jumps of the command that saturate the valve, then rest: oil, delays and the dead zone forget them."""
    rig = Rig([SERVO], 5.1, step=2e-5)
    home, (hold,) = rig.drives.coordinate.copy(), rig.holding_command
    for k in range(180):
        rig.advance(np.array([hold + (1.0 if k % 2 else -1.0)]), 0.1)
    assert np.abs(rig.drives.coordinate - home).max() > 1e-3
    rig.advance(np.array([hold]), 2.0)
    assert np.isfinite(rig.drives.states).all()
    # anywhere in the valve's dead zone is rest
    np.testing.assert_allclose(rig.drives.coordinate, home, atol=1e-4)
    np.testing.assert_allclose(rig.speed, 0.0, atol=1e-9)
