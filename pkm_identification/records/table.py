"""Numeric CSV files: columns found by name, every complaint with its line and column."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import LogError
from pkm_identification.numerics.arrays import FloatArray

from .atomic import replacing

GZIP_MAGIC = b"\x1f\x8b"
PIECE = 2**22  # bytes
MOST_BYTES = 2 * 2**30  # of a log's text, more than two hours of samples at 1 kHz
NUMBER = re.compile(
    rb"[ \t]*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|nan|inf(?:inity)?)[ \t]*", re.IGNORECASE
)
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
        """Columns by name, shape (N, len(names)); KeyError if one was not chosen."""
        index = {name: i for i, name in enumerate(self.columns)}
        return self.values[:, [index[name] for name in names]]

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
        return _read(path, choose)
    except MemoryError:
        raise LogError(f"{path}: is larger than this computer's memory takes; give it in parts") from None


def _read(path: str | Path, choose: ColumnChoice) -> Table:
    source = str(path)
    lines = _Lines(_text(_content(Path(path)), source))
    if not len(lines):
        raise LogError(f"{source}: is empty")
    headers = lines.headers()
    if not headers or headers[0] != 0:
        raise LogError(
            f"{source}: line {lines.number[0]}: found '{_short(lines[0].decode())}', "
            "expected a header that names the columns"
        )

    columns: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    blocks: list[FloatArray] = []
    rows: list[NDArray[np.int64]] = []
    for header, stop in zip(headers, [*headers[1:], len(lines)], strict=True):
        place = f"{source}: line {lines.number[header]}"
        names = _names(lines[header])
        chosen = _chosen(names, choose, place)
        if columns and chosen != columns:
            raise LogError(
                f"{place}: a second header of another kind of log (first: {_short(','.join(columns))}); "
                "make the parts files of their own"
            )
        columns = chosen
        ignored += tuple(name for name in names if name and name not in chosen and name not in ignored)
        if header + 1 < stop:
            block = lines.part(header + 1, stop)
            _refuse_ragged(block, len(names), source, last=stop == len(lines))
            blocks.append(_numbers(block, names, chosen, source))
            rows.append(block.number)
    if not blocks:
        raise LogError(f"{source}: line {lines.number[0]}: a header without samples below it")
    return Table(columns, np.concatenate(blocks), np.concatenate(rows), len(headers) - 1, ignored, source)


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
    text = io.StringIO()
    text.write(",".join(columns) + "\n")
    cells = [map(str, np.asarray(values).tolist()) for values in columns.values()]
    text.writelines(",".join(row) + "\n" for row in zip(*cells, strict=True))
    data = text.getvalue().encode()
    if str(path).endswith(".gz"):
        # No name and no time inside: equal logs make equal files.
        data = gzip.compress(data, compresslevel=6, mtime=0)
    with replacing(path) as temporary:
        temporary.write_bytes(data)


class _Lines:
    """The lines of a text that are not empty: offsets, and their numbers in the file."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self._bytes = np.frombuffer(content, np.uint8)
        newlines = np.flatnonzero(self._bytes == ord("\n"))
        starts = np.concatenate([[0], newlines + 1])
        ends = np.concatenate([newlines, [len(content)]])
        filled = ends > starts
        self.start = starts[filled]
        self.end = ends[filled]
        self.number = np.flatnonzero(filled) + 1

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, row: int) -> bytes:
        return self.content[self.start[row] : self.end[row]]

    def __iter__(self) -> Iterator[bytes]:
        return (self[row] for row in range(len(self)))

    def part(self, first: int, stop: int) -> _Lines:
        """The lines from `first` up to `stop`, with their numbers."""
        begin = self.start[first]
        part = _Lines(self.content[begin : self.end[stop - 1]])
        part.number = self.number[first:stop]
        return part

    def cells(self) -> NDArray[np.int64]:
        """Number of cells in each line."""
        commas = np.flatnonzero(self._bytes == ord(","))
        return np.searchsorted(commas, self.end) - np.searchsorted(commas, self.start) + 1

    def headers(self) -> list[int]:
        """Rows that hold names and no number; only those that do not begin like a number are looked at."""
        begins = np.ones(256, dtype=bool)
        begins[list(b"0123456789+-.,")] = False
        suspects = np.flatnonzero(begins[self._bytes[self.start]])
        return [row for row in suspects.tolist() if _is_header(self[row])]


