# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What force sensors seldom do, allowed for where a model does not fit: shapes, dead bands, cross-talk."""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray

from .effect import LARGEST_SHARE, Effect, name_drives, repeat_prior, typical_force
from .geometry import compute_friction
from .situation import Situation, diagonal

SQUARE, CUBE, DEAD_BAND, CROSS_TALK = "force_square", "force_cube", "force_dead_band", "force_cross_talk"
LARGE = (
    0.01  # of a typical force: linearity, symmetry and cross-talk of force sensors and of torque constants
)
DEAD = 0.05  # of a typical force: a dead band that is small


def _find_relative(situation: Situation) -> FloatArray:
    """Return the forces that act (N, n), as estimated, over typical ones: what sensors make of them is reported."""
    friction = compute_friction(situation, situation.rows.motion.rate)
    return (situation.at_all_samples(situation.rigid) + friction) / typical_force(situation.machine)


def _build_shape(situation: Situation, shape: FloatArray) -> FloatArray:
    """Return columns (K, n, n) of a shape (N, n) in typical forces."""
    return diagonal(situation.rows.in_band(shape * typical_force(situation.machine)))


def compute_square(situation: Situation) -> FloatArray:
    """Return what a force that is larger by a share of itself at a typical one would add, (K, n, n)."""
    force = _find_relative(situation)
    return _build_shape(situation, force * np.abs(force))


def compute_cube(situation: Situation) -> FloatArray:
    """Return the same of a share that grows with the force's square, (K, n, n)."""
    return _build_shape(situation, _find_relative(situation) ** 3)


def compute_dead_band(situation: Situation) -> FloatArray:
    """Return what a small dead band would add per typical force of it, (K, n, n)."""
    return compute_dead_band_at(situation, np.full(len(situation.machine.drives), DEAD))


def compute_dead_band_at(situation: Situation, bands: FloatArray) -> FloatArray:
    """Return the same of dead bands (n,) of so many typical forces: a smaller force is reported as none."""
    force, width = _find_relative(situation), np.abs(bands)
    return _build_shape(situation, -np.clip(force, -width, width) / width)


def compute_cross_talk(situation: Situation) -> FloatArray:
    """Return what each channel would have of each other one, (K, n, n (n - 1)), by channel."""
    predicted = situation.predicted
    count = predicted.shape[1]
    pairs = [(k, j) for k in range(count) for j in range(count) if j != k]
    columns = np.zeros((*predicted.shape, len(pairs)))
    for column, (k, j) in enumerate(pairs):
        columns[:, k, column] = predicted[:, j]
    return columns


def effects(machine: Machine) -> list[Effect]:
    """Return those that a machine's sensors can have."""
    count = len(machine.drives)
    labels = [drive.label for drive in machine.drives]
    shapes = ((SQUARE, compute_square), (CUBE, compute_cube), (DEAD_BAND, compute_dead_band))
    found = [
        Effect(
            name,
            "gain",
            "",
            columns,
            repeat_prior(LARGE, count),
            "Calibrate the forces",
            name_drives(name, machine),
            secant=compute_dead_band_at if name == DEAD_BAND else None,
            largest=LARGEST_SHARE,
        )
        for name, columns in shapes
    ]
    if count > 1:
        pairs = tuple(f"{CROSS_TALK}_{one}_{other}" for one in labels for other in labels if one != other)
        talk = Effect(
            CROSS_TALK, "gain", "", compute_cross_talk, repeat_prior(LARGE, len(pairs)), "Calibrate the forces",
            parts=pairs, largest=LARGEST_SHARE,
        )  # fmt: skip
        found.append(talk)
    return found
