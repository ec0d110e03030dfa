# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The impact test of an axis in simulation: what frequency, damping and inertia come back from its ringing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from pkm_identification.numerics.arrays import FloatArray

from ..cascade import held

RATE, DURATION = 50e3, 0.02  # Hz, s
BLOW, PEAK = 2e-4, 0.5  # s and N m of a half-sine torque
NOISE = 0.01  # of the largest rate
SEED = 1


@dataclass(frozen=True)
class Ringing:
    """What a blow shows.

    Attributes
    ----------
    time, rate : ndarray, shape (N,)
        s, rad/s with noise.
    frequency, damping : float
        Undamped frequency in Hz and C in N m s, from the fit.
    frequency_std, damping_std : float
    inertia : float
        K / (2 pi f)^2 in kg m^2.
    """

    time: FloatArray
    rate: FloatArray
    frequency: float
    frequency_std: float
    damping: float
    damping_std: float
    inertia: float


def hammer_blow(inertia: float, stiffness: float, damping: float, seed: int = SEED) -> Ringing:
    """Strike an inertia on a spring and a damper, measure its rate with noise, fit a decaying sine to what follows."""
    a = np.array([[0.0, 1.0], [-stiffness / inertia, -damping / inertia]])
    ad, bd = held(a, np.array([[0.0], [1.0 / inertia]]), 1.0 / RATE)
    time = np.arange(round(RATE * DURATION)) / RATE
    torque = np.where(time < BLOW, PEAK * np.sin(np.pi * time / BLOW), 0.0)
    state, rate = np.zeros(2), np.zeros(len(time))
    for k, pushed in enumerate(torque):
        rate[k] = state[1]
        state = ad @ state + bd[:, 0] * pushed
    rate += NOISE * np.abs(rate).max() * np.random.default_rng(seed).standard_normal(len(rate))
    free = time >= BLOW
    t, seen = time[free] - time[free][0], rate[free]
    first = 2.0 * np.pi * np.fft.rfftfreq(len(seen), 1.0 / RATE)[np.argmax(np.abs(np.fft.rfft(seen)))]

    def columns(w: float, ratio: float) -> FloatArray:
        fast = w * np.sqrt(max(1.0 - ratio**2, 1e-12))
        return np.exp(-ratio * w * t)[:, None] * np.column_stack([np.cos(fast * t), np.sin(fast * t)])

    def misfit(values: FloatArray) -> FloatArray:
        answers = columns(values[0] * first, values[1])
        return answers @ np.linalg.lstsq(answers, seen, rcond=None)[0] - seen

    fit = least_squares(misfit, [1.0, 0.05], bounds=([0.3, 0.0], [3.0, 0.9]))
    slope = np.asarray(fit.jac)
    covariance = np.linalg.inv(slope.T @ slope) * 2.0 * fit.cost / (len(seen) - 4)
    w, ratio = float(fit.x[0] * first), float(fit.x[1])
    deviation = np.sqrt(np.diag(covariance))
    # C = 2 ratio K / w
    spread = np.hypot(deviation[1] / max(ratio, 1e-9), deviation[0] / fit.x[0])
    viscous = 2.0 * ratio * stiffness / w
    return Ringing(
        time,
        rate,
        w / (2.0 * np.pi),
        float(deviation[0] * first / (2.0 * np.pi)),
        viscous,
        float(viscous * spread),
        stiffness / w**2,
    )
