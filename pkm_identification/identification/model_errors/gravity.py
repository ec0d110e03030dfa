# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Gravity from another direction than the machine file has: a base that does not stand level."""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import axes_across, matrix_from_vector

from .effect import Effect, repeat_prior
from .situation import Situation

NAME = "gravity_direction"
TILT = 0.03  # rad, a large one
STEP = 1e-3  # rad


def tilt_gravity(machine: Machine, vector: FloatArray) -> Machine:
    """Return a machine whose gravity is turned by a rotation vector (3,) in rad."""
    change = matrix_from_vector(vector) @ machine.gravity - machine.gravity
    return machine.with_changes({f"gravity.{k}": float(change[k]) for k in np.flatnonzero(change)})


def compute_tilted(situation: Situation, axes: FloatArray | None = None) -> FloatArray:
    """Return what a radian about each of two axes (2, 3) would add; about those across gravity unless given."""
    machine = situation.machine
    columns = [
        situation.of_machine(tilt_gravity(machine, STEP * axis), moved=False) / STEP
        for axis in (axes_across(machine.gravity) if axes is None else axes)
    ]
    return np.stack(columns, axis=2)


def effects(machine: Machine) -> list[Effect]:
    """Return that of the direction of gravity; none where there is no gravity."""
    if not np.any(machine.gravity):
        return []
    return [
        Effect(
            NAME,
            "gravity",
            "rad",
            compute_tilted,
            repeat_prior(TILT, 2),
            "Level the base, set gravity in the machine file, or estimate it with --also {name}",
            parts=(f"{NAME}_1", f"{NAME}_2"),
        )
    ]
