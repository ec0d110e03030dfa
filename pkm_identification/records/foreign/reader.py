# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Foreign logs: columns of ours chosen by a layout, numbers in SI units, whatever the machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import numpy as np

from pkm_identification.errors import LogError, SettingsError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.suggestion import did_you_mean

from ..channel_times import bring_to_one_time
from ..channels import TIME, WITH_UNIT, Channels
from ..column_guess import find_columns_hint
from ..table import NAMES_SHOWN, Table, short, table_of
from .applicability import refuse_no_count
from .hdf5 import read_hdf5
from .layout import LogLayout
from .mat import read_mat
from .parquet import read_parquet
from .sheet import Sheet, read_sheet
from .units import (
    FACTORS,
    KNOWN,
    RATE_UNITS,
    find_factor,
    force_of_report,
    reports_of,
    stated_unit,
    units_by_quantity,
)

# Of the time, where a column of its own holds them: --columns t=sec+nanosec
NANOSECONDS = "t_nanoseconds"
# Of a force, where another column is subtracted: --columns force_1=p_a-p_b
SUBTRACTED = " subtracted"
FAR_BEYOND = (
    3.0  # times what a drive may be asked for, above which its reports were read as what they are not
)
# Files that hold arrays by name, and what reads them
ARRAY_FILES = {
    ".mat": read_mat,
    ".parquet": read_parquet,
    ".h5": read_hdf5,
    ".hdf5": read_hdf5,
}


def read_foreign(
    path: str | Path, layout: LogLayout, joints: Sequence[str]
) -> tuple[Iterator[Table], dict[str, int], list[str]]:
    """Read a log of columns that another program wrote: text of any delimiter, or a file of arrays (`ARRAY_FILES`).

    Parameters
    ----------
    path : str or Path
        Text may be gzip-compressed.
    layout : LogLayout
        Columns it does not name have our names in the file.
    joints : sequence of str
        What drives are called: columns may be called after them.

    Returns
    -------
    tables : iterator of Table
        Columns of ours in SI units, part by part in order.
    faults : dict of str to int
        Lines left out, by reason.
    notes : list of str
        On clocks that drift apart.

    Raises
    ------
    LogError
        If it cannot be read, a column is not there, or a name states a unit that the layout contradicts.
    SettingsError
        If a library that reads it is not installed.
    """
    faults: dict[str, int] = {}
    notes: list[str] = []
    source = str(path)
    read_arrays = ARRAY_FILES.get(Path(path).suffix.lower())
    if read_arrays is not None:
        columns = read_arrays(path)
        wanted, units = _find_wanted_columns(columns.names, layout, source, joints)
        chosen = [columns.names[index] for index in wanted.values()]
        pieces = _iterate_tables(columns.pieces(chosen), tuple(wanted), source)
    else:
        sheet = read_sheet(path)
        faults = sheet.faults
        stated = tuple("s" if index in sheet.seconds else unit for index, unit in enumerate(sheet.units))
        wanted, units = _find_wanted_columns(sheet.names, layout, source, joints, stated)
        sheet.refuse_ambiguous(wanted.values(), source)
        whole, notes = _read_sheet_table(sheet, tuple(wanted.values()), source)
        pieces = iter([whole])
        units |= {ours: {} for ours, index in wanted.items() if index in sheet.seconds}
    counted = layout.rate is not None and TIME in wanted
    scale = np.array(
        [
            1.0
            if ours == NANOSECONDS or (counted and ours == TIME)
            else _find_factor(ours, units[ours], layout, source)
            for ours in wanted
        ]
    )
    tables = _convert_to_si(pieces, tuple(wanted), scale, layout.rate)
    limits = _find_limits(units, layout)
    return (_refuse_large(table, limits) if limits else table for table in tables), faults, notes


