# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""A mechanism followed sample by sample: the kernels of one row, warm from the last good one."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.mechanisms.multibody.joint_friction import joint_friction_columns
from pkm_identification.mechanisms.multibody.kernels.closing import NO_PIVOT, Readings, close, complete_motion
from pkm_identification.mechanisms.multibody.kernels.dynamics import PARAMETERS, fill_regressor
from pkm_identification.mechanisms.multibody.kinematics import MechanismMotion, task_side
from pkm_identification.mechanisms.multibody.mechanism import Mechanism, room_to_close
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

from .contract import DEGRADED, FAILED, OK, OTHER_MODE, split_states

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


class MultibodyTracker:
    """See `contract.Tracker`: the kernels of one row, with all that does not change made once."""

    def __init__(self, mechanism: Mechanism, mapping: MappingParts) -> None:
        count = mechanism.degrees_of_freedom
        self._mechanism, self._chosen = mechanism, mechanism.task_rows("drives")
        self._limits = mechanism.limits(task_side(mechanism, "drives"))
        nothing = np.zeros((1, 0))
        self._no_readings = Readings(np.zeros(0, dtype=np.int64), nothing, nothing, nothing)
        tree = mechanism.tree
        self.shapes = (tree.coordinates,), (tree.velocities,), (tree.velocities,)
        self._ends = tree.coordinates, tree.coordinates + tree.velocities
        self._turned = np.eye(3)[None]
        self._mapping = mapping
        self._count = count
        self._room = np.zeros((1, count, PARAMETERS * len(mechanism.description.bodies)))
        self.reset()

    def reset(self) -> None:
        self.row = np.zeros(sum(shape[0] for shape in self.shapes))
        self.row[: self._ends[0]] = self._mechanism.home
        still = np.zeros((1, self._count))
        self._acceleration = still
        self.residual, self.message = 0.0, ""

    @property
    def state(self) -> tuple[FloatArray, ...]:
        return split_states(self.row[None], self.shapes)

    def step(self, coordinate: FloatArray, rate: FloatArray, acceleration: FloatArray) -> int:
        mechanism, (first, second) = self._mechanism, self._ends
        closed = room_to_close(mechanism, 1)
        drives = coordinate[None], rate[None], acceleration[None]
        close(
            mechanism.model, self._chosen, self._count, drives[0], self._turned, self.row[None, :first],
            self._limits, closed,
        )  # fmt: skip
        status = int(CLOSED_STATUS[closed.status[0]])
        self.residual = float(closed.residual[0])
        if status > DEGRADED:
            known = status == OTHER_MODE
            self.message = (
                "another assembly mode" if known else f"no motion closes (error {self.residual:.2e})"
            )
            return status
        row, pivot = np.zeros(len(self.row)), np.zeros(1)
        row[:first] = closed.configuration[0]
        complete_motion(
            mechanism.model, self._chosen, closed.configuration, drives[1], drives[2], row[None, first:second],
            row[None, second:], pivot, self._no_readings,
        )  # fmt: skip
        if abs(pivot[0]) < NO_PIVOT:
            self.message = "a singular configuration"
            return FAILED
        self.message = "near a singular configuration" if status == DEGRADED else ""
        self.row, self._acceleration = row, drives[2]
        return status

    def take(self, row: FloatArray, acceleration: FloatArray) -> None:
        self.row, self._acceleration = row, acceleration[None]

    def write_columns(self, written: FloatArray) -> bool:
        mechanism, (first, second) = self._mechanism, self._ends
        q, velocity, acceleration = (
            self.row[None, :first],
            self.row[None, first:second],
            self.row[None, second:],
        )
        rigid, pivot = self._room, np.zeros(1)
        fill_regressor(mechanism.model, self._chosen, self._count, q, velocity, acceleration, rigid, pivot)
        sparse, along, passive = self._mapping
        map_forces(rigid, self._acceleration, sparse, along, written[None])
        if passive is not None:
            moved = MechanismMotion(q, velocity, acceleration, None, None, None)
            written += joint_friction_columns(mechanism, moved)[0] @ passive
        return bool(abs(pivot[0]) >= NO_PIVOT and np.isfinite(written).all())
