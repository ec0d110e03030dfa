# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Drive conversion: encoder counts and motor currents to coordinates and forces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from pkm_identification.errors import LogError
from pkm_identification.machines.contract import Drive
from pkm_identification.numerics.arrays import FloatArray

RAW = "raw counts and currents"


def convert_counts(
    drives: Sequence[Drive], counts: ArrayLike, machine: str, source: str = "log"
) -> FloatArray:
    """Return coordinates (N, n) in m or rad of encoder counts (N, n).

    Parameters
    ----------
    drives : sequence of Drive
        Whose file states their encoders.
    counts : array_like, shape (N, n)
        What is not finite stays so: input validation drops and counts it.
    machine, source : str
        Its name, empty where none is known, and where the samples came from, for messages.

    Raises
    ------
    LogError
        If the file does not state the encoders.
    """
    step = np.array([drive.resolution for drive in drives])
    if not step.all():
        raise LogError(_need(RAW, "encoder", machine, source))
    # files state counts by metre or radian, numbers of few digits, of which the step is the reciprocal
    per_unit = np.array([float(f"{1.0 / one:.14g}") for one in step])
    return np.array([drive.zero for drive in drives]) + np.asarray(counts, dtype=float) / per_unit


def convert_currents(
    drives: Sequence[Drive], current: ArrayLike, machine: str, source: str = "log", what: str = RAW
) -> FloatArray:
    """Return forces (N, n) in N or N m of motor currents (N, n) in A; parameters as of `convert_counts`.

    Oh 2003, l.16242-43, 16312-13: motor current times torque constant times the transmission of gearbox and ball screw.

    Raises
    ------
    LogError
        If the file does not state the motors, or the currents are those of valves, which are no forces.
    """
    for number, drive in enumerate(drives, 1):
        if drive.valve:
            raise LogError(
                f"{source}: currents are no measurement of force: drive {number} of machine '{machine}' is of type "
                f"'{drive.valve}', whose current opens a valve; log its forces in N, from pressures or a force sensor"
            )
    factor = np.array([drive.reported.per_ampere for drive in drives])
    if not np.isfinite(factor).all():
        raise LogError(_need(what, "motor", machine, source))
    return np.asarray(current, dtype=float) * factor


def _need(what: str, part: str, machine: str, source: str) -> str:
    if not machine:
        return f"{source}: {what} need a machine with the key 'drive'"
    return f"{source}: {what} need the key 'drive.{part}' in the description of machine '{machine}', which has none"
