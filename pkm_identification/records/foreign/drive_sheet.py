# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Logs of any mechanism's drives as text of another program's form: columns by name, units as they are stated."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.numerics.arrays import FloatArray

from ..table import NAMES_SHOWN, short, table_of
from ..text_lines import beginning
from .reader import STATED
from .sheet import read_sheet
from .units import FACTORS, KNOWN, canonical

_NONE = "-"
_TIMES = FACTORS["time"]
_PLACES = FACTORS["length"] | FACTORS["angle"]
_FORCES = FACTORS["force"] | dict.fromkeys(("N m", "Nm", "N*m", "N.m"), 1.0)


def states_units(path: str | Path, names: Sequence[str]) -> bool:
    """Whether columns that commas divide have units, in brackets behind names that are not these, or below them."""
    lines = [line for line in beginning(path).decode(errors="replace").splitlines() if line.strip()]
    header, below = ([cell.strip(" \"'") for cell in line.split(",")] for line in (*lines[:2], "", "")[:2])
    return any(cell not in names and STATED.fullmatch(cell) is not None for cell in header) or any(
        cell.strip("[]()") in KNOWN for cell in below
    )


def read_drive_sheet(
    path: str | Path, time: str, drives: Sequence[str], forces: Sequence[str]
) -> tuple[FloatArray, str, dict[str, int]]:
    """Time, drives and forces (N, 1 + 2 n) in SI units of text with any delimiter, its place, and what was set right.

    Decimal signs may be commas, and lines comments. What was set right is counted by reason (`overrun`,
    `repeated_header`).

    A unit in a name's brackets, or in a line below the names, is taken at its word; without one numbers are in SI
    units.

    Raises
    ------
    LogError
        If it cannot be read, a column is missing or there twice, or a unit is unknown: names
        file and column, and line.
    """
    source, sheet = str(path), read_sheet(path)
    places: dict[str, list[int]] = {}
    units = []
    for place, (name, below) in enumerate(zip_longest(sheet.names, sheet.units, fillvalue="")):
        stated = STATED.fullmatch(name)
        bare = name if stated is None else name[: max(name.rfind("["), name.rfind("("))].strip()
        places.setdefault(bare, []).append(place)
        unit = below if stated is None else stated[1]
        units.append("" if unit == _NONE else canonical(unit))
    known = {time: _TIMES} | dict.fromkeys(drives, _PLACES) | dict.fromkeys(forces, _FORCES)
    missing = [name for name in known if name not in places]
    if missing:
        there = short(", ".join(name for name in places if name), NAMES_SHOWN)
        raise LogError(f"{source}: no column {', '.join(missing)}; there are: {there}")
    scale = []
    for name, factors in known.items():
        if len(places[name]) > 1:
            raise LogError(f"{source}: column {name} is there {len(places[name])} times")
        unit = units[places[name][0]]
        if unit and unit not in factors:
            raise LogError(f"{source}: column {name} is in '{unit}'; expected one of {', '.join(factors)}")
        scale.append(factors[unit] if unit else 1.0)
    sheet.refuse_ambiguous([places[name][0] for name in known], source)
    labels = tuple(f"{name} no. {place}".strip() for place, name in enumerate(sheet.names, 1))
    chosen = tuple(labels[places[name][0]] for name in known)
    table = table_of(sheet.text, source, lambda _: chosen, labels)
    return table.select(chosen) * np.array(scale), source, sheet.faults
