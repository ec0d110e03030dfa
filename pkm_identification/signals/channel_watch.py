# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Channels that fail without a single bad sample: a length that steps or is stuck, a force that is clipped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.contract import Drive
from pkm_identification.numerics.arrays import FloatArray

WINDOW = 1.0  # s looked at at once
FEWEST = 25  # samples of a window
SEEN = 6  # samples in a row show a step
SHARP = 12.0  # times the median third difference; motion and noise stay below
SHAPE = 0.35  # of a step's middle third difference that the two beside it may be off
ROUNDING = 5e-11  # of a drive's size; smaller changes of a coordinate are none
SMALLEST = (
    2e-5  # of a drive's size, of a step: without noise, as in simulation, what starts or ends jumps by 1e-6
)
RESTING = 1.5  # smallest changes of a length, that a drive at rest may show
COARSEST = 4.0  # smallest changes of a length that a step is larger than
BESIDE = 0.15  # of a step's size, that other drives may jump, too: they answer to it
OTHERS = 5  # drives that move while one is said to be stuck: fewer may well move alone
MOVED = 0.03  # of its size, that each of these moves
STANDSTILL_RATE = 0.06  # of a drive's size per s, twice as fast as MOVED in a window
TURN_TIME = 0.02  # s before and behind a step, in which it shows whether a drive turns round there
TURNING, LEAST_TURNING = 4e-3, 1.5  # s, and samples at least, from a step, where it does
STANDSTILL_TIME = 0.05  # s to either side in which a sample's motion must show, above the flicker of encoders
SHARE_CLIPPED = 0.03  # of the moving samples that show the very same largest force
LONE = 4.0  # times as many as come near to it
NEARNESS = 0.02  # of the range of the force
LEVELS = 3  # beside the largest force, near it at least: a parabola is as long at its top one as at these


@dataclass(frozen=True)
class ChannelFinding:
    """What is wrong with one drive's channel: 'length_step', 'length_stuck' or 'force_clipped', in words.

    `drive` is counted from 0; `size` in its unit or that of its force, 0 where a coordinate is stuck.
    """

    reason: str
    drive: int
    size: float
    text: str


