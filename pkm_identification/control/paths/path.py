# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Paths of a platform: smooth in position and orientation, from rest to rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import MotionRefused
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.rotation import build_vector_from_matrix, turn
from pkm_identification.numerics.so3 import (
    LARGEST_TURN,
    angular_motion,
    turn_derivatives,
)
from pkm_identification.numerics.vector3 import three

from .spline import LeastJerkSpline
from .waypoints import Waypoints

# A waypoint at time 0 is where the motion begins, which must be where the platform is.
START_POSITION, START_TURN = 0.002, 0.005  # m and rad


@kernel
def _fill_motion(value, first, second, start, motion):
    """Write a platform's motion, from positions and turns against a start (N, 6) and their derivatives."""
    position, rotation, twist, acceleration = motion
    for n in range(value.shape[0]):
        turned = three(value[n], 3)
        turn(start, turned[0], turned[1], turned[2], rotation[n])
        omega, alpha = angular_motion(turned, three(first[n], 3), three(second[n], 3))
        for k in range(3):
            position[n, k], twist[n, k], acceleration[n, k] = value[n, k], first[n, k], second[n, k]
            twist[n, 3 + k], acceleration[n, 3 + k] = omega[k], alpha[k]


class PlatformPath:
    """A motion from rest to rest through waypoints, with continuous acceleration.

    Positions and rotation vectors (of the turn from the start's orientation) are quintic splines of least jerk. Before
    the start and after the end the platform rests.

    Parameters
    ----------
    position, rotation : ndarray, shapes (3,) and (3, 3)
        Where it begins.
    waypoints : Waypoints, optional
        Without any, the platform stays where it is.

    Raises
    ------
    MotionRefused
        If a waypoint at time 0 is not where the motion begins, or one is turned too far against the start.
    """

    def __init__(
        self, position: FloatArray, rotation: FloatArray, waypoints: Waypoints | None = None
    ) -> None:
        self.start_position = np.array(position, dtype=float)
        self.start_rotation = np.array(rotation, dtype=float)
        self.duration = 0.0
        self._spline: LeastJerkSpline | None = None
        if waypoints is not None:
            self.duration = float(waypoints.time[-1])
            self._spline = self._through(waypoints)

    def _through(self, waypoints: Waypoints) -> LeastJerkSpline:
        turn = build_vector_from_matrix(waypoints.rotation @ self.start_rotation.T)
        angle = np.linalg.norm(turn, axis=1)
        if angle.max() > LARGEST_TURN:
            i = int(np.argmax(angle))
            raise MotionRefused(
                f"waypoint {i + 1}: is turned by {angle[i]:.2f} rad against the start, {LARGEST_TURN:.2f} are allowed"
            )
        first, second = turn_derivatives(turn, waypoints.twist[:, 3:], waypoints.acceleration[:, 3:])
        # without a twist the second derivative of the turn is free as well
        second[np.isnan(waypoints.acceleration[:, 0])] = np.nan
        value = np.hstack([waypoints.position, turn])
        velocity = np.hstack([waypoints.twist[:, :3], first])
        acceleration = np.hstack([waypoints.acceleration[:, :3], second])
        time = waypoints.time
        if time[0] == 0.0:
            away, turned = np.linalg.norm(value[0, :3] - self.start_position), angle[0]
            if away > START_POSITION or turned > START_TURN:
                raise MotionRefused(
                    f"waypoint 1: is at time 0, but {away:.4f} m and {turned:.4f} rad from where the motion begins"
                )
        start = np.hstack([self.start_position, np.zeros(3)])
        return LeastJerkSpline.from_rest(start, time, value, velocity, acceleration)

    def motion(self, time: FloatArray) -> PlatformMotion:
        """Platform motion at times (N,) in s from the start."""
        time = contiguous(time)
        count = len(time)
        if self._spline is None:
            return PlatformMotion(
                time,
                np.tile(self.start_position, (count, 1)),
                np.tile(self.start_rotation, (count, 1, 1)),
                np.zeros((count, 6)),
                np.zeros((count, 6)),
            )
        numbers = (np.empty((count, 3)), np.empty((count, 3, 3)), np.empty((count, 6)), np.empty((count, 6)))
        _fill_motion(*self._spline.evaluate(time), self.start_rotation, numbers)
        return PlatformMotion(time, *numbers)


@dataclass(frozen=True)
class Slowing:
    """The path's own time s(t) while the machine slows down on it: s' falls from 1 to 0, with continuous s''.

    `begin` is where (s) the slowing begins, `duration` how long (s) it takes; half of that is still travelled.
    """

    begin: float
    duration: float

    def evaluate(self, time: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """s, s' and s'' at times (N,)."""
        x = np.clip((time - self.begin) / self.duration, 0.0, 1.0)
        before = np.minimum(time, self.begin)
        return (
            before + self.duration * x * (1.0 - x * x * (1.0 - 0.5 * x)),
            1.0 - x * x * (3.0 - 2.0 * x),
            -6.0 * x * (1.0 - x) / self.duration,
        )
