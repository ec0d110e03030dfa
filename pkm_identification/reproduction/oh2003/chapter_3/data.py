# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The pendulum of Oh 2003, chapter 3: its true values, its free fall, and noise.

What the source leaves open is read as follows: it starts at rest 0.2 and 0.1 rad from upright; every measured state is
position, velocity and acceleration of the three coordinates; noise is uniform; of the second link, of which the text
says nothing, and of the first link's acceleration it is 1 % of our own fall's largest value; an iteration is a sample.
Marks of the source's numbers: S sure, P probable, G guess.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pkm_identification.mechanisms.pendulum.model import NAMES, PendulumMotion, simulate
from pkm_identification.numerics.arrays import FloatArray

TRUE = np.array([0.5, 0.75, 0.75, 0.5, 1.5])  # l1, l2 in m; m1, m2, M in kg
RATIO_NAMES = ("m1/M", "m2/M")
TRUE_RATIOS = TRUE[2:4] / TRUE[4]
START = np.ones(len(NAMES))  # first guess, m and kg
FROM_UPRIGHT = np.array([0.0, 0.2, 0.1])  # m, rad, rad
# Elsewhere within 20 deg of upright: a fall is chaotic, and what hangs on one fall is told of several.
ELSEWHERE = tuple(np.array([0.0, *links]) for links in ((0.1, 0.2), (-0.2, 0.1), (0.3, 0.3)))
DURATION, PERIOD = 20.0, 1e-3  # s
NOISE = 0.01  # of a signal's largest value, the maximum of uniform noise
# Noise of five signals (S, l.5399-5409), by signal and coordinate: x, t1 and their derivatives.
STATED = {
    ("position", 0): 0.03,
    ("velocity", 0): 0.02,
    ("acceleration", 0): 0.5,
    ("position", 1): 0.36,
    ("velocity", 1): 0.18,
}
STATED_TRAVEL = 3.0  # m, range of x (S)
TURN = 2 * np.pi  # rad, the range of an angle that is measured within one turn
ITERATIONS = 2128  # of the source's UKF (S); read as samples


def push(time: FloatArray) -> FloatArray:
    """Return a force on the cart in N at times in s, for what a free fall cannot identify."""
    return 5.0 * np.sin(3.0 * time)


def free_fall(
    duration: float = DURATION,
    force: Callable[[FloatArray], FloatArray] | None = None,
    start: FloatArray = FROM_UPRIGHT,
) -> PendulumMotion:
    """The pendulum let go near upright, at 1 kHz; pushed at the cart if a force is given."""
    time = np.arange(round(duration / PERIOD) + 1, dtype=float) * PERIOD
    return simulate(TRUE, time, start, force)


def largest(motion: PendulumMotion, signal: str, coordinate: int) -> float:
    """Return largest value of a signal."""
    return float(np.abs(getattr(motion, signal)[:, coordinate]).max())


def noise_amplitude(motion: PendulumMotion, signal: str, coordinate: int, one_turn: bool = False) -> float:
    """Most a signal is wrong by: the text's where it says one, else 1 % of the largest value.

    With `one_turn` the range of an angle is at most a turn, as of an encoder that counts one.
    """
    amplitude = STATED.get((signal, coordinate), NOISE * largest(motion, signal, coordinate))
    if one_turn and signal == "position" and coordinate > 0:
        return min(amplitude, NOISE * TURN)
    return amplitude


def measure_motion(motion: PendulumMotion, seed: int = 0, one_turn: bool = False) -> PendulumMotion:
    """The motion with uniform noise on every state; see `noise_amplitude`. The force, which is zero, has none."""
    rng = np.random.default_rng(seed)
    signals = []
    for name in ("position", "velocity", "acceleration"):
        values = getattr(motion, name)
        amplitude = np.array([noise_amplitude(motion, name, k, one_turn) for k in range(values.shape[1])])
        signals.append(values + amplitude * rng.uniform(-1, 1, values.shape))
    position, velocity, acceleration = signals
    return PendulumMotion(motion.time, position, velocity, acceleration, motion.force)


def acceleration_scale(motion: PendulumMotion) -> FloatArray:
    """Range of each acceleration, shape (3,): what makes metres and radians alike."""
    return np.ptp(motion.acceleration, axis=0)
