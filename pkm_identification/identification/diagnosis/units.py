# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Units of a log that are not the machine's: reported first, since nothing passes input validation with them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.large_arrays import representative_rows
from pkm_identification.signals.rate import RATE_ERROR

from .findings import Cause

# What one recorded unit can be, in m and in s.
LENGTH_UNITS = {"mm": 1e-3, "inch": 0.0254, "cm": 1e-2, "um": 1e-6}
TIME_UNITS = {"ms": 1e-3, "us": 1e-6, "ns": 1e-9}
# Of the largest limit, that a log has to reach: in a unit small enough any lengths lie within limits that begin at 0
LEAST_REACH = 0.1
MOST_OUTSIDE = 0.5  # of the lengths: more cannot be a fault of the motion


@dataclass(frozen=True)
class Converted:
    """Logs in the machine's units, and what had to be changed for it."""

    logs: tuple[DriveLog, ...]
    causes: tuple[Cause, ...]


def in_machine_units(logs: Sequence[DriveLog], machine: Machine) -> Converted:
    """Logs of which lengths and stamps are in the machine's units, as far as they can be determined.

    Lengths are in another unit if most lie outside of the limits and, in that unit, hardly any do and they are no small
    part of them; stamps, if only in that unit their distance is the drive's period. Without a drive the rate is
    unknown, but no log is sampled slower than once in two seconds.
    """
    causes: list[Cause] = []
    logs = tuple(logs)
    length = _guess_length_unit(logs, machine)
    if length is not None:
        name, unit = length
        factor = np.array([unit if drive.unit == "m" else 1.0 for drive in machine.drives])
        logs = tuple(replace(log, coordinate=factor * log.coordinate) for log in logs)
        causes.append(_find_unit_cause("length_unit", unit, "m", f"lengths are recorded in {name}"))
    time = _guess_time_unit(logs, machine)
    if time is not None:
        name, unit = time
        logs = tuple(replace(log, time=unit * log.time) for log in logs)
        causes.append(_find_unit_cause("time_unit", unit, "s", f"stamps are recorded in {name}"))
    return Converted(logs, tuple(causes))


def _find_unit_cause(name: str, unit: float, of: str, detail: str) -> Cause:
    return Cause(
        name,
        unit,
        0.0,
        of,
        1.0,
        f"Convert the log: one recorded unit is {unit:g} {of}",
        "units",
        detail=detail,
    )


def _count_outside(position: np.ndarray, limits: np.ndarray) -> float:
    return float(np.mean((position < limits[0]) | (position > limits[1])))


def _guess_length_unit(logs: Sequence[DriveLog], machine: Machine) -> tuple[str, float] | None:
    rows = np.concatenate([representative_rows(log.coordinate) for log in logs])
    rows = rows[np.isfinite(rows).all(axis=1)]
    long = [i for i, drive in enumerate(machine.drives) if drive.unit == "m"]
    limits = np.array([[machine.drives[i].lowest, machine.drives[i].highest] for i in long]).reshape(-1, 2).T
    rows = rows[:, long]
    if rows.size == 0 or _count_outside(rows, limits) <= MOST_OUTSIDE:
        return None
    reach = float(np.max(np.median(np.abs(rows), axis=0) / np.max(np.abs(limits), axis=0)))
    for name, unit in LENGTH_UNITS.items():
        if unit * reach < LEAST_REACH:
            continue
        if _count_outside(unit * rows, limits) < 1.0 - MOST_OUTSIDE:
            return name, unit
    return None


def _guess_time_unit(logs: Sequence[DriveLog], machine: Machine) -> tuple[str, float] | None:
    steps = np.concatenate([np.diff(log.time) for log in logs])
    steps = steps[np.isfinite(steps) & (steps > 0)]
    if len(steps) == 0:
        return None
    step = float(np.median(steps))
    if machine.sample_rate is None:
        return None
    period = 1.0 / machine.sample_rate
    if abs(step / period - 1.0) < RATE_ERROR:
        return None
    for name, unit in TIME_UNITS.items():
        if abs(math.log(unit * step / period)) < math.log1p(RATE_ERROR):
            return name, unit
    return None
