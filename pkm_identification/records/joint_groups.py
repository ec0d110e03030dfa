# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Joints that no message has all of: one JointState for each joint or group of joints, brought to one time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import GrowingArray

from .channel_times import interpolate_channel
from .clocks import drifts, measure_clock, measure_drift
from .joint_state import DecodedJoints, decode_single_joints


def decode_joint_groups(
    messages: Iterable[bytes],
    source: str,
    names: Sequence[str],
    arrivals: Iterable[int],
    by_arrival: bool = False,
) -> DecodedJoints | None:
    """Return samples of joints that come in messages of some each, at the first one's stamps; None if one is missing.

    Its `dropped` counts messages left out, and samples of single joints that are not later than the ones before. Where
    clocks of the messages drift apart, by the times at which they arrived, stamps are brought to the first one's clock.

    Parameters
    ----------
    messages : iterable of bytes
        CDR, in the order of their arrival.
    source : str
        For messages.
    names : sequence of str
    arrivals : iterable of int
        Times of arrival in ns.
    by_arrival : bool
        Whether these are used instead of the stamps.

    Raises
    ------
    LogError
        If a message cannot be decoded, a joint has too few samples, or its messages have no stamps.
    """
    series = [GrowingArray() for _ in names]
    for one in series:
        one.append(np.empty((0, 4)))
    taken, faults = [], Counter[str]()
    for joint, rows in decode_single_joints(messages, source, names, arrivals, faults, by_arrival):
        series[joint].append(rows)
    for one in series:
        rows, left_out = _keep_increasing(one.taken())
        taken.append(rows)
        faults.update(left_out)
    if not all(len(rows) for rows in taken):
        if faults["zero_stamp"]:
            raise LogError(
                f"{source}: messages have no stamps; --stamps receive takes their times of arrival"
            )
        return None
    notes = () if by_arrival else _bring_to_one_clock(taken, names, source)
    asked = taken[0][:, 0]
    values = np.full((len(asked), len(names), 2), np.nan)
    for joint, rows in enumerate(taken):
        for part, column in enumerate((1, 2)):
            there = np.isfinite(rows[:, column])
            if not there.any():
                continue
            try:
                values[:, joint, part] = interpolate_channel(rows[there, 0], rows[there, column], asked)
            except ValueError as error:
                raise LogError(f"{source}: joint {names[joint]}: {error}") from None
    effort = values[:, :, 1]
    dropped = {reason: count for reason, count in faults.items() if count}
    return DecodedJoints(
        asked, values[:, :, 0], effort if np.isfinite(effort).any() else None, dropped, "", notes
    )


def _bring_to_one_clock(taken: list[FloatArray], names: Sequence[str], source: str) -> tuple[str, ...]:
    """Write stamps of joints whose clock drifts against the first one's by that one; return a sentence on each."""
    first = measure_clock(taken[0][:, 0], taken[0][:, 3])
    apart: dict[tuple[float, float], list[str]] = {}
    for joint, rows in enumerate(taken[1:], 1):
        clock = measure_clock(rows[:, 0], rows[:, 3])
        if first is None or clock is None or not drifts(clock, first):
            continue
        apart.setdefault(measure_drift(clock, first), []).append(names[joint])
        taken[joint] = np.column_stack([first.from_recorder(clock.to_recorder(rows[:, 0])), rows[:, 1:]])
    return tuple(
        f"{source}: the clock of {', '.join(those)} runs {abs(drift):.1f} +- {deviation:.1f} ppm "
        f"{'faster' if drift > 0 else 'slower'} than that of {names[0]}; its stamps are brought to that one's clock by "
        "the times of arrival"
        for (drift, deviation), those in apart.items()
    )


def _keep_increasing(rows: FloatArray) -> tuple[FloatArray, dict[str, int]]:
    """Return the samples (K, 4) whose stamps are later than all before, and how many others there are, by reason."""
    before = np.maximum.accumulate(np.concatenate([[-np.inf], rows[:, 0]]))[:-1]
    late = {"duplicate": int(np.sum(rows[:, 0] == before)), "late": int(np.sum(rows[:, 0] < before))}
    return rows[rows[:, 0] > before], late
