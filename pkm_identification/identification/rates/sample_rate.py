# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The sample period of logs: measured, compared with the drive's and with each other's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.machines.contract import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import chosen_rows
from pkm_identification.signals.input_validation import ValidationSettings
from pkm_identification.signals.rate import RATE_ERROR
from pkm_identification.signals.steady_period import period_of_stamps

from ..regression.limits import apply_validation

RATE_WARNING = 0.02  # of the stated rate
MOST_SAME = 0.9  # of the steps between stamps; more of none are no stamps that came twice but rounded ones
MOST_NAMED = 4  # columns of forces in a sentence
FEWEST_STEPS = 20  # between stamps, to measure a period from
MOST_PASSES = 3  # of input validation, to find the period of the rows that it lets pass
ROUNDING = 1e-9  # relative difference of periods below which they differ by rounding alone
SAME_RATE = 0.01  # relative difference up to which two logs run at one rate


def compute_estimated_period(
    log: DriveLog, machine: Machine, validation: ValidationSettings | None = None, hold: float = 1.0
) -> tuple[float, str | None]:
    """Return the sample period in s of the rows that pass validation, and a warning when the drive states another.

    The measured one where stamps show clearly that it is not the stated one.

    Parameters
    ----------
    log : DriveLog
    machine : Machine
    validation : ValidationSettings, optional
        What decides which rows are used.
    hold : float
        Samples of the drive in one of the log, where values were held and the repeats are left out.

    Raises
    ------
    LogError
        If the log is too short or its rate is off by 20 % or more.
    """
    steps = np.diff(log.time)
    steps = steps[np.isfinite(steps) & (steps > 0)]
    if len(steps) < FEWEST_STEPS < len(log):
        raise LogError(
            f"{log.source}: time goes forward at {len(steps)} of {len(log)} samples, fewer than {FEWEST_STEPS}"
            f"{_describe_rounding(log.time, steps)}"
        )
    if len(steps) < FEWEST_STEPS:
        raise LogError(
            f"{log.source}: {len(log)} samples are too few to identify anything; at least {FEWEST_STEPS + 1} are needed"
        )
    near = float(np.median(steps, overwrite_input=True))
    del steps  # of a log of hours there is not to be one array more than needed
    nominal = None if machine.sample_rate is None else hold / machine.sample_rate
    stamps, near = _read_used_stamps(log, machine, validation or ValidationSettings(), near, nominal)
    if nominal is None:
        return period_of_stamps(stamps, near, ROUNDING), None
    # a median that is far off is that of a log of holes, which are no samples
    period = near if abs(near / nominal - 1.0) >= RATE_ERROR else period_of_stamps(stamps, nominal)
    off = abs(period / nominal - 1.0)
    if off >= RATE_ERROR:
        raise LogError(
            f"{log.source}: samples come at {1 / period:.4g} Hz, machine '{machine.name}' states {1 / nominal:.4g} Hz; "
            f"set sample_rate: {1 / period:.4g} in the machine file if the log was recorded so, else correct its "
            "stamps (the file of a machine that is built in: pkm export --machine NAME --out FILE)"
        )
    if off >= RATE_WARNING:
        return period, (
            f"{log.source}: samples come at {1 / period:.4g} Hz instead of {1 / nominal:.4g} Hz; "
            "the measured rate is used"
        )
    return period, None


def _describe_rounding(time: FloatArray, steps: FloatArray) -> str:
    """Return what to do where stamps are written with so few digits that many samples have the same; else nothing."""
    if not len(steps) or float(np.mean(np.diff(time) == 0.0)) < MOST_SAME:
        return ""
    return (
        f"; all others have the stamp of the one before, in steps of {np.min(steps):.3g} s: write time with more "
        "digits, or from the log's beginning, or give --rate HZ"
    )


def _read_used_stamps(
    log: DriveLog, machine: Machine, validation: ValidationSettings, near: float, nominal: float | None
) -> tuple[FloatArray, float]:
    """Return the stamps in s of the rows that pass input validation, and the median of their steps.

    Input validation needs a period, and what it drops changes the median: asked again until that stays. All stamps
    where input validation leaves too few, as it does of a log in another unit.
    """
    for _ in range(MOST_PASSES):
        given = nominal if nominal is not None and abs(near / nominal - 1.0) < RATE_ERROR else near
        validated = apply_validation(log, machine, validation.resolve(machine, given))
        stamps = (
            chosen_rows(validated.time, ~validated.filled) if validated.counts["filled"] else validated.time
        )
        del validated
        steps = np.diff(stamps)
        steps = steps[steps > 0]
        if len(steps) < FEWEST_STEPS:
            break
        before, near = near, float(np.median(steps, overwrite_input=True))
        if abs(near / before - 1.0) < RATE_ERROR:
            return stamps, near
    return log.time, near


def _list_forces(machine: Machine) -> str:
    """Return the names of the drives' forces, of many the first and the last."""
    names = [drive.force_name for drive in machine.drives]
    return ", ".join(names if len(names) <= MOST_NAMED else [names[0], "...", names[-1]])


def _suggest_force_source(machine: Machine) -> str:
    """Return where forces can come from, of drives that do not report them by their currents."""
    kinds = dict.fromkeys(actuator.type for actuator in machine.actuators or () if actuator.has_valve)
    return f"; drives of type {', '.join(kinds)} need pressures or a force sensor" if kinds else ""


def compute_common_period(
    logs: Sequence[DriveLog],
    machine: Machine,
    validation: ValidationSettings | None = None,
    holds: Sequence[float] | None = None,
) -> tuple[float, tuple[str, ...]]:
    """Return the sample period in s of logs of one experiment, and warnings; parameters: `compute_estimated_period`.

    Raises
    ------
    LogError
        If a log holds no forces, runs at a wrong rate or at another than the first.
    """
    period, warnings = 0.0, []
    for log, hold in zip(logs, holds or [1.0] * len(logs), strict=True):
        if log.force is None:
            raise LogError(
                f"{log.source}: holds no forces; identification needs {_list_forces(machine)}, by these names or by "
                f"--columns{_suggest_force_source(machine)}"
            )
        own, warning = compute_estimated_period(log, machine, validation, hold)
        period = period or own
        if abs(own / period - 1.0) > SAME_RATE:
            raise LogError(
                f"{log.source}: samples come at {1 / own:.4g} Hz, the first log's at {1 / period:.4g} Hz; "
                "identify them separately"
            )
        if warning:
            warnings.append(warning)
    return period, tuple(warnings)
