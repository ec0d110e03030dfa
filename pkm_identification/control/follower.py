# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A path sample by sample: what the struts shall do now, and a smooth stop on the path."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

from pkm_identification.machines.contract import Drive, Machine, Motion
from pkm_identification.numerics.arrays import FloatArray

from .paths.path import Slowing
from .paths.timed_path import TimedPath
from .tolerances import spread_over_drives

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


# Shares of the allowed error
NEAR = 0.2  # from there on what a strut does is compared with what it shall do
ASKED = 0.3  # must have been asked for before its absence means anything
STANDS = 0.02  # of the way asked for; less is none
TURNED = -0.3  # of the way asked for


class Following:
    """Watches drives under control.

    Parameters
    ----------
    drives : tuple of Drive, length n
        With the following errors and force jumps that their file states.
    tracking_limit : float
        m, of turning drives rad at a lever of 0.1 m; the smaller of it and a drive's following error counts.
    lag : int
        Samples by which healthy drives may follow late: no error is what lies between references of so many.
    """

    def __init__(self, drives: tuple[Drive, ...], tracking_limit: float, lag: int = 0) -> None:
        self._drives = drives
        self._lag = lag
        own = np.array([drive.following_error for drive in drives])
        self.limit = np.minimum(spread_over_drives(drives, tracking_limit), own)
        """Largest error of a drive's coordinate, (n,), m or rad."""
        self._jump = np.array([drive.force_jump for drive in drives])
        # a limit that a file states is one the machine keeps to: standing still is suspicious long before it
        self._limited_by_file = np.isfinite(own)
        self.reset()

    def reset(self) -> None:
        """Forget what was."""
        self._references: deque[FloatArray] = deque(maxlen=self._lag + 1)
        self._wanted: FloatArray | None = None
        self._measured = np.zeros(len(self._drives))
        self._feedback: tuple[FloatArray, FloatArray] | None = None
        self.turned = np.zeros(len(self._drives), dtype=bool)
        """Drives that were found to go the other way."""

    def trouble(self, wanted: FloatArray, error: FloatArray) -> str | None:
        """Return what is wrong with the coordinates, in words; None while all drives follow.

        Parameters
        ----------
        wanted, error : ndarray, shape (n,)
            m or rad, reference, and reference less measured.
        """
        measured = wanted - error
        if self._lag:
            self._references.append(wanted.copy())
            error = (
                np.clip(measured, np.min(self._references, axis=0), np.max(self._references, axis=0))
                - measured
            )
        away = np.abs(error)
        if self._wanted is None:
            self._wanted, self._measured = wanted.copy(), measured
        near = away < NEAR * self.limit
        self._wanted = np.where(near, wanted, self._wanted)
        self._measured = np.where(near, measured, self._measured)
        asked, movement = wanted - self._wanted, measured - self._measured
        asked_for = np.abs(asked) > ASKED * self.limit
        stands = asked_for & (np.abs(movement) < STANDS * np.abs(asked))
        turned = asked_for & (np.sign(asked) * movement < TURNED * np.abs(asked))
        odd = (stands | turned) & self._limited_by_file
        i = int(np.argmax(np.where(odd, np.inf, away / self.limit)))
        # NaN is beyond
        if away[i] <= self.limit[i] and not odd[i]:
            return None
        drive, instead = self._drives[i], ""
        if stands[i]:
            instead = f"; it does not move: a stuck encoder, or a {drive.part} that is blocked"
        elif turned[i]:
            self.turned[i] = True
            instead = "; it moves the other way: a reversed sign, or something pushes it"
        return (
            f"{drive.title} is {away[i]:.4f} {drive.unit} from where it shall be, "
            f"{self.limit[i]:g} {drive.unit} is allowed{instead}"
        )

    def jump(self, feedback: FloatArray, error: FloatArray) -> str | None:
        """What is wrong with feedback forces (n,), of coordinates that are off by `error`; None when nothing is."""
        last, self._feedback = self._feedback, (feedback, error)
        if last is None:
            return None
        change = np.abs(feedback - last[0])
        i = int(np.argmax(change - self._jump))
        if change[i] <= self._jump[i]:
            return None
        # the model couples the drives: the force that jumps most need not be that of the coordinate that did
        jumped = np.abs(error - last[1])
        which = int(np.argmax(jumped / self.limit))
        one, other = self._drives[i], self._drives[which]
        size = f"{1e3 * jumped[which]:.3g} m{other.unit}"
        return (
            f"the feedback would change the force of {one.title} by {change[i]:.0f} {one.force_unit} at once, "
            f"{self._jump[i]:g} {one.force_unit} is allowed: the error of {other.title} changed by {size} "
            "since the last sample"
        )

    def forget_force(self) -> None:
        """The next feedback force follows none: the law has changed."""
        self._feedback = None
