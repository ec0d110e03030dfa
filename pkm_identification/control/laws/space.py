# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The space in which a machine's error is taken: coordinates of its drives, or the workspace.

The workspace is the platform's pose where the machine has one, else its outputs. With X the place there and q the
drives' coordinates, X' = J q'; the columns of J are what unit rates of the drives make of X.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import MotionRefused
from pkm_identification.machines.capabilities import NamedOutputs, PlatformPose, has, require
from pkm_identification.machines.contract import DEGRADED, Machine, Motion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_vector_from_matrix


class Space:
    """Errors and rates of a machine in the coordinates of its drives or in the workspace.

    Parameters
    ----------
    machine : Machine
    workspace : bool

    Attributes
    ----------
    task : str
        'drives', 'outputs' or 'pose'.

    Raises
    ------
    SettingsError
        If the workspace is asked for and the machine has neither a pose nor outputs.
    """

    def __init__(self, machine: Machine, workspace: bool) -> None:
        self.machine = machine
        self.task = "drives"
        if workspace and has(machine, PlatformPose):
            self.task, self._pose = "pose", require(machine, PlatformPose, "control: workspace")
        elif workspace:
            self.task, self._outputs = "outputs", require(machine, NamedOutputs, "control: workspace")

    def move(
        self,
        coordinate: FloatArray,
        rate: FloatArray | None = None,
        acceleration: FloatArray | None = None,
        near: Motion | None = None,
    ) -> Motion:
        """Return the motion (one row) at coordinates, rates and accelerations (n,) of the drives, near another one.

        Raises
        ------
        MotionRefused
            If the machine cannot be there, or is singular.
        """
        still = np.zeros_like(coordinate)
        rate = still if rate is None else rate
        second = still if acceleration is None else acceleration
        start = None if near is None else near.state
        motion = self.machine.compute_motion(coordinate[None], rate[None], second[None], start)
        if motion.status[0] > DEGRADED:
            values = ", ".join(f"{value:.4g}" for value in coordinate)
            raise MotionRefused(
                f"machine '{self.machine.name}': drives at ({values}): out of reach, or singular"
            )
        return motion

    def compute_jacobian(self, motion: Motion) -> FloatArray:
        """Return J (n, n): rates in this space per unit rate of each drive, where a motion (one row) is."""
        count = motion.coordinate.shape[1]
        if self.task == "drives":
            return np.eye(count)
        tiled = np.repeat(motion.coordinate, count, axis=0)
        return self._derivatives(
            self.machine.compute_motion(tiled, np.eye(count), np.zeros((count, count)), motion.state)
        )[0].T

    def compute_drive_rate(self, motion: Motion, rate: FloatArray) -> FloatArray:
        """Return J^-1 times a rate in this space: rates (n,) of the drives where a motion (one row) is."""
        if self.task == "drives":
            return rate
        if self.task == "outputs":
            return np.asarray(np.linalg.solve(self.compute_jacobian(motion), rate))
        return self._pose.compute_drive_rates(motion, rate[None])[0]

    def compute_acceleration(self, motion: Motion) -> FloatArray:
        """Return the second derivative (n,) of the place of a motion (one row) in this space."""
        return motion.acceleration[0] if self.task == "drives" else self._derivatives(motion)[1][0]

    def _derivatives(self, motion: Motion) -> tuple[FloatArray, FloatArray]:
        if self.task == "pose":
            return self._pose.compute_twist(motion)
        _, rate, acceleration = self._outputs.compute_outputs(motion)
        return rate, acceleration

    def compute_error(self, wanted: Motion, present: Motion) -> FloatArray:
        """Return the wanted less the present place (n,) of motions of one row: m and rad, of a pose (p, rotation)."""
        if self.task == "drives":
            return wanted.coordinate[0] - present.coordinate[0]
        if self.task == "outputs":
            there, here = (self._outputs.compute_outputs(one)[0][0] for one in (wanted, present))
            return there - here
        (there, turned), (here, turn) = (self._pose.compute_pose(one) for one in (wanted, present))
        return np.concatenate([there[0] - here[0], build_vector_from_matrix(turned[0] @ turn[0].T)])
