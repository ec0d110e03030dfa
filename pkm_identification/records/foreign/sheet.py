# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Text of columns as loggers write it: delimiters, decimal commas, comments and headers found by looking."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from pkm_identification.errors import LogError

from ..channels import TIME
from ..strut_csv import COUNTS, LENGTH
from ..text_lines import NUMBER, beginning, text_of
from .units import KNOWN, canonical

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
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    text: bytes
    faults: dict[str, int]
    ambiguous: dict[int, tuple[int, str]]

    def refuse_ambiguous(self, columns: Collection[int], source: str) -> None:
        """Refuse a column, of those that are used, in which a number can be read in two ways."""
        for column in sorted(columns):
            if column not in self.ambiguous:
                continue
            line, cell = self.ambiguous[column]
            grouped, decimal = readings(cell)
            place = f"line {line}, column {self.names[column] or column + 1}"
            sign, other = ("point", "comma") if _first_sign(cell) == "." else ("comma", "point")
            raise LogError(
                f"{source}: {place}: '{cell}' is {grouped} if the {sign} divides thousands and {decimal} if it is a "
                f"decimal sign, and there are numbers with a {other}; write numbers with one decimal sign and nothing "
                "between thousands"
            )


def readings(cell: str) -> tuple[str, str]:
    """Return what a number is whose first sign (point or comma) divides thousands, and where it is its decimal sign."""
    first = _first_sign(cell)
    grouped = cell.replace(first, "").replace(",", ".")
    head, _, tail = cell.partition(first)
    return grouped, f"{head}.{re.sub('[.,]', '', tail)}"


def _first_sign(cell: str) -> str:
    return next(sign for sign in cell if sign in ".,")


