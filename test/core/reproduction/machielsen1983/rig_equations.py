# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The thesis' test set-up from its printed numbers alone: a delay differential equation in steps of 10 us.

Nothing of the package is used. States are valve opening and rate (A, A/s), load force (N), place (m) and rate (m/s).
"""

from __future__ import annotations

import numpy as np

GAIN, LIMIT, SENSOR, LATE = -0.231, 0.29, -186.0, 0.658e-3  # A/V, A, V/m, s
VALVE, RATIO, DELAY = 1443.0, 0.38, 1.629e-3  # rad/s, 1, s
OIL, LEAK, VISCOUS = 1.0e-6, 7.46e-5, 501.0  # m/N, m/(N s), N s/m
OPENING = (-0.3, -0.23, -0.0179, -0.0111, -0.0085, 0.0017, 0.194, 0.3)  # A
SPEED = (-0.62, -0.61, -0.009, 0.0, 0.0, 0.009, 0.71, 0.72)  # m/s
H = 1e-5  # s


def step(weight: float, volts: float, duration: float = 0.06) -> tuple[float, float, float]:
    """First peak (ms) and period (ms) of the sensor's voltage, and overshoot (%) over the mean of one period."""
    load = 9.81 * weight
    rest = float(np.interp(LEAK * load, SPEED[3:], OPENING[3:])) if load > 0.0 else 0.0
    held = rest / GAIN
    y = np.array([rest, 0.0, load, 0.0, 0.0])
    count = round(duration / H)
    place, asked = np.zeros(count + 1), np.full(count + 1, rest)

    def late(values, k, delay, before):
        at = k - delay / H
        return before if at <= 0 else float(np.interp(at, np.arange(k + 1), values[: k + 1]))

    def change(y, signal):
        opening, rate, force, _, speed = y
        return np.array([
            rate,
            VALVE**2 * (signal - opening) - 2 * RATIO * VALVE * rate,
            (np.interp(opening, OPENING, SPEED) - speed - LEAK * force) / OIL,
            speed,
            (force - VISCOUS * speed - load) / weight,
        ])  # fmt: skip

    for k in range(count):
        asked[k] = np.clip(GAIN * (held + volts - SENSOR * late(place, k, LATE, 0.0)), -LIMIT, LIMIT)
        signal = late(asked, k, DELAY, rest)
        one = change(y, signal)
        two = change(y + 0.5 * H * one, signal)
        y = y + H * two
        place[k + 1] = y[3]
    share = SENSOR * place / volts
    tops = [k for k in range(1, count) if share[k - 1] < share[k] >= share[k + 1] and share[k] > 0.3]
    first = tops[0]
    second = next(k for k in tops if k - first > 500)
    period = second - first
    end = share[first + period // 2 : first + 3 * period // 2].mean()
    return 1e3 * (first * H + LATE), 1e3 * period * H, 100 * (share[first] / end - 1)
