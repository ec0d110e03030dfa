# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numeric CSV files: columns found by name, every complaint with its line and column."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import LogError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernels_compiled, kernels_in_use
from pkm_identification.numerics.large_arrays import GrowingArray
from pkm_identification.numerics.memory import beyond_memory

from .atomic import replacing
from .decimals import decimals
from .text_lines import NUMBER, Lines, line_pieces

ROWS_WRITTEN = 2**14  # at a time
# Bytes of text above which a kernel is the faster reader though it has to be loaded: where others are in use already,
# and where it is the first.
WORTH_A_KERNEL = 2**19
WORTH_THE_FIRST = 2**24
NAMES_SHOWN = 400  # characters of the names of columns, where a message lists them
EMPTY_CELL = re.compile(rb"(?:(?<=,)|^)[ \t]*(?=,|$)")

# Picks the columns to read, in the order wanted, from a header's; raises ValueError with what it expected.
ColumnChoice = Callable[[tuple[str, ...]], tuple[str, ...]]


@dataclass(frozen=True)
class Table:
    """The chosen columns of a CSV file.

    Attributes
    ----------
    columns : tuple of str
        Names, in the order of the choice.
    values : ndarray, shape (N, len(columns))
        One row per line of numbers; empty cells and 'nan' are NaN.
    line : ndarray of int64, shape (N,)
        Line of the file (from 1) each row stands in.
    repeated_headers : int
        Header lines after the first one.
    ignored : tuple of str
        Columns of the file that were not chosen.
    source : str
        Path of the file.
    """

    columns: tuple[str, ...]
    values: FloatArray
    line: NDArray[np.int64]
    repeated_headers: int
    ignored: tuple[str, ...]
    source: str

    def select(self, names: Sequence[str]) -> FloatArray:
        """Return columns by name, shape (N, len(names)); KeyError if one was not chosen."""
        index = {name: i for i, name in enumerate(self.columns)}
        # row by row, as kernels want them: a long log is not to be copied again for it
        return np.take(self.values, [index[name] for name in names], axis=1)

    def require_finite(self, names: Sequence[str]) -> None:
        """Raise LogError at the first cell of these columns that is empty, 'nan' or infinite."""
        bad = np.argwhere(~np.isfinite(self.select(names)))
        if len(bad):
            row, column = bad[0]
            raise LogError(
                f"{self.source}: line {self.line[row]}, column {names[column]}: must be a finite number"
            )


def read_table(path: str | Path, choose: ColumnChoice) -> Table:
    """Read columns of a CSV file, plain or gzip-compressed.

    A further header line in the middle (a logger that was restarted) is accepted; its columns may stand in
    another order and are mapped by name from there on.

    Parameters
    ----------
    path : str or Path
        File; whether it is compressed is seen from its content.
    choose : callable
        Given the names of a header, returns those to read in the order wanted; raises ValueError with what is
        expected when they are not there.

    Returns
    -------
    Table

    Raises
    ------
    LogError
        If the file is missing, empty, not text, truncated, has no such header, a line with too few or too
        many cells or a cell that is not a number. The message names file, line, column and what was expected.
    """
    try:
        return _read(str(path), line_pieces(Path(path)), choose)
    except MemoryError:
        raise LogError(f"{path}: is larger than this computer's memory takes; give it in parts") from None


def read_header(path: str | Path) -> tuple[str, ...]:
    """Return the names in a CSV file's first header; empty where there is none."""
    first = next(iter(line_pieces(Path(path))), None)
    return () if first is None or not len(first.headers()) else _read_names(first[first.headers()[0]])


def table_of(text: bytes, source: str, choose: ColumnChoice, names: tuple[str, ...]) -> Table:
    """Return columns of a text that has no header, called `names`. See `read_table`."""
    lines = Lines(text, last=True)
    return _read(source, [lines] if len(lines) else [], choose, names)


def _read(
    source: str,
    pieces: Iterable[Lines],
    choose: ColumnChoice,
    given: tuple[str, ...] | None = None,
) -> Table:
    values, lines = GrowingArray(), GrowingArray()
    headers = 0
    ignored: tuple[str, ...] = ()
    for piece in _iterate_pieces(source, pieces, choose, given):
        values.append(piece.values)
        lines.append(piece.line)
        headers += piece.repeated_headers
        columns, ignored = piece.columns, piece.ignored
    return Table(columns, values.taken(), lines.taken(), headers, ignored, source)


def table_pieces(path: str | Path, choose: ColumnChoice, hint: str = "") -> Iterator[Table]:
    """Yield what `read_table` reads, some ten thousand rows at a time; raises as it does.

    A piece's `ignored` are the columns that were ignored so far. The last piece may have no rows.
    """
    try:
        yield from _iterate_pieces(str(path), line_pieces(Path(path)), choose, hint=hint)
    except MemoryError:
        raise LogError(f"{path}: is larger than this computer's memory takes; give it in parts") from None


