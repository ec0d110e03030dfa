# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The cascade inside a drive: position P, velocity PI with feed-forward, current PI, each at its own period.

    position   w_cmd = clip(k_v (theta_ref - theta) + s theta_ref')
    velocity   i_cmd = clip(k_p e + k_i int e + f_v w_cmd + f_a w_cmd'),  e = w_cmd - w
    current    V = clip(k_p e + k_i int e),  e = i_cmd - i

theta is the encoder's angle, of the motor where the drive has one, else the driven coordinate; w its difference over a
velocity period, or its true rate where the drive has a tachometer; w_cmd' the difference of two velocity commands over
a position period (the 3PRS table's paper, 4.3). The position loop is outside the drive: its command arrives some of its
cycles late. An integral stands still while its output is at the limit and would go further. Without a velocity loop the
position loop's output is the command (a valve current), without a current loop that of the velocity loop.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.compiled import kernel

# Places in a drive's settings.
(
    POSITION_STEPS,
    VELOCITY_STEPS,
    CURRENT_STEPS,
    STEP,
    RATIO,
    POSITION_GAIN,
    RATE_SHARE,
    RATE_LIMIT,
    CYCLES_LATE,
    VELOCITY_GAIN,
    VELOCITY_INTEGRAL,
    VELOCITY_FEED,
    ACCELERATION_FEED,
    CURRENT_LIMIT,
    CURRENT_GAIN,
    CURRENT_INTEGRAL,
    VOLTAGE_LIMIT,
    TACHOMETER,
) = range(18)
SETTINGS = 18
MOST_CYCLES = 8
# Places in a drive's memory.
(
    OFFSET,
    LAST_REFERENCE,
    LAST_ANGLE,
    RATE_COMMAND,
    PAST_RATE_COMMAND,
    VELOCITY_SUM,
    CURRENT_COMMAND,
    CURRENT_SUM,
    OUTPUT,
) = range(9)
QUEUE = 9
MEMORY = QUEUE + MOST_CYCLES + 1


@kernel
def _limit(value, limit):
    return min(max(value, -limit), limit)


@kernel
def cascade_output(settings, memory, step, reference, position, rate_now, current):
    """Return what a drive's controller gives out in the small step that begins: V, A, or the unit of its position loop.

    Parameters
    ----------
    settings : ndarray, shape (SETTINGS,)
    memory : ndarray, shape (MEMORY,)
        Moved on.
    step : int
        Small steps since the start.
    reference, position : float
        Wanted and shown coordinate, m or rad.
    rate_now : float
        Of the shown coordinate, m/s or rad/s: what a tachometer gives.
    current : float
        A.
    """
    h = settings[STEP]
    angle = settings[RATIO] * position - memory[OFFSET]
    if step % int(settings[POSITION_STEPS]) == 0:
        period = h * settings[POSITION_STEPS]
        wanted = settings[RATIO] * reference
        rate = settings[POSITION_GAIN] * (wanted - angle)
        rate += settings[RATE_SHARE] * (wanted - memory[LAST_REFERENCE]) / period
        memory[LAST_REFERENCE] = wanted
        late = int(settings[CYCLES_LATE])
        for k in range(late):
            memory[QUEUE + k] = memory[QUEUE + k + 1]
        memory[QUEUE + late] = _limit(rate, settings[RATE_LIMIT])
        memory[PAST_RATE_COMMAND] = memory[RATE_COMMAND]
        memory[RATE_COMMAND] = memory[QUEUE]
        memory[OUTPUT] = memory[QUEUE] if settings[VELOCITY_STEPS] == 0.0 else memory[OUTPUT]
    if settings[VELOCITY_STEPS] > 0.0 and step % int(settings[VELOCITY_STEPS]) == 0:
        period = h * settings[VELOCITY_STEPS]
        speed = (angle - memory[LAST_ANGLE]) / period
        if settings[TACHOMETER] != 0.0:
            speed = settings[RATIO] * rate_now
        error = memory[RATE_COMMAND] - speed
        memory[LAST_ANGLE] = angle
        change = (memory[RATE_COMMAND] - memory[PAST_RATE_COMMAND]) / (h * settings[POSITION_STEPS])
        ahead = settings[VELOCITY_FEED] * memory[RATE_COMMAND] + settings[ACCELERATION_FEED] * change
        rise = settings[VELOCITY_INTEGRAL] * period * error
        wanted = settings[VELOCITY_GAIN] * error + memory[VELOCITY_SUM] + rise + ahead
        if abs(wanted) <= settings[CURRENT_LIMIT] or wanted * rise < 0.0:
            memory[VELOCITY_SUM] += rise
        memory[CURRENT_COMMAND] = _limit(wanted, settings[CURRENT_LIMIT])
        memory[OUTPUT] = memory[CURRENT_COMMAND] if settings[CURRENT_STEPS] == 0.0 else memory[OUTPUT]
    if settings[CURRENT_STEPS] > 0.0 and step % int(settings[CURRENT_STEPS]) == 0:
        error = memory[CURRENT_COMMAND] - current
        rise = settings[CURRENT_INTEGRAL] * h * settings[CURRENT_STEPS] * error
        wanted = settings[CURRENT_GAIN] * error + memory[CURRENT_SUM] + rise
        if abs(wanted) <= settings[VOLTAGE_LIMIT] or wanted * rise < 0.0:
            memory[CURRENT_SUM] += rise
        memory[OUTPUT] = _limit(wanted, settings[VOLTAGE_LIMIT])
    return memory[OUTPUT]


@kernel
def start_cascade(settings, memory, reference, position, output, current):
    """Let a drive's controller begin at rest, without a bump: it goes on giving out what holds the drive now."""
    memory[:] = 0.0
    memory[OFFSET] = settings[RATIO] * (position - reference)
    memory[LAST_REFERENCE] = settings[RATIO] * reference
    memory[LAST_ANGLE] = settings[RATIO] * reference
    memory[VELOCITY_SUM] = current
    memory[CURRENT_COMMAND] = current
    memory[CURRENT_SUM] = output
    memory[OUTPUT] = output
    if settings[VELOCITY_STEPS] == 0.0:
        # a position loop alone holds by its error
        memory[OFFSET] -= output / settings[POSITION_GAIN]
        for k in range(QUEUE, MEMORY):
            memory[k] = output


def empty_settings(drives: int) -> np.ndarray:
    """Settings (n, SETTINGS) without any loop: no POSITION_STEPS."""
    return np.zeros((drives, SETTINGS))
