# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What can be estimated beside a machine's parameters: its kinds, and what names stand for on a machine of n drives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.machines.contract import Drive, Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import axes_across

from .columns import ASYMMETRIC, DELAY, GAIN, INERTIA, OF_MOTION, OFFSET, SQUARE, STRIBECK

OF_DRIVES = (DELAY, GAIN, OFFSET, ASYMMETRIC, STRIBECK, SQUARE, INERTIA)
GRAVITY, GEOMETRY = "gravity_direction", "geometry"
NAMES = (*OF_DRIVES, GRAVITY, GEOMETRY)
FORMS = (DELAY, *(f"{kind}[_DRIVE]" for kind in OF_DRIVES), GRAVITY, GEOMETRY)
OF_LAWS = {ASYMMETRIC: "asymmetric", STRIBECK: "stribeck"}  # laws of friction that have it already
LARGE_DELAY, LARGE_GAIN, LARGE_SHARE = 5e-2, 0.1, 0.3  # s; relative; of a drive's rms force
DELAY_SIZE = 2e-2  # s: a delay that is known to a twentieth of it, 1 ms, is known
TILT = 0.03  # rad, a large one
PLACE = 1e-3  # of a machine's size: a large error of a joint's place, as of hexapods


@dataclass(frozen=True)
class ModelError:
    """One number that is estimated besides.

    Attributes
    ----------
    name : str
        Of the parameter.
    kind : str
        One of NAMES.
    drives : tuple of int
        Whose forces it is of, from 0.
    unit : str
    nominal : float
        Its value where file and log are right.
    scale : float or None
        What a large error is; None: what makes LARGE_SHARE of the drive's force.
    size : float or None
        What deviations are small beside, where it is not the scale.
    paths : mapping of str to float
        Numbers of the file that a unit of it changes, and by how much.
    """

    name: str
    kind: str
    drives: tuple[int, ...]
    unit: str
    nominal: float = 0.0
    scale: float | None = None
    size: float | None = None
    paths: Mapping[str, float] | None = None

    @property
    def linear(self) -> bool:
        """Whether its column is the same at any estimate."""
        return self.kind in OF_MOTION or self.kind == OFFSET


def parse_also(text: str) -> tuple[str, ...]:
    """Return names from a text with commas; an empty one has none."""
    return tuple(part.strip() for part in text.split(",")) if text.strip() else ()


def find_errors(
    machine: Machine, names: Sequence[str], size: float, gravity: FloatArray
) -> tuple[ModelError, ...]:
    """Return what names stand for on a machine.

    Parameters
    ----------
    machine : Machine
    names : sequence of str
        `force_offset` of all drives, `force_offset_q1` of the drive called q1, `force_offset_1` of the first one;
        `force_delay` is one delay of all forces.
    size : float
        Of the machine in m: what places of joints are off goes with it.
    gravity : ndarray, shape (3,)
        m/s^2

    Raises
    ------
    SettingsError
        If a name is unknown, or two mean the same: with all that there are.
    """
    found: dict[str, ModelError] = {}
    owner: dict[str, str] = {}
    for name in names:
        for error in _find(machine, name, size, gravity):
            if error.name in owner:
                again = (
                    "is given twice" if owner[error.name] == name else f"'{owner[error.name]}' has it already"
                )
                raise SettingsError(f"also '{name}': {again}")
            found[error.name], owner[error.name] = error, name
    common = [name for name in found if found[name].kind == DELAY and len(found[name].drives) > 1]
    own = [name for name in found if found[name].kind == DELAY and name not in common]
    if common and len(machine.drives) > 1 and len(own) == len(machine.drives):
        raise SettingsError(
            f"also '{common[0]}': the delays of all drives have it already; leave one of them out"
        )
    return tuple(found.values())


