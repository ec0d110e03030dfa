# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Text files line by line in pieces of some megabytes: plain or gzip-compressed, of any line ends."""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import LogError
from pkm_identification.numerics.memory import text_beyond_memory
from pkm_identification.numerics.parallel_maps import prefetch

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
WINDOWS = "cp1252"  # ä, °, µ as a German or English Windows has them


def decoder_of(begins: bytes) -> codecs.IncrementalDecoder | None:
    """Return what decodes a text that begins so; None where it is UTF-8, or no text of any of these.

    Windows-1252 is taken for what is no UTF-8 where every letter of it can be printed: most other files hold bytes that
    it has no letters for.
    """
    if begins.startswith(UTF_16):
        return codecs.getincrementaldecoder("utf-16")()
    try:
        # a letter may be cut off at the end of what is looked at
        codecs.getincrementaldecoder("utf-8")().decode(begins)
    except UnicodeDecodeError:
        try:
            text = begins.decode(WINDOWS)
        except UnicodeDecodeError:
            return None
        if all(letter.isprintable() or letter in "\t\r\n\xa0" for letter in text):
            return codecs.getincrementaldecoder(WINDOWS)()
    return None


GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LOOKED_AT = 2**16  # bytes of a beginning
PIECE = 2**22  # bytes of text that are there at a time
LONGEST_LINE = 2**26  # bytes
MOST_BYTES = 8 * 2**30  # of a log's text, eight hours of samples at 1 kHz and more
NUMBER = re.compile(
    rb"[ \t]*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|nan|inf(?:inity)?)[ \t]*", re.IGNORECASE
)


class Lines:
    """The lines of a text that are not empty: offsets, and their numbers in the file.

    `before` is the number of lines before the text, `last` whether it ends the file.
    """

    def __init__(self, content: bytes, before: int = 0, last: bool = False) -> None:
        self.content = content
        self.last = last
        self._bytes = np.frombuffer(content, np.uint8)
        newlines = np.flatnonzero(self._bytes == ord("\n"))
        starts = np.concatenate([[0], newlines + 1])
        ends = np.concatenate([newlines, [len(content)]])
        filled = ends > starts
        self.start = starts[filled]
        self.end = ends[filled]
        self.number = np.flatnonzero(filled) + 1 + before

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, row: int) -> bytes:
        return self.content[self.start[row] : self.end[row]]

    def __iter__(self) -> Iterator[bytes]:
        return (self[row] for row in range(len(self)))

    def part(self, first: int, stop: int) -> Lines:
        """Return the lines from `first` up to `stop`, with their numbers."""
        begin, end = self.start[first], self.end[stop - 1]
        part = Lines(b"")
        part.content = self.content[begin:end]
        part._bytes = self._bytes[begin:end]
        part.start = self.start[first:stop] - begin
        part.end = self.end[first:stop] - begin
        part.number = self.number[first:stop]
        return part

    def cells(self) -> NDArray[np.int64]:
        """Return number of cells in each line."""
        commas = np.flatnonzero(self._bytes == ord(","))
        return np.searchsorted(commas, self.end) - np.searchsorted(commas, self.start) + 1

    def headers(self) -> list[int]:
        """Return rows that hold names and no number; only those that do not begin like a number are looked at."""
        begins = np.ones(256, dtype=bool)
        begins[list(b"0123456789+-.,")] = False
        suspects = np.flatnonzero(begins[self._bytes[self.start]])
        return [row for row in suspects.tolist() if is_header(self[row])]


def line_pieces(path: Path) -> Iterator[Lines]:
    """Yield the lines of a file, some megabytes at a time; pieces without any are left out.

    Raises
    ------
    LogError
        If the file cannot be read or unpacked, is no text, is larger than MOST_BYTES or a line than LONGEST_LINE.
    """
    at = number = 0
    rest: list[bytes] = []
    content = prefetch(_read_content(path))  # of hours, unpacking takes a quarter of the time of reading
    following: bytes | None = next(content, b"")
    while following is not None:
        piece, following = following, next(content, None)
        cut = len(piece) if following is None else _end_of_lines(piece)
        if following is not None and not cut:
            rest.append(piece)
            if sum(map(len, rest)) > LONGEST_LINE:
                raise LogError(
                    f"{path}: line {number + 1} is longer than {LONGEST_LINE // 2**20} MB; expected a CSV file"
                )
            continue
        rest.append(piece[:cut])
        whole = b"".join(rest)
        rest = [piece[cut:]]
        text = _decode_text(whole, str(path), at)
        at += len(whole)
        lines = Lines(text, number, last=following is None)
        number += text.count(b"\n")
        if len(lines):
            yield lines


