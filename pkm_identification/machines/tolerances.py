# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Tolerances of a machine file as independent numbers: of drives in the log, or of paths in the file."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pkm_identification.mechanisms.tolerances import DriveTolerances
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import axes_across

from .contract import Drive, Machine, Tolerance

NUMBERS = "numbers"
_RELATIVE = ("coordinate_scale", "force_gain", "asymmetry")


def list_tolerances(machine: Machine, known: DriveTolerances) -> Iterator[Tolerance]:
    """Yield what is known to a tolerance only of a machine, one independent number after the other."""
    for kind, sizes in known.of_drives.items():
        for i, (drive, size) in enumerate(zip(machine.drives, sizes, strict=True)):
            if size > 0.0:
                yield Tolerance(kind, f"{kind}_{drive.name}", size, find_unit(kind, drive), (i,))
    for kind, size in known.of_machine.items():
        if kind == "force_delay":
            yield Tolerance(kind, kind, size, "s", tuple(range(len(machine.drives))))
        elif kind == "gravity_direction":
            for number, paths in enumerate(gravity_tilts(machine.gravity), 1):
                yield Tolerance(kind, f"{kind}_{number}", size, "rad", paths=paths)
        else:
            for places in machine.joint_places.values():
                for path in places:
                    yield Tolerance(kind, path, size, "m", paths={path: 1.0})
    for path, size in known.numbers.items():
        yield Tolerance(NUMBERS, path, size, "", paths={path: 1.0})


def gravity_tilts(gravity: FloatArray) -> list[dict[str, float]]:
    """Return what an angle of 1 rad about either axis across gravity adds to its numbers in the file, to first order.

    With gravity along -z these are the axes x and y; a machine without gravity has none.
    """
    if not np.any(gravity):
        return []
    turned = [np.cross(axis, gravity) for axis in axes_across(gravity)]
    return [{f"gravity.{k}": float(one[k]) for k in np.flatnonzero(one)} for one in turned]


def find_unit(kind: str, drive: Drive) -> str:
    """Return the unit of a tolerance of a drive; empty of what is relative."""
    if kind in _RELATIVE:
        return ""
    if kind == "motor_inertia":
        return "kg m^2" if drive.unit == "rad" else "kg"
    if kind == "drive_delay":
        return "s"
    return drive.unit if kind == "coordinate_offset" else drive.force_unit
