# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What describes the answer to a step: first peak, period, overshoot, settling.

The end value is the mean over one period after the first peak, from half a period behind it, as a slow creep of a valve
with a dead zone never reaches its setpoint (Machielsen 1983, 7.1, read so); without an oscillation it is the setpoint.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

PROMINENCE = 0.002  # of the step: smaller bumps are no oscillation
BAND = 0.02  # of the end value, within which an answer has settled


@dataclass(frozen=True)
class StepMetrics:
    """Metrics of one answer.

    Attributes
    ----------
    first_peak : float or None
        s after the step; None without a peak.
    period : float or None
        s from the first peak to the second.
    overshoot : float
        Of the end value, as a fraction; 0 without a peak above it.
    end : float
        End value as a fraction of the step.
    settling : float or None
        s until the answer stays within 2 % of the end value; None if it does not.
    """

    first_peak: float | None
    period: float | None
    overshoot: float
    end: float
    settling: float | None


def step_metrics(time: FloatArray, answer: FloatArray, setpoint: float = 1.0) -> StepMetrics:
    """Metrics of an answer (N,) that begins at 0 at time 0 and goes towards a setpoint.

    Peaks are refined by the parabola through three samples.
    """
    y = answer / setpoint
    peaks = _find_extrema(y, 0.3)
    if not peaks:
        return StepMetrics(None, None, max(0.0, float(y.max()) - 1.0), 1.0, _find_settling(time, y, 1.0))
    at, height = _refine(time, y, peaks[0])
    period = None
    end = 1.0
    if len(peaks) > 1:
        period = _refine(time, y, peaks[1])[0] - at
        window = (time >= at + 0.5 * period) & (time <= at + 1.5 * period)
        if np.count_nonzero(window) > 2 and time[-1] >= at + 1.5 * period:
            end = float(np.mean(y[window]))
    return StepMetrics(at, period, max(0.0, height / end - 1.0), end, _find_settling(time, y, end))


def _find_extrema(y: FloatArray, least: float) -> list[int]:
    """Return indices of maxima that the answer really falls from, above `least`."""
    maxima, highest, lowest, rising = [], 0, 0, True
    for k in range(1, len(y)):
        if rising:
            if y[k] > y[highest]:
                highest = k
            elif y[highest] - y[k] > PROMINENCE and y[highest] > least:
                maxima.append(highest)
                rising, lowest = False, k
        elif y[k] < y[lowest]:
            lowest = k
        elif y[k] - y[lowest] > PROMINENCE:
            rising, highest = True, k
    return maxima


def _refine(time: FloatArray, y: FloatArray, k: int) -> tuple[float, float]:
    if not 0 < k < len(y) - 1:
        return float(time[k]), float(y[k])
    before, here, after = y[k - 1 : k + 2]
    curvature = before - 2 * here + after
    shift = 0.0 if curvature == 0 else float(np.clip(0.5 * (before - after) / curvature, -0.5, 0.5))
    return float(time[k] + shift * (time[k + 1] - time[k])), float(here - 0.25 * (before - after) * shift)


def _find_settling(time: FloatArray, y: FloatArray, end: float) -> float | None:
    outside = np.flatnonzero(np.abs(y - end) > BAND * abs(end))
    if len(outside) == 0:
        return 0.0
    return None if outside[-1] == len(y) - 1 else float(time[outside[-1] + 1])
