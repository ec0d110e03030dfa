# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Channels that fail without a single bad sample: a length that steps or is stuck, a force that is clipped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray

WINDOW = 1.0  # s looked at at once
FEWEST = 25  # samples of a window
SEEN = 6  # samples in a row show a step
SHARP = 12.0  # times the median third difference; motion and noise stay below
SHAPE = 0.35  # of a step's middle third difference that the two beside it may be off
ROUNDING = 1e-12  # m; smaller changes of a length are none
COARSEST = 4.0  # smallest changes of a length that a step is larger than
BESIDE = 0.15  # of a step's size, that other struts may jump, too: drives answer to it
MOVED = 2e-3  # of a strut's length, that five move while one is said to be stuck
STANDSTILL_RATE = 4e-3  # of a strut's length per s: 2 mm/s of 500 mm, twice as fast as MOVED in a window
STANDSTILL_TIME = 0.05  # s to either side in which a sample's motion must show, above the flicker of encoders
SHARE_CLIPPED = 0.03  # of the moving samples that show the very same largest force
LONE = 4.0  # times as many as come near to it
NEARNESS = 0.02  # of the range of the force


@dataclass(frozen=True)
class ChannelFinding:
    """What is wrong with one strut's channel: 'length_step', 'length_stuck' or 'force_clipped', in words.

    `strut` is counted from 0; `size` in m or N, 0 where a length is stuck.
    """

    reason: str
    strut: int
    size: float
    text: str


class ChannelWatch:
    """Looks at the samples of one second after the other.

    Parameters
    ----------
    period : float
        s.
    """

    def __init__(self, period: float) -> None:
        self._period = period
        self._size = max(FEWEST, round(WINDOW / period))
        self._time = np.empty(self._size + SEEN)
        self._length, self._force = (np.empty((self._size + SEEN, 6)) for _ in range(2))
        self.reset()

    def reset(self) -> None:
        """Forget the samples so far."""
        self._count = self._old = 0

    def step(self, time: float, length: FloatArray, force: FloatArray | None) -> list[ChannelFinding] | None:
        """Take a good sample: stamp in s, lengths (6,) in m, forces (6,) in N.

        Returns
        -------
        list of ChannelFinding, or None
            What is wrong in the window that this sample completes; None while it is not complete.
        """
        n = self._count
        self._time[n], self._length[n], self._force[n] = time, length, np.nan if force is None else force
        self._count += 1
        if self._count < self._size + self._old:
            return None
        troubles = self._steps() + self._stuck() + self._clipped()
        # a step at the end of the window shows with the first samples of the next
        kept = SEEN - 1
        for values in (self._time, self._length, self._force):
            values[:kept] = values[self._count - kept : self._count]
        self._count = self._old = kept
        return troubles

    def _steps(self) -> list[ChannelFinding]:
        time, length = self._time[: self._count], self._length[: self._count]
        regular = np.abs(np.diff(time) - self._period) < 0.25 * self._period
        whole = regular[:-4] & regular[1:-3] & regular[2:-2] & regular[3:-1] & regular[4:]
        third = np.diff(length, 3, axis=0)
        scale = np.maximum(np.median(np.abs(third), axis=0), _resolution(length))
        # x: 0 0 0 s s s has the third differences s, -2 s, s; an outlier has s, -3 s, 3 s, -s
        before, middle, after = third[:-2], third[1:-1], third[2:]
        sharp = np.abs(middle) > 2.0 * np.maximum(SHARP * scale, COARSEST * _resolution(length))
        alike = (np.abs(before + 0.5 * middle) < SHAPE * np.abs(middle)) & (
            np.abs(after + 0.5 * middle) < SHAPE * np.abs(middle)
        )
        # a sample taken late or twice moves all struts at once
        size = np.abs(middle)
        lone = (size > np.maximum(SHARP * scale, BESIDE * size.max(axis=1)[:, None])).sum(axis=1) == 1
        rows, struts = np.nonzero(sharp & alike & (lone & whole)[:, None])
        return [step_finding(int(i), float(-0.5 * middle[n, i])) for n, i in zip(rows, struts, strict=True)]

    def _stuck(self) -> list[ChannelFinding]:
        length = self._length[: self._count]
        span = np.ptp(length, axis=0)
        still = np.flatnonzero(span == 0.0)
        moved = MOVED * float(np.abs(length[-1]).mean())
        if still.size != 1 or np.sort(span)[1] < moved:
            return []
        i = int(still[0])
        text = (
            f"the length of strut {i + 1} has been {length[-1, i]:.6f} m for {self._span:.1f} s while the others moved "
            f"by {1e3 * np.sort(span)[1]:.1f} mm and more: stuck"
        )
        return [ChannelFinding("length_stuck", i, 0.0, text)]

    def _clipped(self) -> list[ChannelFinding]:
        length, force = self._length[: self._count], self._force[: self._count]
        moving = _is_moving(length, self._period)
        if np.isnan(force).any() or np.count_nonzero(moving) < FEWEST:
            return []
        limits = []
        for i in range(6):
            here = force[moving, i]
            range_of = np.ptp(here)
            for end, near in ((here.max(), here.max() - here), (here.min(), here - here.min())):
                at_end = np.count_nonzero(near == 0.0)
                # at rest a force has a few levels only, and the next one is far away
                reach = max(NEARNESS * range_of, np.min(near, where=near > 0.0, initial=np.inf))
                close = np.count_nonzero((near > 0.0) & (near <= reach))
                if at_end > max(SHARE_CLIPPED * here.size, 5.0, LONE * close) and range_of > 0.0:
                    text = f"the force of strut {i + 1} is clipped at {end:.4g} N, {at_end} times in {self._span:.1f} s"
                    limits.append(ChannelFinding("force_clipped", i, float(end), text))
        return limits

    @property
    def _span(self) -> float:
        return float(self._time[self._count - 1] - self._time[0])


def step_finding(strut: int, size: float) -> ChannelFinding:
    """A length (strut from 0) that is somewhere else by so many m."""
    text = f"the length of strut {strut + 1} stepped by {1e3 * size:.2g} mm: its zero is another one now"
    return ChannelFinding("length_step", strut, size, text)


def _is_moving(length: FloatArray, period: float) -> NDArray[np.bool_]:
    """Return which samples (N,) of lengths (N, 6) in m belong to a motion: one that comes before and goes on behind.

    A force at standstill has a few levels only, and its largest one comes again and again without any limit.
    """
    reach = max(1, round(STANDSTILL_TIME / period))
    moved = np.abs(length[reach:] - length[:-reach]).max(axis=1)
    moves = moved > STANDSTILL_RATE * reach * period * float(np.abs(length[-1]).mean())
    forward, backward = (
        np.concatenate(parts)
        for parts in ((moves, moves[-1:].repeat(reach)), (moves[:1].repeat(reach), moves))
    )
    return forward & backward


def _resolution(length: FloatArray) -> FloatArray:
    """Smallest change (6,) of each length that there is in m; 0 where there is none."""
    change = np.abs(np.diff(length, axis=0))
    smallest: FloatArray = np.min(np.where(change > ROUNDING, change, np.inf), axis=0)
    return np.where(np.isfinite(smallest), smallest, 0.0)
