# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Foreign logs as strut logs: columns chosen by a layout, numbers in SI units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUT_NAMES, StrutLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.suggestion import did_you_mean

from ..column_guess import columns_hint
from ..growing_log import GrowingLog
from ..joint_columns import with_numbers
from ..strut_csv import (
    NUMBERS_HINT,
    RAW_HEADER,
    SI_HEADER,
    TIME,
    choose_strut_columns,
    strut_log_of,
)
from ..table import NAMES_SHOWN, Table, short, table_of
from .applicability import refuse_no_count
from .hdf5 import read_hdf5
from .layout import OURS, LogLayout
from .mat import read_mat
from .parquet import read_parquet
from .sheet import read_sheet
from .units import FACTORS, KNOWN, QUANTITY, factor, stated_unit, units_by_quantity

# Files that hold arrays by name, and what reads them
ARRAY_FILES = {
    ".mat": read_mat,
    ".parquet": read_parquet,
    ".h5": read_hdf5,
    ".hdf5": read_hdf5,
}
# The unit a name states at its end: `L1 [mm]`, `Kraft 1 (kN)`
STATED = re.compile(r".*[\[(]\s*([^\[\]()]+?)\s*[\])]\s*")


def read_foreign(
    path: str | Path, layout: LogLayout, machine: Machine | None = None
) -> tuple[StrutLog, dict[str, int]]:
    """Read a log of columns that another program wrote: text of any delimiter, or a file of arrays (`ARRAY_FILES`).

    Parameters
    ----------
    path : str or Path
        Text may be gzip-compressed.
    layout : LogLayout
        Columns it does not name have our names in the file.
    machine : Machine, optional
        Needed for counts and currents; columns may be called after its `joint_names`.

    Returns
    -------
    log : StrutLog
        SI units.
    faults : dict of str to int
        Lines left out, by reason.

    Raises
    ------
    LogError
        If it cannot be read, a column is not there, or a name states a unit that the layout contradicts.
    SettingsError
        If a library that reads it is not installed.
    """
    faults: dict[str, int] = {}
    joints = STRUT_NAMES if machine is None else machine.joint_names
    read_arrays = ARRAY_FILES.get(Path(path).suffix.lower())
    if read_arrays is not None:
        columns = read_arrays(path)
        wanted = _wanted(columns.names, layout, str(path), joints)
        chosen = [columns.names[place] for place in wanted.values()]
        pieces = _tables(columns.pieces(chosen), tuple(wanted), str(path))
    else:
        sheet = read_sheet(path)
        faults = sheet.faults
        wanted = _wanted(sheet.names, layout, str(path), joints, sheet.units)
        sheet.refuse_ambiguous(wanted.values(), str(path))
        labels = _labels(sheet.names)
        labelled = tuple(labels[place] for place in wanted.values())
        pieces = iter([table_of(sheet.text, str(path), lambda _: labelled, labels)])
    units = units_by_quantity(layout.units)
    counted = layout.rate is not None and TIME in wanted
    scale = np.array([1.0 if counted and ours == TIME else factor(ours, units) for ours in wanted])
    log, before = GrowingLog(), 0
    for theirs in pieces:
        table = replace(theirs, columns=tuple(wanted), values=theirs.values * scale)
        if layout.rate is not None:
            table = _with_time(table, layout.rate, before)
        before += len(table.values)
        log.append(strut_log_of(table, machine))
    return log.taken(str(path)), faults


def _tables(pieces: Iterator[FloatArray], columns: tuple[str, ...], source: str) -> Iterator[Table]:
    """Rows of arrays, part by part, numbered from 1."""
    before = 0
    for values in pieces:
        lines = np.arange(before + 1, before + len(values) + 1)
        before += len(values)
        yield Table(columns, values, lines, 0, (), source)


def _with_time(table: Table, rate: float, before: int) -> Table:
    """Time in s of samples counted by a column `t`, or one for each row, of which there were some before."""
    if TIME in table.columns:
        refuse_no_count(table)
        values = table.values.copy()
        values[:, table.columns.index(TIME)] /= rate
        return replace(table, values=values)
    time = np.arange(before, before + len(table.values)) / rate
    return replace(table, columns=(TIME, *table.columns), values=np.column_stack([time, table.values]))


