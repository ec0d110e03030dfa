# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A mechanism followed sample by sample: the kernels of one row, warm from the last good one."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.mechanisms.multibody.joint_friction import joint_friction_columns
from pkm_identification.mechanisms.multibody.kernels.closing import (
    NO_PIVOT,
    ClosedSamples,
    ClosingLimits,
    Readings,
    close,
    compute_complete_motion,
)
from pkm_identification.mechanisms.multibody.kernels.dynamics import PARAMETERS, fill_regressor
from pkm_identification.mechanisms.multibody.kinematics import MechanismMotion, task_side
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.structure.model import Model
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

from .contract import DEGRADED, FAILED, OK, OTHER_MODE
from .motions import split_states

# Of the closing kernel's OK, DEGRADED, FAILED, SINGULAR, OTHER_MODE
CLOSED_STATUS = np.array([OK, DEGRADED, FAILED, FAILED, OTHER_MODE], dtype=np.uint8)
MappingParts = tuple[Any, FloatArray, Any]  # of `Multibody.split_mapping`


@kernel
def map_forces(rigid, acceleration, entries, along, written):
    """Write forces (N, n, P) of the bodies' regressor (N, n, R) and the inertia along the drives, in one pass."""
    rows, columns, weights = entries
    count, drives, width = written.shape
    for m in range(count):
        for i in range(drives):
            for p in range(width):
                written[m, i, p] = along[i, p] * acceleration[m, i]
            for e in range(rows.size):
                written[m, i, columns[e]] += weights[e] * rigid[m, i, rows[e]]


@kernel
def follow(parts, chosen, turned, limits, coordinate, rate, acceleration, before, row):
    """Write the state (S,) of a mechanism from its drives' motion (n,) and the state before it, in one call.

    `parts` are those of a `Model`, `limits` those of `ClosingLimits`: as plain tuples they cost a third. Returns the
    closing kernel's status, its residual, and the pivot of what moves; without a closed motion nothing is written.
    """
    model, count = Model(*parts), coordinate.size
    first = row.size - 2 * model.velocity.shape[0]
    drives, start = np.empty((3, 1, count)), np.empty((1, first))
    for i in range(count):
        drives[0, 0, i], drives[1, 0, i], drives[2, 0, i] = coordinate[i], rate[i], acceleration[i]
    for k in range(first):
        start[0, k] = before[k]
    none = np.zeros(1, dtype=np.int64)
    closed = ClosedSamples(np.zeros((1, first)), none, none.copy(), np.zeros(1), np.zeros(1))
    close(model, chosen, count, drives[0], turned, start, ClosingLimits(*limits), closed)
    pivot, nothing = np.zeros(1), np.zeros((1, 0))
    status = closed.status[0]
    if status <= DEGRADED:  # a code of both, kernel and contract
        moved = np.zeros((2, 1, model.velocity.shape[0]))
        readings = Readings(np.zeros(0, dtype=np.int64), nothing, nothing, nothing)
        compute_complete_motion(
            model, chosen, closed.configuration, drives[1], drives[2], moved[0], moved[1], pivot, readings
        )
        row[:first], row[first:] = closed.configuration[0], moved.ravel()
    return status, closed.residual[0], pivot[0]


@kernel
def write_rows(parts, chosen, row, acceleration, entries, along, rigid, written):
    """Write the columns (n, P) of a state (S,) of a mechanism; whether they are numbers. `rigid` is (1, n, R)."""
    model, count = Model(*parts), acceleration.size
    velocities = model.velocity.shape[0]
    first = row.size - 2 * velocities
    q, moved = np.empty((1, first)), np.empty((2, 1, velocities))
    q[0], moved[0, 0], moved[1, 0] = row[:first], row[first : first + velocities], row[first + velocities :]
    pivot, driven = np.zeros(1), np.empty((1, count))
    driven[0] = acceleration
    fill_regressor(model, chosen, count, q, moved[0], moved[1], rigid, pivot)
    map_forces(rigid, driven, entries, along, np.expand_dims(written, 0))
    total = 0.0
    for value in written.flat:
        total += value
    return abs(pivot[0]) >= NO_PIVOT and np.isfinite(total)


class MultibodyTracker:
    """See `contract.Tracker`: the kernels of one row, with all that does not change made once."""

    def __init__(self, mechanism: Mechanism, mapping: MappingParts) -> None:
        self._mechanism = mechanism
        self._count = mechanism.degrees_of_freedom
        self._parts, chosen = tuple(mechanism.model), mechanism.task_rows("drives")
        limits = tuple(map(float, mechanism.limits(task_side(mechanism, "drives"))))
        self._followed = self._parts, chosen, np.eye(3)[None], limits
        tree = mechanism.tree
        self.shapes = (tree.coordinates,), (tree.velocities,), (tree.velocities,)
        self._mapping = mapping
        self._room = np.zeros((1, self._count, PARAMETERS * len(mechanism.description.bodies)))
        self.reset()

    def reset(self) -> None:
        self.row = np.zeros(sum(shape[0] for shape in self.shapes))
        self.row[: self.shapes[0][0]] = self._mechanism.home
        self._acceleration = np.zeros(self._count)
        self.residual, self.message = 0.0, ""

    @property
    def state(self) -> tuple[FloatArray, ...]:
        return split_states(self.row[None], self.shapes)

    def step(self, coordinate: FloatArray, rate: FloatArray, acceleration: FloatArray) -> int:
        row = np.empty(len(self.row))
        closed, self.residual, pivot = follow(*self._followed, coordinate, rate, acceleration, self.row, row)
        status = int(CLOSED_STATUS[closed])
        if status > DEGRADED:
            known = status == OTHER_MODE
            self.message = (
                "another assembly mode" if known else f"no motion closes (error {self.residual:.2e})"
            )
            return status
        if abs(pivot) < NO_PIVOT:
            self.message = "a singular configuration"
            return FAILED
        self.message = "near a singular configuration" if status == DEGRADED else ""
        self.row, self._acceleration = row, acceleration
        return status

    def take(self, row: FloatArray, acceleration: FloatArray) -> None:
        self.row, self._acceleration = row, acceleration

    def write_columns(self, written: FloatArray) -> bool:
        sparse, along, passive = self._mapping
        good = write_rows(
            self._parts, self._followed[1], self.row, self._acceleration, sparse, along, self._room, written
        )
        if passive is None:
            return good
        q, velocity, acceleration = self.state
        moved = MechanismMotion(q, velocity, acceleration, None, None, None)
        written += joint_friction_columns(self._mechanism, moved)[0] @ passive
        return good and bool(np.isfinite(written).all())
