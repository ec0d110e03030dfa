# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The states everybody is timed on: a rich motion at 1 kHz and random states of the workspace."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.rotation import matrix_from_vector
from pkm_identification.simulation.trajectories import trajectory

PERIOD = 1e-3  # s


def along_path(machine: Machine, count: int, start: float = 2.0) -> PlatformMotion:
    """The built-in motion of all six axes, one sample each millisecond."""
    time = start + PERIOD * np.arange(count, dtype=np.float64)
    return trajectory("rich", machine, start + count * PERIOD + 2.0).motion(time)


def scattered(machine: Machine, count: int, seed: int = 0) -> PlatformMotion:
    """Random poses within the length limits, with random twists and accelerations of a fast machine."""
    rng = np.random.default_rng(seed)
    low, high = machine.length_limits
    positions, rotations, found = [], [], 0
    while found < count:
        position = machine.home_position + rng.uniform(-0.08, 0.08, (2 * count, 3))
        rotation = matrix_from_vector(rng.uniform(-0.35, 0.35, (2 * count, 3))) @ machine.home_rotation
        length = strut_lengths(machine, position, rotation)
        inside = np.all((length > low) & (length < high), axis=1)
        positions.append(position[inside])
        rotations.append(rotation[inside])
        found += int(inside.sum())
    return PlatformMotion(
        PERIOD * np.arange(count, dtype=np.float64),
        np.concatenate(positions)[:count],
        np.concatenate(rotations)[:count],
        rng.normal(0.0, [0.3] * 3 + [1.0] * 3, (count, 6)),
        rng.normal(0.0, [5.0] * 3 + [20.0] * 3, (count, 6)),
    )


def rows(motion: PlatformMotion) -> list[PlatformMotion]:
    """The samples one by one, each as a motion of its own."""
    return [
        PlatformMotion(
            motion.time[n : n + 1],
            motion.position[n : n + 1],
            motion.rotation[n : n + 1],
            motion.twist[n : n + 1],
            motion.acceleration[n : n + 1],
        )
        for n in range(len(motion))
    ]
