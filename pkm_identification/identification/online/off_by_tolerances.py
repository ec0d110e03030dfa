# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Quantities of a machine file off by their tolerances, one after the other: what they would do to live samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, StrutMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import axes_across, matrix_from_vector


@dataclass(frozen=True)
class Off:
    """One quantity off by its tolerance: the machine and the struts' motion as they then would be."""

    name: str
    machine: Machine
    struts: tuple[StrutMotion, ...]


def off_by_tolerances(machine: Machine, struts: StrutMotion, slope: FloatArray) -> Iterator[Off]:
    """Every quantity of the machine's tolerances off by its tolerance, for samples far apart.

    Parameters
    ----------
    machine : Machine
    struts : StrutMotion
        N samples with forces.
    slope : ndarray, shape (N, 6)
        Of the forces, N/s.
    """
    for name, size in machine.tolerances.known.items():
        if name == "force_delay":
            yield Off(name, machine, (replace(struts, force=_force(struts) + size * slope),))
        else:
            yield from _off(name, size, machine, (struts,))


def _off(
    name: str,
    size: float,
    machine: Machine,
    struts: tuple[StrutMotion, ...],
) -> Iterator[Off]:
    """The quantities of one tolerance, one after the other."""

    def moved(change: Callable[[StrutMotion, int], StrutMotion], strut: int) -> tuple[StrutMotion, ...]:
        return tuple(change(motion, strut) for motion in struts)

    if name == "joint_places":
        for place in range(2 * STRUTS * 3):
            shift = np.zeros(2 * STRUTS * 3)
            shift[place] = size
            base, platform = shift.reshape(2, STRUTS, 3)
            places = machine.base_joints + base, machine.platform_joints + platform
            yield Off(name, replace(machine, base_joints=places[0], platform_joints=places[1]), struts)
    elif name == "gravity_direction":
        for axis in axes_across(machine.gravity) if np.any(machine.gravity) else ():
            yield Off(
                name, replace(machine, gravity=matrix_from_vector(size * axis) @ machine.gravity), struts
            )
    elif name == "motor_inertia":
        # a mass along one strut more in the machine is a force less that the other bodies need
        for i in range(STRUTS):
            yield Off(
                name, machine, moved(lambda motion, k: _less(motion, k, size * motion.acceleration[:, k]), i)
            )
    elif name == "length_offset":
        for i in range(STRUTS):
            yield Off(name, machine, moved(lambda motion, k: _longer(motion, k, np.array(size), 0.0), i))
    elif name == "length_scale":
        zero = machine.drive.length_at_zero if machine.drive is not None else np.zeros(STRUTS)
        for i in range(STRUTS):
            yield Off(
                name,
                machine,
                moved(lambda motion, k: _longer(motion, k, size * (motion.length[:, k] - zero[k]), size), i),
            )
    elif name == "force_gain":
        for i in range(STRUTS):
            yield Off(
                name, machine, moved(lambda motion, k: _less(motion, k, size * _force(motion)[:, k]), i)
            )
    elif name == "force_offset":
        for i in range(STRUTS):
            yield Off(name, machine, moved(lambda motion, k: _less(motion, k, np.array(size)), i))


def _force(motion: StrutMotion) -> FloatArray:
    if motion.force is None:
        raise ValueError("samples without forces make no equations")
    return motion.force


def _less(motion: StrutMotion, strut: int, force: FloatArray) -> StrutMotion:
    """The motion with a force less in one strut, N."""
    changed = _force(motion).copy()
    changed[:, strut] -= force
    return replace(motion, force=changed)


def _longer(motion: StrutMotion, strut: int, length: FloatArray, share: float) -> StrutMotion:
    """The motion with one strut longer by a length (m), its rates by a share."""
    parts = {name: getattr(motion, name).copy() for name in ("length", "rate", "acceleration")}
    parts["length"][:, strut] += length
    parts["rate"][:, strut] *= 1.0 + share
    parts["acceleration"][:, strut] *= 1.0 + share
    return replace(motion, **parts)
