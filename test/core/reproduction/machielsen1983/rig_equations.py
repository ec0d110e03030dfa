# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The thesis' test set-up from its printed numbers alone: a delay differential equation in steps of 10 us.

Nothing of the package is used. States are valve opening and rate (A, A/s), load force (N), place (m) and rate (m/s).
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

# gain A/V, limit A, sensor V/m, late s; valve rad/s, ratio 1, delay s; oil m/N, leak m/(N s), viscous N s/m, Coulomb N
# within 1 mm/s; no-load table A and m/s; whether the mass hangs on the piston
RIG = {
    "gain": -0.231, "limit": 0.29, "sensor": -186.0, "late": 0.658e-3, "valve": 1443.0, "ratio": 0.38,
    "delay": 1.629e-3,
    "oil": 1.0e-6, "leak": 7.46e-5, "viscous": 501.0, "coulomb": 0.0, "hangs": True,
    "opening": (-0.3, -0.23, -0.0179, -0.0111, -0.0085, 0.0017, 0.194, 0.3),
    "speed": (-0.62, -0.61, -0.009, 0.0, 0.0, 0.009, 0.71, 0.72),
}  # fmt: skip
# of the robot's cylinders, table 7.2.2-1
ROBOT = {
    **RIG, "hangs": False, "opening": (-0.3, -0.202, 0.002, 0.008, 0.205, 0.3),
    "speed": (-0.96, -0.95, 0.0, 0.0, 0.73, 0.74),
}  # fmt: skip
H = 1e-5  # s


def step(weight: float, volts: float, duration: float = 0.06, **numbers) -> tuple[float, float, float]:
    """First peak (ms) and period (ms) of the sensor's voltage, and overshoot (%) over the mean of one period."""
    n = SimpleNamespace(**{**RIG, **numbers})
    load = 9.81 * weight if n.hangs else 0.0
    level = [o for o, v in zip(n.opening, n.speed, strict=True) if v == 0.0]
    above = len(n.speed) - sum(v > 0.0 for v in n.speed) - 1
    rest = float(np.mean(level))
    if load > 0.0:
        rest = float(np.interp(n.leak * load, n.speed[above:], n.opening[above:]))
    held = rest / n.gain
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
            n.valve**2 * (signal - opening) - 2 * n.ratio * n.valve * rate,
            (np.interp(opening, n.opening, n.speed) - speed - n.leak * force) / n.oil,
            speed,
            (force - n.viscous * speed - n.coulomb * np.clip(speed / 1e-3, -1, 1) - load) / weight,
        ])  # fmt: skip

    for k in range(count):
        asked[k] = np.clip(
            n.gain * (held + volts - n.sensor * late(place, k, n.late, 0.0)), -n.limit, n.limit
        )
        signal = late(asked, k, n.delay, rest)
        one = change(y, signal)
        two = change(y + 0.5 * H * one, signal)
        y = y + H * two
        place[k + 1] = y[3]
    share = n.sensor * place / volts
    tops = [k for k in range(1, count) if share[k - 1] < share[k] >= share[k + 1] and share[k] > 0.3]
    first = tops[0]
    second = next(k for k in tops if k - first > 500)
    period = second - first
    end = share[first + period // 2 : first + 3 * period // 2].mean()
    return 1e3 * (first * H + n.late), 1e3 * period * H, 100 * (share[first] / end - 1)
