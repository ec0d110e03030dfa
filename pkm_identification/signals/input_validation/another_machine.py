# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whether a log can be of a machine at all: raw logs name none, but their coordinates must be within its reach."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.machines.capabilities import EnumeratedModes, has
from pkm_identification.machines.contract import FAILED, Machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import representative_rows

from .settings import ValidationSettings
from .stream import InputValidator

_LOOKED_AT = 500  # samples, over all of the log
# A file may state limits a little narrower than the machine's own, and encoders have faults: that is no other machine.
_BEYOND = 0.02  # of the stroke
_SHARE = 0.02  # of the samples
_TRIED = 50  # samples, in every order of their columns


def refuse_another_machine(log: DriveLog, machine: Machine) -> None:
    """Refuse a log whose coordinates a machine cannot have had.

    Parameters
    ----------
    log : DriveLog
        Before input validation, which drops what is outside the limits.
    machine : Machine

    Raises
    ------
    LogError
        If more than a fiftieth of the samples are outside the drives' limits by more than a fiftieth of their
        strokes, or have no pose in any order of their columns: names the share.
    """
    found = _find_impossible_share(log.coordinate, machine)
    if found is None:
        return
    # rows of something else among a machine's own jump away and back
    continued = _remove_jumps(log, machine)
    found = _find_impossible_share(continued, machine) if len(continued) else found
    if found is None:
        return
    share, what = found
    finite = continued[np.isfinite(continued).all(axis=1)] if len(continued) else log.coordinate
    hint = ""
    if len(finite):
        low, high = _limits(machine)
        # below the lowest, by no more than a drive's own length: what an encoder reports that is zero at its end
        below = np.all(finite.max(axis=0) < high) and np.any(finite < low)
        if below and np.all(np.ptp(finite, axis=0) <= high - low):
            hint = (
                "; strokes instead of lengths? give --at-zero with the coordinate, m or rad, where they are 0"
            )
    raise LogError(
        f"{log.source}: machine '{machine.name}' does not fit this log: {100 * share:.3g} % of its samples have "
        f"{what}{hint}"
    )


def _limits(machine: Machine) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and the highest coordinates (n,) of the drives."""
    drives = machine.drives
    return np.array([drive.lowest for drive in drives]), np.array([drive.highest for drive in drives])


def _find_impossible_share(coordinate: FloatArray, machine: Machine) -> tuple[float, str] | None:
    """Return which part of coordinates (N, n) the machine cannot have, and in words what they are; None of few."""
    coordinates = representative_rows(coordinate)
    coordinates = coordinates[np.isfinite(coordinates).all(axis=1)]
    if not len(coordinates):
        return None
    coordinates = coordinates[:: -(-len(coordinates) // _LOOKED_AT)]
    low, high = _limits(machine)
    room = _BEYOND * np.where(np.isfinite(high - low), high - low, 0.0)
    outside = np.maximum(low - coordinates, coordinates - high) > room
    share = float(np.mean(outside.any(axis=1)))
    if share > _SHARE:
        worst = int(np.argmax(outside.mean(axis=0)))
        drive = machine.drives[worst]
        return share, (
            f"{drive.name} outside {drive.lowest:g} to {drive.highest:g} {drive.unit} "
            f"({coordinates[:, worst].min():.4g} to {coordinates[:, worst].max():.4g})"
        )
    if not has(machine, EnumeratedModes):  # whose reach from anywhere is known
        return None
    share = _count_without_pose(machine, coordinates)
    # coordinates in the columns of other drives are another fault, which is found and set right
    few = coordinates[:: -(-len(coordinates) // _TRIED)]
    orders = permutations(range(coordinates.shape[1]))
    if share <= _SHARE or any(_count_without_pose(machine, few[:, order]) <= _SHARE for order in orders):
        return None
    return share, "lengths that no pose of this machine has"


def _remove_jumps(log: DriveLog, machine: Machine) -> FloatArray:
    """Return the coordinates (M, n) of the rows that continue those before them, wherever they are."""
    steps = np.diff(log.time)
    steps = steps[np.isfinite(steps) & (steps > 0.0)]
    if not len(steps):
        return log.coordinate
    anywhere = tuple(replace(drive, lowest=-np.inf, highest=np.inf) for drive in machine.drives)
    validation = InputValidator(ValidationSettings(period=float(np.median(steps)), drives=anywhere))
    validated = validation.validation(replace(log, force=None))
    return validated.coordinate[~validated.filled]


def _count_without_pose(machine: Machine, coordinate: FloatArray) -> float:
    """Return which part of coordinates (N, n) no pose has."""
    still = np.zeros_like(coordinate)
    return float(np.mean(machine.compute_motion(coordinate, still, still).status == FAILED))
