# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""White noise of forces and positions, read where there is no motion: near the highest frequencies of a log.

In closed loop the controller answers the encoder's steps with force far above the band: that is no noise of the force
sensor, and what of the force is coherent with the positions there is taken out. So is what is coherent with the
transition of the friction law: friction reverses within a millisecond, and of slow logs every segment has a reversal.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .butterworth import band_pass
from .sections import filtered

QUIET = (0.2, 0.45)  # of the sample rate: where there is no motion but noise of the force
QUIET_ENCODER = (0.35, 0.45)
LAGS = 12  # samples after which a controller has answered an encoder
WINDOW, FEWEST_WINDOWS = 64, 20  # samples
FREEDOM = 24.0  # independent squares in a window of noise in a quarter to a half of the band


def force_density(
    force: FloatArray,
    length: FloatArray,
    period: float,
    transition: FloatArray | None = None,
    quiet: tuple[float, float] = QUIET,
    quantum: FloatArray | None = None,
) -> FloatArray:
    """One-sided power density (n,) of forces (N, n) in N^2/Hz, without what answers the positions (N, n).

    `transition` (N, n) is what friction does at reversals, of any size: force coherent with it is none of the noise.
    `quiet` are the frequencies between which the noise is read, in parts of the sample rate; `quantum` (n,) is the
    `find_quantum` of the forces if it is known already.
    """
    sections = band_pass(6, quiet[0] / period, quiet[1] / period, 1.0 / period)
    # each channel's numbers side by side
    noise, moved = (
        np.ascontiguousarray(filtered(sections, values - values[0])[8 * LAGS :].T)
        for values in (force, length)
    )
    bent = None if transition is None else filtered(sections, transition - transition[0])[8 * LAGS :].T
    left = np.empty(force.shape[1])
    for k, one in enumerate(moved):
        lagged = [one[LAGS - lag : len(one) - lag] for lag in range(LAGS + 1)]
        known = np.stack(lagged if bent is None else [*lagged, bent[k, LAGS:]])
        known /= np.sqrt(np.mean(known**2, axis=1, keepdims=True)) + 1e-300
        target = noise[k, LAGS:]
        gram = known @ known.T
        ridge = (1e-9 * np.trace(gram) + 1e-300) * np.eye(len(gram))
        left[k] = _compute_usual_power(target - np.linalg.solve(gram + ridge, known @ target) @ known)
    density = left / ((quiet[1] - quiet[0]) / period)
    quantum = find_quantum(force) if quantum is None else quantum
    return np.maximum(density, quantum**2 / 12.0 * 2.0 * period)


def find_quantum(values: FloatArray) -> FloatArray:
    """Return the step (n,) in which values are rounded; 0 where they are not."""
    steps = np.zeros(values.shape[1])
    for k, column in enumerate(values.T):
        change = np.diff(np.sort(column))
        change = change[change > 1e-9 * max(float(np.max(np.abs(column))), 1e-300)]
        # a rounded signal takes few values
        if len(change) and len(change) < 0.5 * len(column):
            steps[k] = float(np.min(change))
    return steps


def position_noise(
    length: FloatArray, period: float, quiet: tuple[float, float] = QUIET_ENCODER
) -> FloatArray:
    """Return standard deviation (n,) of white noise of the level that positions (N, n) have above all motion.

    `quiet` are the frequencies between which it is read, in parts of the sample rate.
    """
    sections = band_pass(6, quiet[0] / period, quiet[1] / period, 1.0 / period)
    noise = filtered(sections, length - length[0])[8 * LAGS :]
    power = np.array([_compute_usual_power(column) for column in noise.T])
    return np.sqrt(power / (2.0 * (quiet[1] - quiet[0])))


def _compute_usual_power(values: FloatArray) -> float:
    """Mean square in most of the windows: reversals bend friction within a millisecond, and reach above all motion."""
    count = len(values) // WINDOW
    if count < FEWEST_WINDOWS:
        return float(np.mean(values**2))
    squares = np.mean(values[: count * WINDOW].reshape(count, WINDOW) ** 2, axis=1)
    # the median of a chi-squared mean lies below it by this much (Wilson and Hilferty)
    return float(np.median(squares)) / (1.0 - 2.0 / (9.0 * FREEDOM)) ** 3