def _find_limits(units: Mapping[str, Mapping[str, str]], layout: LogLayout) -> dict[str, tuple[str, float]]:
    """Return unit and largest force, N (N m), of columns whose forces are made of something else that drives report."""
    limits = {}
    for drive in layout.channels.drives:
        own = units.get(drive.force_name, {})
        kinds = reports_of(drive.force_name, layout.channels)
        reported = next((one for one in kinds if one in own), "")
        if (
            reported
            and layout.channels.quantity[drive.force_name] not in own
            and np.isfinite(drive.rated_force)
        ):
            limits[drive.force_name] = own[reported], drive.rated_force
    return limits


def _refuse_large(table: Table, limits: Mapping[str, tuple[str, float]]) -> Table:
    """Refuse forces that no drive of the machine gives: they were no such reports."""
    for index, name in enumerate(table.columns):
        if name in limits and len(table.values):
            (unit, limit), finite = limits[name], np.abs(table.values[:, index])
            usual = float(np.median(finite[np.isfinite(finite)])) if np.isfinite(finite).any() else 0.0
            if usual > FAR_BEYOND * limit:
                raise LogError(
                    f"{table.source}: {name} in {unit} would be about {usual:.3g} by the machine file, and the drive "
                    f"gives at most {limit:.4g}: correct the unit in its name, or the drive's section of the file"
                )
    return table


def _read_sheet_table(sheet: Sheet, places: tuple[int, ...], source: str) -> tuple[Table, list[str]]:
    """Return the columns of a sheet at these places, from 0, all at the instants of one time, and notes on clocks."""
    labels = _label_columns(sheet.names)
    columns = [labels[index] for index in places]
    own = {column: sheet.time_of(index) for column, index in enumerate(places)}
    clocks = {column: labels[time] for column, time in own.items() if time is not None}
    wanted = tuple(dict.fromkeys([*columns, *clocks.values()]))
    table = table_of(sheet.text, source, lambda _: wanted, labels)
    values, notes = table.select(columns), list[str]()
    if clocks:
        times = {column: table.select([name])[:, 0] for column, name in clocks.items()}
        values, notes = bring_to_one_time(values, times, columns, source)
    return replace(table, columns=tuple(columns), values=values), notes


def _convert_to_si(
    pieces: Iterator[Table], columns: tuple[str, ...], scale: FloatArray, rate: float | None
) -> Iterator[Table]:
    before = 0
    for theirs in pieces:
        table = _with_pairs(replace(theirs, columns=columns, values=theirs.values * scale))
        if rate is not None:
            table = _add_time(table, rate, before)
        before += len(table.values)
        yield table


def _find_factor(ours: str, units: Mapping[str, str], layout: LogLayout, source: str) -> float:
    """Return what makes SI units of a column; of one that is subtracted, with its sign."""
    column, subtracted = ours.removesuffix(SUBTRACTED), ours.endswith(SUBTRACTED)
    known = layout.channels.reported.get(column)
    try:
        factor = find_factor(column, units, layout.channels, subtracted)
        if "pressure" in units and known is not None and known.is_differential and not subtracted:
            force_of_report(column, "pressure", layout.channels)
            if "-" not in layout.columns.get(column, ""):
                raise SettingsError(
                    f"{column} is one pressure, and the piston has two areas: give both, as --columns "
                    f"{column}=PRESSURE_A-PRESSURE_B"
                )
    except SettingsError as error:
        raise LogError(f"{source}: {error}") from None
    return -factor if subtracted else factor


def _with_pairs(table: Table) -> Table:
    """Return a table with the second column of each pair added to its first: nanoseconds, and what is subtracted."""
    values, left_out = table.values.copy(), []
    for index, name in enumerate(table.columns):
        first = TIME if name == NANOSECONDS else name.removesuffix(SUBTRACTED)
        if first != name:
            values[:, table.columns.index(first)] += (1e-9 if first == TIME else 1.0) * values[:, index]
            left_out.append(index)
    columns = tuple(name for index, name in enumerate(table.columns) if index not in left_out)
    return replace(table, columns=columns, values=np.delete(values, left_out, axis=1)) if left_out else table


