# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How near drives must stay to a motion, and come to its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.machines.contract import Drive
from pkm_identification.numerics.arrays import FloatArray

LEVER_M = 0.1  # m, of a short arm: at its end an angle's tolerance is that of a length


def spread_over_drives(drives: Sequence[Drive], length: float) -> FloatArray:
    """Return a tolerance in m for each drive (n,) in its own unit: of turning ones rad at a lever of 0.1 m."""
    return np.array([length / (LEVER_M if drive.unit == "rad" else 1.0) for drive in drives])


@dataclass(frozen=True)
class Tolerances:
    """Allowed differences of reference and measurement; infinite where nothing is asked for.

    Attributes
    ----------
    drives : tuple of Drive, length n
    path, path_rate : ndarray, shape (n,)
        m and m/s, or rad and rad/s, on the way.
    goal, goal_rate : ndarray, shape (n,)
        The same at the end.
    goal_time : float
        s after the motion's end within which `goal` and `goal_rate` must be met.
    """

    drives: tuple[Drive, ...]
    path: FloatArray
    path_rate: FloatArray
    goal: FloatArray
    goal_rate: FloatArray
    goal_time: float

    @classmethod
    def at_goal(cls, drives: tuple[Drive, ...], length: float, time: float) -> Tolerances:
        """Return: drives within `length` (m, see `spread_over_drives`) at most `time` (s) after the end; a free way."""
        free = np.full(len(drives), np.inf)
        return cls(drives, free, free, spread_over_drives(drives, length), free, time)

    def off_path(self, error: FloatArray, rate_error: FloatArray) -> str | None:
        """Return what is wrong on the way, in words; None while all drives are within.

        Parameters
        ----------
        error, rate_error : ndarray, shape (n,)
            m and m/s, or rad and rad/s.
        """
        return self._beyond(error, self.path, rate_error, self.path_rate, "its path")

    def off_goal(self, error: FloatArray, rate_error: FloatArray) -> str | None:
        """Return what is wrong at the end, in words; None when all drives are within."""
        return self._beyond(error, self.goal, rate_error, self.goal_rate, "the goal")

    def _beyond(
        self,
        error: FloatArray,
        allowed: FloatArray,
        rate_error: FloatArray,
        allowed_rate: FloatArray,
        what: str,
    ) -> str | None:
        for values, limits, text in (
            (np.abs(error), allowed, "{} is {:.6f} {} from {}, {:g} {} is allowed"),
            (np.abs(rate_error), allowed_rate, "{}: its rate is {:.6f} {}/s off {}, {:g} {}/s is allowed"),
        ):
            # NaN is beyond
            if not (values <= limits).all():
                i = int(np.argmax(values - limits))
                drive = self.drives[i]
                return text.format(drive.title, values[i], drive.unit, what, limits[i], drive.unit)
        return None
