"""The motion a description states as a Fourier series, sampled in the mechanism's arithmetic."""

from __future__ import annotations

from typing import Any

from pkm_identification.errors import SettingsError

from .kinematics import MechanismMotion, motion_of_drives
from .mechanism import Mechanism
from .numbers.exact import Exact, Expression


def series_drives(mechanism: Mechanism) -> tuple[Any, Any, Any, Any]:
    """Times (N,) in s, and driven coordinates with two derivatives (N, n), of the description's `motion`.

    Raises
    ------
    SettingsError
        If the description states none.
    """
    stated = mechanism.description.motion
    if stated is None:
        raise SettingsError(f"{mechanism.description.source}: has no 'motion'")
    arithmetic = mechanism.arithmetic
    pi = Expression("pi", ())
    count = stated.samples
    times = arithmetic.zeros(count)
    values = arithmetic.zeros(3, count, len(stated.series))
    omega = arithmetic.number(2 * pi / stated.period)
    for n in range(count):
        share: Exact = stated.period * n / count
        times[n] = arithmetic.number(share)
        for i, series in enumerate(stated.series):
            values[0, n, i] = arithmetic.number(series.mean)
            for k in range(1, max(len(series.cosine), len(series.sine)) + 1):
                angle: Exact = 2 * pi * k * n / count
                c, s = (
                    arithmetic.number(Expression("cos", (angle,))),
                    arithmetic.number(Expression("sin", (angle,))),
                )
                a = arithmetic.number(series.cosine[k - 1]) if k <= len(series.cosine) else c * 0
                b = arithmetic.number(series.sine[k - 1]) if k <= len(series.sine) else c * 0
                w = k * omega
                values[0, n, i] = values[0, n, i] + a * c + b * s
                values[1, n, i] = values[1, n, i] + w * (b * c - a * s)
                values[2, n, i] = values[2, n, i] - w * w * (a * c + b * s)
    return times, values[0], values[1], values[2]


def series_motion(mechanism: Mechanism) -> MechanismMotion:
    """The closed motion of the description's series; raises as `series_drives` and `kinematics.motion_of_drives`."""
    _, value, rate, second = series_drives(mechanism)
    return motion_of_drives(mechanism, value, rate, second)
