# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What the source reads off a step response: time of the first peak, period of the ringing, overshoot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import NotConverged
from pkm_identification.numerics.arrays import FloatArray

SMALLEST = 0.005  # of the step: a peak that stands out less from the valley before it is none


@dataclass(frozen=True)
class StepMetrics:
    """Times in s after the step, overshoot as a part of where it ends.

    Attributes
    ----------
    first_peak, period, overshoot : float
        NaN for what there is not: no second peak, no period.
    """

    first_peak: float
    period: float
    overshoot: float


def step_metrics(time: FloatArray, value: FloatArray, size: float, end: float | None = None) -> StepMetrics:
    """Metrics of an answer (N,) to a step of `size` at time 0, value 0 before.

    Overshoot is over `end`, or over the mean of one period that begins half a period after the first peak: a dead zone
    lets a servo creep to its setpoint slowly. Peaks are those of parabolas through three samples.

    Raises
    ------
    NotConverged
        If there is no peak.
    """
    share = np.asarray(value) / size
    peaks = _peaks(np.asarray(time), share)
    if not peaks:
        raise NotConverged("the step response has no peak")
    first, height = peaks[0]
    period = peaks[1][0] - first if len(peaks) > 1 else np.nan
    settled = end / size if end is not None else np.nan
    if end is None and len(peaks) > 1:
        inside = (time >= first + 0.5 * period) & (time <= first + 1.5 * period)
        settled = float(np.mean(share[inside]))
    return StepMetrics(float(first), float(period), float(height / settled - 1.0))


def _peaks(time: FloatArray, share: FloatArray) -> list[tuple[float, float]]:
    """Peaks with a valley of some depth between them: (time, height)."""
    peaks: list[tuple[float, float]] = []
    valley = share[0]
    for k in range(1, len(share) - 1):
        valley = min(valley, share[k])
        if share[k - 1] < share[k] >= share[k + 1] and share[k] - valley > SMALLEST:
            curve = share[k - 1] - 2.0 * share[k] + share[k + 1]
            shift = 0.5 * (share[k - 1] - share[k + 1]) / curve if curve else 0.0
            height = share[k] - 0.25 * (share[k - 1] - share[k + 1]) * shift
            peaks.append((time[k] + shift * (time[k + 1] - time[k]), height))
            valley = share[k]
    return peaks