def _iterate_tables(pieces: Iterator[FloatArray], columns: tuple[str, ...], source: str) -> Iterator[Table]:
    """Yield rows of arrays, part by part, numbered from 1."""
    before = 0
    for values in pieces:
        lines = np.arange(before + 1, before + len(values) + 1)
        before += len(values)
        yield Table(columns, values, lines, 0, (), source)


def _add_time(table: Table, rate: float, before: int) -> Table:
    """Time in s of samples counted by a column `t`, or one for each row, of which there were some before."""
    if TIME in table.columns:
        refuse_no_count(table)
        values = table.values.copy()
        values[:, table.columns.index(TIME)] /= rate
        return replace(table, values=values)
    time = np.arange(before, before + len(table.values)) / rate
    return replace(table, columns=(TIME, *table.columns), values=np.column_stack([time, table.values]))


def _find_wanted_columns(
    names: tuple[str, ...],
    layout: LogLayout,
    source: str,
    joints: Sequence[str],
    units: tuple[str, ...] = (),
) -> tuple[dict[str, int], dict[str, dict[str, str]]]:
    """Our columns, of those that a log needs: where they are in the file, from 0, and their units by quantity."""
    channels = layout.channels
    said = dict(layout.columns)
    if said.get(TIME, "") not in names and "+" in said.get(TIME, ""):
        said[TIME], _, said[NANOSECONDS] = said[TIME].partition("+")
    for force in [ours for ours in channels.forces if ours in said]:
        if said[force] not in names and "-" in said[force]:
            said[force], _, said[force + SUBTRACTED] = said[force].partition("-")
    at_hand = {ours: _find_column(theirs.strip(), names, ours, source) for ours, theirs in said.items()}
    renamed = channels.rename(tuple(_strip_unit(name, channels) for name in names), joints)
    named = [name for name in channels.quantity if name in renamed and name not in layout.columns]
    at_hand |= {name: renamed.index(name) for name in named}
    own = (*at_hand, TIME) if layout.rate is not None and TIME not in at_hand else tuple(at_hand)
    try:
        chosen = channels.choose(own)
    except ValueError as error:
        expected = str(error) if at_hand else f"expected {channels.header or channels.expected}"
        with_names = any(not name.isdigit() for name in names)
        hint = find_columns_hint(names, channels) if with_names else channels.numbers_hint
        raise LogError(f"{source}: found the columns {_list_names(names)}; {expected}; {hint}") from None
    chosen = (*chosen, *(name for name in at_hand if name == NANOSECONDS or name.endswith(SUBTRACTED)))
    wanted = {name: at_hand[name] for name in chosen if name in at_hand}
    taken: dict[int, str] = {}
    for name, index in wanted.items():
        if name in named:
            _refuse_repeated(name, renamed, name, source)
        if taken.setdefault(index, name) != name:
            raise LogError(f"{source}: --columns: {taken[index]} and {name} are both column {index + 1}")
    full = [f"{name} [{unit}]" if unit else name for name, unit in zip_longest(names, units)]
    return wanted, _find_units({ours: full[index] for ours, index in wanted.items()}, layout, source)


def _strip_unit(name: str, channels: Channels) -> str:
    """Return the name of a column of ours that has a unit behind it, as `length_1 [mm]`, without; else itself."""
    stated = WITH_UNIT.fullmatch(name)
    return stated[1] if stated is not None and stated[1] in channels.quantity else name


def _find_column(theirs: str, names: Sequence[str], ours: str, source: str) -> int:
    """Return where a column of the file is, from 0, by its name, with or without its unit, or by its number from 1."""
    if theirs in names:
        _refuse_repeated(theirs, names, ours, source)
        return names.index(theirs)
    if theirs.isdecimal() and 1 <= int(theirs) <= len(names):
        return int(theirs) - 1
    plain = [name.partition(" [")[0] for name in names]
    if plain.count(theirs) == 1:
        return plain.index(theirs)
    raise LogError(
        f"{source}: --columns {ours}={theirs}: no such column; there are {len(names)}: "
        f"{_list_names(names)}{did_you_mean(theirs, [name for name in names if name])}"
    )


