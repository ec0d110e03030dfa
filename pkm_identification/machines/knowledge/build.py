# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How well all numbers of a machine are known: its bodies, its drives, and what is the machine's as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pkm_identification.mechanisms.known_statements import Statements, Width
from pkm_identification.mechanisms.tolerances import DriveTolerances
from pkm_identification.numerics.arrays import FloatArray

from ..contract import Machine
from .bodies import BodyValues, build_bodies, find_like_bodies
from .drives import list_drive_numbers
from .file import KnownFile
from .records import WIDTH, Knowledge, KnownNumber
from .whole import list_machine_numbers

NUMBERS = "numbers"
GUESSED_LENGTH = 0.2  # relative, of a constant that is guessed
NO_NAMES: Mapping[str, str] = {}
# Sections whose numbers decide how the machine moves, and keys in them that do not
GEOMETRY = frozenset({"geometry", "constants", "joints", "drives"})
NO_GEOMETRY = frozenset(
    {"limits", "joint_limits", "length_limits", "rate_limit", "home", "inertia", "friction"}
)


def build_knowledge(
    machine: Machine,
    bodies: Sequence[BodyValues],
    statements: Statements,
    tolerances: DriveTolerances,
    moved: FloatArray,
    keys: Mapping[str, str],
    shared: frozenset[str] = frozenset(),
    names: Mapping[str, str] = NO_NAMES,
) -> Knowledge:
    """Return how well all numbers of a machine are known.

    Parameters
    ----------
    machine : Machine
    bodies : sequence of BodyValues
    statements : Statements
        Of its file.
    tolerances : DriveTolerances
        Of its file: they state widths, too.
    moved : ndarray, shape (n,)
        Mass in kg, or inertia in kg m^2, that each drive moves.
    keys : mapping of str to str
        Where the file has the numbers `motor_inertia`, `coordinate_offset`, `force_gain`, `force_offset` of a drive,
        '*' for its index from 0, '@' for its name, and `force_delay`, `common_force_gain`. Of others the key is that
        of the section `tolerances`.
    shared : frozenset of str
        Keys whose widths are those of bodies, and count there.
    names : mapping of str to str
        See `KnownFile`.
    """
    by_path = {tuple(path.split(".")): Width(width) for path, width in tolerances.numbers.items()}
    file = KnownFile(machine.document, Statements({**by_path, **statements.stated}), tolerances, names)
    known = build_bodies(bodies, file)
    numbers = (*list_drive_numbers(machine, file, moved, keys), *list_machine_numbers(machine, file, keys))
    taken = {one.key for one in (*(number for body in known for number in body.numbers), *numbers)}
    others = [
        KnownNumber(NUMBERS, key, file.find_number(key), width, "", WIDTH, None, (), {key: 1.0})
        for key, width in file.list_widths()
        if key not in taken | shared
        and key.split(".")[0] in GEOMETRY
        and not NO_GEOMETRY & set(key.split("."))
    ]
    others += [
        KnownNumber(NUMBERS, key, value, GUESSED_LENGTH * abs(value), "", "guessed", None, (), {key: 1.0})
        for key in file.list_guessed_constants()
        if key not in shared and (value := file.find_number(key))
    ]
    return Knowledge(known, find_like_bodies(bodies, file), (*numbers, *others))
