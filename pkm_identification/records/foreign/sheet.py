# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Text of columns as loggers write it: delimiters, decimal commas, comments and headers found by looking."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from pkm_identification.errors import LogError

from ..channel_times import find_paired_times, find_scope_times
from ..channels import TIME
from ..table import short
from ..text_lines import NUMBER, beginning, text_of
from .clock_times import parse_seconds
from .units import KNOWN, canonical, stated_unit
from .workbook import is_workbook, read_workbook

COMMENTS = (b"#", b"%", b"//")
# Delimiter and decimal sign, those first that win a draw; a blank stands for any number of blanks and tabs.
KINDS = (
    (b",", b"."),
    (b"\t", b"."),
    (b";", b"."),
    (b"|", b"."),
    (b" ", b"."),
    (b"\t", b","),
    (b";", b","),
    (b"|", b","),
    (b" ", b","),
)
# Numbers in quotes; those with a comma in them only where something else divides cells
QUOTED = re.compile(rb'"([\d.eE+\- ]*)"')
QUOTED_COMMA = re.compile(rb'"([\d.,eE+\- ]*)"')
# Digits with points and commas between them
GROUPED = re.compile(rb"[+-]?\d+(?:[.,]\d+)+(?:[eE][+-]?\d+)?")
LOOKED_AT = 100  # lines
UNIT_LABELS = ("unit", "units", "einheit", "einheiten", "unité", "unidad")  # what begins a line of units
OVERRUN = b"overrun"  # what LinuxCNC's halsampler prints where samples were lost


