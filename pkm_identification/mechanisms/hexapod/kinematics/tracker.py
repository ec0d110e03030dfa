# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The platform followed sample by sample: forward kinematics warm-started from the pose before."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pkm_identification.motion import DriveSample
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import invert6
from pkm_identification.numerics.rotation import build_quaternion_from_matrix, orthonormalize
from pkm_identification.numerics.rows import copy_matrix, copy_vector

from ..machine import Machine
from .forward import (
    DEGRADED,
    DEGRADED_CONDITION,
    FAILED,
    MAX_ITERATIONS,
    OK,
    compute_platform_rates,
    solve_pose,
)
from .jacobian import compute_frobenius_condition
from .records import Joints, Pose, build_pose_matrices


class PlatformSample(NamedTuple):
    """Platform motion at one instant, in base axes at the platform origin.

    `status` is OK, DEGRADED (near a singularity) or FAILED; when FAILED, position, rotation, twist and
    acceleration are those of the last good pose at rest and must not be used. `residual` is the largest
    length error in m, `condition` the Frobenius condition number / 6, `jumped` whether it failed because the pose
    found is one of another assembly mode.
    """

    time: float
    position: FloatArray
    rotation: FloatArray
    twist: FloatArray
    acceleration: FloatArray
    force: FloatArray | None
    segment: int
    status: int
    iterations: int
    residual: float
    condition: float
    message: str = ""
    jumped: bool = False

    @property
    def quaternion(self) -> FloatArray:
        """Orientation as (x, y, z, w)."""
        return build_quaternion_from_matrix(self.rotation)


@kernel
def pose_step(length, last, pose, condition, scale):
    """Return how far a pose is from the one before, and how far it can be, both in m.

    Near the `last` (length, position, rotation) lengths and pose change in proportion: a pose further away is another
    assembly mode.
    """
    last_length, last_position, last_rotation = last
    position, rotation = pose
    way, turn, change = 0.0, 0.0, 0.0
    for i in range(3):
        way += (position[i] - last_position[i]) ** 2
        for k in range(3):
            turn += (rotation[i, k] - last_rotation[i, k]) ** 2
    for i in range(length.size):
        change = max(change, abs(length[i] - last_length[i]))
    return np.sqrt(way) + scale * np.sqrt(turn), 20.0 * condition * change + 1e-6


def _pack_geometry(machine: Machine) -> FloatArray:
    """Joints, home pose and length scale of a machine, shape (49,): arrays one by one would cost the call a tenth."""
    places = machine.base_joints, machine.platform_joints, machine.home_position, machine.home_rotation
    return np.concatenate([*(point.ravel() for point in places), [machine.length_scale]])


@kernel
def _track(packed, struts, last_length, last_row, row):
    """Pose, twist and acceleration of one sample: (converged, iterations, residual, condition, steps).

    `packed` is the machine, `struts` (length, rate, acceleration), `last_length` (6,) and `last_row` those of the
    sample before; written is the `row` (ROW,). Steps are as `pose_step` says.
    """
    pose, last = (
        (row[:3], row[3:12].reshape((3, 3))),
        (last_length, last_row[:3], last_row[3:12].reshape((3, 3))),
    )
    rates = row[12:18], row[18:24]
    joints = Joints(packed[:18].reshape((6, 3)), packed[18:36].reshape((6, 3)))
    home, scale = Pose(packed[36:39], packed[39:48].reshape((3, 3))), packed[48]
    pose, matrices = Pose(*pose), build_pose_matrices()
    length, rate, second = struts
    twist, acceleration = rates
    copy_vector(last[1], pose.position)
    copy_matrix(last[2], pose.rotation)
    good, used, residual = solve_pose(joints, length, True, pose, home, MAX_ITERATIONS, matrices)
    if not good:
        return False, used, residual, np.inf, (0.0, 0.0)
    orthonormalize(pose.rotation)
    if not invert6(matrices.jacobian, matrices.inverse, matrices.work):
        return False, used, residual, np.inf, (0.0, 0.0)
    condition = compute_frobenius_condition(matrices.jacobian, matrices.inverse, scale)
    compute_platform_rates(joints.platform, pose.rotation, matrices, rate, second, twist, acceleration)
    steps = pose_step(length, last, (pose.position, pose.rotation), condition, scale)
    return True, used, residual, condition, steps


ROW = 24  # numbers of a row: position, rotation, twist and acceleration of the platform


def split_row(row: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return position (3,), rotation (3, 3), twist (6,) and acceleration (6,) in a row (ROW,)."""
    return row[:3], row[3:12].reshape(3, 3), row[12:18], row[18:24]


class PlatformTracker:
    """Forward kinematics online, with a memory of one pose.

    Parameters
    ----------
    machine : Machine
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self._packed = _pack_geometry(machine)
        self.reset()

    def reset(self) -> None:
        """Start from home again."""
        self.row = np.zeros(ROW)  # of the last good sample; at rest at first
        self.row[:3], self.row[3:12] = self.machine.home_position, self.machine.home_rotation.ravel()
        self._length: FloatArray | None = None
        self.condition, self.iterations, self.residual, self.jumped, self.message = 0.0, 0, 0.0, False, ""

    def begin_at(self, row: FloatArray) -> None:
        """Search the next sample's pose from that of a row (ROW,), however far away it is."""
        self.row, self._length = row, None

    def track(self, length: FloatArray, rate: FloatArray, second: FloatArray) -> int:
        """Follow one sample (6,) in m, m/s and m/s^2; return its status. `row` stays where it is FAILED."""
        row, known = np.empty(ROW), self._length is not None
        good, self.iterations, self.residual, self.condition, (step, possible) = _track(
            self._packed,
            (length, rate, second),
            length if self._length is None else self._length,
            self.row,
            row,
        )
        self.jumped = good and known and step > possible
        if not good:
            self.message = f"forward kinematics did not converge (length error {self.residual:.2e} m)"
            return FAILED
        if self.jumped:
            self.message = f"pose jumped by {step:.4f} m: another assembly mode"
            return FAILED
        self.row, self._length = row, length
        if self.condition <= DEGRADED_CONDITION:
            self.message = ""
            return OK
        self.message = f"near a singularity (condition {self.condition:.3g})"
        return DEGRADED

    def step(self, sample: DriveSample) -> PlatformSample:
        """Platform motion of one filtered sample; a failure is a status, never an exception.

        Parameters
        ----------
        sample : DriveSample
            Lengths, rates and accelerations (6,) in m, m/s and m/s^2, and forces in N or None.

        Returns
        -------
        PlatformSample
            Where it failed, the last good pose at rest.
        """
        time, length, rate, second, force, segment = sample
        status = self.track(length, rate, second)
        position, rotation, twist, acceleration = split_row(self.row)
        if status == FAILED:
            twist, acceleration = np.zeros(6), np.zeros(6)
        return PlatformSample(
            time, position, rotation, twist, acceleration, force, segment, status, self.iterations, self.residual,
            self.condition, self.message, self.jumped,
        )  # fmt: skip