def _find(machine: Machine, name: str, size: float, gravity: FloatArray) -> Iterator[ModelError]:
    drives = machine.drives
    if name == DELAY:
        yield ModelError(DELAY, DELAY, tuple(range(len(drives))), "s", 0.0, LARGE_DELAY, DELAY_SIZE)
    elif name == GRAVITY:
        yield from _find_tilt(machine, gravity)
    elif name == GEOMETRY:
        yield from _find_places(machine, size)
    else:
        kind, chosen = _find_drives(drives, name)
        law = OF_LAWS.get(kind)
        for i in chosen:
            if law is not None and machine.friction[i].law.name == law:
                raise SettingsError(
                    f"also '{name}': the friction law '{law}' of '{machine.name}' has it already"
                )
            yield _of_drive(machine, kind, i)


def _find_drives(drives: Sequence[Drive], name: str) -> tuple[str, list[int]]:
    """Return the kind and the drives that a name stands for."""
    for kind in OF_DRIVES:
        if name == kind:
            return kind, list(range(len(drives)))
        if not name.startswith(f"{kind}_"):
            continue
        own = name.removeprefix(f"{kind}_")
        chosen = [i for i, drive in enumerate(drives) if own == drive.name]
        if not chosen and own.isdigit() and 1 <= int(own) <= len(drives):
            chosen = [int(own) - 1]
        if chosen:
            return kind, chosen
        known = ", ".join(drive.name for drive in drives)
        raise SettingsError(
            f"also '{name}': there is no drive '{own}'; expected one of {known}, or 1 to {len(drives)}"
        )
    raise SettingsError(f"also '{name}': must be one of {', '.join(FORMS)}")


def _of_drive(machine: Machine, kind: str, i: int) -> ModelError:
    drive, name = machine.drives[i], f"{kind}_{machine.drives[i].name}"
    if kind == DELAY:
        return ModelError(name, kind, (i,), "s", 0.0, LARGE_DELAY, DELAY_SIZE)
    if kind == GAIN:
        return ModelError(name, kind, (i,), "", 1.0, LARGE_GAIN)
    if kind == INERTIA:
        return ModelError(name, kind, (i,), "kg m^2" if drive.unit == "rad" else "kg")
    unit = f"{drive.force_unit} s^2/{drive.unit}^2" if kind == SQUARE else drive.force_unit
    return ModelError(name, kind, (i,), unit)


def _find_tilt(machine: Machine, gravity: FloatArray) -> Iterator[ModelError]:
    """Two angles about axes across gravity as the file has it: with gravity along -z, about x and y."""
    if not gravity.any():
        raise SettingsError(f"also '{GRAVITY}': machine '{machine.name}' has no gravity")
    everyone = tuple(range(len(machine.drives)))
    for number, axis in enumerate(axes_across(gravity), 1):
        turned = np.cross(axis, gravity)
        paths = {f"gravity.{k}": float(turned[k]) for k in np.flatnonzero(turned)}
        yield ModelError(f"{GRAVITY}_{number}", GRAVITY, everyone, "rad", 0.0, TILT, paths=paths)


def _find_places(machine: Machine, size: float) -> Iterator[ModelError]:
    """Coordinates of the joints in their bodies."""
    joints = machine.document.get("joints")
    if not isinstance(joints, Mapping):
        raise SettingsError(
            f"also '{GEOMETRY}': the file of machine '{machine.name}' names no joints with places"
        )
    everyone = tuple(range(len(machine.drives)))
    for joint, entry in joints.items():
        for path in _find_numbers(entry.get("place", []), f"joints.{joint}.place"):
            yield ModelError(
                f"{GEOMETRY}:{path}", GEOMETRY, everyone, "m", 0.0, PLACE * size, paths={path: 1.0}
            )


def _find_numbers(node: object, path: str) -> Iterator[str]:
    if isinstance(node, list):
        for k, part in enumerate(node):
            yield from _find_numbers(part, f"{path}.{k}")
    else:
        yield path
