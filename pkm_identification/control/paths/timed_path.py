# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a machine follows: rest, a path of its platform, or curves of its drives' coordinates."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from pkm_identification.errors import MotionRefused
from pkm_identification.machines.capabilities import PlatformPose, require
from pkm_identification.machines.contract import DEGRADED, Machine, Motion
from pkm_identification.numerics.arrays import FloatArray

from ..tolerances import spread_over_drives
from .path import START_POSITION, PlatformPath, Slowing
from .spline import LeastJerkSpline
from .waypoints import DriveWaypoints, Waypoints


class TimedPath(Protocol):
    """A motion from rest to rest.

    Attributes
    ----------
    duration : float
        s.
    """

    duration: float

    def move(self, time: FloatArray, slowing: Slowing | None = None) -> Motion:
        """Return the machine's motion at times (N,) in s from the start, slowed down or not."""


class Rest:
    """A machine that stays where it is.

    Parameters
    ----------
    start : Motion
        One row, at rest.
    """

    duration = 0.0

    def __init__(self, start: Motion) -> None:
        self._place = start

    def move(self, time: FloatArray, slowing: Slowing | None = None) -> Motion:
        """See `Course`."""
        return self._place[np.zeros(len(time), dtype=np.int64)]


class TimedPlatformPath:
    """A path of a platform, and what the machine does on it.

    Parameters
    ----------
    machine : PlatformPose
    path : PlatformPath
    """

    def __init__(self, machine: PlatformPose, path: PlatformPath) -> None:
        self._machine, self._path = machine, path
        self.duration = path.duration

    def move(self, time: FloatArray, slowing: Slowing | None = None) -> Motion:
        """See `Course`."""
        if slowing is None:
            moved = self._path.motion(time)
            twist, acceleration = moved.twist, moved.acceleration
        else:
            own, rate, second = slowing.evaluate(time)
            moved = self._path.motion(own)
            twist = moved.twist * rate[:, None]
            acceleration = moved.acceleration * rate[:, None] ** 2 + moved.twist * second[:, None]
        return self._machine.compute_motion_of_pose(moved.position, moved.rotation, twist, acceleration)


class TimedDrivePath:
    """Curves of drives' coordinates, and what the machine does on them.

    Parameters
    ----------
    machine : Machine
    start : Motion
        One row, at rest, where it begins.
    spline : LeastJerkSpline
        Of the coordinates.
    """

    def __init__(self, machine: Machine, start: Motion, spline: LeastJerkSpline) -> None:
        self._machine, self._near, self._spline = machine, start.state, spline
        self.duration = float(spline.time[-1])

    def move(self, time: FloatArray, slowing: Slowing | None = None) -> Motion:
        """See `Course`."""
        if slowing is None:
            position, rate, acceleration = self._spline.evaluate(time)
        else:
            own, slow, second = slowing.evaluate(time)
            position, rate, acceleration = self._spline.evaluate(own)
            acceleration = acceleration * slow[:, None] ** 2 + rate * second[:, None]
            rate = rate * slow[:, None]
        motion = self._machine.compute_motion(position, rate, acceleration, self._near)
        if motion.status[-1] <= DEGRADED:
            self._near = tuple(part[-1:] for part in motion.state)
        return motion


def plan_timed_path(machine: Machine, beginning: Motion, waypoints: Waypoints | DriveWaypoints) -> TimedPath:
    """Return the course through waypoints of a machine that rests in a place (one row).

    Raises
    ------
    MotionRefused
        If a waypoint at time 0 is not where the motion begins, or one is turned too far against it.
    SettingsError
        If poses are given and the machine has none.
    """
    if isinstance(waypoints, Waypoints):
        posed = require(machine, PlatformPose, "poses as waypoints")
        position, rotation = posed.compute_pose(beginning)
        return TimedPlatformPath(posed, PlatformPath(position[0], rotation[0], waypoints))
    start = beginning.coordinate[0]
    if waypoints.time[0] == 0.0:
        away = np.abs(waypoints.coordinate[0] - start)
        over = away / spread_over_drives(machine.drives, START_POSITION)
        if over.max() > 1.0:
            i = int(np.argmax(over))
            raise MotionRefused(
                f"waypoint 1: is at time 0, but {machine.drives[i].title} is {away[i]:.4f} {machine.drives[i].unit} "
                "from where the motion begins"
            )
    spline = LeastJerkSpline.from_rest(
        start, waypoints.time, waypoints.coordinate, waypoints.rate, waypoints.acceleration
    )
    return TimedDrivePath(machine, beginning, spline)
