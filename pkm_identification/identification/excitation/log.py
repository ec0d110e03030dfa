# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs of a machine's drives: what it did in them, and the noise of the forces they report.

Positions pass a zero-phase low-pass and central differences. What a low-pass takes out of the forces, above all that a
motion of the drives has, is noise; how much of white noise it takes out is known of its impulse response.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.machines.contract import DEGRADED
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.records.log import read_log, read_logs
from pkm_identification.signals.butterworth import low_pass, zero_phase, zero_phase_response
from pkm_identification.signals.differences import central_differences, stencil
from pkm_identification.signals.input_validation.samples import rows_of

from ..experiment import Experiment
from ..regression.validation import validate_logs
from ..settings import Settings
from .subject import FASTEST, PERIOD, Response, Subject

CUTOFF = 5 * FASTEST  # Hz
_ORDER = 4
_SLOWEST_RATE = 4 * CUTOFF  # Hz


@dataclass(frozen=True)
class LogResponse:
    """One log.

    Attributes
    ----------
    response : Response
        Of the motion in it, every PERIOD.
    noise : ndarray, shape (n,)
        Standard deviation of each reported force, in its unit.
    period : float
        s, of the samples.
    samples : int
    """

    response: Response
    noise: FloatArray
    period: float
    samples: int


def read_responses(
    paths: Sequence[str | Path], subject: Subject, settings: Settings, **how: Any
) -> list[Response]:
    """Return what a machine did in logs, behind the filters of `identify` where these read its logs.

    Raises
    ------
    LogError
        As `identify`.
    """
    machine = subject.machine
    return responses_of_logs(read_logs(paths, machine, **how), subject, settings)


def responses_of_logs(logs: Sequence[DriveLog], subject: Subject, settings: Settings) -> list[Response]:
    """Return what a machine did in each log, behind the filters of `identify`; raises LogError as that."""
    experiment = Experiment.of(logs, subject.machine, settings)
    every = max(1, round(PERIOD / experiment.period))
    return [subject.of_motion(samples.motion[::every]) for samples in experiment.smooth_samples]


def read_log_response(path: str | Path, subject: Subject, **how: Any) -> LogResponse:
    """Return a table as `pkm simulate` writes it: `t`, the drives and their forces by name; its longest segment.

    `how` is as of `read_log`.

    Raises
    ------
    LogError
        If it cannot be read, has no times or too few of them, or leaves the machine's reach.
    """
    machine = subject.machine
    recorded = read_log(path, machine, **how)
    (log,) = validate_logs([recorded], machine, Settings()).logs
    log = rows_of(log, max(segment_slices(log.segment), key=lambda part: part.stop - part.start))
    if log.force is None:
        raise LogError(f"{path}: holds no forces")
    period, count = log.period, log.coordinate.shape[1]
    if 1 / period < _SLOWEST_RATE:
        raise LogError(f"{path}: {1 / period:g} samples a second; at least {_SLOWEST_RATE:g} are needed")
    sections, differences = low_pass(_ORDER, CUTOFF, 1 / period), stencil(period)
    # there the filter's padding shows
    edge = max(differences.reach, round(2 / (CUTOFF * period)))
    every = max(1, round(PERIOD / period))
    values = np.hstack([log.coordinate, log.force])
    if len(log) < 2 * edge + every * len(subject.names):
        raise LogError(f"{path}: {len(log)} samples are too few to determine {len(subject.names)} parameters")
    smooth = zero_phase(sections, values)
    position = smooth[:, :count]
    parts = [position[edge:-edge]]
    for one in central_differences(position, period, differences):
        inner = edge - differences.reach
        parts.append(one[inner : len(one) - inner])
    motion = machine.compute_motion(parts[0][::every], parts[1][::every], parts[2][::every])
    if np.any(motion.status > DEGRADED):
        raise LogError(f"{path}: leaves the reach of '{machine.name}'")
    response = subject.of_motion(motion)
    left = (values - smooth)[edge:-edge, count:]
    noise = np.sqrt(np.mean(left**2, axis=0) / _compute_removed_noise(sections, edge))
    return LogResponse(response, noise, period, len(parts[0]))


def _compute_removed_noise(sections: FloatArray, reach: int) -> float:
    """Return the part of white noise that a low-pass takes out."""
    left = zero_phase_response(sections, 10 * reach)
    return float(1.0 - 2.0 * left[10 * reach] + np.sum(left**2))
