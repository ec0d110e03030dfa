# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What joints that are elsewhere add to the forces of any machine's bodies."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from pkm_identification.errors import MachineError
from pkm_identification.numerics.arrays import FloatArray

from .contract import Machine, Motion

STEP = 1e-4  # of half the machine's size, for differences


def compute_place_slopes(
    machine: Machine, motion: Motion, values: FloatArray, paths: Sequence[str]
) -> FloatArray:
    """Return what a metre of each joint coordinate adds to the forces of basis values (B,), (N, n, q).

    By the machine's own `compute_place_slopes` where it has one that closes no changed machine.
    """
    own = getattr(machine, "compute_place_slopes", None)
    return (
        differentiate_by_places(machine, motion, values, paths) if own is None else own(motion, values, paths)
    )


def differentiate_by_places(
    machine: Machine, motion: Motion, values: FloatArray, paths: Sequence[str]
) -> FloatArray:
    """Return the same by machines that are changed and closed anew."""
    step, nearby = STEP * 0.5 * machine.size, machine.create_neighbour_solver(motion)
    drives = (motion.coordinate, motion.rate, motion.acceleration)
    rigid = machine.compute_forces(motion, values)
    forces = [
        moved.compute_forces(nearby(moved, *drives), values)
        for moved in _move_joints(machine, tuple(paths), step)
    ]
    return (np.stack(forces, axis=2) - rigid[:, :, None]) / step


@lru_cache(maxsize=4)  # columns are made anew with each choice of causes, of the same machine
def _move_joints(machine: Machine, paths: tuple[str, ...], step: float) -> tuple[Machine, ...]:
    return tuple(_move_joint(machine, path, step) for path in paths)


def _move_joint(machine: Machine, path: str, step: float) -> Machine:
    """Return the machine with a joint coordinate changed; as it is where no loop closes with it, so that it is none."""
    try:
        return machine.with_changes({path: step})
    except MachineError:
        return machine
