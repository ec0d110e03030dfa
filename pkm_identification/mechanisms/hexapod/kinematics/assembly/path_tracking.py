# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A root followed while the lengths change, in steps that are proved to stay on it (see `study`)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import invert8

from .study_quadrics import Quadrics, curvature, derivative, newton_step, quadrics

# eta K of a step, below the theorem's 1/2
STEP = 0.45
# eta K left before the next step is taken
SETTLED = 0.02
MAX_STEPS = 5000
# shortest step, as a part of the way
SHORTEST = 1e-7


class PathWork(NamedTuple):
    """Room for following a root: matrices (8, 8), vectors (8,)."""

    matrix: FloatArray
    inverse: FloatArray
    elimination: FloatArray
    step: FloatArray
    between: FloatArray


@kernel
def path_work():
    """Room for `follow`."""
    return PathWork(np.empty((8, 8)), np.empty((8, 8)), np.empty((8, 8)), np.empty(8), np.empty(8))


@kernel
def follow(form, gram, z, begin, end, work):
    """Follow the root z (8,) in place from constants `begin` to `end`: (fraction reached, steps)."""
    matrix, inverse, step, between = work.matrix, work.inverse, work.step, work.between
    t = 0.0
    direction = np.empty(8)
    for i in range(8):
        between[i] = begin[i]
        if not np.isfinite(end[i]):
            return 0.0, 0
    for count in range(MAX_STEPS):
        bound = 0.0
        # settle on the path at t
        for _ in range(8):
            derivative(form, z, matrix)
            if not invert8(matrix, inverse, work.elimination):
                return t, count
            bound = curvature(inverse, gram)
            eta = newton_step(matrix, inverse, z, between, step)
            if eta * bound <= SETTLED:
                break
            for k in range(8):
                z[k] += step[k]
        if not eta * bound <= SETTLED:
            return t, count
        if t >= 1.0:
            for k in range(8):
                z[k] += step[k]
            return 1.0, count
        speed = 0.0
        for k in range(8):
            total = 0.0
            for i in range(8):
                total += inverse[k, i] * (end[i] - begin[i])
            direction[k] = total
            speed += total * total
        advance = (STEP / bound - eta) / np.sqrt(speed) if speed > 0.0 else 1.0
        if advance >= 1.0 - t:
            advance = 1.0 - t
        elif advance < SHORTEST:
            return t, count
        t = t + advance
        if t > 1.0 - 1e-15:
            t = 1.0
        for i in range(8):
            between[i] = begin[i] + t * (end[i] - begin[i])
        for k in range(8):
            z[k] += step[k] + advance * direction[k]
    return t, MAX_STEPS


def machine_quadrics(machine: Machine) -> Quadrics:
    """Return the quadrics of a machine's geometry, in units of its length scale."""
    return _evaluate_quadrics(
        machine.base_joints.tobytes(), machine.platform_joints.tobytes(), machine.length_scale
    )


@lru_cache(maxsize=64)
def _evaluate_quadrics(base: bytes, platform: bytes, scale: float) -> Quadrics:
    return quadrics(np.frombuffer(base).reshape(6, 3), np.frombuffer(platform).reshape(6, 3), scale)
