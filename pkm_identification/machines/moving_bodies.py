# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How bodies with joints and loops move: of drives, of outputs, of a platform's pose, always all of the mechanism."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.mechanisms.multibody.closed import Closed
from pkm_identification.mechanisms.multibody.kernels.closing import (
    NO_PIVOT,
    Readings,
    compute_complete_motion,
)
from pkm_identification.mechanisms.multibody.kernels.codes import FRAME_B
from pkm_identification.mechanisms.multibody.kinematics import (
    MechanismMotion,
    close_drives,
    close_outputs,
    close_pose,
    frames,
    rates,
    read,
)
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.mechanisms.multibody.setpoints import find_payload_body
from pkm_identification.numerics.arrays import FloatArray

from .capabilities import Output
from .contract import DEGRADED, FAILED, OK, Drive, Motion
from .multibody_tracker import CLOSED_STATUS


class MovingBodies:
    """The motions of a mechanism; see `contract.Machine`, `capabilities.NamedOutputs` and `PlatformPose`."""

    mechanism: Mechanism
    drives: tuple[Drive, ...]

    def compute_motion(
        self,
        coordinate: FloatArray,
        rate: FloatArray,
        acceleration: FloatArray,
        start: tuple[FloatArray, ...] | None = None,
    ) -> Motion:
        closed = close_drives(self.mechanism, coordinate, None if start is None else start[0])
        moved = self._motion_of("drives", closed, rate, acceleration)
        return replace(moved, coordinate=coordinate, rate=rate, acceleration=acceleration)

    def compute_nearby_motion(
        self, motion: Motion, coordinate: FloatArray, rate: FloatArray, acceleration: FloatArray
    ) -> Motion:
        """See `motions.compute_nearby_motion`."""
        if not np.array_equal(coordinate, motion.coordinate):
            lost = motion.status[:, None] > DEGRADED
            start = np.where(lost, self.mechanism.home, motion.state[0])
            return self.compute_motion(coordinate, rate, acceleration, (start,))
        # its loops are closed
        moved = self._move("drives", motion.state[0], rate, acceleration)
        state = moved.configuration, moved.velocity, moved.acceleration
        return Motion(coordinate, rate, acceleration, state, motion.status, motion.residual)

    def compute_accelerated_motion(self, motion: Motion, acceleration: FloatArray) -> Motion:
        """See `contract.compute_accelerated_motion`."""
        count = len(acceleration)
        q, rate = motion.state[0].repeat(count, 0), motion.rate.repeat(count, 0)
        moved = self._move("drives", q, rate, acceleration)
        state = q, moved.velocity, moved.acceleration
        return Motion(
            motion.coordinate.repeat(count, 0), rate, acceleration, state,
            motion.status.repeat(count), motion.residual.repeat(count),
        )  # fmt: skip

    def explain_unreachable(self, coordinate: FloatArray) -> str:
        closed = close_drives(self.mechanism, coordinate[None])
        return "" if closed.found[0] else closed.reason(0)

    @property
    def outputs(self) -> tuple[Output, ...]:
        return tuple(Output(one.name, one.unit) for one in self.mechanism.description.outputs)

    def compute_outputs(self, motion: Motion) -> tuple[FloatArray, FloatArray, FloatArray]:
        values = read(self.mechanism, "outputs", motion.state[0])
        return (values, *rates(self.mechanism, "outputs", self._whole(motion)))

    def compute_motion_of_outputs(
        self, value: FloatArray, rate: FloatArray, acceleration: FloatArray
    ) -> Motion:
        return self._motion_of("outputs", close_outputs(self.mechanism, value), rate, acceleration)

    @property
    def home_pose(self) -> tuple[FloatArray, FloatArray]:
        position, rotation = self._pose(self.mechanism.home[None])
        return position[0], rotation[0]

    def compute_pose(self, motion: Motion) -> tuple[FloatArray, FloatArray]:
        return self._pose(motion.state[0])

    def compute_twist(self, motion: Motion) -> tuple[FloatArray, FloatArray]:
        return rates(self.mechanism, "pose", self._whole(motion))

    def compute_drive_rates(self, motion: Motion, twist: FloatArray) -> FloatArray:
        return self._move("pose", motion.state[0], twist, np.zeros_like(twist)).drive_rate

    def compute_motion_of_pose(
        self, position: FloatArray, rotation: FloatArray, twist: FloatArray, acceleration: FloatArray
    ) -> Motion:
        closed = close_pose(self.mechanism, position, rotation)
        return self._motion_of("pose", closed, twist, acceleration)

    def wrap_motion(self, moved: MechanismMotion) -> Motion:
        """Return the contract's motion of a mechanism's that has been closed."""
        drives = moved.drive, moved.drive_rate, moved.drive_acceleration
        state, count = (moved.configuration, moved.velocity, moved.acceleration), len(moved)
        return Motion(*drives, state, np.full(count, OK, dtype=np.uint8), np.zeros(count))

    def _pose(self, configuration: FloatArray) -> tuple[FloatArray, FloatArray]:
        mechanism = self.mechanism
        body = mechanism.model.row[mechanism.row_numbers("pose")[-1], FRAME_B]
        rotation, position = frames(mechanism, configuration)
        return position[:, body], rotation[:, body]

    def _motion_of(self, task: str, closed: Closed, rate: FloatArray, acceleration: FloatArray) -> Motion:
        """Return the motion of closed rows by rates and accelerations (N, n) of a task."""
        status = CLOSED_STATUS[np.asarray(closed.status)]
        q = np.where(closed.found[:, None], closed.configuration, self.mechanism.home[None])
        moved = self._move(task, q, rate, acceleration)
        status[np.isnan(moved.drive_rate).any(axis=1)] = FAILED
        parts = moved.configuration, moved.velocity, moved.acceleration
        drives = moved.drive, moved.drive_rate, moved.drive_acceleration
        for part in (*parts, *drives):
            part[status > DEGRADED] = np.nan
        return Motion(*drives, parts, status, closed.residual)

    def _move(
        self, task: str, configuration: FloatArray, rate: FloatArray, acceleration: FloatArray
    ) -> MechanismMotion:
        """Return the motion of closed configurations (N, Q) by rates (N, n) of a task; NaN where it is singular."""
        mechanism, count = self.mechanism, len(configuration)
        velocity, second = np.zeros((2, count, mechanism.tree.velocities))
        pivot, drive = np.zeros(count), np.zeros((3, count, len(self.drives)))
        if count:
            compute_complete_motion(
                mechanism.model, mechanism.task_rows(task), configuration, np.ascontiguousarray(rate),
                np.ascontiguousarray(acceleration), velocity, second, pivot,
                Readings(mechanism.row_numbers("drives"), *drive),
            )  # fmt: skip
        singular = np.abs(pivot) < NO_PIVOT
        for part in (velocity, second, *drive):
            part[singular] = np.nan
        return MechanismMotion(configuration, velocity, second, *drive)

    def _whole(self, motion: Motion) -> MechanismMotion:
        q, velocity, acceleration = motion.state
        drives = motion.coordinate, motion.rate, motion.acceleration
        return MechanismMotion(q, velocity, acceleration, *drives)


def build_posed_mechanism(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism whose pose is that of the body that loads are fixed to."""
    description = mechanism.description
    body = find_payload_body(description)
    return Mechanism.of(replace(description, pose=body), near=mechanism)


def find_end(mechanism: Mechanism) -> FloatArray:
    """Return the end (3,) in the frame of the body that loads are fixed to, m.

    That is its joint farthest from the frame's origin, as a five-bar's tip, or its centre of mass if it has no other.
    """
    description = mechanism.description
    body = find_payload_body(description)
    places = [
        np.asarray(FLOAT64.array(place), dtype=float)
        for joint in description.joints
        for name, place in zip(joint.bodies, joint.place, strict=True)
        if name == body
    ]
    farthest = max(places, key=lambda place: float(np.linalg.norm(place)))
    if np.any(farthest):
        return farthest
    row = np.asarray(mechanism.parameters, dtype=float)[[one.name for one in description.bodies].index(body)]
    return row[1:4] / row[0] if row[0] > 0.0 else farthest