def _wanted(
    names: tuple[str, ...],
    layout: LogLayout,
    source: str,
    joints: Sequence[str],
    units: tuple[str, ...] = (),
) -> dict[str, int]:
    """Our columns, of those that a strut log needs, and where they are in the file, from 0."""
    at_hand = {ours: _place(theirs, names, ours, source) for ours, theirs in layout.columns.items()}
    numbered = with_numbers(names, joints)
    named = [name for name in OURS if name in numbered and name not in layout.columns]
    at_hand |= {name: numbered.index(name) for name in named}
    own = (*at_hand, TIME) if layout.rate is not None and TIME not in at_hand else tuple(at_hand)
    try:
        chosen = choose_strut_columns(own)
    except ValueError as error:
        expected = str(error) if at_hand else f"expected {SI_HEADER}, or {RAW_HEADER}"
        hint = columns_hint(names) if any(not name.isdigit() for name in names) else NUMBERS_HINT
        raise LogError(f"{source}: found the columns {_listed(names)}; {expected}; {hint}") from None
    wanted = {name: at_hand[name] for name in chosen if name in at_hand}
    taken: dict[int, str] = {}
    for name, place in wanted.items():
        if name in named:
            _refuse_repeated(name, numbered, name, source)
        if taken.setdefault(place, name) != name:
            raise LogError(f"{source}: --columns: {taken[place]} and {name} are both column {place + 1}")
    full = [f"{name} [{unit}]" if unit else name for name, unit in zip_longest(names, units)]
    _refuse_other_units({ours: full[place] for ours, place in wanted.items()}, layout, source)
    return wanted


def _place(theirs: str, names: Sequence[str], ours: str, source: str) -> int:
    """Where a column of the file is, from 0, by its name or by its number from 1."""
    if theirs in names:
        _refuse_repeated(theirs, names, ours, source)
        return names.index(theirs)
    if theirs.isdecimal() and 1 <= int(theirs) <= len(names):
        return int(theirs) - 1
    raise LogError(
        f"{source}: --columns {ours}={theirs}: no such column; there are {len(names)}: "
        f"{_listed(names)}{did_you_mean(theirs, [name for name in names if name])}"
    )


def _refuse_repeated(name: str, names: Sequence[str], ours: str, source: str) -> None:
    if names.count(name) > 1:
        raise LogError(
            f"{source}: column {name} is there {names.count(name)} times; give its number, "
            f"as --columns {ours}={names.index(name) + 1}"
        )


def _labels(names: Sequence[str]) -> tuple[str, ...]:
    """What columns are called in messages: names that are there once, else numbers too."""
    return tuple(
        name if name and names.count(name) == 1 else f"{name} no. {place}".strip()
        for place, name in enumerate(names, 1)
    )


def _listed(names: Sequence[str]) -> str:
    return short(", ".join(name for name in names if name), NAMES_SHOWN)


def _refuse_other_units(wanted: Mapping[str, str], layout: LogLayout, source: str) -> None:
    """Take a name that states a unit, as `L1 [mm]`, at its word: refuse it unless the layout says the same."""
    given = units_by_quantity(layout.units)
    named_units: dict[str, str] = {}
    wrong = ""
    for ours, theirs in wanted.items():
        quantity = QUANTITY.get(ours)
        if quantity is None or (ours == TIME and layout.rate is not None):
            continue
        unit = stated_unit(theirs, quantity)
        if not unit:
            continue
        if KNOWN.get(unit) != quantity:
            raise LogError(
                f"{source}: column '{theirs}' says {unit}, which is no unit of {quantity} that is known; expected one "
                f"of {', '.join(FACTORS[quantity])}: convert its numbers, or correct its name where it is none"
            )
        named_units[quantity] = unit
        expected = given.get(quantity, next(iter(FACTORS[quantity])))
        if unit != expected and not wrong:
            wrong = f"column '{theirs}' says {unit}, and {expected} was expected"
    if wrong:
        raise LogError(
            f"{source}: {wrong}; the names ask for --units {','.join((given | named_units).values())}"
        )
