# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What happens during a log: an encoder that loses counts, a machine that changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.contract import Drive
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet

from .effect import Columns, Effect, repeat_prior
from .log_rows import DriveMotion
from .situation import Situation

CHANGE = 0.1  # of each parameter
STEP = {"m": 1e-3, "rad": 1e-2}  # a large step of a coordinate, by its unit
JUMP = 8.0  # of the usual third difference: what a jump in a length is
MOST_JUMPS = 3


class CoordinateLog(Protocol):
    """A log on a regular clock: stamps (N,) in s, the drives' coordinates (N, n) and segments (N,).

    Forces (N, n) are None of a stream's smooth samples.
    """

    @property
    def time(self) -> FloatArray: ...

    @property
    def coordinate(self) -> FloatArray: ...

    @property
    def segment(self) -> NDArray[np.int64]: ...

    @property
    def force(self) -> FloatArray | None: ...


def jumps(log: CoordinateLog) -> list[tuple[int, float]]:
    """Return drives (from 0) and instants in s at which a coordinate jumps within one sample, the largest first.

    In the third difference smooth motion vanishes and a step stays three times its size; compared with what is usual
    for the same drive.
    """
    jumps = []
    if len(log.time) < 8:
        return []
    third = np.diff(log.coordinate, 3, axis=0)
    third[np.diff(log.segment[2:]) != 0] = 0.0
    usual = np.maximum(1.4826 * np.median(np.abs(third), axis=0), 1e-9 + 2.0 * _step_of(log.coordinate))
    scaled = np.abs(third) / usual
    for k in range(third.shape[1]):
        index = int(np.argmax(scaled[:, k]))
        if scaled[index, k] > JUMP:
            jumps.append((float(scaled[index, k]), k, float(log.time[index + 2])))
    return [(k, time) for _, k, time in sorted(jumps, reverse=True)[:MOST_JUMPS]]


def list_breaks(log: CoordinateLog) -> list[tuple[int, float]]:
    """Return every drive (from 0) at the newest instants in s from which on a stream's samples are whole again.

    What makes coordinates of smooth samples step, as counts that are lost, is left out of a stream as a burst.
    """
    begins = log.time[1:][np.diff(log.segment) != 0][::-1][:MOST_JUMPS]
    return [(k, float(time)) for time in begins for k in range(log.coordinate.shape[1])]


def _step_of(coordinate: FloatArray) -> FloatArray:
    """Return the smallest change of each coordinate: a count, where counts are seen."""
    change = np.abs(np.diff(coordinate[:2000], axis=0))
    return np.array([np.min(c[c > 0.0], initial=0.0, where=True) if np.any(c > 0) else 0.0 for c in change.T])


def changed(situation: Situation) -> FloatArray:
    """Return what parameters larger by their whole size in the second half would add, (K, n, P)."""
    return situation.terms * situation.later[:, None, None]


def effects(
    logs: Sequence[CoordinateLog], parameters: ParameterSet, drives: Sequence[Drive] = ()
) -> list[Effect]:
    """Return a machine that changes, and a step in a coordinate wherever one jumps."""
    effects = [
        Effect(
            "changed_during_log",
            "events",
            "",
            changed,
            repeat_prior(CHANGE, len(parameters) - parameters.nuisance),
            "Identify the halves apart: a payload, warming friction or a loose joint changed the machine in between",
        )
    ]
    for number, log in enumerate(logs):
        for drive, time in jumps(log) if log.force is not None else list_breaks(log):

            def columns(
                situation: Situation, drive: int = drive, time: float = time, log: CoordinateLog = log
            ) -> FloatArray:
                return _differentiate_step(situation, drive, time, log)

            when = f"at {time:.3f} s" + (f" of log {number + 1}" if len(logs) > 1 else "")
            effects.append(lost_counts(drives[drive], when, columns))
    return effects


def lost_counts(drive: Drive, when: str, columns: Columns) -> Effect:
    """Return a step in the coordinate of a drive, at a time in words."""
    whose = f"strut {drive.label}" if drive.unit == "m" and drive.suffix else drive.name
    return Effect(
        f"lost_counts_{drive.label}",
        "events",
        drive.unit,
        columns,
        repeat_prior(STEP[drive.unit], 1),
        f"The encoder of {whose} loses counts {when}: check its cable and shield, and leave out what follows",
    )


def _differentiate_step(situation: Situation, drive: int, instant: float, log: CoordinateLog) -> FloatArray:
    """Return what a unit more of a coordinate from an instant on would add, (K, n, 1); nothing in another log."""
    rows = situation.rows
    time = rows.samples.time
    inside = len(time) and log.time[0] <= time[0] and time[-1] <= log.time[-1]
    if not inside or not time[0] < instant < time[-1]:
        return np.zeros((*situation.predicted.shape, 1))
    step = rows.smooth((time >= instant).astype(float))
    first = np.gradient(step, rows.band.period)
    second = np.gradient(first, rows.band.period)
    thin, own = rows.thin, rows.thin_drives
    size = 1e-2 * STEP[situation.machine.drives[drive].unit]
    only = np.eye(own.coordinate.shape[1])[drive]
    changed = DriveMotion(
        own.coordinate - size * step[thin, None] * only,
        own.rate - size * first[thin, None] * only,
        own.acceleration - size * second[thin, None] * only,
    )
    return situation.of_drives(changed)[:, :, None] / size
