# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The motion a description states as a Fourier series, sampled in the mechanism's arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.errors import SettingsError

from .kinematics import MechanismMotion, motion_of_drives
from .mechanism import Mechanism
from .numbers.exact import Expression
from .structure.rows import pad_tuple


def series_drives(mechanism: Mechanism) -> tuple[Any, Any, Any, Any]:
    """Times (N,) in s, and driven coordinates with two derivatives (N, n), of the description's `motion`.

    Raises
    ------
    SettingsError
        If the description states none.
    """
    motion = mechanism.description.motion
    if motion is None:
        raise SettingsError(f"{mechanism.description.source}: has no 'motion'")
    arithmetic = mechanism.arithmetic
    count = motion.samples
    steps = np.arange(count).astype(arithmetic.dtype)
    times = arithmetic.number(motion.period) * steps / count
    turn = arithmetic.number(2 * Expression("pi", ()))
    cosine, sine = (arithmetic.each(name, turn * steps / count) for name in ("cos", "sin"))
    omega = turn / arithmetic.number(motion.period)
    values = arithmetic.zeros(3, count, len(motion.series))
    for i, series in enumerate(motion.series):
        orders = max(len(series.cosine), len(series.sine))
        a, b = (arithmetic.array(pad_tuple(part, orders)) for part in (series.cosine, series.sine))
        values[0, :, i] = arithmetic.number(series.mean)
        for k in range(1, orders + 1):
            index = k * np.arange(count) % count
            in_phase, across = cosine[index], sine[index]
            part = a[k - 1] * in_phase + b[k - 1] * across
            w = k * omega
            values[0, :, i] += part
            values[1, :, i] += w * (b[k - 1] * in_phase - a[k - 1] * across)
            values[2, :, i] -= w * w * part
    return times, values[0], values[1], values[2]


def compute_series_motion(mechanism: Mechanism) -> MechanismMotion:
    """The closed motion of the description's series; raises as `series_drives` and `kinematics.motion_of_drives`."""
    _, value, rate, second = series_drives(mechanism)
    return motion_of_drives(mechanism, value, rate, second)
