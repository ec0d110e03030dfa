# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Drives through a table of setpoints, and a load that is carried along."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.rigid_bodies import parallel_axes
from pkm_identification.numerics.arrays import FloatArray

from .description.records import GROUND, Description
from .mechanism import Mechanism


def find_payload_body(description: Description) -> str:
    """Return the body that loads are fixed to.

    It is the one that the file names, that of its pose or outputs, or else the farthest from the ground, in joints:
    of an arm its last link. Of several the first.
    """
    return description.payload_body or find_output_body(description) or _find_farthest_body(description)


def find_output_body(description: Description) -> str | None:
    """Return the body whose pose or outputs the file names; None where it names none."""
    if description.pose:
        return description.pose
    moved = [one.bodies[1] for one in description.outputs if one.kind in ("position", "angle")]
    return next((body for body in moved if body != GROUND), None)


def _find_farthest_body(description: Description) -> str:
    distance = {GROUND: 0}
    reached = [GROUND]
    for body in reached:
        for joint in description.joints:
            for here, there in (joint.bodies, joint.bodies[::-1]):
                if here == body and there not in distance:
                    distance[there] = distance[here] + 1
                    reached.append(there)
    return max((one.name for one in description.bodies), key=lambda name: distance[name])


def spline_setpoints(
    time: FloatArray, places: FloatArray, period: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return places, rates and accelerations (N, n) by cubic splines through setpoints, from rest to rest.

    Parameters
    ----------
    time : ndarray, shape (K,)
        s, increasing.
    places : ndarray, shape (K, n)
        Of the drives, m or rad.
    period : float
        s, between samples.

    Raises
    ------
    SettingsError
        If times do not increase.
    """
    if len(time) < 2 or not np.all(np.isfinite(time)) or np.any(np.diff(time) <= 0):
        raise SettingsError("setpoints: need at least two rows with times in s that increase")
    # here, because it takes as long to load as all other parts of SciPy that every command needs
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(time, places, bc_type="clamped")
    at = np.arange(time[0], time[-1] + 0.5 * period, period)
    return spline(at), spline(at, 1), spline(at, 2)


def add_point_mass(mechanism: Mechanism, mass: float, position: FloatArray) -> Mechanism:
    """Return the mechanism with a point mass in kg at `position` (3,) in m of the body that carries loads."""
    carrying = find_payload_body(mechanism.description)
    index = [one.name for one in mechanism.description.bodies].index(carrying)
    moments = parallel_axes(mass, position)
    parameters = np.array(mechanism.parameters, dtype=float)
    parameters[index] += [mass, *(mass * position), *np.diag(moments), *moments[[0, 0, 1], [1, 2, 2]]]
    return replace(mechanism, parameters=parameters)
