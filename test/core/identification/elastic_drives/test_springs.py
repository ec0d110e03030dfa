# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Struts behind springs whose motors move as they were seen: against SciPy's integrator on the same equations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from pkm_identification.identification.elastic_drives.springs import STEPS, Springs, follow_motors
from pkm_identification.mechanisms.friction import padded_coefficients
from pkm_identification.mechanisms.hexapod.machine import Machine

PERIOD, COUNT = 1e-3, 400
STIFFNESS, DAMPING, VISCOUS, COULOMB, BEND, INNER = 5e5, 85.0, 1000.0, 50.0, 0.002, (200.0, 10.0, 0.003)


def motors(time):
    """Places in m: 2 and 5 Hz, each motor at its own phase."""
    phase = np.arange(6.0)
    return 0.02 * np.sin(2 * np.pi * 2 * time + phase) + 0.003 * np.cos(2 * np.pi * 5 * time - phase)


def motor_rates(time):
    phase = np.arange(6.0)
    slow, fast = 2 * np.pi * 2, 2 * np.pi * 5
    return 0.02 * slow * np.cos(slow * time + phase) - 0.003 * fast * np.sin(fast * time - phase)


@pytest.mark.slow  # its kernel is compiled for it alone
@pytest.mark.parametrize("rubs", [1.0, 0.0])
def test_struts_behind_springs_move_as_scipy_says(rubs):
    random = np.random.default_rng(3)
    root = random.normal(size=(6, 6))
    mass = 8.0 * np.eye(6) + 0.3 * root @ root.T
    bias = 40.0 * random.normal(size=6)
    inverse = np.linalg.inv(mass)

    def friction(rate):
        strut = VISCOUS * rate + COULOMB * np.clip(rate / BEND, -1, 1)
        return rubs * (strut + INNER[0] * rate + INNER[1] * np.clip(rate / INNER[2], -1, 1))

    def change(time, state):
        place, rate = state[:6], state[6:]
        pull = STIFFNESS * (motors(time) - place) + DAMPING * (motor_rates(time) - rate)
        return np.concatenate([rate, inverse @ (pull - friction(rate) - bias)])

    time = PERIOD * np.arange(COUNT)
    start = np.concatenate([motors(0.0) - bias / STIFFNESS, motor_rates(0.0)])
    exact = solve_ivp(change, (0.0, time[-1]), start, "Radau", time, rtol=1e-8, atol=1e-11).y.T

    law = Machine.load("uf").friction
    coefficients = rubs * np.concatenate([np.full(6, VISCOUS), np.full(6, COULOMB)])
    assert law.law_parameters[1] == BEND
    springs = Springs(
        np.full(6, STIFFNESS), np.full(6, DAMPING), np.array([rubs * np.full(6, INNER[0]), rubs * np.full(6, INNER[1]),
        np.full(6, INNER[2])]), np.tile(law.law_parameters, (6, 1)), padded_coefficients(coefficients, 6),
    )  # fmt: skip
    place, rate = np.zeros((COUNT, 6)), np.zeros((COUNT, 6))
    place[0], rate[0] = start[:6], start[6:]
    shown = np.array([motors(each) for each in time])
    masses, biases = np.broadcast_to(mass, (COUNT, 6, 6)).copy(), np.broadcast_to(bias, (COUNT, 6)).copy()
    follow_motors(masses, biases, shown, PERIOD, STEPS, springs, place, rate)
    # of 20 mm, wound up by .1 mm and more; it begins with a jolt, as friction was not in the springs; motors that
    # move in straight lines between samples are off by a tenth of 6 m/s^2 (1 ms)^2
    off = place - exact[:, :6]
    assert np.abs(off).max() < (1.5e-6 if rubs else 5e-6)
    if rubs:
        assert np.abs(off[100:]).max() < 1e-6
        assert np.sqrt(np.mean(off[100:] ** 2)) < 4e-7
    assert np.abs(rate - exact[:, 6:])[100:].max() < 3e-3
