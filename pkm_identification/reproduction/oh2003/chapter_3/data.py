"""The pendulum of Oh 2003, chapter 3: its true values, its free fall, noise, and what the source prints of its results.

What the source leaves open is read as follows: it starts at rest 0.2 and 0.1 rad from upright; every measured state is
position, velocity and acceleration of the three coordinates; the range of an angle is at most one turn; an iteration is
a sample. Marks of the source's numbers: S sure, P probable, G guess.
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
DURATION, PERIOD = 20.0, 1e-3  # s
NOISE = 0.01  # of the range, the maximum of uniform noise
ITERATIONS = 2128  # of the source's UKF (S); read as samples
LEAST_SQUARES_ITERATIONS = 1225  # of the source's LS (S)
# Table 3.1: value in m or kg, and mark
SOURCE_LEAST_SQUARES = {"l1": (0.50, "G"), "l2": (0.75, "G"), "m2": (0.58, "G")}
SOURCE_UKF_M = 1.49  # kg (P); all others are the true ones (P)


def push(time: float) -> float:
    """A force on the cart in N, for what a free fall cannot identify."""
    return 5.0 * float(np.sin(3.0 * time))


def free_fall(duration: float = DURATION, force: Callable[[float], float] | None = None) -> PendulumMotion:
    """The pendulum let go near upright, at 1 kHz; pushed at the cart if a force is given."""
    time = np.arange(round(duration / PERIOD) + 1, dtype=float) * PERIOD
    return simulate(TRUE, time, FROM_UPRIGHT, force)


def measured(motion: PendulumMotion, noise: float, seed: int = 0) -> PendulumMotion:
    """The motion with uniform noise of at most `noise` times each signal's range; an angle's is at most a turn."""
    rng = np.random.default_rng(seed)
    signals = []
    for values in (motion.position, motion.velocity, motion.acceleration):
        span = np.ptp(values, axis=0)
        if values is motion.position:
            span[1:] = np.minimum(span[1:], 2 * np.pi)
        signals.append(values + noise * span * rng.uniform(-1, 1, values.shape))
    position, velocity, acceleration = signals
    return PendulumMotion(motion.time, position, velocity, acceleration, motion.force)


def acceleration_scale(motion: PendulumMotion) -> FloatArray:
    """Range of each acceleration, shape (3,): what makes metres and radians alike."""
    return np.ptp(motion.acceleration, axis=0)
