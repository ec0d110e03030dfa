# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""A path sample by sample: what the struts shall do now, and a smooth stop on the path."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.mechanisms.hexapod.kinematics import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

from .paths.path import PlatformPath

BLOCK = 50  # samples computed at once: cheap per sample, and no long pause


@dataclass(frozen=True)
class Setpoint:
    """What is wanted at one instant, and what will be when the command acts.

    Attributes
    ----------
    time : float
        s since the motion began, at most until it rests.
    length, rate : ndarray, shape (6,)
        Strut lengths in m and rates in m/s, now.
    position, rotation : ndarray, shapes (3,) and (3, 3)
        Platform pose, now.
    ahead : PlatformMotion
        One row: the platform's motion when the command acts.
    """

    time: float
    length: FloatArray
    rate: FloatArray
    position: FloatArray
    rotation: FloatArray
    ahead: PlatformMotion


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


class Follower:
    """Where on a path the machine shall be, period by period.

    Parameters
    ----------
    machine : Machine
    path : PlatformPath
    period : float
        s.
    lead : int
        Periods between a sample and the instant its command acts.

    Attributes
    ----------
    index : int
        Periods since the path's start.
    """

    def __init__(self, machine: Machine, path: PlatformPath, period: float, lead: int) -> None:
        self.path = path
        self.index = 0
        self.slowing: Slowing | None = None
        self._machine = machine
        self._period = period
        self._lead = lead
        self._first = 0
        self._fill()

    @property
    def end(self) -> int:
        """Index from which the platform rests."""
        end = self.path.duration
        if self.slowing is not None:
            end = min(end, self.slowing.begin) + self.slowing.duration
        return int(np.ceil(end / self._period - 1e-9))

    @property
    def at_rest(self) -> bool:
        """Whether the motion is over."""
        return self.index >= self.end

    def slow_down(self, slowing: Slowing) -> None:
        """Come to rest on the path; `begin` must not be past."""
        self.slowing = slowing
        self._fill()

    def motion(self, index: FloatArray, slowing: Slowing | None) -> PlatformMotion:
        """Platform motion at indices (N,), slowed down or not."""
        time = index * self._period
        if slowing is None:
            return self.path.motion(time)
        s, rate, second = slowing.evaluate(time)
        motion = self.path.motion(s)
        twist = motion.twist
        return PlatformMotion(
            time,
            motion.position,
            motion.rotation,
            twist * rate[:, None],
            motion.acceleration * rate[:, None] ** 2 + twist * second[:, None],
        )

    def rest_pose(self, slowing: Slowing | None) -> tuple[FloatArray, FloatArray]:
        """Position (3,) and rotation (3, 3) where the motion ends, slowed down or not."""
        end = self.path.duration
        if slowing is not None:
            end = min(end, slowing.begin + 0.5 * slowing.duration)
        motion = self.path.motion(np.array([end]))
        return motion.position[0], motion.rotation[0]

    def advance(self, periods: int = 1) -> None:
        """Move on."""
        self.index += periods
        if not self._first <= min(self.index, self.end) < self._first + BLOCK:
            self._fill()

    def setpoint(self) -> Setpoint:
        """What is wanted now."""
        k = min(self.index, self.end) - self._first
        m = k + self._lead
        return Setpoint(
            min(self.index, self.end) * self._period,
            self._length[k],
            self._rate[k],
            self._motion.position[k],
            self._motion.rotation[k],
            self._motion[m : m + 1],
        )

    def _fill(self) -> None:
        self._first = min(self.index, self.end)
        index = self._first + np.arange(BLOCK + self._lead, dtype=float)
        self._motion = self.motion(index, self.slowing)
        self._length, self._rate, _ = strut_motion_from_platform(self._machine, self._motion)
