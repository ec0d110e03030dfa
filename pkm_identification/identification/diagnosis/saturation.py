# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces that were clipped: far more samples at a drive's largest force than just below it.

What clipping takes away may look like noise. It is one of the causes of a misfit where much of that is in the equations
which clipped samples enter, or where the readings end and what the drives give does not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.document import format_percent
from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray

from ..experiment import Experiment
from .findings import Cause

FLAT = 1e-3  # of the largest force: how near samples at the limit are to each other
FEWEST = 20  # samples at the limit
CROWDED = 8.0  # times as many as in the mean of the steps below
ROUNDED = 1e-9  # of the largest force: differences that are rounding of the same reading
LEAST_SHARE = 0.1  # of a misfit, from which on clipped forces are one of its causes
AT_LIMIT = 1e-3  # of the drives' largest force: how near to it the end of a range is


def find_clipped_forces(experiment: Experiment, problem: Problem, relative: FloatArray) -> list[Cause]:
    """Return the drives whose forces end at a limit, those that explain most of a misfit first.

    Parameters
    ----------
    experiment : Experiment
    problem : Problem
        Its zero-phase force equations.
    relative : ndarray, shape (K, n)
        Their residual in units of the noise floor.
    """
    found = []
    for k, (level, width, share) in _find_limits(experiment).items():
        drive = experiment.machine.drives[k]
        near = _find_entered(experiment, problem, k, level - width, 1.0 / experiment.settings.band.cutoff)
        above = relative**2 - 1.0
        misfit = float(np.sum(above))
        explains = float(np.clip(np.sum(above[near, k]) / misfit, 0.0, 1.0)) if misfit > 0.0 else 0.0
        if explains < LEAST_SHARE and not _is_beyond_reading(k, level, experiment.machine):
            continue
        correction = "Move less fast, or raise the range of the current measurement (drive.motor.force_limit)"
        cause = Cause(
            f"saturation_{drive.label}", level, width, drive.force_unit, explains, correction, "saturation",
            detail=f"{format_percent(share)} of the samples",
        )  # fmt: skip
        found.append(cause)
    return sorted(found, key=lambda cause: -cause.explains)


def find_clipped_equations(experiment: Experiment, problem: Problem) -> NDArray[np.bool_]:
    """Return which rows (K, n) of zero-phase equations forces enter that end at a limit, however little."""
    band = experiment.settings.band
    left = np.zeros(problem.equations.measured.shape, dtype=bool)
    for k, (level, width, _) in _find_limits(experiment).items():
        left[:, k] = _find_entered(experiment, problem, k, level - width, 0.5 * band.settling * band.period)
    return left


def _find_limits(experiment: Experiment) -> dict[int, tuple[float, float, float]]:
    """Return `_find_limit` of each drive whose forces end, as recorded; none where nothing is left of that."""
    recorded = [log.force for log in experiment.recorded if log.force is not None]
    if not recorded:  # a stream's samples have passed a low-pass: its channels are watched before that
        return {}
    found = {k: _find_limit(one) for k, one in enumerate(np.concatenate(recorded).T)}
    return {k: limit for k, limit in found.items() if limit is not None}


def _find_limit(force: FloatArray) -> tuple[float, float, float] | None:
    """Return where forces (N,) end, how sharply, and the part of the samples that is there; None: they do not."""
    size = np.abs(force)
    most = float(size.max(initial=0.0))
    step = _compute_resolution(force)
    # of readings in steps, each width holds one of them
    width, top = max(FLAT * most, step), most + 0.5 * step
    at = int(np.count_nonzero(size > top - width))
    below = np.count_nonzero((size > top - 6 * width) & (size <= top - width)) / 5.0
    if most == 0.0 or at < FEWEST or at < CROWDED * max(below, 1.0):
        return None
    return most, width, at / len(size)


def _compute_resolution(force: FloatArray) -> float:
    """Return the least difference between readings (N,) on the side where they are largest; 0 if none differ."""
    side = force if force.max(initial=0.0) >= -force.min(initial=0.0) else -force
    steps = np.diff(np.unique(side[side > 0.0]))
    steps = steps[steps > ROUNDED * side.max(initial=0.0)]
    return float(steps.min()) if len(steps) else 0.0


def _find_entered(
    experiment: Experiment, problem: Problem, drive: int, level: float, reach: float
) -> NDArray[np.bool_]:
    """Return which equations (K,) samples of a drive at its limit enter, `reach` s before and behind them."""
    near = np.zeros(len(problem.log), dtype=bool)
    for number, log in enumerate(experiment.recorded):
        if log.force is None:
            continue
        at = log.time[np.abs(log.force[:, drive]) > level]
        own = np.flatnonzero(problem.log == number)
        first, last = (np.searchsorted(at, problem.equations.time[own] + way) for way in (-reach, reach))
        near[own[last > first]] = True
    return near


def _is_beyond_reading(drive: int, level: float, machine: Machine) -> bool:
    """Return whether what is measured ends at the drives' limit and what they give does not.

    Where both do, as with a gain of 1, the drives may have given no more.
    """
    known = machine.known_forces
    gain = 1.0 if known is None else known.gain[drive]
    end = machine.drives[drive].rated_force * (1.0 - AT_LIMIT)
    return bool(gain * level >= end > level)