def _refuse_repeated(name: str, names: Sequence[str], ours: str, source: str) -> None:
    if names.count(name) > 1:
        raise LogError(
            f"{source}: column {name} is there {names.count(name)} times; give its number, "
            f"as --columns {ours}={names.index(name) + 1}"
        )


def _label_columns(names: Sequence[str]) -> tuple[str, ...]:
    """Return what columns are called in messages: names that are there once, else numbers too."""
    return tuple(
        name if name and names.count(name) == 1 else f"{name} no. {index}".strip()
        for index, name in enumerate(names, 1)
    )


def _list_names(names: Sequence[str]) -> str:
    return short(", ".join(name for name in names if name), NAMES_SHOWN)


def _find_units(wanted: Mapping[str, str], layout: LogLayout, source: str) -> dict[str, dict[str, str]]:
    """Return the units of each column of ours, by quantity: what the layout says and what names state must agree.

    Where the layout says nothing of a quantity, a unit that a name states, as `L1 [mm]`, holds of its column.
    """
    given = units_by_quantity(layout.units, layout.channels)
    units = dict.fromkeys(wanted, given)
    named_units: dict[str, str] = {}
    wrong = ""
    for ours, theirs in wanted.items():
        column = ours.removesuffix(SUBTRACTED)
        quantity = layout.channels.quantity.get(column)
        if not quantity or (ours == TIME and layout.rate is not None):
            continue
        also = reports_of(column, layout.channels)
        unit = stated_unit(theirs, quantity, also)
        if not unit:
            continue
        channel, quantity = quantity, KNOWN[unit] if KNOWN.get(unit) in also else quantity
        if KNOWN.get(unit) != quantity:
            correction = "convert its numbers, or correct its name where it is none"
            if unit in RATE_UNITS:
                correction = "name the column that has the coordinate itself: rates are made of it"
            raise LogError(
                f"{source}: column '{theirs}' says {unit}, which is no unit of {quantity} that is known; expected one "
                f"of {', '.join(FACTORS[quantity])}: {correction}"
            )
        expected = next((given[one] for one in (channel, *also) if one in given), None)
        if expected is None:
            units[ours] = given | {quantity: unit}
            continue
        named_units[channel] = unit
        if unit != expected and not wrong:
            wrong = f"column '{theirs}' says {unit}, and {expected} was expected"
    _refuse_partly_stated(wanted, units, given, layout, source)
    if wrong:
        raise LogError(
            f"{source}: {wrong}; the names ask for --units {','.join((given | named_units).values())}"
        )
    return units


def _refuse_partly_stated(
    wanted: Mapping[str, str],
    units: Mapping[str, Mapping[str, str]],
    given: Mapping[str, str],
    layout: LogLayout,
    source: str,
) -> None:
    """Refuse a unit that some columns of a quantity state and others, whose names are not ours, do not."""
    stated: dict[str, str] = {}
    for ours, own in units.items():
        stated |= dict.fromkeys(own.keys() - given.keys(), ours)
    for ours, theirs in wanted.items():
        column = ours.removesuffix(SUBTRACTED)
        kinds = layout.channels.quantity.get(column, ""), *reports_of(column, layout.channels)
        quantity = next((one for one in kinds if one in stated), "")
        if column in layout.columns and quantity and not any(one in units[ours] for one in kinds):
            first = stated[quantity]
            unit = units[first][quantity]
            raise LogError(
                f"{source}: column '{short(wanted[first])}' says {unit}, and column '{short(theirs)}' says no unit; "
                f"give --units {unit} if all are in it"
            )
