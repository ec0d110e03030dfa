# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motion of a machine as `platform_state`: drives, state of the model, and the platform's pose where it has one."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.machines.capabilities import PlatformPose, has
from pkm_identification.machines.contract import FAILED, Machine, Motion, Tracker
from pkm_identification.motion import TrackedSample
from pkm_identification.msg import PlatformState
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_quaternion_from_matrix, matrix_from_quaternion
from pkm_identification.signals.input_validation.settings import LARGEST_FORCE

from ..node.hand_over import Handed
from .convert import limit_number
from .wire import StreamType, StreamWriter

_MOTION = ("coordinate", "rate", "acceleration")
_DriveMotion = tuple[FloatArray, FloatArray, FloatArray]


class MotionMessages:
    """Messages `platform_state` of a machine: written from tracked samples and read back.

    Parameters
    ----------
    machine : Machine
    tracker : Tracker
        Of the machine; those of a hexapod tell iterations and condition as well.
    frame : str
        Of the ground.

    Attributes
    ----------
    stream : StreamType
    """

    def __init__(self, machine: Machine, tracker: Tracker, frame: str = "") -> None:
        self.machine = machine
        ends = np.cumsum([int(np.prod(shape)) for shape in tracker.shapes]).tolist()
        self._parts = [
            (slice(end - int(np.prod(shape)), end), (1, *shape))
            for end, shape in zip(ends, tracker.shapes, strict=True)
        ]
        self._details: Any = getattr(tracker, "platform", None)
        sizes = {"state": ends[-1]}
        names = [drive.joint for drive in machine.drives]
        self.stream = StreamType(PlatformState, names, sizes, optional=(*_MOTION, "force", "state"))
        self._writer = StreamWriter(self.stream, frame)
        self._posed = machine if has(machine, PlatformPose) else None

    def motion_of(self, sample: TrackedSample) -> Motion:
        """Return the motion of one sample, as the machine takes it."""
        return Motion(
            sample.coordinate[None], sample.rate[None], sample.acceleration[None],
            tuple(sample.state[part].reshape(shape) for part, shape in self._parts),
            np.array([sample.status], dtype=np.uint8),
            np.array([sample.residual]),
        )  # fmt: skip

    def pose_of(self, sample: TrackedSample) -> tuple[FloatArray, FloatArray] | None:
        """Return position (3,) in m and rotation (3, 3) of the platform; None of a machine without a pose."""
        if self._posed is None:
            return None
        position, rotation = self._posed.compute_pose(self.motion_of(sample))
        return position[0], rotation[0]

    def details(self) -> tuple[int, float]:
        """Return Newton steps and condition number of the tracker's last sample; zeros where it does not tell them."""
        if self._details is None:
            return 0, 0.0
        return self._details.iterations, limit_number(self._details.condition)

    def write(self, sample: TrackedSample, delay: float) -> bytes:
        """Return a sample as a message; `delay` in s. Where it has failed, the last good motion is at rest.

        Raises
        ------
        ValueError
            If the sample's time does not fit into a stamp.
        """
        numbers = self._writer.numbers
        failed = sample.status >= FAILED
        if self._posed is not None:
            motion = self.motion_of(sample)
            position, rotation = self._posed.compute_pose(motion)
            pose = numbers["pose"]
            pose[:3] = position[0]
            pose[3:] = build_quaternion_from_matrix(rotation[0])
            numbers["twist"], numbers["accel"] = 0.0, 0.0
            if not failed:
                twist, accel = self._posed.compute_twist(motion)
                numbers["twist"], numbers["accel"] = twist[0], accel[0]
        else:
            numbers["pose"] = _IDENTITY
        numbers["has_pose"] = self._posed is not None
        numbers["coordinate"], numbers["rate"], numbers["acceleration"] = sample[1:4]
        numbers["state"] = sample.state
        numbers["force_valid"] = sample.force is not None
        numbers["force"] = 0.0 if sample.force is None else sample.force
        numbers["status"] = min(sample.status, FAILED)
        numbers["residual"] = limit_number(sample.residual)
        numbers["iterations"], numbers["condition"] = self.details()
        numbers["segment"] = sample.segment
        numbers["delay"] = delay
        return self._writer.message(sample.time)

    def read(self, message: bytes | PlatformState | Handed) -> tuple[TrackedSample, float]:
        """Return the sample of a message, or of what was handed over, and the filter's delay in s.

        Whoever measures poses may send them alone: the drives' motion is then that of the pose.

        Raises
        ------
        ValueError
            If the bytes are no such message, or of other drives; it has neither state nor pose; a quaternion has no
            length, or a force is none that a drive can have.
        """
        if isinstance(message, Handed):
            given: TrackedSample = message.retimed_sample
            _check_force(given.force)
            return given, message.delay
        time, numbers = self.stream.read(message)
        force = numbers["force"] if numbers["force_valid"] else None
        _check_force(force)
        motion = numbers["coordinate"], numbers["rate"], numbers["acceleration"]
        state, status = numbers["state"], int(numbers["status"])
        if np.isnan(state).all():
            if self._posed is None or not numbers["has_pose"]:
                raise ValueError("neither state nor pose")
            motion, state = _compute_drive_motion(self._posed, numbers)
        sample = TrackedSample(
            time, *motion, force, int(numbers["segment"]), state, status, float(numbers["residual"])
        )
        return sample, float(numbers["delay"])


_IDENTITY = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


def _compute_drive_motion(machine: PlatformPose, numbers: np.ndarray) -> tuple[_DriveMotion, FloatArray]:
    """Return coordinates, rates and accelerations (n,) of the drives, and the state (S,), of a pose."""
    pose = numbers["pose"]
    found = machine.compute_motion_of_pose(
        pose[None, :3], matrix_from_quaternion(pose[3:])[None], numbers["twist"][None], numbers["accel"][None]
    )
    row = np.concatenate([part[0].ravel() for part in found.state])
    return (found.coordinate[0], found.rate[0], found.acceleration[0]), row


def _check_force(force: FloatArray | None) -> None:
    """Refuse, by a ValueError, forces that no drive has; what is not a number is left to others."""
    if force is not None and (largest := max(map(abs, force.tolist()))) > LARGEST_FORCE:
        raise ValueError(f"a force of {largest:.3g} N or N m, beyond {LARGEST_FORCE:g}")
