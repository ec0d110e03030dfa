# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Whether a log can be of a machine at all: raw logs name none, but their lengths must have poses."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.mechanisms.hexapod.kinematics.forward import FAILED, forward_kinematics
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import representative_rows

from .settings import GuardSettings
from .stream import StreamGuard

_LOOKED_AT = 500  # samples, over all of the log
# A file may state limits a little narrower than the machine's own, and encoders have faults: that is no other machine.
_BEYOND = 0.02  # of the stroke
_SHARE = 0.02  # of the samples
_TRIED = 50  # samples, in every order of their columns


def refuse_another_machine(log: DriveLog, machine: Machine) -> None:
    """Refuse a log whose strut lengths a machine cannot have had.

    Parameters
    ----------
    log : DriveLog
        Before the guard, which drops what is outside the limits.
    machine : Machine

    Raises
    ------
    LogError
        If more than a fiftieth of the samples are outside the machine's limits by more than a fiftieth of its
        stroke, or have no pose in any order of their columns: names the share.
    """
    found = _impossible_share(log.length, machine)
    if found is None:
        return
    # rows of something else among a machine's own jump away and back
    continued = _without_jumps(log)
    found = _impossible_share(continued, machine) if len(continued) else found
    if found is None:
        return
    share, what = found
    low, high = machine.length_limits
    finite = continued[np.isfinite(continued).all(axis=1)] if len(continued) else log.length
    stroke = np.ptp(finite, axis=0) if len(finite) else np.full(STRUTS, np.inf)
    # below the shortest length, by no more than a strut's own length: what an encoder reports that is zero at its end
    strokes = np.all(stroke <= high - low) and np.all(finite.max(axis=0) < high) and np.any(finite < low)
    hint = (
        "; strokes instead of lengths? give --at-zero with the length, m, where they are 0" if strokes else ""
    )
    raise LogError(
        f"{log.source}: a log of another machine than '{machine.name}': {100 * share:.1f} % of its samples have "
        f"{what}{hint}"
    )


def _impossible_share(length: FloatArray, machine: Machine) -> tuple[float, str] | None:
    """Return which part of lengths (N, 6) the machine cannot have, and in words what they are; None of few."""
    length = representative_rows(length)
    length = length[np.isfinite(length).all(axis=1)]
    if not len(length):
        return None
    length = length[:: -(-len(length) // _LOOKED_AT)]
    low, high = machine.length_limits
    outside = (np.maximum(low - length, length - high) > _BEYOND * (high - low)).any(axis=1)
    share, what = float(np.mean(outside)), f"lengths outside {low:g} to {high:g} m"
    if share <= _SHARE:
        share, what = _without_pose(machine, length), "lengths that no pose of this machine has"
        # lengths in the columns of other struts are another fault, which is found and set right
        few = length[:: -(-len(length) // _TRIED)]
        if share <= _SHARE or any(
            _without_pose(machine, few[:, order]) <= _SHARE for order in permutations(range(STRUTS))
        ):
            return None
    return share, what


def _without_jumps(log: DriveLog) -> FloatArray:
    """Return the lengths (M, 6) of the rows that continue those before them, wherever they are."""
    steps = np.diff(log.time)
    steps = steps[np.isfinite(steps) & (steps > 0.0)]
    if not len(steps):
        return log.length
    limits = GuardSettings(period=float(np.median(steps)), length_limits=(-np.inf, np.inf))
    guarded = StreamGuard(limits).guard(replace(log, force=None))
    return guarded.length[~guarded.filled]


def _without_pose(machine: Machine, length: FloatArray) -> float:
    """Part of the samples (N, 6) whose lengths no pose has."""
    return float(np.mean(forward_kinematics(machine, length).status == FAILED))
