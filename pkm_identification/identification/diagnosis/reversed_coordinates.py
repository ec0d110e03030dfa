# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Coordinates of the other sign: an encoder that counts backwards, or a joint's axis that points the other way.

In the second case the force has the other sign as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pkm_identification.machines.contract import DEGRADED, Drive, Machine
from pkm_identification.mechanisms.friction import friction_columns
from pkm_identification.numerics.arrays import FloatArray

from ..full_model.equations import FullEquations
from ..model_errors.log_rows import LogRows
from .findings import Cause

NAME = "coordinate_sign"
ROOM = 0.1  # of the stroke: so far beyond its limits a coordinate of the right sign may be


def list_reversals(full: FullEquations) -> Iterator[FloatArray]:
    """Yield signs of the coordinates (n,): of each drive alone and of all, where limits allow the other sign."""
    drives = full.machine.drives
    coordinate = np.concatenate([rows.thin_drives.coordinate for rows in full.rows])
    possible = np.array([_is_within(-one, drive) for one, drive in zip(coordinate.T, drives, strict=True)])
    for k in np.flatnonzero(possible):
        yield np.where(np.arange(len(drives)) == k, -1.0, 1.0)
    if len(drives) > 1 and possible.all():
        yield -np.ones(len(drives))


def _is_within(coordinate: FloatArray, drive: Drive) -> bool:
    stroke = drive.highest - drive.lowest
    room = ROOM * stroke if np.isfinite(stroke) else 0.0
    inside = (coordinate > drive.lowest - room) & (coordinate < drive.highest + room)
    return bool(len(coordinate) and np.mean(inside) > 0.5)


def describe_reversal(drives: Sequence[Drive], sign: FloatArray, with_force: bool) -> Cause:
    """Return coordinates of these signs (n,), and their forces with them where the axes are reversed, as a cause."""
    which = [drive for drive, one in zip(drives, sign, strict=True) if one < 0.0]
    one = len(which) == 1
    name = f"{NAME}_{which[0].label}" if one else NAME
    what = "coordinate" if one else "coordinates"
    if with_force:
        correction = (
            f"Reverse the sign of {'both' if one else 'coordinates and forces'} in the log, or turn the "
        )
        correction += f"{'axis' if one else 'axes'} round in the machine file"
        return Cause(
            name,
            -1.0,
            0.0,
            "",
            0.0,
            correction,
            NAME,
            f"and so {'has its force' if one else 'have the forces'}",
        )
    return Cause(name, -1.0, 0.0, "", 0.0, f"Reverse the sign of {'that' if one else 'all'} {what}", NAME)


def reverse_coordinates(full: FullEquations, sign: FloatArray) -> FloatArray | None:
    """Return the columns (K, n, T) where coordinates have these signs (n,); None where the machine cannot move so."""
    machine, columns = full.machine, full.columns.copy()
    of_bodies = np.flatnonzero(np.any([np.any(one, axis=1) for one in machine.rows_of_bodies], axis=0))
    mapping = np.eye(full.basis)[:, of_bodies]
    made = [_compute_bodies(rows, machine, sign, mapping) for rows in full.rows]
    bodies = [one for one in made if one is not None]
    if len(bodies) < len(made):
        return None
    columns[:, :, of_bodies] = np.concatenate(bodies)
    for k in map(int, np.flatnonzero(sign < 0.0)):
        law = machine.friction[k]
        entries = machine.friction_rows[: len(law.law.coefficients), k]
        columns[:, :, entries] = np.concatenate([_compute_friction(rows, machine, k) for rows in full.rows])
    return columns


def _compute_bodies(
    rows: LogRows, machine: Machine, sign: FloatArray, mapping: FloatArray
) -> FloatArray | None:
    drives = rows.thin_drives
    motion = machine.compute_motion(sign * drives.coordinate, sign * drives.rate, sign * drives.acceleration)
    if np.any(motion.status > DEGRADED):
        return None
    return rows.thin_in_band(machine.compute_regressor(motion, mapping))


def _compute_friction(rows: LogRows, machine: Machine, k: int) -> FloatArray:
    terms = friction_columns(-rows.motion.rate[:, k], machine.friction[k]).T
    felt = np.zeros((*rows.motion.rate.shape, terms.shape[1]))
    felt[:, k] = terms
    return rows.in_band(felt)
