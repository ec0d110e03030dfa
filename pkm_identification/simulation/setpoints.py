# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where the controller's reference comes from: a trajectory, or length commands from outside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pkm_identification.mechanisms.friction import Friction, friction_force
from pkm_identification.numerics.arrays import FloatArray

BLOCK = 50  # samples computed at once: cheap per sample, and no long pause in real time
COMMAND_MEMORY = 0.1  # s, for which a commanded rate is believed without a new command
APPROACH = 25.0  # 1/s, how a reference closes in on its target


Wanted = tuple[FloatArray, FloatArray | None]  # coordinates (n,) and rates, None where they are not known


@dataclass(frozen=True)
class Reference:
    """What the drives should do: coordinate (n,) now, feed-forward (n,) for one period later.

    `later` returns coordinates and rates so many s from now, where a reference knows them.
    """

    length: FloatArray
    feed_forward: FloatArray
    later: Callable[[float], Wanted] | None = None


class MotionReference:
    """Reference of a motion, sample by sample.

    Parameters
    ----------
    sample : callable
        Returns coordinates and feed-forward forces, (M, n) each, at M even times in s, later ones at each call.
    period : float
        s.
    later : callable, optional
        Returns coordinates and rates (n,) at any time in s, where they are known exactly.
    begins_at_rest : bool

    Attributes
    ----------
    start : Reference
        Where it begins, with the feed-forward of that same instant.
    """

    def __init__(
        self,
        sample: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
        period: float,
        later: Callable[[float], Wanted] | None = None,
        begins_at_rest: bool = True,
    ) -> None:
        self._sample, self._period, self._later = sample, period, later
        self.begins_at_rest = begins_at_rest
        self._next = 0
        self._fill()
        self.start = Reference(self._coordinate[0], self._force[0])

    def _fill(self) -> None:
        time = np.arange(self._next, self._next + BLOCK + 1, dtype=float) * self._period
        self._coordinate, self._force = self._sample(time)

    def step(self) -> Reference:
        """Return the next sample's reference."""
        k = self._next % BLOCK
        if k == 0 and self._next > 0:
            self._fill()
        begin, wanted = self._next * self._period, self._later
        self._next += 1
        later = None if wanted is None else lambda shift: wanted(begin + shift)
        return Reference(self._coordinate[k], self._force[k + 1], later)


class LengthReference:
    """Reference that follows length commands, single or streamed, within rate and acceleration limits.

    All drives arrive together, so a platform goes nearly straight from one pose to the next.

    Parameters
    ----------
    length, rate : ndarray, shape (n,)
        Where the drives are and how they move, m or rad, and per s; without a command they brake and stay.
    period : float
        s.
    rate_limit, acceleration_limit : float or ndarray, shape (n,)
        m/s and m/s^2 (or rad), of the reference.
    friction : Friction, optional
        What the feed-forward makes up for.
    """

    def __init__(
        self,
        length: FloatArray,
        rate: FloatArray,
        period: float,
        rate_limit: float | FloatArray,
        acceleration_limit: float | FloatArray,
        friction: Friction | None = None,
    ) -> None:
        self._friction = friction
        self._period = period
        self._rate_limit = rate_limit
        self._acceleration_limit = acceleration_limit
        self._length = np.array(length, dtype=float)
        self._rate = np.clip(rate, -rate_limit, rate_limit)
        self._target = self._length + self._rate * np.abs(self._rate) / acceleration_limit
        self._target_rate = np.zeros_like(self._length)
        self._age = 0.0

    def command(self, length: FloatArray, rate: FloatArray | None = None) -> None:
        """Set the target lengths (n,) in m or rad, and their rates (n,) when they are part of a stream."""
        self._target = np.array(length, dtype=float)
        self._target_rate = np.zeros_like(self._length) if rate is None else np.array(rate, dtype=float)
        self._age = 0.0

    def step(self) -> Reference:
        """Return the next sample's reference."""
        length = self._length.copy()
        if self._age > COMMAND_MEMORY:
            self._target_rate[:] = 0.0
        self._age += self._period
        self._target += self._period * self._target_rate
        error = self._target - self._length
        distance = np.abs(error)
        share = distance / max(distance.max(), 1e-12)
        braking = np.sqrt(self._acceleration_limit * share * distance)
        wanted = self._target_rate + np.sign(error) * np.minimum(
            np.minimum(self._rate_limit * share, braking), APPROACH * distance
        )
        wanted = np.clip(wanted, -self._rate_limit, self._rate_limit)
        change = self._period * self._acceleration_limit
        rate = self._rate + np.clip(wanted - self._rate, -change, change)
        self._length += 0.5 * self._period * (self._rate + rate)
        self._rate = rate
        ahead = (
            np.zeros_like(self._length) if self._friction is None else friction_force(rate, self._friction)
        )
        return Reference(length, ahead)
