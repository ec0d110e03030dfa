# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A path sample by sample: what the struts shall do now, and a smooth stop on the path."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pkm_identification.machines.contract import Machine, Motion
from pkm_identification.numerics.arrays import FloatArray

from .paths.path import Slowing
from .paths.timed_path import TimedPath

# Samples computed at once, as a share of the rows that take some milliseconds: cheap per sample, and no long pause
BLOCK_SHARE = 1 / 40


class Setpoint(NamedTuple):
    """What is wanted at one instant, and what will be when the command acts.

    Attributes
    ----------
    time : float
        s since the motion began, at most until it rests.
    coordinate, rate : ndarray, shape (n,)
        Of the drives, now: m and m/s, or rad and rad/s.
    """

    time: float
    coordinate: FloatArray
    rate: FloatArray
    block: Motion
    row: int
    lead: int

    @property
    def now(self) -> Motion:
        """The machine's motion now, one row."""
        return self.block[self.row : self.row + 1]

    @property
    def upcoming(self) -> Motion:
        """The machine's motion when the command acts, one row."""
        return self.block[self.row + self.lead : self.row + self.lead + 1]


class Follower:
    """Where on a course the machine shall be, period by period.

    Parameters
    ----------
    machine : Machine
    path : TimedPath
    period : float
        s.
    lead : int
        Periods between a sample and the instant its command acts.

    Attributes
    ----------
    index : int
        Periods since the course's start.
    """

    def __init__(self, machine: Machine, path: TimedPath, period: float, lead: int) -> None:
        self.path = path
        self.index = 0
        self.slowing: Slowing | None = None
        self._block = max(1, round(BLOCK_SHARE * machine.rows_at_once))
        self._period = period
        self._lead = lead
        self._first = 0
        self._fill()

    @property
    def end(self) -> int:
        """Index from which the machine rests."""
        end = self.path.duration
        if self.slowing is not None:
            end = min(end, self.slowing.begin) + self.slowing.duration
        return int(np.ceil(end / self._period - 1e-9))

    @property
    def at_rest(self) -> bool:
        """Whether the motion is over."""
        return self.index >= self.end

    def slow_down(self, slowing: Slowing) -> None:
        """Come to rest on the course; `begin` must not be past."""
        self.slowing = slowing
        self._fill()

    def find_rest(self, slowing: Slowing | None) -> Motion:
        """Return where the motion ends, one row at rest, slowed down or not."""
        end = self.path.duration if slowing is None else slowing.begin + slowing.duration
        return self.path.move(np.array([end]), slowing)

    def advance(self, periods: int = 1) -> None:
        """Move on."""
        self.index += periods
        if not self._first <= min(self.index, self.end) < self._first + self._block:
            self._fill()

    def setpoint(self) -> Setpoint:
        """Return what is wanted now."""
        k = min(self.index, self.end) - self._first
        motion, time = self._motion, min(self.index, self.end) * self._period
        return Setpoint(time, motion.coordinate[k], motion.rate[k], motion, k, self._lead)

    def _fill(self) -> None:
        self._first = min(self.index, self.end)
        index = self._first + np.arange(self._block + self._lead, dtype=float)
        self._motion = self.path.move(index * self._period, self.slowing)
