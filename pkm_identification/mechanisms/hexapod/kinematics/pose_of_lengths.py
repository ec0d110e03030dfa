# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One pose of six lengths, or one clear error that says why there is none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import NotConverged
from pkm_identification.numerics.arrays import FloatArray

from ..machine import Machine
from .assembly.continuation import follow_lengths
from .forward import DEGRADED


@dataclass(frozen=True)
class Pose:
    """The pose that six lengths give, in the assembly mode of home.

    `residual` is the largest error of a length in m, `condition` the Frobenius condition number / 6; `degraded` is
    True near a singularity, `outside` names the struts (1 to 6) whose length is outside the machine's limits.
    """

    position: FloatArray
    rotation: FloatArray
    residual: float
    condition: float
    degraded: bool
    outside: tuple[int, ...]


def pose_of_lengths(machine: Machine, length: FloatArray) -> Pose:
    """Return the platform's pose with given strut lengths, proved to be of home's assembly mode.

    Parameters
    ----------
    machine : Machine
    length : ndarray, shape (6,)
        m.

    Returns
    -------
    Pose

    Raises
    ------
    ValueError
        If `length` is not six positive finite numbers.
    NotConverged
        If the lengths fit no pose, or only poses behind a singularity; the message says which struts or how far
        the way from home went.
    """
    length = np.asarray(length, dtype=float)
    if length.shape != (6,):
        raise ValueError(f"length has shape {length.shape}, expected (6,)")
    if not (np.all(np.isfinite(length)) and np.all(length > 0)):
        raise ValueError(f"length = {length.tolist()}: must be six positive finite numbers (m)")
    misfit = _find_impossible_pair(machine, length)
    if misfit:
        raise NotConverged(f"no pose has these lengths: {misfit}")
    result = follow_lengths(machine, length[None])
    if not result.found[0]:
        raise NotConverged(
            "no pose of home's assembly mode has these lengths: going there from home in a straight line meets a "
            f"singularity after {100 * result.fraction[0]:.1f} % of the way"
        )
    low, high = machine.length_limits
    return Pose(
        result.position[0],
        result.rotation[0],
        float(result.residual[0]),
        float(result.condition[0]),
        bool(result.status[0] == DEGRADED),
        tuple(int(i) + 1 for i in np.flatnonzero((length < low) | (length > high))),
    )


def _find_impossible_pair(machine: Machine, length: FloatArray) -> str:
    """Two struts whose lengths no placing of their joints allows: base joint, struts and platform are a chain."""
    base, platform = (
        np.linalg.norm(joints[:, None] - joints, axis=2)
        for joints in (machine.base_joints, machine.platform_joints)
    )
    for i in range(6):
        for j in range(i):
            longest = base[i, j] + platform[i, j]
            difference = abs(length[i] - length[j])
            if difference > longest:
                return (
                    f"struts {j + 1} and {i + 1} differ by {difference:.4f} m, "
                    f"their joints allow at most {longest:.4f} m"
                )
            reach = length[i] + length[j]
            needed = abs(base[i, j] - platform[i, j])
            if reach < needed:
                return (
                    f"struts {j + 1} and {i + 1} are {reach:.4f} m together, "
                    f"their joints need at least {needed:.4f} m"
                )
    return ""