def _end_of_lines(piece: bytes) -> int:
    """Where the last line end of a piece ends; a '\\r' at its very end may be half of a '\\r\\n', and is none."""
    return max(piece.rfind(b"\n"), piece.rfind(b"\r", 0, len(piece) - 1)) + 1


def text_of(path: str | Path) -> bytes:
    """Return the text of a whole file, unpacked, its lines ended by '\\n'.

    Raises
    ------
    LogError
        As of `line_pieces`, and if what is made of it does not fit into the memory.
    """
    file = Path(path)
    _refuse_beyond_memory(file, file.stat().st_size if file.is_file() else 0)
    pieces: list[bytes] = []
    size = 0
    for lines in line_pieces(file):
        pieces.append(lines.content)
        size += len(lines.content)
        _refuse_beyond_memory(file, size)
    return b"".join(pieces)


def _refuse_beyond_memory(path: Path, size: int) -> None:
    if problem := text_beyond_memory(size):
        raise LogError(f"{path}: {problem}")


def beginning(path: str | Path) -> bytes:
    """Return what a file begins with, unpacked; nothing of one that cannot be read, which `text_of` complains about."""
    try:
        if not Path(path).is_file():
            return b""
        with Path(path).open("rb") as raw:
            packed = raw.peek(len(GZIP_MAGIC)).startswith(GZIP_MAGIC)
            content = (gzip.GzipFile(fileobj=raw) if packed else raw).read(LOOKED_AT)
    except (OSError, EOFError, zlib.error):
        return b""
    decoder = decoder_of(content)
    if decoder is not None:
        try:
            content = decoder.decode(content).encode()
        except UnicodeDecodeError:
            return b""
    return content.removeprefix(BYTE_ORDER_MARK)


def _read_content(path: Path) -> Iterator[bytes]:
    """Yield what a file holds, unpacked; in pieces, so that neither a bomb nor a device is taken in whole."""
    try:
        with path.open("rb") as raw:
            packed = raw.peek(len(GZIP_MAGIC)).startswith(GZIP_MAGIC)
            stream = gzip.GzipFile(fileobj=raw) if packed else raw
            length, decoder = 0, None
            while piece := stream.read(PIECE):
                if not length:
                    decoder = decoder_of(piece[:LOOKED_AT])
                length += len(piece)
                if decoder is not None:
                    # half a letter at the end of a piece waits for its other half
                    piece = decoder.decode(piece, len(piece) < PIECE).encode()
                zero = piece.find(b"\0")
                yield piece if zero < 0 else piece[: zero + 1]
                if zero >= 0:
                    break  # no text, as whoever looks at it says
                if length > MOST_BYTES:
                    raise LogError(
                        f"{path}: is larger than {MOST_BYTES // 2**30} GB{' unpacked' if packed else ''}; "
                        "give it in parts, one after the other"
                    )
    except EOFError:
        raise LogError(f"{path}: the compressed data end too early: the file is truncated") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise LogError(f"{path}: damaged gzip file: {error}") from None
    except UnicodeDecodeError as error:
        raise LogError(f"{path}: damaged {error.encoding.upper()} text: {error.reason}") from None
    except OSError as error:
        raise LogError(f"{path}: cannot be read: {error.strerror or error}") from None


def _decode_text(content: bytes, source: str, at: int) -> bytes:
    """The content from byte `at` on, with line ends '\\n', without a byte order mark; refused when it is not text."""
    zero = content.find(b"\0")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        zero = error.start if zero < 0 else min(zero, error.start)
    if zero >= 0:
        raise LogError(f"{source}: byte {at + zero} is not text; expected a CSV file (or .csv.gz)")
    if not at:
        content = content.removeprefix(BYTE_ORDER_MARK)
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return content


def is_header(line: bytes) -> bool:
    """Return whether a line holds names and no number."""
    return line.strip(b" \t,") != b"" and not any(NUMBER.fullmatch(cell) for cell in line.split(b","))
