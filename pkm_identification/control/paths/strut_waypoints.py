# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Waypoints given as strut lengths: the poses that have them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import MotionRefused, NotConverged
from pkm_identification.mechanisms.hexapod.kinematics import (
    jacobian,
    pose_of_lengths,
    strut_motion_from_platform,
)
from pkm_identification.mechanisms.hexapod.kinematics.assembly.continuation import follow_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

from .path import Waypoints


def strut_waypoints(
    machine: Machine,
    time: FloatArray,
    length: FloatArray,
    rate: FloatArray,
    acceleration: FloatArray | None = None,
) -> Waypoints:
    """Waypoints of a platform whose struts shall have given lengths, rates and accelerations.

    Parameters
    ----------
    machine : Machine
    time : ndarray, shape (N,)
        s from the start of the motion.
    length : ndarray, shape (N, 6)
        m.
    rate : ndarray, shape (N, 6)
        m/s; rows of NaN are left to the curve.
    acceleration : ndarray, shape (N, 6), optional
        m/s^2; rows of NaN, and by default all, are left to the curve.

    Returns
    -------
    Waypoints
        Poses of home's assembly mode, with the twists J^-1 times the rates (Oh 2003, 2.13), and accelerations J^-1
        times what of the struts' accelerations the twist does not make.

    Raises
    ------
    MotionRefused
        If lengths fit no pose, or none of home's assembly mode: says of which waypoint, and why.
    """
    if len(length) == 0:
        raise MotionRefused("no waypoints")
    usable = np.isfinite(length).all(axis=1) & (length > 0).all(axis=1)
    if not usable.all():
        raise MotionRefused(
            f"waypoint {int(np.argmin(usable)) + 1}: lengths must be finite and more than 0 m"
        )
    path = follow_lengths(machine, length)
    if not path.found.all():
        i = int(np.argmin(path.found))
        try:
            pose_of_lengths(machine, length[i])
        except NotConverged as error:
            raise MotionRefused(f"waypoint {i + 1}: {error}") from None
        raise MotionRefused(f"waypoint {i + 1}: no pose found for its lengths")
    twist = np.full((len(time), 6), np.nan)
    second = np.full_like(twist, np.nan)
    given = _given(rate, "rate")
    jac = jacobian(machine, path.position[given], path.rotation[given])
    twist[given] = np.linalg.solve(jac, rate[given][:, :, None])[:, :, 0]
    if acceleration is not None:
        both = _given(acceleration, "acceleration") & given
        if (alone := _given(acceleration, "acceleration") & ~given).any():
            raise MotionRefused(f"waypoint {int(np.argmax(alone)) + 1}: accelerations need rates beside them")
        coasting = PlatformMotion(
            time[both],
            path.position[both],
            path.rotation[both],
            twist[both],
            np.zeros((int(both.sum()), 6)),
        )
        of_twist = strut_motion_from_platform(machine, coasting)[2]
        jac = jacobian(machine, path.position[both], path.rotation[both])
        second[both] = np.linalg.solve(jac, (acceleration[both] - of_twist)[:, :, None])[:, :, 0]
    return Waypoints(time, path.position, path.rotation, twist, second)


def _given(rows: FloatArray, what: str) -> NDArray[np.bool_]:
    """Which rows are not left to the curve."""
    given = ~np.isnan(rows).all(axis=1)
    broken = given & ~np.isfinite(rows).all(axis=1)
    if broken.any():
        word = "an" if what[0] in "aeiou" else "a"
        raise MotionRefused(f"waypoint {int(np.argmax(broken)) + 1}: {word} {what} is not finite")
    return np.asarray(given)