def looks_foreign(path: str | Path, ours: Collection[str] = (LENGTH[0], COUNTS[0])) -> bool:
    """Whether a file is not of the form of our own CSV.

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


def _has_units(line: bytes, delimiter: bytes = b",") -> bool:
    cells = (cell.strip(b" \"'[]()").decode(errors="replace") for cell in _cells(line, delimiter))
    return any(canonical(cell) in KNOWN for cell in cells)


def read_sheet(path: str | Path) -> Sheet:
    """The columns of a file whose form nobody states.

    Raises
    ------
    LogError
        If it cannot be read, is not text, or holds no columns of numbers.
    """
    source = str(path)
    lines = [line.strip(b" ") for line in text_of(path).split(b"\n")]
    bare = [b"" if line.lstrip().startswith(COMMENTS) else _unquoted(line) for line in lines]
    filled = [line for line in bare if line.strip()]
    if not filled:
        raise LogError(f"{source}: is empty")
    delimiter, point, width = _kind(filled)
    first = next((row for row, line in enumerate(bare) if _is_data(line, delimiter, point, width)), None)
    if width < 2 or first is None:
        raise LogError(
            f"{source}: found no columns of numbers, expected two at least, divided by , ; | tabs or blanks"
        )
    header = _header(lines[:first], delimiter, width)
    names = (
        tuple(str(number) for number in range(1, width + 1))
        if header is None
        else _names(lines[header], delimiter, width)
    )
    rows = [b""] * first
    faults: Counter[str] = Counter()
    for number, line in enumerate(bare[first:], first + 1):
        if line.strip().lower() == OVERRUN:
            faults["overrun"] += 1
        elif header is not None and line == lines[header]:
            faults["repeated_header"] += 1
        elif (line[:1].isalpha() or line[:1] == b'"') and sorted(_named(line, delimiter)) == sorted(names):
            raise LogError(
                f"{source}: line {number}: a second header, with the columns in another order; "
                "make the parts files of their own"
            )
        else:
            rows.append(line)
            continue
        rows.append(b"")
    below = [] if header is None else lines[header + 1 : first]
    units = next(
        (_names(line, delimiter, width) for line in below if _has_units(line, delimiter)), ("",) * width
    )
    return Sheet(
        names,
        tuple(unit.strip("[]()") for unit in units),
        _as_ours(rows, delimiter, point),
        dict(faults),
        _ambiguous(rows, delimiter, point),
    )


def _ambiguous(rows: list[bytes], delimiter: bytes, point: bytes) -> dict[int, tuple[int, str]]:
    """Return the first number of each column that has another sign in it than the decimal sign, and its line."""
    other = b"." if point == b"," else b","
    found: dict[int, tuple[int, str]] = {}
    if other == delimiter:
        return found
    for number, row in enumerate(rows, 1):
        if other not in row:
            continue
        for column, cell in enumerate(_cells(row, delimiter)):
            if other in cell and column not in found and GROUPED.fullmatch(cell.strip()):
                found[column] = number, cell.strip().decode()
    return found


def _unquoted(line: bytes) -> bytes:
    """A line whose numbers stand in quotes without these."""
    if b'"' not in line:
        return line
    return (QUOTED_COMMA if re.search(rb"[;|\t]", line) else QUOTED).sub(rb"\1", line)


def _cells(line: bytes, delimiter: bytes) -> list[bytes]:
    return line.split() if delimiter == b" " else line.split(delimiter)


def _is_number(cell: bytes, point: bytes) -> bool:
    if point == b",":
        if b"." in cell:
            return False
        cell = cell.replace(b",", b".")
    return NUMBER.fullmatch(cell) is not None


def _kind(lines: list[bytes]) -> tuple[bytes, bytes, int]:
    """Delimiter, decimal sign and number of columns: those that make most numbers of the last lines but one."""
    looked = lines[-LOOKED_AT - 1 : -1] or lines
    best, chosen = -1, (b",", b".")
    for delimiter, point in KINDS:
        score = 0
        for line in looked:
            numbers = [_is_number(cell, point) for cell in _cells(line, delimiter) if cell.strip()]
            # a line of names, as `Leg 1`, has numbers in it and tells nothing
            score += max(2 * sum(numbers) - len(numbers), 0)
        if score > best:
            best, chosen = score, (delimiter, point)
    widths = Counter(len(_cells(line, chosen[0])) for line in looked)
    return *chosen, widths.most_common(1)[0][0]


def _is_data(line: bytes, delimiter: bytes, point: bytes, width: int) -> bool:
    cells = _cells(line, delimiter)
    return len(cells) == width and sum(_is_number(cell, point) for cell in cells) >= 2


def _header(lines: list[bytes], delimiter: bytes, width: int) -> int | None:
    """The line of names: of those above the numbers that have enough cells, the first of the last that are together.

    A line of units below the names is passed over so. It may be a comment, as NumPy writes it.
    """
    header = None
    for row in range(len(lines) - 1, -1, -1):
        cells = _named(lines[row], delimiter)
        while len(cells) > width and not cells[-1]:
            cells.pop()
        if len(cells) in (width, width - 1) and sum(bool(cell) for cell in cells) >= 2:
            header = row
        elif header is not None:
            break
    return header


def _named(line: bytes, delimiter: bytes) -> list[str]:
    text = line.decode()
    for comment in COMMENTS:
        text = text.removeprefix(comment.decode())
    text = text.strip(" ")
    quoted = csv.reader([text], delimiter=delimiter.decode())
    cells = text.split() if delimiter == b" " else next(quoted, [])
    return [cell.strip().strip("\"'").strip() for cell in cells]


def _names(line: bytes, delimiter: bytes, width: int) -> tuple[str, ...]:
    cells = _named(line, delimiter)[:width]
    return (*cells, *[""] * (width - len(cells)))


def _as_ours(rows: list[bytes], delimiter: bytes, point: bytes) -> bytes:
    if delimiter == b" ":
        rows = [b";".join(row.split()) for row in rows]
        delimiter = b";"
    text = b"\n".join(rows)
    if point == b",":
        text = text.replace(b",", b".")
    return text if delimiter == b"," else text.replace(delimiter, b",")
