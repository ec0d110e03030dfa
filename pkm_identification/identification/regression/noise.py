# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How small residuals can be: what the noise in a log makes of them.

White noise of the levels that forces and coordinates show above all motion is added to the log once more, and the
equations are made again, of the same rows: what changes is the floor, through filters, shafts that yield and all else
on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.input_validation import ValidatedLog
from pkm_identification.signals.input_validation.samples import rows_of
from pkm_identification.signals.white_noise import force_density, position_noise

from .equations import LogEquations
from .road import Road, residual_rms
from .validation import FEWEST_OF_NOISE

LONGEST = 20.0  # s of a log that are enough to measure noise
STEP = 5.0  # s between parts of a long log that are tried
LEAST = 1e-4  # of the rms force: nothing is modelled better than that
SEED = 7


def measure_noise_floor(
    road: Road,
    logs: Sequence[ValidatedLog],
    made: Sequence[LogEquations],
    values: FloatArray,
) -> FloatArray | None:
    """Return the standard deviation (n,) of the residuals that noise alone would leave; None of logs too short for it.

    Parameters
    ----------
    road : Road
    logs : sequence of ValidatedLog
    made : sequence of LogEquations
        Theirs.
    values : ndarray, shape (P,)
        Of the estimated parameters, rough ones.
    """
    squares, counts = [], []
    for log, own in zip(logs, made, strict=True):
        floor = _estimate_log_floor(road, log, own, values)
        if floor is not None:
            squares.append(floor**2)
            counts.append(len(own))
    return np.asarray(np.sqrt(np.average(squares, axis=0, weights=counts))) if squares else None


def _estimate_log_floor(
    road: Road,
    log: ValidatedLog,
    own: LogEquations,
    values: FloatArray,
) -> FloatArray | None:
    part = rows_of(log, _find_liveliest_part(log, own))
    if len(part) < FEWEST_OF_NOISE or not len(own):
        return None
    once = own if len(part) == len(log) else road.equations(part)
    again = road.equations(_add_noise(part), once.still)
    difference = again.equations.compute_residual(values) - once.equations.compute_residual(values)
    exact = LEAST * np.sqrt(np.mean(own.equations.force**2, axis=0)) + 1e-300
    return np.sqrt(residual_rms(difference, once.used) ** 2 + exact**2)


def _find_liveliest_part(log: ValidatedLog, own: LogEquations) -> slice:
    """Return the LONGEST seconds in which the drive that stands still most has the most equations."""
    count, step = round(LONGEST / log.period), round(STEP / log.period)
    if len(log) <= count:
        return slice(0, len(log))
    best, most = 0, -1
    for begin in range(0, len(log) - count + 1, step):
        time = log.time[begin], log.time[begin + count - 1]
        inside = (own.equations.time >= time[0]) & (own.equations.time <= time[1])
        used = int(own.used[inside].sum(axis=0).min())
        if used > most:
            best, most = begin, used
    return slice(best, best + count)


def _add_noise(log: ValidatedLog) -> ValidatedLog:
    """Return a log with as much noise again."""
    assert log.force is not None  # it has equations
    density = log.force_density
    if density is None:
        density = force_density(log.force, log.coordinate, log.period)
    size = np.sqrt(density / (2.0 * log.period))
    deviation = position_noise(log.coordinate, log.period)
    random = np.random.default_rng(SEED)
    return replace(
        log,
        coordinate=log.coordinate + deviation * random.standard_normal(log.coordinate.shape),
        force=log.force + size * random.standard_normal(log.force.shape),
    )
