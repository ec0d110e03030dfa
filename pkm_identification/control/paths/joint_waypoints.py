# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Waypoints given as drives' coordinates: poses that have them where the machine has a platform with a pose."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import MotionRefused
from pkm_identification.machines.capabilities import PlatformPose, has
from pkm_identification.machines.contract import DEGRADED, Machine
from pkm_identification.machines.motions import compute_nearby_motion, compute_rest
from pkm_identification.numerics.arrays import FloatArray

from .waypoints import DriveWaypoints, Waypoints


def joint_waypoints(
    machine: Machine,
    time: FloatArray,
    coordinate: FloatArray,
    rate: FloatArray,
    acceleration: FloatArray | None = None,
) -> Waypoints | DriveWaypoints:
    """Return waypoints at which the drives shall have given coordinates, rates and accelerations.

    Parameters
    ----------
    machine : Machine
    time : ndarray, shape (N,)
        s from the start of the motion.
    coordinate : ndarray, shape (N, n)
        m or rad.
    rate : ndarray, shape (N, n)
        m/s or rad/s; rows of NaN are left to the curve.
    acceleration : ndarray, shape (N, n), optional
        m/s^2 or rad/s^2; rows of NaN, and by default all, are left to the curve.

    Returns
    -------
    Waypoints or DriveWaypoints
        Of a platform with a pose, poses of home's assembly mode with the twists and accelerations that the drives' are
        (Oh 2003, 2.13); else what was given.

    Raises
    ------
    MotionRefused
        If coordinates fit no motion, or none of home's assembly mode: says of which waypoint, and why.
    """
    if len(coordinate) == 0:
        raise MotionRefused("no waypoints")
    usable = np.isfinite(coordinate).all(axis=1)
    if not usable.all():
        raise MotionRefused(f"waypoint {int(np.argmin(usable)) + 1}: coordinates must be finite")
    rest = compute_rest(machine, coordinate)
    if (lost := rest.status > DEGRADED).any():
        i = int(np.argmax(lost))
        why = machine.explain_unreachable(coordinate[i]) or "no way there from home was found"
        raise MotionRefused(f"waypoint {i + 1}: {why}")
    given = _find_given(rate, "rate")
    if acceleration is None:
        acceleration = np.full_like(coordinate, np.nan)
    bent = _find_given(acceleration, "acceleration")
    if (alone := bent & ~given).any():
        raise MotionRefused(f"waypoint {int(np.argmax(alone)) + 1}: accelerations need rates as well")
    if not has(machine, PlatformPose):
        return DriveWaypoints(time, coordinate, rate, acceleration)
    position, rotation = machine.compute_pose(rest)
    _refuse_turns(machine, coordinate, position, rotation)
    twist, second = np.full((2, len(time), 6), np.nan)
    if given.any():
        driven = coordinate[given], rate[given], np.nan_to_num(acceleration[given])
        twist[given], second[given] = machine.compute_twist(
            compute_nearby_motion(machine, rest[given], *driven)
        )
        second[~bent] = np.nan
    return Waypoints(time, position, rotation, twist, second)


def _refuse_turns(
    machine: PlatformPose, coordinate: FloatArray, position: FloatArray, rotation: FloatArray
) -> None:
    """Raise MotionRefused for turning drives that a pose would leave whole turns away from where they shall be."""
    turning = np.array([drive.unit == "rad" for drive in machine.drives])
    if not turning.any():
        return
    still = np.zeros((len(coordinate), 6))
    reached = machine.compute_motion_of_pose(position, rotation, still, still).coordinate
    away = (np.abs(reached - coordinate) > 1.0) & turning
    if away.any():
        row, i = (int(part[0]) for part in np.nonzero(away))
        raise MotionRefused(
            f"waypoint {row + 1}: {machine.drives[i].title} at {coordinate[row, i]:.3f} rad: the platform is moved to "
            f"its pose with {reached[row, i]:.3f} rad; give that"
        )


def _find_given(rows: FloatArray, what: str) -> NDArray[np.bool_]:
    """Return which rows are not left to the curve."""
    given = ~np.isnan(rows).all(axis=1)
    broken = given & ~np.isfinite(rows).all(axis=1)
    if broken.any():
        word = "an" if what[0] in "aeiou" else "a"
        raise MotionRefused(f"waypoint {int(np.argmax(broken)) + 1}: {word} {what} is not finite")
    return np.asarray(given)
