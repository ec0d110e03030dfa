# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""In what a machine's exciting motion is made: displacements of its platform, or of its drives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from pkm_identification.machines.contract import DEGRADED, Machine, Motion
from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.hexapod.kinematics.passive import angle_use
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.mechanism_csv import write_named_csv
from pkm_identification.records.motion_csv import write_motion_csv
from pkm_identification.simulation.multibody.motions import DriveMotion, generate_motion, within_reach
from pkm_identification.simulation.trajectories import (
    FORCE_SHARE,
    LENGTH_MARGIN,
    RATE_SHARE,
    Trajectory,
    trajectory,
    within_limits,
)
from pkm_identification.simulation.waveforms import Derivatives, MultiSine

_REACH, _ANGLE = 0.5, 0.6  # m (of a hexapod: times its size) and rad, the furthest displacement worth trying


class MotionSpace(Protocol):
    """What can be displaced of a machine, and what limits it.

    Attributes
    ----------
    path : Trajectory or DriveMotion
        The motion `rich` with its fade.
    axes : tuple of (name, unit, furthest that is worth trying)
        What can be displaced.
    rate_limit, force_limit : float or None
        What a motion may use of the rates and forces that the file states; None where it states none.
    """

    path: Any
    axes: tuple[tuple[str, str, float], ...]
    rate_limit: float | None
    force_limit: float | None

    def move(self, displacement: Derivatives) -> Motion | None:
        """Return the motion of displacements and their derivatives, (N, k) each; None where the machine cannot be."""

    def fits(self, displacement: Derivatives, between: bool = False) -> bool:
        """Whether travel, joints, stated limits and a distance to singular poses are kept, between samples too."""

    def compute_use(self, motion: Motion) -> tuple[FloatArray, FloatArray]:
        """Return the use of travel (N, n) and of passive joints (N, j), up to 1 within the limits."""

    def move_along(self, path: Any, time: FloatArray) -> Motion | None:
        """Return the motion of a path at times (N,) in s."""

    def write(self, path: str | Path, signal: MultiSine, time: FloatArray, form: str) -> None:
        """Write a motion at times (N,) as a table; raises LogError if it cannot be."""


class PlatformSpace:
    """Six displacements of a hexapod's platform; see `MotionSpace`."""

    def __init__(self, machine: Hexapod, duration: float) -> None:
        self._machine, self._file = machine, machine.description
        self.path: Trajectory = trajectory("rich", self._file, duration)
        reach = _REACH * self._file.length_scale
        self.axes = (
            *((axis, "m", reach) for axis in "xyz"),
            *((f"turning about {axis}", "rad", _ANGLE) for axis in "xyz"),
        )
        rate, drive = self._file.rate_limit, self._file.drive
        self.rate_limit = None if rate is None else RATE_SHARE * rate
        self.force_limit = None if drive is None else FORCE_SHARE * drive.force_limit

    def move(self, displacement: Derivatives) -> Motion | None:
        states = self.path.displace(np.zeros(len(displacement[0])), displacement)
        parts = states.position, states.rotation, states.twist, states.acceleration
        return self._machine.compute_motion_of_pose(*parts)

    def fits(self, displacement: Derivatives, between: bool = False) -> bool:
        states = self.path.displace(np.zeros(len(displacement[0])), displacement)
        return within_limits(self._file, states, between=between)

    def compute_use(self, motion: Motion) -> tuple[FloatArray, FloatArray]:
        low, high = self._file.length_limits
        middle, half = 0.5 * (high + low), (0.5 - LENGTH_MARGIN) * (high - low)
        return np.abs(motion.coordinate - middle) / half, angle_use(self._file, *motion.state[:2])

    def move_along(self, path: Trajectory, time: FloatArray) -> Motion | None:
        states = path.motion(time)
        parts = states.position, states.rotation, states.twist, states.acceleration
        return self._machine.compute_motion_of_pose(*parts)

    def write(self, path: str | Path, signal: MultiSine, time: FloatArray, form: str) -> None:
        write_motion_csv(path, replace(self.path, signal=signal).motion(time), form)


class DriveSpace:
    """Displacements of the drives of bodies with joints and loops; see `MotionSpace`."""

    rate_limit = force_limit = None

    def __init__(self, machine: Multibody, duration: float) -> None:
        self._machine = machine
        self.path: DriveMotion = generate_motion("rich", machine.mechanism, duration)
        self.axes = tuple(
            (one.name, one.unit, _ANGLE if one.unit == "rad" else _REACH) for one in machine.drives
        )

    def move(self, displacement: Derivatives) -> Motion | None:
        value, rate, second = displacement
        return self._compute(self.path.home + value, rate, second)

    def _compute(self, coordinate: FloatArray, rate: FloatArray, second: FloatArray) -> Motion | None:
        motion = self._machine.compute_motion(coordinate, rate, second)
        return motion if np.all(motion.status <= DEGRADED) else None

    def fits(self, displacement: Derivatives, between: bool = False) -> bool:
        return within_reach(self._machine.mechanism, self.path.home + displacement[0], between=between)

    def compute_use(self, motion: Motion) -> tuple[FloatArray, FloatArray]:
        travel = np.zeros_like(motion.coordinate)
        for i, one in enumerate(self._machine.drives):
            if np.isfinite(one.highest - one.lowest):
                middle, half = 0.5 * (one.highest + one.lowest), 0.5 - LENGTH_MARGIN
                travel[:, i] = np.abs(motion.coordinate[:, i] - middle) / (half * (one.highest - one.lowest))
        return travel, self._machine.mechanism.joint_use(motion.state[0])

    def move_along(self, path: DriveMotion, time: FloatArray) -> Motion | None:
        return self._compute(*path.drives(time))

    def write(self, path: str | Path, signal: MultiSine, time: FloatArray, form: str) -> None:
        parts = replace(self.path, signal=signal).drives(time)
        columns = {
            one.name + ending: part[:, i]
            for ending, part in zip(("", "_rate", "_acceleration"), parts, strict=True)
            for i, one in enumerate(self._machine.drives)
        }
        write_named_csv(path, columns, time)


_SPACES: dict[type, Any] = {Hexapod: PlatformSpace, Multibody: DriveSpace}


def build_space(machine: Machine, duration: float) -> MotionSpace:
    """Return the space of a machine's motions of a duration in s.

    Raises
    ------
    SettingsError
        If the duration is too short, or the machine has no room for a motion.
    """
    return _SPACES[type(machine)](machine, duration)
