"""Waypoints given as strut lengths: the poses that have them."""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import MotionRefused, NotConverged
from pkm_identification.mechanisms.hexapod.kinematics import jacobian, pose_of_lengths
from pkm_identification.mechanisms.hexapod.kinematics.assembly.continuation import follow_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray

from .path import Waypoints


def strut_waypoints(machine: Machine, time: FloatArray, length: FloatArray, rate: FloatArray) -> Waypoints:
    """Waypoints of a platform whose struts shall have given lengths and rates.

    Parameters
    ----------
    machine : Machine
    time : ndarray, shape (N,)
        s from the start of the motion.
    length : ndarray, shape (N, 6)
        m.
    rate : ndarray, shape (N, 6)
        m/s; rows of NaN are left to the curve.

    Returns
    -------
    Waypoints
        Poses of home's assembly mode, with the twists J^-1 times the rates (Oh 2003, 2.13).

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
    found = follow_lengths(machine, length)
    if not found.found.all():
        i = int(np.argmin(found.found))
        try:
            pose_of_lengths(machine, length[i])
        except NotConverged as error:
            raise MotionRefused(f"waypoint {i + 1}: {error}") from None
        raise MotionRefused(f"waypoint {i + 1}: no pose found for its lengths")
    twist = np.full((len(time), 6), np.nan)
    given = ~np.isnan(rate).all(axis=1)
    broken = given & ~np.isfinite(rate).all(axis=1)
    if broken.any():
        raise MotionRefused(f"waypoint {int(np.argmax(broken)) + 1}: a rate is not finite")
    jac = jacobian(machine, found.position[given], found.rotation[given])
    twist[given] = np.linalg.solve(jac, rate[given][:, :, None])[:, :, 0]
    return Waypoints(time, found.position, found.rotation, twist, np.full_like(twist, np.nan))
