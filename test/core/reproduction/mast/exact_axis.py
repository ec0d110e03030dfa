# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One axis of the 3PRS table from the paper's printed numbers alone, as an exact sampled linear system.

Nothing of the package is used: two inertias on a spring and a damper are solved by the matrix exponential over a
velocity period, one position period is a linear map, and its answer to a harmonic command is solved for.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

ROTOR, GEARBOX, COUPLING = 1.42e-5, 1.4e-6, 4.68e-6  # kg m^2
STIFFNESS, DAMPING = 67.702, 3.0e-3  # N m/rad, N m s
TRAVEL = 0.070 / (2 * np.pi * 15)  # m/rad, 70 mm a turn assumed
GUIDE = 4.524e-4 / 15**2 + 0.76 * TRAVEL**2  # kg m^2
TORQUE_CONSTANT = ROTOR / 4.7e-4  # N m/A
GAIN, PERIOD = 20.0, 5e-3  # 1/s, s
K_P, K_I, FAST = 0.069, 2.93, 1e-3  # A s/rad, A/rad, s
RATE_FEED, ACCELERATION_FEED = 4.8e-3, 4.7e-4  # A s/rad, A s^2/rad


def respond(frequency: float, late: int = 1, tachometer: bool = True, factor: float = 1.0) -> complex:
    """First harmonic of the motor's angle for a harmonic command at 1; J_1 is divided by `factor`."""
    motor = (ROTOR + GEARBOX + COUPLING) / factor
    a = np.zeros((4, 4))
    a[:2, 2:] = np.eye(2)
    spring = np.array([[-1.0, 1.0], [1.0, -1.0]])
    inertia = np.array([[motor], [GUIDE]])
    a[2:, :2], a[2:, 2:] = STIFFNESS * spring / inertia, DAMPING * spring / inertia
    whole = np.zeros((5, 5))
    whole[:4, :4], whole[2, 4] = a, TORQUE_CONSTANT / motor
    whole = expm(FAST * whole)
    step, push = whole[:4, :4], whole[:4, 4:]
    # columns: state 4, integral, last speed, last angle, speeds under way; then the command
    size = 7 + late
    columns = np.eye(size + 1)
    state, integral, last, angle, pipe = (
        columns[:4],
        columns[4:5],
        columns[5:6],
        columns[6:7],
        columns[7:size],
    )
    asked = GAIN * (columns[size:] - state[:1])
    speed, *pipe = [*(pipe[k : k + 1] for k in range(late)), asked]
    ahead = RATE_FEED * speed + ACCELERATION_FEED * (speed - last) / PERIOD
    shown = []
    for _ in range(round(PERIOD / FAST)):
        shown.append(state[0])
        error = speed - (state[2:3] if tachometer else (state[:1] - angle) / FAST)
        angle = state[:1]
        integral = integral + K_I * FAST * error
        state = step @ state + push @ (K_P * error + integral + ahead)
    end = np.vstack([state, integral, speed, angle, *pipe])
    w = 2 * np.pi * frequency
    cycle = np.linalg.solve(np.exp(1j * w * PERIOD) * np.eye(size) - end[:, :size], end[:, size])
    turn = np.exp(-1j * w * FAST * np.arange(len(shown)))
    return complex(
        np.mean([t * (row[:size] @ cycle + row[size]) for t, row in zip(turn, shown, strict=True)])
    )
