# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Channels that have a time column each, as TwinCAT Scope exports them, brought to one.

Where one clock has stamped all, channels are interpolated. Where stamps of the same rows run away from each other by
some parts per million, or are of another epoch, two clocks have stamped them: rows are then instants that
both have seen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.numerics.arrays import FloatArray

from .clocks import CERTAIN, LEAST_DRIFT_PPM, measure_clock

# What Scope calls its columns of time in the line of channels' names, and the line that has their unit
SCOPE_TIME, SCOPE_PERIOD = "Name", "SampleTime[ms]"
# What a column of time is called in traces of controllers: `axis.pos Timestamp [us]`, `Time`, `Zeit`
TIME_WORD = re.compile(r"(?i)(?<![a-z])(?:time ?stamp|time|zeit(?:stempel)?)(?![a-z])")
SAME = 0.01  # of a period: stamps that differ by less are one
FEWEST = 4  # samples of a channel, for a cubic curve
MOST_DRIFT_PPM = (
    1000.0  # of quartz and of clocks that are set by a network; beyond, a channel has a rate of its own
)
LONGEST_STEP = 2.5  # periods between samples that are joined by a curve; no value is made up in a wider gap


def find_scope_times(names: tuple[str, ...], labels: list[tuple[str, ...]]) -> tuple[int, ...]:
    """Return the columns of time of a Scope export, from 0, by the lines below its names; none of another file."""
    if not any(SCOPE_PERIOD in line for line in labels):
        return ()
    return tuple(index for index, name in enumerate(names) if name == SCOPE_TIME)


def find_paired_times(names: tuple[str, ...]) -> tuple[int, ...]:
    """Return the columns of time, from 0, of a trace that has one before each value; none of another file."""
    times = tuple(range(0, len(names), 2))
    paired = len(times) > 1 and len(names) == 2 * len(times)
    return times if paired and all(TIME_WORD.search(names[index]) for index in times) else ()


def bring_to_one_time(
    values: FloatArray, times: Mapping[int, FloatArray], names: Sequence[str], source: str
) -> tuple[FloatArray, list[str]]:
    """Return columns (N, n) at the instants of the first of their times, cubic between samples, NaN in gaps.

    With them a sentence on each clock that drifts against the first one.

    Parameters
    ----------
    values : ndarray, shape (N, n)
        The first column is the time of the log.
    times : mapping of int to ndarray, shape (N,)
        Of columns whose own stamps may be others; NaN below the end of a shorter channel.
    names : sequence of n str
    source : str

    Raises
    ------
    LogError
        If a channel's stamps do not increase.
    """
    asked, brought = values[:, 0], values.copy()
    apart: dict[str, list[str]] = {}
    for column, own in times.items():
        if drift := describe_drift(own, asked):
            apart.setdefault(drift, []).append(names[column])
            continue
        there = np.isfinite(own) & np.isfinite(values[:, column])
        try:
            brought[:, column] = interpolate_channel(own[there], values[there, column], asked)
        except ValueError as error:
            raise LogError(f"{source}: column {column + 1}: {error}") from None
    return brought, [
        f"{source}: the clock of {', '.join(those)} {drift} that of the first column of time; each row is taken as one "
        "instant, by the first clock"
        for drift, those in apart.items()
    ]


def describe_drift(own: FloatArray, first: FloatArray) -> str:
    """Return by how many ppm a clock runs faster or slower than the first one; '' where one clock has made both.

    Parameters
    ----------
    own, first : ndarray, shape (N,)
        Stamps of the same rows, in one unit.
    """
    rows = np.isfinite(own) & np.isfinite(first)
    clock = measure_clock(first[rows], own[rows])
    if clock is None or not rows.all():
        return ""
    drift, deviation = 1e6 * clock.rate, 1e6 * clock.deviation
    period = float(np.median(np.diff(first)))
    scatter = float(np.median(np.abs(own - clock.to_recorder(first))))
    if abs(drift) > MOST_DRIFT_PPM or scatter > 0.5 * period:
        return ""
    other_epoch = abs(clock.offset) > first[-1] - first[0]
    if not other_epoch and abs(drift) <= max(LEAST_DRIFT_PPM, CERTAIN * deviation):
        return ""
    return f"runs {abs(drift):.1f} +- {deviation:.1f} ppm {'faster' if drift > 0 else 'slower'} than"


def interpolate_channel(stamps: FloatArray, samples: FloatArray, asked: FloatArray) -> FloatArray:
    """Return samples (K,) at other instants (N,): as they are where stamps are the same, cubic between them.

    NaN outside of the stamps and in gaps.

    Raises
    ------
    ValueError
        If there are fewer than four stamps, or they do not increase.
    """
    # here, because it brings along what pkm identify starts without
    from scipy.interpolate import CubicSpline

    steps = np.diff(stamps)
    if len(stamps) < FEWEST or np.any(steps <= 0.0):
        raise ValueError(f"its {len(stamps)} stamps are too few or do not increase")
    usual = float(np.median(steps))
    if len(stamps) == len(asked) and np.all(np.abs(stamps - asked) <= SAME * usual):
        return samples
    after = np.clip(np.searchsorted(stamps, asked), 1, len(stamps) - 1)
    between = (asked >= stamps[0]) & (asked <= stamps[-1]) & (steps[after - 1] <= LONGEST_STEP * usual)
    curve = CubicSpline(stamps, samples)
    return np.where(between, curve(np.where(between, asked, stamps[0])), np.nan)
