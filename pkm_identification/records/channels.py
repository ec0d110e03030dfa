# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What logs of a machine have, in our names: its columns, what they measure, and which of them belong together."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pkm_identification.machines.contract import Drive
from pkm_identification.mechanisms.reported import Reported

from .bags import MOTOR_STATES

TIME = "t"
PLOTJUGGLER_TIME = "__time"
COORDINATE, FORCE = "coordinate", "force"  # all of a machine's, in --columns
QUANTITIES = {"m": "length", "rad": "angle", "N": "force", "N m": "torque"}
FIELDS = ("position", "effort")  # of a JointState: coordinate and force
NUMBERED = re.compile(r"(.*?)_?(\d+)")
# A unit behind a name: `slide_1 [mm]`, `Kraft 1 (kN)`
WITH_UNIT = re.compile(r"(.*?)\s*[\[(]\s*[^\[\]()]+?\s*[\])]\s*")
# What names of columns begin with or hold, the surest first
COORDINATE_WORDS = (
    "pos", "len", "läng", "laeng", "angle", "ang", "winkel", "weg", "joint", "leg", "bein", "strut", "stroke", "axis",
    "drive", "q", "l", "s", "phi", "theta", "a",
)  # fmt: skip
FORCE_WORDS = ("force", "torque", "eff", "mom", "load", "kraft", "tau", "f", "m")
IN_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True)
class Channels:
    """Columns of a log.

    Attributes
    ----------
    quantity : mapping of str to str
        All columns of ours: what each measures, as `records.foreign.units` has units of it; empty of counts.
    groups : mapping of str to tuple of str
        Columns that --columns may name as a whole, one of each drive.
    coordinates, forces : tuple of str
        Columns of what messages have of the drives.
    joints : tuple of str
        What messages call the drives.
    called : str
        The drives, in messages.
    expected, header : str
        The columns, in messages; the latter of files, where it is another.
    reported : mapping of str to Reported
        Of columns of forces, how reports in other quantities become one; empty where no machine is known.
    words : mapping of str to tuple of str
        What other programs' names of a group begin with or hold.
    choose : callable
        Of a header's columns, those to read; raises ValueError where some are missing.
    rename : callable
        Names of a header as ours, where they are after a joint; all others as they are.
    """

    quantity: Mapping[str, str]
    groups: Mapping[str, tuple[str, ...]]
    coordinates: tuple[str, ...]
    forces: tuple[str, ...]
    joints: tuple[str, ...]
    called: str
    expected: str
    words: Mapping[str, tuple[str, ...]]
    choose: Callable[[tuple[str, ...]], tuple[str, ...]]
    rename: Callable[[Sequence[str], Sequence[str]], tuple[str, ...]]
    header: str = ""
    reported: Mapping[str, Reported] = field(default_factory=dict)

    @property
    def count(self) -> str:
        """How many drives there are, in words."""
        count = len(self.joints)
        return IN_WORDS[count] if count < len(IN_WORDS) else str(count)

    @property
    def quantities(self) -> tuple[str, ...]:
        """What can be measured in a unit."""
        return tuple(dict.fromkeys(quantity for quantity in self.quantity.values() if quantity))

    @property
    def recorded(self) -> tuple[str, ...]:
        """What messages have of the drives: quantities of coordinates and forces."""
        return tuple(dict.fromkeys(self.quantity[column] for column in (*self.coordinates, *self.forces)))

    @property
    def example(self) -> str:
        """A --columns that names all."""
        count = len(self.joints)
        groups = list(self.words)[:2]
        return ",".join(
            [f"{TIME}=time", *(f"{g}={g[0].upper()}{_range(1, count, g[0].upper())}" for g in groups)]
        )

    @property
    def numbers_hint(self) -> str:
        """What to give for a file without names."""
        count = len(self.joints)
        first, second = list(self.words)[:2]
        given = f"t=1,{first}={_range(2, count + 1)},{second}={_range(count + 2, 2 * count + 1)}"
        return f"without names say which column is which, as --columns {given}"


def _range(first: int, last: int, stem: str = "") -> str:
    return str(first) if first == last else f"{first}..{stem}{last}"


def build_drive_channels(drives: Sequence[Drive]) -> Channels:
    """Return the columns of a log of drives: time, coordinates and forces, all of them by their names."""
    names, forces = tuple(drive.name for drive in drives), tuple(drive.force_name for drive in drives)
    quantity = {
        TIME: "time",
        **{drive.name: QUANTITIES[drive.unit] for drive in drives},
        **{drive.force_name: QUANTITIES[drive.force_unit] for drive in drives},
    }
    groups = {COORDINATE: names, FORCE: forces}
    for columns in (names, forces):
        found = [NUMBERED.fullmatch(name) for name in columns]
        stems = {match[1] for match in found if match is not None}
        if all(found) and len(stems) == 1:
            groups.setdefault(stems.pop(), columns)
    groups = {group: columns for group, columns in groups.items() if group and group not in quantity}
    wanted = (TIME, *names, *forces)

    def choose(there: tuple[str, ...]) -> tuple[str, ...]:
        missing = [name for name in wanted if name not in there]
        if missing:
            raise ValueError(f"no column {', '.join(missing)}; expected {','.join(wanted)}")
        return wanted

    def rename(there: Sequence[str], joints: Sequence[str]) -> tuple[str, ...]:
        ours = [_own_name(name, joints, (names, forces)) for name in there]
        return tuple(
            name if own in there or ours.count(own) > 1 else own
            for name, own in zip(there, ours, strict=True)
        )

    return Channels(
        quantity, groups, names, forces, tuple(drive.joint for drive in drives), f"drives {', '.join(names)}",
        ", ".join(wanted),
        {COORDINATE: COORDINATE_WORDS, FORCE: FORCE_WORDS}, choose, rename,
        reported={drive.force_name: drive.reported for drive in drives},
    )  # fmt: skip


def _own_name(name: str, joints: Sequence[str], columns: Sequence[Sequence[str]]) -> str:
    """Return our name of a column that is a JointState's field or PlotJuggler's time; else its own."""
    if name == PLOTJUGGLER_TIME:
        return TIME
    for quantity, ours in zip(FIELDS, columns, strict=True):
        for joint, own in zip(joints, ours, strict=True):
            if f"/{name}".endswith(f"/{joint}/{quantity}") and f"/{MOTOR_STATES}/" not in f"/{name}":
                return own
    return name
