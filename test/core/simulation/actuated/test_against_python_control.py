# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Linear drives and their sampled loops against python-control."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.simulation.actuated.servos import MOTOR

from pkm_identification.control.drives.settings import drive_settings
from pkm_identification.mechanisms.actuators import Bank, TwoInertia
from pkm_identification.mechanisms.actuators.loops import DriveLoops, PositionControl, VelocityControl
from pkm_identification.simulation.actuated.rig import Rig

pytestmark = pytest.mark.slow

MASS, PERIOD, STEP = 4.0, 1e-3, 20e-6
# a soft shaft without friction, its current the command: 4 states, linear
SHAFT = TwoInertia(replace(MOTOR, winding=None, current_limit=1e6), 2e-5, 3e-6, 2.0, 1e-3)
K_V, K_P, K_I = 30.0, 0.05, 0.8


@pytest.fixture(scope="module")
def control():
    import control

    return control


def shaft(control):
    """From current in A to the motor's side, as the coordinate it would be with a stiff shaft, in m."""
    g, k_t = SHAFT.motor.ratio, SHAFT.motor.torque_constant
    first, second = SHAFT.motor_inertia * g**2, SHAFT.inertia + MASS
    stiff, damped = SHAFT.stiffness * g**2, SHAFT.damping * g**2
    spring = np.array([[-stiff, stiff, -damped, damped], [stiff, -stiff, damped, -damped]])
    a = np.vstack([np.eye(4)[2:], spring / [[first], [second]]])
    b = np.array([0.0, 0.0, g * k_t / first, 0.0])[:, None]
    return control.ss(a, b, np.eye(4)[:1], 0.0)


def test_a_current_moves_a_shaft_as_the_linear_system(control):
    times = np.arange(0.0, 0.05 + 1e-9, PERIOD)
    current = 0.5 * np.sin(2 * np.pi * 30.0 * times)  # held over each period
    rig = Rig([SHAFT], MASS)
    shown = []
    for value in current:
        shown.append(rig.drives.shown()[0])
        rig.advance(np.array([value]), PERIOD)
    held = control.sample_system(shaft(control), PERIOD, method="zoh")
    exact = control.forced_response(held, times, current).outputs
    assert np.abs(np.array(shown) - exact).max() < 2e-5 * np.ptp(exact)


def test_sampled_loops_move_it_as_the_sampled_linear_system(control):
    """Position P and velocity PI on differences of the encoder, each millisecond."""
    loops = DriveLoops(PositionControl(K_V, PERIOD), VelocityControl(K_P, K_I, PERIOD))
    rig = Rig([SHAFT], MASS, controls=drive_settings(Bank([SHAFT]), [loops], STEP))
    wanted, shown = np.array([0.01]), []
    for _ in range(120):
        shown.append(rig.drives.shown()[0])
        rig.follow(wanted, wanted, PERIOD)
    times = PERIOD * np.arange(120)
    integrating = control.tf([K_P + K_I * PERIOD, -K_P], [1.0, -1.0], PERIOD)
    differences = control.tf([1.0, -1.0], [PERIOD, 0.0], PERIOD)
    forward = control.sample_system(shaft(control), PERIOD, method="zoh") * SHAFT.motor.ratio
    forward = forward * control.ss(integrating)
    closed = control.feedback(forward, control.ss(differences + K_V)) * K_V
    exact = control.forced_response(closed, times, np.full(120, wanted[0])).outputs
    assert exact.max() > 0.9 * wanted[0]
    assert np.abs(np.array(shown) - exact).max() < 2e-5 * np.ptp(exact)


def test_a_frequency_response_has_the_gain_and_phase_of_the_linear_system(control):
    loops = DriveLoops(PositionControl(K_V, PERIOD), VelocityControl(K_P, K_I, PERIOD))
    frequency, size, count = 10.0, 1e-3, 500
    rig = Rig([SHAFT], MASS, controls=drive_settings(Bank([SHAFT]), [loops], STEP))
    shown, times = [], PERIOD * np.arange(count)
    wanted = size * np.sin(2 * np.pi * frequency * PERIOD * np.arange(count + 1))
    for k in range(count):
        shown.append(rig.drives.shown()[0])
        # a reference that the position loop finds at its sample, and holds
        rig.follow(wanted[k : k + 1], wanted[k + 1 : k + 2], PERIOD)
    late = times >= 0.3
    turned = np.exp(-2j * np.pi * frequency * times[late])
    gain = 2j * np.mean(np.array(shown)[late] * turned) / size
    integrating = control.tf([K_P + K_I * PERIOD, -K_P], [1.0, -1.0], PERIOD)
    differences = control.tf([1.0, -1.0], [PERIOD, 0.0], PERIOD)
    forward = control.sample_system(shaft(control), PERIOD, method="zoh") * SHAFT.motor.ratio
    closed = control.feedback(forward * control.ss(integrating), control.ss(differences + K_V)) * K_V
    exact = closed(np.exp(2j * np.pi * frequency * PERIOD))
    assert abs(gain - exact) < 1e-3 * abs(exact)
