# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Smooth samples of a validated log, each with a motion whose loops are closed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import LogError, MotionRefused
from pkm_identification.machines.contract import DEGRADED, Machine, Motion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.segments import segment_slices
from pkm_identification.signals.butterworth import low_pass, zero_phase
from pkm_identification.signals.differences import central_differences, stencil
from pkm_identification.signals.zero_phase import rows_left_out

from .validation import ValidatedLog

ANOTHER_SHARE = 0.02  # of the samples without a closed motion: the log of another machine


@dataclass(frozen=True)
class Samples:
    """Good samples of a log.

    Attributes
    ----------
    time : ndarray, shape (N,)
    motion : Motion
        Smooth, loops closed.
    force : ndarray, shape (N, n)
        Behind the same low-pass, N or N m.
    segment : ndarray of int64, shape (N,)
        Runs of good samples.
    rows : ndarray of int64, shape (N,)
        Which rows of the log at the mechanism they are.
    failed : int
        Samples without a motion, which are left out.
    """

    time: FloatArray
    motion: Motion
    force: FloatArray
    segment: NDArray[np.int64]
    rows: NDArray[np.int64]
    failed: int = 0

    def __len__(self) -> int:
        return len(self.time)


def smooth_samples(machine: Machine, log: ValidatedLog, cutoff: float, order: int) -> Samples:
    """Return the smooth samples of a log at the mechanism.

    Parameters
    ----------
    machine : Machine
    log : ValidatedLog
    cutoff : float
        -3 dB frequency in Hz of one pass of the zero-phase low-pass on coordinates and forces.
    order : int
        Of one pass.

    Raises
    ------
    LogError
        If all segments are too short for the filters.
    MotionRefused
        If too many samples are out of the machine's reach.
    """
    sections, steps = low_pass(order, cutoff, 1.0 / log.period), stencil(log.period)
    edge = rows_left_out(cutoff, log.period)
    parts = []
    for part in segment_slices(log.segment):
        count = part.stop - part.start
        if count < 4 * edge + 2 * steps.reach:
            continue
        smooth = zero_phase(sections, log.coordinate[part])
        rate, acceleration = central_differences(smooth, log.period, steps)
        inner = slice(edge, count - edge)
        shifted = slice(edge - steps.reach, len(rate) - (edge - steps.reach))
        force = zero_phase(sections, log.force[part])[inner]
        parts.append(
            (
                log.time[part][inner],
                smooth[inner],
                rate[shifted],
                acceleration[shifted],
                force,
                log.segment[part][inner],
                np.arange(part.start, part.stop)[inner],
            )
        )
    if not parts:
        longest = max((part.stop - part.start for part in segment_slices(log.segment)), default=0)
        pieces = f"; the longest segment has {longest}" if longest < len(log) else ""
        raise LogError(f"{log.source}: the log is too short: {len(log)} samples{pieces}")
    time, coordinate, rate, acceleration, force, segment, rows = (
        np.concatenate(one) for one in zip(*parts, strict=True)
    )
    motion = machine.compute_motion(coordinate, rate, acceleration)
    good = motion.status <= DEGRADED
    failed = len(good) - int(np.count_nonzero(good))
    if failed > ANOTHER_SHARE * len(good):
        first = int(np.argmin(good))
        where = ", ".join(
            f"{drive.name} {x:.6g}" for drive, x in zip(machine.drives, coordinate[first], strict=True)
        )
        raise MotionRefused(
            f"{log.source}: {100 * failed / len(good):.3g} % of the samples are out of reach of '{machine.name}', "
            f"first at {time[first]:g} s ({where}): another machine, or other units?"
        )
    segment = number_runs(segment, good)
    if failed:
        time, motion, force, segment, rows = time[good], motion[good], force[good], segment[good], rows[good]
    return Samples(time, motion, force, segment, rows, failed)


def smooth_forces(log: ValidatedLog, cutoff: float, order: int) -> FloatArray:
    """Return the forces of all rows of a log at the mechanism, (N, n), behind the low-pass of `smooth_samples`."""
    sections, edge = low_pass(order, cutoff, 1.0 / log.period), rows_left_out(cutoff, log.period)
    smooth = np.full(log.force.shape, np.nan)
    for part in segment_slices(log.segment):
        if part.stop - part.start >= 4 * edge:
            smooth[part] = zero_phase(sections, log.force[part])
    return smooth


def number_runs(segment: NDArray[np.int64], good: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the run of good rows that each row (N,) belongs to, by its first row: a bad row ends one as a gap does."""
    begins = np.ones(len(segment), dtype=bool)
    begins[1:] = (np.diff(segment) != 0) | ~good[:-1]
    return np.maximum.accumulate(np.where(begins, np.arange(len(segment)), 0))
