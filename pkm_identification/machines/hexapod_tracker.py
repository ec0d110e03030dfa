# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Hexapods followed: sample by sample, and row by row near to known poses."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics.records import packed_geometry
from pkm_identification.mechanisms.hexapod.dynamics.regressor import SparseMapping, write_regressor
from pkm_identification.mechanisms.hexapod.kinematics.nearby import inverse_jacobians, nearby_motion
from pkm_identification.mechanisms.hexapod.kinematics.tracker import PlatformTracker
from pkm_identification.motion import PlatformMotion, StrutMotion
from pkm_identification.numerics.arrays import FloatArray

from .contract import FAILED, OK, OTHER_MODE, Machine, Motion
from .motions import mask_friction_rows, split_states


class HexapodNeighbours:
    """See `contract.NeighbourSolver`: chords of the known poses' Jacobians."""

    def __init__(self, machine: Machine, motion: Motion) -> None:
        self._known = PlatformMotion(np.zeros(len(motion)), *motion.state)
        self._inverse = inverse_jacobians(machine.loaded, self._known)

    def __call__(
        self, machine: Machine, coordinate: FloatArray, rate: FloatArray, acceleration: FloatArray
    ) -> Motion:
        description, count = machine.loaded, len(coordinate)
        struts = StrutMotion(
            np.zeros(count), coordinate, rate, acceleration, None, np.zeros(count, dtype=np.int64)
        )
        found = nearby_motion(description, struts, self._known, self._inverse)
        state = (found.position, found.rotation, found.twist, found.acceleration)
        status = np.where(np.isfinite(found.position[:, 0]), OK, FAILED).astype(np.uint8)
        return Motion(coordinate, rate, acceleration, state, status, np.zeros(count))


class HexapodTracker:
    """See `contract.Tracker`; `platform` follows the platform's pose."""

    shapes = ((3,), (3, 3), (6,), (6,))

    def __init__(self, machine: Machine, mapping: FloatArray) -> None:
        self.platform = PlatformTracker(machine.loaded)
        # as kernels are called: names would cost a microsecond
        self._geometry = packed_geometry(machine.loaded)
        self._entries = tuple(SparseMapping.of(machine.loaded, mask_friction_rows(machine, mapping)).entries)
        self.reset()

    def reset(self) -> None:
        self.platform.reset()
        self.row = self.platform.row

    @property
    def state(self) -> tuple[FloatArray, ...]:
        return split_states(self.row[None], self.shapes)

    @property
    def residual(self) -> float:
        return self.platform.residual

    @property
    def message(self) -> str:
        return self.platform.message

    def step(self, coordinate: FloatArray, rate: FloatArray, acceleration: FloatArray) -> int:
        platform = self.platform
        status = platform.track(coordinate, rate, acceleration)
        if status == FAILED:
            return OTHER_MODE if platform.jumped else FAILED
        self.row = platform.row
        return status

    def take(self, row: FloatArray, _: FloatArray) -> None:
        self.row = row
        self.platform.begin_at(row)

    def write_columns(self, written: FloatArray) -> bool:
        return bool(write_regressor(self._geometry, self._entries, self.row, written))
