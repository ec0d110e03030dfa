# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a simulation leaves behind: the log of the drives and the truth behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pkm_identification.motion import STRUTS, DriveLog, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

from .sensors import Sample

RAW_COLUMNS = (
    "t",
    *(f"enc_{i}" for i in range(1, STRUTS + 1)),
    *(f"cur_{i}" for i in range(1, STRUTS + 1)),
)


@dataclass(frozen=True)
class Truth:
    """True motion and forces at the sampling instants.

    Attributes
    ----------
    motion : PlatformMotion or None
        Of a hexapod, on the machine's own clock, without the stamps' jitter.
    length, rate : ndarray, shape (N, n)
        Coordinates of the drives and their rates, m or rad.
    force : ndarray, shape (N, n)
        Applied drive forces, N (N m).
    resistance : ndarray, shape (N, n)
        Friction, and end-stop forces where a drive is in one, N (N m).
    acceleration : ndarray, shape (N, n), or None
        Of the drives, where the machine moves by them.
    """

    motion: PlatformMotion | None
    length: FloatArray
    rate: FloatArray
    force: FloatArray
    resistance: FloatArray
    acceleration: FloatArray | None = None


@dataclass(frozen=True)
class Recording:
    """Samples of one simulated motion.

    Attributes
    ----------
    time : ndarray, shape (N,)
        Stamps, s.
    counts, current : ndarray, shape (N, n)
        Encoder counts and currents in A; where the machine's file says nothing of them, coordinates and forces.
    length, force : ndarray, shape (N, n)
        The same as coordinates in m or rad and forces in N or N m.
    truth : Truth
    loop_gap : float
        Largest gap of a loop in m at any sample.
    source : str
    imu, sensor : ndarray, shape (N, 6), or None
        Additional sensors, as in `DriveLog`.
    motor_length : ndarray, shape (N, 6), or None
        As in `Sample`.
    """

    time: FloatArray
    counts: FloatArray
    current: FloatArray
    length: FloatArray
    force: FloatArray
    truth: Truth
    loop_gap: float
    source: str
    imu: FloatArray | None = None
    sensor: FloatArray | None = None
    motor_length: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.time)

    def log(self) -> DriveLog:
        """Return the log as the stages of this package take it, in SI units."""
        return DriveLog(self.time, self.length, self.force, self.source, self.imu, self.sensor)

    def raw(self) -> FloatArray:
        """Return the raw log, shape (N, 13), columns `RAW_COLUMNS`: s, counts, A."""
        return np.column_stack([self.time, self.counts, self.current])


def column(records: Sequence[Any], name: str, *shape: int) -> FloatArray:
    """Return an attribute of all records, shape (N, *shape)."""
    return np.array([getattr(record, name) for record in records], dtype=float).reshape(-1, *shape)


def recording(samples: Sequence[Sample], truth: Truth, loop_gap: float, source: str) -> Recording:
    """Collect samples and the truth at the same instants."""
    count = truth.length.shape[1]

    def given(name: str) -> FloatArray | None:
        there = samples and getattr(samples[0], name) is not None
        return column(samples, name, np.size(getattr(samples[0], name))) if there else None

    return Recording(
        time=column(samples, "time"),
        counts=column(samples, "counts", count),
        current=column(samples, "current", count),
        length=column(samples, "length", count),
        force=column(samples, "force", count),
        truth=truth,
        loop_gap=loop_gap,
        source=source,
        imu=given("imu"),
        sensor=given("sensor"),
        motor_length=given("motor_length"),
    )
