# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What logs of a machine have, in our names: its columns, what they measure, and which of them belong together."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pkm_identification.machines.contract import Drive, Machine
from pkm_identification.machines.encoders import are_on_motors, has_both_encoders
from pkm_identification.mechanisms.reported import Reported
from pkm_identification.motion import STRUT_NAMES, STRUTS

from .bags import MOTOR_STATES, STRUT_STATES
from .table import refuse_header

TIME = "t"
OTHER_TIMES = ("time", "__time")  # as others call it; PlotJuggler the latter
COORDINATE, FORCE = "coordinate", "force"  # all of a machine's, in --columns
COUNTS, CURRENT, SENSOR, MOTOR = "enc", "cur", "sensor", "motor"
IMU = tuple(f"imu_{kind}{axis}" for kind in "aw" for axis in "xyz")
QUANTITIES = {"m": "length", "rad": "angle", "N": "force", "N m": "torque"}
NUMBERED = re.compile(r"(.*?)_?(\d+)")
# A unit behind a name: `slide_1 [mm]`, `Kraft 1 (kN)`
WITH_UNIT = re.compile(r"(.*?)\s*[\[(]\s*[^\[\]()]+?\s*[\])]\s*")
# What names of columns begin with or hold, the surest first
COORDINATE_WORDS = (
    "pos", "len", "läng", "laeng", "angle", "ang", "winkel", "weg", "joint", "leg", "bein", "strut", "stroke", "axis",
    "drive", "q", "l", "s", "phi", "theta", "a",
)  # fmt: skip
LENGTH_WORDS = ("len", "läng", "laeng", "leg", "strut", "pos", "stroke", "bein", "l", "q", "s")
FORCE_WORDS: tuple[str, ...] = ("force", "torque", "trq", "eff", "mom", "load", "kraft", "tau", "f", "m")
RAW_WORDS: dict[str, tuple[str, ...]] = {COUNTS: ("enc", "count", "inc"), CURRENT: ("cur", "amp", "i")}
IN_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
LONGEST_STRUT = 5.0  # m, where no machine says better
# Six struts of which nothing is known
STRUT_DRIVES = tuple(
    Drive(
        f"length_{i + 1}",
        STRUT_NAMES[i],
        "m",
        f"force_{i + 1}",
        0.0,
        LONGEST_STRUT,
        suffix=str(i + 1),
        part="strut",
    )
    for i in range(STRUTS)
)


@dataclass(frozen=True)
class Channels:
    """Columns of a log.

    Attributes
    ----------
    drives : tuple of Drive
    quantity : mapping of str to str
        All columns of ours: what each measures, as `records.foreign.units` has units of it; empty of counts.
    groups : mapping of str to tuple of str
        Columns that --columns may name as a whole, one of each drive.
    coordinates, forces, counts, currents, sensors, motors : tuple of str
        Columns of the drives; `motors` are coordinates at second encoders.
    words : mapping of str to tuple of str
        What other programs' names of a group begin with or hold.
    machine : str
        Its name; empty where none is known.
    on_motors, both : bool
        Whether coordinates are those of encoders on the motors, and whether there is one on either side.
    """

    drives: tuple[Drive, ...]
    quantity: Mapping[str, str]
    groups: Mapping[str, tuple[str, ...]]
    coordinates: tuple[str, ...]
    forces: tuple[str, ...]
    counts: tuple[str, ...]
    currents: tuple[str, ...]
    sensors: tuple[str, ...]
    motors: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]]
    machine: str = ""
    on_motors: bool = False
    both: bool = False

    @property
    def joints(self) -> tuple[str, ...]:
        """What messages call the drives."""
        return tuple(drive.joint for drive in self.drives)

    @property
    def reported(self) -> dict[str, Reported]:
        """Of columns of forces, how reports in other quantities become one; empty where no machine is known."""
        if self.drives == STRUT_DRIVES:
            return {}
        return {drive.force_name: drive.reported for drive in self.drives}

    @property
    def called(self) -> str:
        """The drives, in messages."""
        if self._struts:
            return f"struts 1 to {len(self.drives)}"
        return f"drives {', '.join(self.coordinates)}"

    @property
    def _struts(self) -> bool:
        return all(drive.part == "strut" for drive in self.drives)

    @property
    def expected(self) -> str:
        """The columns, in messages."""
        plain = f"{TIME}, {_spread(self.coordinates)}, {_spread(self.forces)}"
        return f"{plain} or {_spread(self.counts)}, {_spread(self.currents)}" if self._struts else plain

    @property
    def header(self) -> str:
        """The columns of files, in messages."""
        raw = f"{TIME},{_spread(self.counts)},{_spread(self.currents)}"
        return f"{raw}, or {self.plain_header}" if self._struts else self.plain_header

    @property
    def plain_header(self) -> str:
        """The columns of files in SI units, in messages."""
        plain = f"{TIME},{_spread(self.coordinates)},{_spread(self.forces)}"
        return f"{plain} (without forces, or with currents {_spread(self.currents)})"

    @property
    def topics(self) -> tuple[str, ...]:
        """Topics that have the coordinates, the best first; none where any with all drives will do."""
        if self.on_motors:
            return (MOTOR_STATES,) if self.both else (MOTOR_STATES, STRUT_STATES)
        return (STRUT_STATES,) if self.both or self._struts else ()

    def choose(self, there: Sequence[str]) -> tuple[str, ...]:
        """Return the columns to read of those there are: coordinates go before counts, and forces before currents.

        Raises
        ------
        ValueError
            If columns are missing: names them and what is expected.
        """
        header = self.plain_header

        def has(group: Sequence[str]) -> bool:
            return any(name in there for name in group)

        wanted: tuple[str, ...] = (TIME, *self.coordinates)
        if has(self.coordinates):
            wanted += next((group for group in (self.forces, self.currents) if has(group)), ())
        elif has(self.counts):
            wanted, header = (TIME, *self.counts, *self.currents), self.header
        else:
            if not has(self.forces):
                refuse_header(there, self.header)
            wanted += self.forces
        for group in (IMU, self.sensors, self.motors):
            if has(group):
                wanted += group
                header += f", {_spread(group)}"
        missing = [name for name in wanted if name not in there]
        if missing:
            raise ValueError(f"no column {', '.join(missing)}; expected {header}")
        return wanted

    def rename(self, there: Sequence[str], joints: Sequence[str]) -> tuple[str, ...]:
        """Return names of columns, those called after a joint in our form (`length_1`), all others as they are.

        A column that is there in our form already, or after the joint twice (of two topics), stays as it is.

        Parameters
        ----------
        there : sequence of str
            Of a header.
        joints : sequence of str
            Of the drives.
        """
        ours = [self._own_name(name, joints) for name in there]
        return tuple(
            name if own in there or ours.count(own) > 1 else own
            for name, own in zip(there, ours, strict=True)
        )

    def _own_name(self, name: str, joints: Sequence[str]) -> str:
        if name in OTHER_TIMES:
            return TIME
        path, of_motors = f"/{name}", f"/{MOTOR_STATES}/" in f"/{name}"
        for k, (drive, joint) in enumerate(zip(self.drives, joints, strict=True)):
            if path.endswith(f"/{joint}/position"):
                return self.motors[k] if of_motors else self.coordinates[k]
            if (
                path.endswith(f"/{joint}/effort") and not of_motors
            ):  # the efforts are those of the other topic
                return self.forces[k]
            for group in (self.coordinates, self.forces, self.counts, self.currents, self.motors):
                stem = group[k].removesuffix(f"_{drive.label}")
                if stem != group[k] and name == f"{stem}_{joint}":
                    return group[k]
        return name

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
            [f"{TIME}=time", *(f"{g}={g[0].upper()}{_format_range(1, count, g[0].upper())}" for g in groups)]
        )

    @property
    def numbers_hint(self) -> str:
        """What to give for a file without names."""
        count = len(self.joints)
        first, second = list(self.words)[:2]
        given = (
            f"t=1,{first}={_format_range(2, count + 1)},{second}={_format_range(count + 2, 2 * count + 1)}"
        )
        counted = " (where t counts samples, as halsampler -t does, with --rate HZ)"
        return f"without names say which column is which, as --columns {given}{counted}"