class ChannelWatch:
    """Looks at the samples of one second after the other.

    Parameters
    ----------
    period : float
        s.
    drives : tuple of Drive
    """

    def __init__(self, period: float, drives: tuple[Drive, ...]) -> None:
        self._period, self._drives = period, drives
        self._large = np.array([drive.size for drive in drives])
        self._stated = np.array([drive.resolution or 0.0 for drive in drives])
        self._size = max(FEWEST, round(WINDOW / period))
        self._turning = max(TURNING / period, LEAST_TURNING)
        self._reach = max(SEEN, round(TURN_TIME / period))
        kept = SEEN - 1 + 2 * self._reach  # a step shows with those around it
        self._size = max(self._size, kept)
        self._time = np.empty(self._size + kept)
        self._coordinate, self._force = (np.empty((len(self._time), len(drives))) for _ in range(2))
        self.reset()

    def reset(self) -> None:
        """Forget the samples so far."""
        self._count = self._old = 0

    def step(
        self, time: float, coordinate: FloatArray, force: FloatArray | None
    ) -> list[ChannelFinding] | None:
        """Take a good sample: stamp in s, coordinates and forces (n,).

        Returns
        -------
        list of ChannelFinding, or None
            What is wrong in the window that this sample completes; None while it is not complete.
        """
        n = self._count
        self._time[n], self._coordinate[n] = time, coordinate
        self._force[n] = np.nan if force is None else force
        self._count += 1
        if self._count < self._size + self._old:
            return None
        troubles = self._steps() + self._stuck() + self._note_clipping()
        # a step at the end of the window shows with the first samples of the next
        kept = len(self._time) - self._size
        for values in (self._time, self._coordinate, self._force):
            values[:kept] = values[self._count - kept : self._count]
        self._count = self._old = kept
        return troubles

    def _steps(self) -> list[ChannelFinding]:
        time, length = self._time[: self._count], self._coordinate[: self._count]
        regular = np.abs(np.diff(time) - self._period) < 0.25 * self._period
        whole = regular[:-4] & regular[1:-3] & regular[2:-2] & regular[3:-1] & regular[4:]
        third = np.diff(length, 3, axis=0)
        resolution = np.maximum(_estimate_resolution(length, self._large), self._stated)
        scale = np.maximum(np.median(np.abs(third), axis=0), resolution)
        # x: 0 0 0 s s s has the third differences s, -2 s, s; an outlier has s, -3 s, 3 s, -s
        before, middle, after = third[:-2], third[1:-1], third[2:]
        least = np.maximum(COARSEST * resolution, SMALLEST * self._large)
        sharp = np.abs(middle) > 2.0 * np.maximum(SHARP * scale, least)
        alike = (np.abs(before + 0.5 * middle) < SHAPE * np.abs(middle)) & (
            np.abs(after + 0.5 * middle) < SHAPE * np.abs(middle)
        )
        # a sample taken late or twice moves all drives at once
        size = np.abs(middle) / self._large
        beside = BESIDE * size.max(axis=1)[:, None]
        lone = (size > np.maximum(SHARP * scale / self._large, beside)).sum(axis=1) == 1
        rows, drives = np.nonzero(sharp & alike & (lone & whole)[:, None])
        first, last = self._reach if self._old else 0, len(middle) - self._reach
        return [
            step_finding(self._drives, int(i), float(-0.5 * middle[n, i]))
            for n, i in zip(rows, drives, strict=True)
            if first <= n < last and not self._turns(length[:, i], n + 2, RESTING * resolution[i])
        ]

    def _turns(self, coordinate: FloatArray, before: int, least: float) -> bool:
        """Return whether a drive turns round, starts or stops where it steps: friction bends it then, or play shows.

        The sample `before` is the last of its coordinates (N,) in front of the step; changes up to `least` are none.
        """
        near = coordinate[max(before + 1 - self._reach, 0) : before + 1 + self._reach]
        index = np.arange(len(near)) - (len(near) - self._reach) + 0.5
        columns = np.stack([index > 0.0, index**0, index, index**2], axis=1)
        rate, bend = np.linalg.lstsq(columns, near)[0][2:]
        rests = [bool(np.ptp(side) <= least) for side in (near[index < 0.0], near[index > 0.0])]
        turns = abs(rate) < self._turning * 2.0 * abs(bend)
        return rests[0] != rests[1] or bool(turns and not rests[0])

    def _stuck(self) -> list[ChannelFinding]:
        coordinate = self._coordinate[: self._count]
        span = np.ptp(coordinate, axis=0)
        still = np.flatnonzero(span == 0.0)
        moving = np.flatnonzero(span > MOVED * self._large)
        if still.size != 1 or moving.size < max(OTHERS, len(span) - 1):
            return []
        i = int(still[0])
        least = int(moving[np.argmin(span[moving] / self._large[moving])])
        drive = self._drives[i]
        text = (
            f"{drive.joint} has been at {coordinate[-1, i]:.6f} {drive.unit} for {self._span:.1f} s while the others "
            f"moved by {_describe_channel(self._drives[least], span[least])} and more: stuck"
        )
        return [ChannelFinding("length_stuck", i, 0.0, text)]

    def _note_clipping(self) -> list[ChannelFinding]:
        coordinate, force = self._coordinate[: self._count], self._force[: self._count]
        moving = _is_moving(coordinate / self._large, self._period)
        if np.isnan(force).any() or np.count_nonzero(moving) < FEWEST:
            return []
        limits = []
        for i, drive in enumerate(self._drives):
            here = force[moving, i]
            range_of = np.ptp(here)
            for end, near in ((here.max(), here.max() - here), (here.min(), here - here.min())):
                if end == 0.0:  # a dead band, or a drive that is off: no range ends there
                    continue
                at_end = np.count_nonzero(near == 0.0)
                # a coarse force has a few levels only, and the top of a smooth course is at one of them for a while
                levels = np.unique(near)[: LEVELS + 1]
                reach = max(NEARNESS * range_of, levels[-1])
                close = np.count_nonzero((near > 0.0) & (near <= reach))
                if at_end > max(SHARE_CLIPPED * here.size, 5.0, LONE * close) and range_of > 0.0:
                    text = (
                        f"{drive.joint}: the force is clipped at {end:.4g} {drive.force_unit}, {at_end} times in "
                        f"{self._span:.1f} s"
                    )
                    limits.append(ChannelFinding("force_clipped", i, float(end), text))
        return limits

    @property
    def _span(self) -> float:
        return float(self._time[self._count - 1] - self._time[0])


def step_finding(drives: tuple[Drive, ...], drive: int, size: float) -> ChannelFinding:
    """Return the finding of a drive (from 0) whose coordinate is somewhere else by so much."""
    stepped = _describe_channel(drives[drive], size)
    text = f"{drives[drive].joint} stepped by {stepped}: the zero of its encoder has changed"
    return ChannelFinding("length_step", drive, size, text)


def _describe_channel(drive: Drive, size: float) -> str:
    return f"{1e3 * size:.2g} mm" if drive.unit == "m" else f"{1e3 * size:.2g} mrad"


def _is_moving(coordinate: FloatArray, period: float) -> NDArray[np.bool_]:
    """Return which samples (N,) of coordinates (N, n) by their size belong to a motion: before and behind them, too.

    A force at standstill has a few levels only, and its largest one comes again and again without any limit.
    """
    reach = max(1, round(STANDSTILL_TIME / period))
    moved = np.abs(coordinate[reach:] - coordinate[:-reach]).max(axis=1)
    moves = moved > STANDSTILL_RATE * reach * period
    forward, backward = (
        np.concatenate(parts)
        for parts in ((moves, moves[-1:].repeat(reach)), (moves[:1].repeat(reach), moves))
    )
    return forward & backward


def _estimate_resolution(coordinate: FloatArray, size: FloatArray) -> FloatArray:
    """Return the smallest change (n,) of each coordinate that there is; 0 where there is none."""
    change = np.abs(np.diff(coordinate, axis=0))
    smallest: FloatArray = np.min(np.where(change > ROUNDING * size, change, np.inf), axis=0)
    return np.where(np.isfinite(smallest), smallest, 0.0)