def _iterate_pieces(
    source: str,
    pieces: Iterable[Lines],
    choose: ColumnChoice,
    given: tuple[str, ...] | None = None,
    hint: str = "",
) -> Iterator[Table]:
    names = given or ()
    columns: tuple[str, ...] = () if given is None else _choose_columns(given, choose, source)
    ignored: tuple[str, ...] = _list_ignored(names, columns)
    headers = -1 if given is None else 0
    beginning = count = size = 0
    for lines in pieces:
        starts = lines.headers() if given is None else []
        if not names and (not starts or starts[0] != 0):
            raise LogError(
                f"{source}: line {lines.number[0]}: found '{short(lines[0].decode())}', "
                f"expected a header that names the columns{hint}"
            )
        beginning = beginning or int(lines.number[0])
        bounds = [-1, *starts, len(lines)] if names else [*starts, len(lines)]
        for header, stop in pairwise(bounds):
            if header >= 0:
                where = f"{source}: line {lines.number[header]}"
                names = _read_names(lines[header])
                chosen = _choose_columns(names, choose, where)
                if columns and chosen != columns:
                    raise LogError(
                        f"{where}: a second header of another kind of log (first: {short(','.join(columns))}); "
                        "split the parts into separate files"
                    )
                headers += 1
                columns = chosen
                ignored += _list_ignored(names, (*chosen, *ignored))
            if header + 1 < stop:
                block = lines.part(header + 1, stop)
                size += len(block.content)
                usual = None
                worth = WORTH_A_KERNEL if kernels_in_use() else WORTH_THE_FIRST
                if size >= worth and kernels_compiled():
                    usual = decimals(block, len(names), [names.index(name) for name in columns])
                if usual is None:
                    _refuse_ragged(block, len(names), source, last=lines.last and stop == len(lines))
                values = _read_numbers(block, names, columns, source) if usual is None else usual
                count += len(values)
                if problem := beyond_memory(count):
                    raise LogError(f"{source}: {problem}")
                yield Table(columns, values, block.number, headers, ignored, source)
                headers = 0
    if not names:
        raise LogError(f"{source}: is empty")
    if not count:
        raise LogError(f"{source}: line {beginning}: a header without samples below it")
    if headers:  # one behind the last row
        yield Table(columns, values[:0], block.number[:0], headers, ignored, source)


def _list_ignored(names: tuple[str, ...], read: tuple[str, ...]) -> tuple[str, ...]:
    """Return columns that are not read."""
    return tuple(name for name in names if name and name not in read)


def write_table(path: str | Path, columns: dict[str, FloatArray]) -> None:
    """Write a CSV file, compressed when the name ends in .gz.

    Parameters
    ----------
    path : str or Path
        Appears complete or not at all.
    columns : dict of str to ndarray, shape (N,)
        Numbers are written with as many digits as it takes to read the same ones.

    Raises
    ------
    LogError
        If the file cannot be written.
    """
    with replacing(path) as temporary, temporary.open("wb") as raw:
        if not str(path).endswith(".gz"):
            _write_rows(raw, columns)
            return
        # No name and no time inside: equal logs make equal files.
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as packed:
            _write_rows(packed, columns)


def _write_rows(file: BinaryIO | gzip.GzipFile, columns: dict[str, FloatArray]) -> None:
    """Header and rows, some thousand at a time."""
    file.write((",".join(columns) + "\n").encode())
    arrays = [np.asarray(values) for values in columns.values()]
    longest = max(map(len, arrays), default=0)
    for first in range(0, longest, ROWS_WRITTEN):
        cells = [map(str, values[first : first + ROWS_WRITTEN].tolist()) for values in arrays]
        file.write("".join(",".join(row) + "\n" for row in zip(*cells, strict=True)).encode())


def _read_names(header: bytes) -> tuple[str, ...]:
    return tuple(cell.strip().strip("\"'").strip() for cell in header.decode().split(","))


def _choose_columns(names: tuple[str, ...], choose: ColumnChoice, where: str) -> tuple[str, ...]:
    try:
        chosen = choose(names)
    except ValueError as error:
        raise LogError(f"{where}: {error}") from None
    for name in chosen:
        if names.count(name) > 1:
            raise LogError(f"{where}: column {name} is there {names.count(name)} times, expected once")
    return chosen


def _refuse_ragged(lines: Lines, width: int, source: str, last: bool) -> None:
    cells = lines.cells()
    ragged = np.flatnonzero(cells != width)
    if len(ragged):
        row = ragged[0]
        half = " (the last line, perhaps half-written)" if last and row == len(lines) - 1 else ""
        raise LogError(
            f"{source}: line {lines.number[row]}{half}: {cells[row]} cell{'s' * int(cells[row] != 1)}, "
            f"expected {width} as in the header"
        )


def _read_numbers(lines: Lines, names: tuple[str, ...], chosen: tuple[str, ...], source: str) -> FloatArray:
    """Return the chosen columns of lines that all have the right number of cells."""
    index = [names.index(name) for name in chosen]
    try:
        return _parse(lines.content, index)
    except ValueError:
        pass
    # Rare: empty cells, which NumPy's parser refuses, or something that is no number.
    filled = [EMPTY_CELL.sub(b"nan", line) for line in lines]
    for row, line in enumerate(filled):
        cells = line.split(b",")
        for name, column in zip(chosen, index, strict=True):
            if not NUMBER.fullmatch(cells[column]):
                raise LogError(
                    f"{source}: line {lines.number[row]}, column {name}: "
                    f"'{short(cells[column].decode())}' is not a number"
                )
    return _parse(b"\n".join(filled), index)


def _parse(block: bytes, index: list[int]) -> FloatArray:
    return np.loadtxt(io.StringIO(block.decode()), delimiter=",", comments=None, usecols=index, ndmin=2)


def short(text: str, most: int = 40) -> str:
    """Return a text for a message, cut where it is longer than that."""
    return text if len(text) <= most else text[: most - 3] + "..."


def refuse_header(names: Sequence[str], expected: str) -> NoReturn:
    """Complain, for a `ColumnChoice`, about a header that has not the columns expected."""
    raise ValueError(f"header '{short(','.join(names))}' lacks the columns expected: {expected}")
