# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs and noise of drives for the estimation of states with parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.capabilities import MotionSensors, has
from pkm_identification.machines.contract import Drive, Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.forces.acting import average_ends
from pkm_identification.signals.input_validation import ValidatedLog

# of a drive's large change: rounding, and what the integration of a period leaves (some nanometres of a fast machine)
COORDINATE_FLOOR = 1e-7
# Orders of the differences that show noise: motion itself must not, and coordinates are a hundred times as exact
FORCE_ORDER, COORDINATE_ORDER = 3, 6


@dataclass(frozen=True)
class JointNoise:
    """Standard deviations of what drives report, per sample.

    Attributes
    ----------
    coordinate : ndarray, shape (n,)
        m or rad.
    force : ndarray, shape (n,)
        Drive force and everything the model leaves out that acts like it, N or N m.
    """

    coordinate: FloatArray
    force: FloatArray

    @classmethod
    def of(cls, machine: Machine, samples: JointSamples) -> JointNoise:
        """Return a first guess from a log; smoothing refines the forces' (`iterated`)."""
        columns = zip(machine.drives, samples.coordinate.T, strict=True)
        coordinate = np.array([compute_coordinate_noise(drive, column) for drive, column in columns])
        # forces are known to about 1e-6 of their size at best
        least = 1e-6 * np.maximum(np.sqrt(np.mean(samples.force**2, axis=0)), 1e-6)
        return cls(coordinate, np.maximum(white_noise(samples.force, FORCE_ORDER), least))


def compute_coordinate_noise(drive: Drive, coordinate: FloatArray) -> float:
    """Return the standard deviation of coordinates (N,) in steps of the encoder's or seen in the log, m or rad."""
    floor = COORDINATE_FLOOR * drive.size
    step = drive.resolution
    if not _is_in_steps(coordinate, step, floor):
        changes = np.abs(np.diff(coordinate))
        changes = changes[changes > floor]
        step = float(changes.min()) if changes.size else 0.0
        if not _is_in_steps(coordinate, step, floor):
            step = 0.0
    measured = float(white_noise(coordinate[:, None], COORDINATE_ORDER)[0]) if step == 0.0 else 0.0
    return float(np.hypot(step / np.sqrt(12.0), max(measured, floor)))


def _is_in_steps(coordinate: FloatArray, step: float, floor: float) -> bool:
    """Return whether differences of successive coordinates are whole steps."""
    if step <= floor:
        return False
    steps = np.diff(coordinate[:2000]) / step
    return bool(np.median(np.abs(steps - np.round(steps))) < 0.05)


def white_noise(signal: FloatArray, order: int) -> FloatArray:
    """Return the standard deviation of white noise on smooth signals (N, n), from their differences (robustly)."""
    differences = np.diff(signal, n=order, axis=0)
    middle = np.median(differences, axis=0)
    # of white noise their variance is a binomial coefficient times its own
    return np.asarray(
        np.median(np.abs(differences - middle), axis=0) / 0.6745 / np.sqrt(comb(2 * order, order))
    )


@dataclass(frozen=True)
class JointSamples:
    """Logs with their additional sensors, on the regular clock.

    Attributes
    ----------
    time : ndarray, shape (N,)
    coordinate, force : ndarray, shape (N, n)
    within : ndarray, shape (N, n)
        Forces in the middle of the period that begins at each sample.
    readings : ndarray, shape (N, R)
        Of additional sensors; NaN where there is none.
    measured : ndarray of bool, shape (N,)
        Where coordinates are samples, not filled in by input validation.
    segment : ndarray of int64, shape (N,)
    """

    time: FloatArray
    coordinate: FloatArray
    force: FloatArray
    within: FloatArray
    readings: FloatArray
    measured: NDArray[np.bool_]
    segment: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.time)

    @classmethod
    def of(cls, log: ValidatedLog, machine: Machine, within: FloatArray | None = None) -> JointSamples:
        """Return those of a log that holds forces, and of its forces within periods, their ends' mean unless given.

        Additional sensors count where the machine file describes them.
        """
        if log.force is None:
            raise ValueError("states are estimated from coordinates and forces")
        groups = [
            np.full_like(log.coordinate[:, :6], np.nan) if one is None else one
            for one in (log.imu, log.sensor)
        ]
        readings = np.hstack(groups) if has(machine, MotionSensors) else np.zeros((len(log.time), 0))
        if has(machine, MotionSensors):
            readings[:, ~np.isfinite(machine.reading_noise)] = np.nan
        return cls(
            log.time,
            np.ascontiguousarray(log.coordinate),
            np.ascontiguousarray(log.force),
            average_ends(log) if within is None else within,
            readings,
            ~log.filled,
            log.segment,
        )

    @classmethod
    def concatenate(cls, parts: Sequence[JointSamples]) -> JointSamples:
        """Return logs one after the other; nothing passes from one to the next."""
        segments, last = [], 0
        for part in parts:
            segments.append(part.segment - part.segment.min() + last)
            last = int(segments[-1].max()) + 1
        names = ("time", "coordinate", "force", "within", "readings", "measured")
        whole = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
        return cls(**whole, segment=np.concatenate(segments))

    @property
    def begins(self) -> NDArray[np.bool_]:
        """Whether a sample is the first of its segment, (N,)."""
        return np.concatenate([[True], np.diff(self.segment) != 0])

    @property
    def seen_readings(self) -> NDArray[np.bool_]:
        """Which readings are there at all, (R,)."""
        return np.asarray(np.isfinite(self.readings).any(axis=0))

    def without_readings(self) -> JointSamples:
        """Return the same samples as if there were no additional sensors."""
        return replace(self, readings=np.zeros((len(self), 0)))

    def first(self, count: int) -> JointSamples:
        """Return the first samples alone."""
        return JointSamples(*(getattr(self, name)[:count] for name in JointSamples.__dataclass_fields__))
