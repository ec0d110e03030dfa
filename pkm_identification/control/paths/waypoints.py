# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Waypoints of motions: poses of a platform, or coordinates of the drives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import MotionRefused
from pkm_identification.numerics.arrays import FloatArray

LONGEST = 3600.0  # s
SHORTEST_STEP = 1e-3  # s, between waypoints


@dataclass(frozen=True)
class Waypoints:
    """Poses the platform shall pass, base frame.

    Attributes
    ----------
    time : ndarray, shape (N,)
        s from the start of the motion, increasing.
    position, rotation : ndarray, shapes (N, 3) and (N, 3, 3)
    twist, acceleration : ndarray, shape (N, 6)
        (v, w) and (a, alpha) in base axes at the platform origin; rows of NaN are left to the curve.

    Raises
    ------
    MotionRefused
        If a number is not finite, times do not increase, or the motion does not end at rest.
    """

    time: FloatArray
    position: FloatArray
    rotation: FloatArray
    twist: FloatArray
    acceleration: FloatArray

    def __post_init__(self) -> None:
        count = len(self.time)
        if count == 0:
            raise MotionRefused("no waypoints")
        for name, shape in (
            ("position", (3,)),
            ("rotation", (3, 3)),
            ("twist", (6,)),
            ("acceleration", (6,)),
        ):
            if getattr(self, name).shape != (count, *shape):
                raise ValueError(f"{name} has shape {getattr(self, name).shape}, expected {(count, *shape)}")
        endless = {
            "time or position is not finite": ~(
                np.isfinite(self.time) & np.isfinite(self.position).all(axis=1)
            ),
            "the orientation is not finite": ~np.isfinite(self.rotation).all(axis=(1, 2)),
        }
        check_waypoints(self.time, endless, {"twist": self.twist, "acceleration": self.acceleration})


@dataclass(frozen=True)
class DriveWaypoints:
    """Coordinates the drives shall pass.

    Attributes
    ----------
    time : ndarray, shape (N,)
        s from the start of the motion, increasing.
    coordinate : ndarray, shape (N, n)
        m or rad.
    rate, acceleration : ndarray, shape (N, n)
        Rows of NaN are left to the curve.

    Raises
    ------
    MotionRefused
        If a number is not finite, times do not increase, or the motion does not end at rest.
    """

    time: FloatArray
    coordinate: FloatArray
    rate: FloatArray
    acceleration: FloatArray

    def __post_init__(self) -> None:
        if len(self.time) == 0:
            raise MotionRefused("no waypoints")
        whole = np.isfinite(self.time) & np.isfinite(self.coordinate).all(axis=1)
        derivatives = {"rate": self.rate, "acceleration": self.acceleration}
        check_waypoints(self.time, {"time or coordinate is not finite": ~whole}, derivatives)


def check_waypoints(time: FloatArray, endless: dict[str, Any], derivatives: dict[str, FloatArray]) -> None:
    """Refuse waypoints that make no motion.

    Parameters
    ----------
    time : ndarray, shape (N,)
        s.
    endless : dict of str to ndarray of bool, shape (N,)
        Which rows are not finite, by what is not.
    derivatives : dict of str to ndarray, shape (N, C)
        First and second, by their names; rows of NaN are left to the curve.

    Raises
    ------
    MotionRefused
        Names the waypoint.
    """
    first, second = derivatives
    bad = endless | {
        f"the {name} is not finite": ~_read_given_or_free(rows) for name, rows in derivatives.items()
    }
    bad[f"it has an acceleration, but no {first}"] = np.isnan(derivatives[first][:, 0]) & ~np.isnan(
        derivatives[second][:, 0]
    )
    early = np.diff(time, prepend=-SHORTEST_STEP) < 0.999 * SHORTEST_STEP
    bad[f"its time must be 0 or more, and {SHORTEST_STEP:g} s after the one before"] = early
    for what, rows in bad.items():
        if rows.any():
            raise MotionRefused(f"waypoint {int(np.argmax(rows)) + 1}: {what}")
    if time[-1] < SHORTEST_STEP or time[-1] > LONGEST:
        raise MotionRefused(
            f"waypoint {len(time)}: a motion takes {SHORTEST_STEP:g} to {LONGEST:g} s, this one {time[-1]:g} s"
        )
    for name, rows in derivatives.items():
        if np.isfinite(rows[-1]).all() and np.abs(rows[-1]).max() > 0:
            raise MotionRefused(
                f"waypoint {len(time)}: a motion ends at standstill, but its {name} is {rows[-1].tolist()}"
            )


def _read_given_or_free(rows: FloatArray) -> NDArray[np.bool_]:
    return np.asarray(np.isnan(rows).all(axis=1) | np.isfinite(rows).all(axis=1))