@dataclass(frozen=True)
class Sheet:
    """Columns of numbers, brought into the form of our own files.

    Attributes
    ----------
    names : tuple of str
        Of the columns; '1', '2', ... where the file has no header.
    units : tuple of str
        Of the columns, as a line between names and numbers says; empty where it says none.
    text : bytes
        Cells divided by commas, points in numbers, every row in the line it has in the file.
    faults : dict of str to int
        Lines left out that are no comments: `repeated_header`, `overrun`.
    ambiguous : dict of int to (int, str)
        Columns, from 0, with a number whose sign is not the decimal sign of the others: line and text of the first.
    seconds : frozenset of int
        Columns, from 0, whose dates, times of the day or durations were made seconds.
    times : tuple of int
        Columns of time, from 0, where each holds for the columns up to the next one; empty where `t` is the only one.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    text: bytes
    faults: dict[str, int]
    ambiguous: dict[int, tuple[int, str]]
    seconds: frozenset[int] = frozenset()
    times: tuple[int, ...] = ()

    def time_of(self, column: int) -> int | None:
        """Return the column of time that holds for a column, from 0; None where there is one for all."""
        return max((time for time in self.times if time <= column), default=None)

    def refuse_ambiguous(self, columns: Collection[int], source: str) -> None:
        """Refuse a column, of those that are used, in which a number can be read in two ways."""
        for column in sorted(columns):
            if column not in self.ambiguous:
                continue
            line, cell = self.ambiguous[column]
            grouped, decimal = readings(cell)
            where = f"line {line}, column {self.names[column] or column + 1}"
            sign, other = ("point", "comma") if _find_first_sign(cell) == "." else ("comma", "point")
            raise LogError(
                f"{source}: {where}: '{short(cell)}' is {short(grouped)} if the {sign} divides thousands and "
                f"{short(decimal)} if it is a decimal sign, and there are numbers with a {other}; write numbers with "
                "one decimal sign and nothing between thousands"
            )


def readings(cell: str) -> tuple[str, str]:
    """Return what a number is whose first sign (point or comma) divides thousands, and where it is its decimal sign."""
    first = _find_first_sign(cell)
    grouped = cell.replace(first, "").replace(",", ".")
    head, _, tail = cell.partition(first)
    return grouped, f"{head}.{re.sub('[.,]', '', tail)}"


def _find_first_sign(cell: str) -> str:
    return next(sign for sign in cell if sign in ".,")


def looks_foreign(path: str | Path, ours: Collection[str]) -> bool:
    """Return whether a file is not of the form of our own CSV.

    It begins with a comment, with a line that something else than commas divides, or with a title above our names;
    or below our names are units, or numbers in quotes. Our names are those with `t` and one of `ours`.
    """
    lines = [line.strip() for line in beginning(path).splitlines() if line.strip()][:LOOKED_AT]
    first, second = (*lines[:2], b"", b"")[:2]
    if first.startswith(COMMENTS):
        return True
    counts = {sign: first.count(sign) for sign in (b";", b"\t", b"|")}
    if max(counts.values()) > 0:
        return max(counts.values()) >= first.count(b",")
    if _has_our_names(first, ours):
        return b"," not in first or (
            not _has_our_names(second, ours) and (b'"' in second or _has_units(second))
        )
    cells = first.split()
    if b"," not in first and len(cells) > 1 and all(NUMBER.fullmatch(cell) for cell in cells):
        return True
    title = sum(NUMBER.fullmatch(cell) is not None for cell in first.split(b",")) < 2
    return title and any(_has_our_names(line, ours) for line in lines)


def _has_our_names(line: bytes, ours: Collection[str]) -> bool:
    names = {cell.strip(b"\"'").decode(errors="replace") for cell in re.split(rb"[,;|\s]+", line)}
    return TIME in names and not names.isdisjoint(ours)


def _has_units(line: bytes) -> bool:
    cells = (cell.strip(b" \"'[]()").decode(errors="replace") for cell in _split_cells(line, b","))
    return any(canonical(cell) in KNOWN for cell in cells)


def read_sheet(path: str | Path) -> Sheet:
    """Return the columns of a file whose form nobody states.

    Raises
    ------
    LogError
        If it cannot be read, is not text, or holds no columns of numbers.
    """
    source = str(path)
    text = read_workbook(path) if is_workbook(path) else text_of(path)
    lines = [line.strip(b" ") for line in text.split(b"\n")]
    bare = [b"" if line.lstrip().startswith(COMMENTS) else _unquote(line) for line in lines]
    filled = [line for line in bare if line.strip()]
    if not filled:
        raise LogError(f"{source}: is empty")
    delimiter, point, width, leading = _detect_kind(filled)
    data = (row for row, line in enumerate(bare) if _is_data(line, delimiter, point, width, leading))
    first = next(data, None)
    if width < 2 or first is None:
        raise LogError(
            f"{source}: found no columns of numbers, expected two at least, divided by , ; | tabs or blanks"
        )
    header = _find_header(lines[:first], delimiter, width)
    names = (
        tuple(str(number) for number in range(1, width + 1))
        if header is None
        else _read_names(lines[header], delimiter, width)
    )
    rows = [b""] * first
    faults: Counter[str] = Counter()
    for number, line in enumerate(bare[first:], first + 1):
        if line.strip().lower() == OVERRUN:
            faults["overrun"] += 1
        elif header is not None and line == lines[header]:
            faults["repeated_header"] += 1
        elif (line[:1].isalpha() or line[:1] == b'"') and sorted(_name_columns(line, delimiter)) == sorted(
            names
        ):
            raise LogError(
                f"{source}: line {number}: a second header, with the columns in another order; "
                "split the parts into separate files"
            )
        else:
            rows.append(line)
            continue
        rows.append(b"")
    below = (
        [] if header is None else [_read_names(line, delimiter, width) for line in lines[header + 1 : first]]
    )
    units = _read_units(below, width)
    times = find_scope_times(names, below)
    unit_of_time = "ms" if times else ""
    if not times and header is not None and (times := find_paired_times(names)):
        unit_of_time = stated_unit(names[0], "time")
    if times:
        names = tuple(TIME if index == times[0] else name for index, name in enumerate(names))
        if unit_of_time:
            units = tuple(unit_of_time if index in times else unit for index, unit in enumerate(units))
    ambiguous = _find_ambiguous(rows, delimiter, point)
    seconds = _write_seconds(rows, first, delimiter, point)
    return Sheet(
        names,
        units,
        _rename_channels(rows, delimiter, point),
        dict(faults),
        {column: found for column, found in ambiguous.items() if column not in seconds},
        seconds,
        times if len(times) > 1 else (),
    )


def _read_units(below: list[tuple[str, ...]], width: int) -> tuple[str, ...]:
    """Return the units of columns by that of the lines between names and numbers which has most of them."""
    lines = [tuple(cell.strip(" []()") for cell in line) for line in below]
    best = max(lines, key=_count_units, default=())
    if not _count_units(best):
        return ("",) * width
    return tuple("" if cell.lower() in UNIT_LABELS else cell for cell in best)


def _count_units(cells: Sequence[str]) -> int:
    return sum(canonical(cell) in KNOWN for cell in cells)


def _write_seconds(rows: list[bytes], first: int, delimiter: bytes, point: bytes) -> frozenset[int]:
    """Write seconds for dates and durations into the rows; return their columns, from 0.

    A cell that is none, as a day that does not exist, stays as it is, for a reader of numbers to complain about.
    """
    cells = [cell.decode(errors="replace") for cell in _split_cells(rows[first], delimiter)]
    columns = frozenset(index for index, cell in enumerate(cells) if parse_seconds(cell) is not None)
    for number, row in enumerate(rows if columns else []):
        parts = _split_cells(row, delimiter)
        for column in columns & set(range(len(parts))):
            seconds = parse_seconds(parts[column].decode(errors="replace"))
            if seconds is not None:
                parts[column] = repr(seconds).encode().replace(b".", point)
        rows[number] = delimiter.join(parts)
    return columns


def _find_ambiguous(rows: list[bytes], delimiter: bytes, point: bytes) -> dict[int, tuple[int, str]]:
    """Return the first number of each column that has another sign in it than the decimal sign, and its line."""
    other = b"." if point == b"," else b","
    found: dict[int, tuple[int, str]] = {}
    if other == delimiter:
        return found
    for number, row in enumerate(rows, 1):
        if other not in row:
            continue
        for column, cell in enumerate(_split_cells(row, delimiter)):
            if other in cell and column not in found and GROUPED.fullmatch(cell.strip()):
                found[column] = number, cell.strip().decode()
    return found


def _unquote(line: bytes) -> bytes:
    """Return a line whose numbers stand in quotes without these."""
    if b'"' not in line:
        return line
    return (QUOTED_COMMA if re.search(rb"[;|\t]", line) else QUOTED).sub(rb"\1", line)


def _split_cells(line: bytes, delimiter: bytes) -> list[bytes]:
    return line.split() if delimiter == b" " else line.split(delimiter)


def _is_number(cell: bytes, point: bytes) -> bool:
    if point == b",":
        if b"." in cell:
            return False
        cell = cell.replace(b",", b".")
    return NUMBER.fullmatch(cell) is not None


def _detect_kind(lines: list[bytes]) -> tuple[bytes, bytes, int, int]:
    """Return delimiter, decimal sign, number of columns and, from 0, the first column that has numbers.

    Those that make most numbers of the last lines but one.
    """
    looked = lines[-LOOKED_AT - 1 : -1] or lines
    best, chosen = -1, (b",", b".")
    for delimiter, point in KINDS:
        score = 0
        for line in looked:
            numbers = [_is_number(cell, point) for cell in _split_cells(line, delimiter) if cell.strip()]
            # a line of names, as `Leg 1`, has numbers in it and tells nothing
            score += max(2 * sum(numbers) - len(numbers), 0)
        if score > best:
            best, chosen = score, (delimiter, point)
    rows = [_split_cells(line, chosen[0]) for line in looked]
    width = Counter(map(len, rows)).most_common(1)[0][0]
    leading = Counter(
        next((index for index, cell in enumerate(row) if _is_number(cell, chosen[1])), 0) for row in rows
    )
    return *chosen, width, leading.most_common(1)[0][0] if width > 1 else 0


def _is_data(line: bytes, delimiter: bytes, point: bytes, width: int, leading: int) -> bool:
    """Return whether a line has numbers, one in the leading column among them, where a label would be."""
    cells = _split_cells(line, delimiter)
    if len(cells) != width or (cells[leading].strip() and not _is_number(cells[leading], point)):
        return False
    return sum(_is_number(cell, point) for cell in cells) >= 2


def _find_header(lines: list[bytes], delimiter: bytes, width: int) -> int | None:
    """Return the line of names: of the last lines that are together and wide enough, that of most different words.

    The first of several: units, types and comments of columns stand below their names. It may be a comment, as NumPy
    writes it.
    """
    header, most = None, 1
    together = False
    for row in range(len(lines) - 1, -1, -1):
        cells = _name_columns(lines[row], delimiter)
        while len(cells) > width and not cells[-1]:
            cells.pop()
        if len(cells) not in (width, width - 1) or not any(cells):
            if together:
                break
            continue
        together = True
        words = len({cell for cell in cells if cell and NUMBER.fullmatch(cell.encode()) is None})
        if words >= most and sum(bool(cell) for cell in cells) >= 2:
            header, most = row, words
    return header


def _name_columns(line: bytes, delimiter: bytes) -> list[str]:
    text = line.decode()
    for comment in COMMENTS:
        text = text.removeprefix(comment.decode())
    text = text.strip(" ")
    quoted = csv.reader([text], delimiter=delimiter.decode())
    cells = text.split() if delimiter == b" " else next(quoted, [])
    return [cell.strip().strip("\"'").strip() for cell in cells]


def _read_names(line: bytes, delimiter: bytes, width: int) -> tuple[str, ...]:
    cells = _name_columns(line, delimiter)[:width]
    return (*cells, *[""] * (width - len(cells)))


def _rename_channels(rows: list[bytes], delimiter: bytes, point: bytes) -> bytes:
    if delimiter == b" ":
        rows = [b";".join(row.split()) for row in rows]
        delimiter = b";"
    text = b"\n".join(rows)
    if point == b",":
        text = text.replace(b",", b".")
    return text if delimiter == b"," else text.replace(delimiter, b",")