def _content(path: Path) -> bytes:
    """What a file holds, unpacked; read in pieces, so that neither a bomb nor a device is taken in whole."""
    try:
        with path.open("rb") as raw:
            packed = raw.peek(len(GZIP_MAGIC)).startswith(GZIP_MAGIC)
            stream = gzip.GzipFile(fileobj=raw) if packed else raw
            pieces, length = [], 0
            while piece := stream.read(PIECE):
                zero = piece.find(b"\0")
                pieces.append(piece if zero < 0 else piece[: zero + 1])
                if zero >= 0:
                    break  # no text, as whoever looks at it says
                length += len(piece)
                if length > MOST_BYTES:
                    raise LogError(
                        f"{path}: is larger than {MOST_BYTES // 2**30} GB{' unpacked' if packed else ''}; "
                        "give it in parts, one after the other"
                    )
            return b"".join(pieces)
    except EOFError:
        raise LogError(f"{path}: the compressed data end too early: the file is truncated") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise LogError(f"{path}: damaged gzip file: {error}") from None
    except OSError as error:
        raise LogError(f"{path}: cannot be read: {error.strerror or error}") from None


def _text(content: bytes, source: str) -> bytes:
    """The content with line ends '\\n', without a byte order mark; refused when it is not text."""
    zero = content.find(b"\0")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        zero = error.start if zero < 0 else min(zero, error.start)
    if zero >= 0:
        raise LogError(f"{source}: byte {zero} is not text; expected a CSV file (or .csv.gz)")
    content = content.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return content


def _is_header(line: bytes) -> bool:
    return line.strip(b" \t,") != b"" and not any(NUMBER.fullmatch(cell) for cell in line.split(b","))


def _names(header: bytes) -> tuple[str, ...]:
    return tuple(cell.strip().strip("\"'").strip() for cell in header.decode().split(","))


def _chosen(names: tuple[str, ...], choose: ColumnChoice, place: str) -> tuple[str, ...]:
    try:
        chosen = choose(names)
    except ValueError as error:
        raise LogError(f"{place}: {error}") from None
    for name in chosen:
        if names.count(name) > 1:
            raise LogError(f"{place}: column {name} is there {names.count(name)} times, expected once")
    return chosen


def _refuse_ragged(lines: _Lines, width: int, source: str, last: bool) -> None:
    cells = lines.cells()
    ragged = np.flatnonzero(cells != width)
    if len(ragged):
        row = ragged[0]
        half = " (the last line, perhaps half-written)" if last and row == len(lines) - 1 else ""
        raise LogError(
            f"{source}: line {lines.number[row]}{half}: {cells[row]} cell{'s' * int(cells[row] != 1)}, "
            f"expected {width} as in the header"
        )


def _numbers(lines: _Lines, names: tuple[str, ...], chosen: tuple[str, ...], source: str) -> FloatArray:
    """The chosen columns of lines that all have the right number of cells."""
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
                    f"'{_short(cells[column].decode())}' is not a number"
                )
    return _parse(b"\n".join(filled), index)


def _parse(block: bytes, index: list[int]) -> FloatArray:
    return np.loadtxt(io.StringIO(block.decode()), delimiter=",", comments=None, usecols=index, ndmin=2)


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


def refuse_header(found: Sequence[str], expected: str) -> NoReturn:
    """Complain, for a `ColumnChoice`, about a header that has not the columns expected."""
    raise ValueError(f"header '{_short(','.join(found))}' has not the columns expected: {expected}")
