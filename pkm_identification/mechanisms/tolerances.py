# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The section `tolerances` of a machine file: how well is known what an identification takes for exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from pkm_identification.declared import declarations, declare
from pkm_identification.document import Node


@dataclass(frozen=True)
class Tolerances:
    """Standard deviations of what is taken as known; 0: exactly.

    Every one of them is carried into the deviations that are stated of estimates.
    """

    joint_places: float = declare(0.0, "of each coordinate of each joint", "m", 0, 0.1)
    length_offset: float = declare(0.0, "of each encoder's zero", "m", 0, 0.1)
    length_scale: float = declare(0.0, "of each encoder's counts per metre, relative", "", 0, 0.5)
    force_gain: float = declare(0.0, "of each drive's force over current, relative", "", 0, 0.5)
    force_offset: float = declare(0.0, "of each drive's force at standstill", "N", 0, 1e7)
    force_delay: float = declare(0.0, "by which forces are late", "s", 0, 0.1)
    gravity_direction: float = declare(0.0, "of each of the two angles of gravity", "rad", 0, 1.0)
    motor_inertia: float = declare(
        0.0, "of what turns with each motor, as mass along the strut", "kg", 0, 1e6
    )
    common_force_gain: float = declare(0.0, "of the force over current of all drives, relative", "", 0, 0.5)
    drive_delay: float = declare(0.0, "by which the force of one drive is later than the others", "s", 0, 0.1)
    asymmetry: float = declare(0.0, "of friction between both directions, relative", "", 0, 1.0)
    time_base: float = declare(0.0, "of the clock of a log, relative", "", 0, 0.1)
    passive_friction: float = declare(
        0.0,
        "of joints without a drive, or of the platform along its way, of a drive's typical force",
        "",
        0,
        1.0,
    )
    bodies_alike: float = declare(
        0.0, "relative difference of masses and inertias between bodies of one design", "", 0, 1.0
    )

    @property
    def stated(self) -> dict[str, float]:
        """Those that are not zero, by name."""
        return {entry.name: value for entry in fields(self) if (value := getattr(self, entry.name)) > 0.0}

    @property
    def known(self) -> dict[str, float]:
        """Those that are not zero, by name, without OF_PRIORS."""
        return {name: value for name, value in self.stated.items() if name not in OF_PRIORS}


def read_tolerances(node: Node) -> Tolerances:
    """Tolerances of a machine file's section.

    Raises
    ------
    MachineError
        If a key is unknown or a value is impossible: names the key.
    """
    values = {}
    for name, declaration in declarations(Tolerances).items():
        entry_node = node.take(name, 0.0)
        value = values[name] = entry_node.not_negative()
        if declaration.high is not None and value > declaration.high:
            entry_node.fail(f"= {value:g}: must be {declaration.range}")
    node.close()
    return Tolerances(**values)


# Keys of a machine of any drives: of each drive in its own unit, a number for all or one for each; then of the machine
OF_DRIVES = ("coordinate_offset", "coordinate_scale", "force_gain", "force_offset", "motor_inertia")
OF_MACHINES = ("force_delay", "gravity_direction", "joint_places")
# Of the machine, for an estimate with priors alone: no width of theirs is carried into the deviations of another
OF_PRIORS = (
    "common_force_gain", "drive_delay", "asymmetry", "time_base", "passive_friction", "bodies_alike",
)  # fmt: skip
# A hexapod's names of them
AS_OF_HEXAPODS = {"coordinate_offset": "length_offset", "coordinate_scale": "length_scale"}


@dataclass(frozen=True)
class DriveTolerances:
    """Standard deviations of what is taken as known of a machine of n drives.

    Attributes
    ----------
    of_drives : mapping of str to tuple of n float
        Of OF_DRIVES those that are not zero.
    of_machine : mapping of str to float
        Of OF_MACHINES and OF_PRIORS those that are not zero.
    numbers : mapping of str to float
        Of numbers of the file by their paths, in the file's unit.
    """

    of_drives: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    of_machine: Mapping[str, float] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of_hexapod(cls, tolerances: Tolerances, drives: int) -> DriveTolerances:
        """Return those of a hexapod's file, whose drives are alike."""
        known = tolerances.stated
        sizes = {name: known.get(AS_OF_HEXAPODS.get(name, name), 0.0) for name in OF_DRIVES}
        return cls(
            {name: (size,) * drives for name, size in sizes.items() if size},
            {name: known[name] for name in (*OF_MACHINES, *OF_PRIORS) if name in known},
        )


NO_TOLERANCES = DriveTolerances()


def read_drive_tolerances(node: Node, drives: int) -> DriveTolerances:
    """Return the section of a mechanism's file, whose numbers are floats; raises MachineError as `read_tolerances`."""
    declared_of, of_drives, of_machine = declarations(Tolerances), {}, {}
    for name in (*OF_DRIVES, *OF_MACHINES, *OF_PRIORS):
        each = name in OF_DRIVES
        entry_node = node.take(name, 0.0)
        if each and isinstance(entry_node.value, list):
            values = tuple(float(value) for value in entry_node.array(drives, not_negative=True))
        else:
            values = (entry_node.not_negative(),) * (drives if each else 1)
        declaration = declared_of[AS_OF_HEXAPODS.get(name, name)]
        if name not in ("coordinate_offset", "motor_inertia") and max(values) > (declaration.high or 0.0):
            entry_node.fail(f"= {max(values):g}: must be {declaration.range}")
        if any(values) and each:
            of_drives[name] = values
        elif any(values):
            of_machine[name] = values[0]
    numbers_node = node.take("numbers", {})
    if not isinstance(numbers_node.value, dict):
        numbers_node.fail(
            "must be paths of numbers of the file, each with a deviation, as in constants.l1: 1e-4"
        )
    numbers = {str(path): numbers_node.take(path).positive() for path in numbers_node.value}
    node.close()
    return DriveTolerances(of_drives, of_machine, numbers)
