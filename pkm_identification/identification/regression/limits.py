# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What samples may show where a machine file does not say: limits from the log itself, never from a unit.

A spike is rare, and the .98 quantile of a log's differences does not see it; motion is never 20 times as fast as that,
unless the log is of a machine that mostly stands still. Differences that last are no spikes: of so many in a row the
smallest counts as well.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.machines.contract import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import row_blocks
from pkm_identification.signals.input_validation import InputValidator, ValidatedLog, ValidationSettings
from pkm_identification.signals.input_validation.sample_checks import (
    ACCELERATION,
    FORCE,
    HIGHEST,
    LIMITED,
    LOWEST,
    RATE,
)
from pkm_identification.signals.input_validation.settings import LARGEST_FORCE
from pkm_identification.signals.steady_period import TWICE

from ..rates.recorded_rows import find_segments

QUANTILE, FACTOR = (
    0.98,
    20.0,
)  # 1 of 242,000 samples of 13 clean logs is dropped so, and every spike of 30 quantiles
# A spike of three samples makes four first and five second differences that no motion makes
LASTING = (5, 6)
LASTING_FACTOR = 4.0
UNEVEN_FACTOR = 4.0
COUNTS = 20.0  # counts of an encoder: less is its flicker
BEYOND = 0.02  # of a drive's stroke: a file may state limits a little narrower than the machine's own


NEIGHBOURS = 1.75  # periods between two stamps that belong to successive samples, at most


def apply_validation(log: DriveLog, machine: Machine, validation: ValidationSettings) -> ValidatedLog:
    """Return a log as input validation leaves it, which drops what the drives' files or the log itself say is none.

    Raises
    ------
    LogError
        If no row has a finite stamp, coordinates and forces.
    """
    finite = np.zeros(len(log), dtype=bool)
    for block in row_blocks(len(log)):
        finite[block] = np.isfinite(log.time[block]) & np.isfinite(log.coordinate[block]).all(axis=1)
        if log.force is not None:
            finite[block] &= np.isfinite(log.force[block]).all(axis=1)
    if len(finite) and not finite.any():
        raise LogError(f"{log.source}: no usable sample: all {len(finite)} dropped, mostly 'not_finite'")
    segments = [(log.time[rows], log.coordinate[rows]) for rows in find_segments(finite)]
    limits = find_limits(segments, validation.period, machine)
    return InputValidator(validation, limits).validation(log)


def find_limits(
    segments: Sequence[tuple[FloatArray, FloatArray]], period: float, machine: Machine
) -> FloatArray:
    """Return what drives may show, (LIMITED, n), as the kernels of `signals.input_validation.sample_checks` take it.

    Parameters
    ----------
    segments : sequence of (ndarray, shape (N,), ndarray, shape (N, n))
        Stamps in s and coordinates of successive rows, finite.
    period : float
        s
    machine : Machine
    """
    drives = machine.drives
    limits = np.empty((LIMITED, len(drives)))
    stated = {RATE: "rate_limit", ACCELERATION: "acceleration_limit", FORCE: "force_limit"}
    for row, name in stated.items():
        limits[row] = [getattr(drive, name) for drive in drives]
    limits[FORCE] = np.minimum(limits[FORCE], LARGEST_FORCE)
    low, high = (np.array([getattr(drive, end) for drive in drives]) for end in ("lowest", "highest"))
    room = BEYOND * np.where(np.isfinite(high - low), high - low, 0.0)
    limits[LOWEST], limits[HIGHEST] = low - room, high + room
    firsts, seconds, stamped = [], [], []
    for time, coordinate in segments:
        step, first = np.diff(time), np.diff(coordinate, axis=0)
        beside = (step > TWICE * period) & (step < NEIGHBOURS * period)
        firsts.append(first[beside])
        successive = beside[1:] & beside[:-1]
        seconds.append(np.diff(first, axis=0)[successive])
        even = first * (period / np.where(beside, step, period))[:, None]
        stamped.append(np.diff(even, axis=0)[successive])
    every = np.concatenate([coordinate for _, coordinate in segments])
    steps = np.array([measure_step(column) for column in every.T])
    # input validation allows as much times span (span + period)
    for row, differences, smoother, lasting, divisor in (
        (RATE, firsts, firsts, LASTING[0], period),
        (ACCELERATION, seconds, stamped, LASTING[1], 2.0 * period**2),
    ):
        unstated = ~np.isfinite(limits[row])
        of_rows, of_stamps = np.abs(np.concatenate(differences)), np.abs(np.concatenate(smoother))
        own = _compute_usual_sizes(of_rows, of_stamps, lasting, steps) / divisor
        limits[row, unstated] = own[unstated]
    return limits


def _compute_usual_sizes(
    size: FloatArray, smoother: FloatArray, lasting: int, steps: FloatArray
) -> FloatArray:
    """Return what sizes of differences (N, n) may be, (n,).

    Where those at the stamps are smaller (`smoother`), the stamps are true, and the others are of uneven sampling,
    which never makes many times its own usual size as motion may.
    """
    if not len(size):
        return np.full(len(steps), np.inf)
    of_rows, of_stamps = (np.quantile(each, QUANTILE, axis=0) for each in (size, smoother))
    usual = np.maximum(FACTOR * np.minimum(of_rows, of_stamps), UNEVEN_FACTOR * of_rows)
    least = size
    for _ in range(
        lasting - 1
    ):  # of so many in a row; SciPy's filter takes as long to load as all logs to be read
        least = np.minimum(least[1:], size[: max(len(least) - 1, 0)])
    long = LASTING_FACTOR * least.max(axis=0, initial=0.0)
    return np.maximum(np.maximum(usual, long), COUNTS * steps + 1e-12)


def measure_step(column: FloatArray) -> float:
    """Return the step in which a column (N,) is rounded; 0 where it is not: a rounded one takes few values."""
    values = np.unique(column)
    change = np.diff(values)
    change = change[change > 1e-9 * max(float(np.abs(values).max(initial=0.0)), 1e-300)]
    return float(change.min()) if 0 < len(change) < 0.5 * len(column) else 0.0
