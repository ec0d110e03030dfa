# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where an actuator's numbers stand in the row that kernels take: places that all types share.

From `OWN` on a type has its places to itself, up to `COUNT`; then comes the no-load table of those that have one.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import compile_inline

# Which type it is, s by which command and own sensor are late, the signal that lets it rest, the encoder's side, and
# the place of a motor's current in its state, below 0 without a motor.
NUMBER, COMMAND_DELAY, SENSOR_DELAY, REST, ON_MOTOR, CURRENT = range(6)
# What the command becomes before it reaches the actuator, see `signal_of`.
GAIN, LIMIT, SENSOR_GAIN, SENSOR_ZERO = range(6, 10)
# Friction inside the actuator, against its own coordinate: N s/m, N, m/s.
VISCOUS, COULOMB, TRANSITION = range(10, 13)
OWN = 13
COUNT = 28
TABLE = 12
OPENING, SPEED = COUNT + 1, COUNT + 1 + TABLE
ROW = SPEED + TABLE

MOST_STATES = 4


@compile_inline
def signal_of(row, command, position):
    """Return what reaches the actuator of a command and the position its own sensor shows: clip(G (u - K (x - x_0))).

    Without a gain G of its own the actuator takes the command itself, within the limit.
    """
    signal = command
    if row[GAIN] != 0.0:
        signal = row[GAIN] * (command - row[SENSOR_GAIN] * (position - row[SENSOR_ZERO]))
    return min(max(signal, -row[LIMIT]), row[LIMIT])


@compile_inline
def own_friction(row, rate):
    """Friction inside the actuator at a rate, and its slope."""
    force, slope = row[VISCOUS] * rate, row[VISCOUS]
    if row[COULOMB] > 0.0:
        transition_rate = row[TRANSITION]
        if abs(rate) <= transition_rate:
            return force + row[COULOMB] * rate / transition_rate, slope + row[COULOMB] / transition_rate
        force += row[COULOMB] if rate > 0.0 else -row[COULOMB]
    return force, slope


def empty_row() -> FloatArray:
    """Return a row of zeros without any limit."""
    row = np.zeros(ROW)
    row[LIMIT] = np.inf
    row[TRANSITION] = 1.0
    return row