def _format_range(first: int, last: int, stem: str = "") -> str:
    return str(first) if first == last else f"{first}..{stem}{last}"


def _stem(columns: Sequence[str]) -> str:
    """Return what all columns are but for a number at their end; empty where they are not."""
    found = [NUMBERED.fullmatch(name) for name in columns]
    stems = {match[1] for match in found if match is not None}
    return stems.pop() if all(found) and len(stems) == 1 else ""


def _spread(columns: Sequence[str]) -> str:
    """Return columns as messages have them: `length_1..length_6`."""
    if len(columns) > 1 and (_stem(columns) or columns == IMU):
        return f"{columns[0]}..{columns[-1]}"
    return ",".join(columns)


def build_channels(machine: Machine | None = None) -> Channels:
    """Return the columns of a machine's logs; of six struts where none is known."""
    if machine is None:
        return STRUT_CHANNELS
    return build_drive_channels(
        machine.drives, machine.name, are_on_motors(machine), has_both_encoders(machine)
    )


def build_drive_channels(
    drives: Sequence[Drive], machine: str = "", on_motors: bool = False, both: bool = False
) -> Channels:
    """Return the columns of a log of drives, all of them by their names; parameters as of `Channels`."""
    names, forces = tuple(drive.name for drive in drives), tuple(drive.force_name for drive in drives)
    counts, currents, sensors = (
        tuple(f"{stem}_{drive.label}" for drive in drives) for stem in (COUNTS, CURRENT, SENSOR)
    )
    motors = tuple(f"{MOTOR}_{name}" for name in names)
    quantity = dict.fromkeys(counts, "") | dict.fromkeys(currents, "current")
    struts = all(drive.part == "strut" for drive in drives)
    if struts:  # whose platform may carry an IMU
        quantity |= dict.fromkeys(IMU[:3], "acceleration") | dict.fromkeys(IMU[3:], "angle")
    for own, other, force in zip(drives, motors, sensors, strict=True):
        quantity |= {force: QUANTITIES[own.force_unit], other: QUANTITIES[own.unit]}
    own_quantity = {TIME: "time"} | {drive.name: QUANTITIES[drive.unit] for drive in drives}
    own_quantity |= {drive.force_name: QUANTITIES[drive.force_unit] for drive in drives}
    whole = {COORDINATE: names, FORCE: forces} | {_stem(names): names} | {_stem(forces): forces}
    whole |= {
        COUNTS: counts,
        CURRENT: currents,
        SENSOR: sensors,
        f"{MOTOR}_{_stem(names) or COORDINATE}": motors,
    }
    words: dict[str, tuple[str, ...]] = {
        _stem(names) if struts else COORDINATE: LENGTH_WORDS if struts else COORDINATE_WORDS
    }
    words |= {FORCE: FORCE_WORDS} | (RAW_WORDS if struts else {})
    every = own_quantity | {name: what for name, what in quantity.items() if name not in own_quantity}
    groups = {group: columns for group, columns in whole.items() if group and group not in every}
    return Channels(
        tuple(drives), every, groups, names, forces, counts, currents, sensors, motors, words, machine, on_motors,
        both,
    )  # fmt: skip


STRUT_CHANNELS = build_drive_channels(STRUT_DRIVES)
