# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Actuators with the numbers of the assembly robot's test set-up (Machielsen 1983, 7.1), and plain motors."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.actuators import (
    FirstOrder,
    Hydraulic,
    HydraulicReduced,
    Ideal,
    InnerFriction,
    Motor,
    NoLoadTable,
    PositionLoop,
    Screw,
    TwoInertia,
    Vane,
    Winding,
)

TABLE = NoLoadTable(
    (-0.3, -0.23, -0.0179, -0.0111, -0.0085, 0.0017, 0.194, 0.3),
    (-0.62, -0.61, -0.009, 0.0, 0.0, 0.009, 0.71, 0.72),
)
VANE_TABLE = NoLoadTable(
    (-0.3, -0.213, -0.106, 0.0, 0.106, 0.213, 0.3), (-2.439, -2.438, -1.521, 0.0, 1.521, 2.438, 2.439)
)
LOOP = PositionLoop(-0.231, 0.29, -186.0, 0.658e-3)
VALVE_RATE, VALVE_DAMPING, VALVE_DELAY = 1443.0, 0.38, 1.629e-3
SERVO = Hydraulic(
    loop=LOOP,
    no_load=TABLE,
    oil_compliance=1.0e-6,
    hydraulic_compliance=7.46e-5,
    friction=InnerFriction(501.0),
    valve_rate=VALVE_RATE,
    valve_damping=VALVE_DAMPING,
    valve_delay=VALVE_DELAY,
)
REDUCED = HydraulicReduced.of(SERVO)
VANE = Vane(
    loop=PositionLoop(0.319, 0.29, 3.945),
    no_load=VANE_TABLE,
    oil_compliance=69e-6,
    friction=InnerFriction(56.0, 15.0, 0.01),
    valve_rate=VALVE_RATE,
    valve_damping=VALVE_DAMPING,
    valve_delay=VALVE_DELAY,
)
WINDING = Winding(0.3, 1e-4, 48.0, 2 * np.pi * 500.0)
MOTOR = Motor(0.0302, 2 * np.pi * 15 / 0.07, 12.0, None, WINDING)
BELT = TwoInertia(
    MOTOR,
    2.028e-5,
    2.43e-6,
    67.702,
    3e-3,
    InnerFriction(0.0, 0.01, 0.5),
    friction=InnerFriction(2.0, 3.0, 0.002),
)
SCREW = Screw(Motor(0.12, 2 * np.pi / 0.005, 30.0, None, Winding(0.5, 1e-3, 60.0, 0.0)), 3e-6, 0.9, 0.8)
LAG = FirstOrder(500.0, time_constant=2e-3)
SOURCE = Ideal(500.0)
ALL = (SOURCE, LAG, SCREW, BELT, SERVO, REDUCED, VANE)
