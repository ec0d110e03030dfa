# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Files changed as disks, editors, loggers and people change them."""

from __future__ import annotations

import gzip
import re

import numpy as np

PIECES = (
    *(
        b",",
        b"\n",
        b"nan",
        b"inf",
        b"-",
        b"1e999",
        b"e9",
        b"\r",
        b'"',
        b"\xff",
        b"\x00",
        b" ",
        b"\t",
        b"t",
        b":",
    ),
    *(b"[", b"{", b"&a ", b"*a", b"\xef\xbb\xbf"),
)
NUMBERS = (
    *(
        b"0",
        b"-0.0",
        b"1e308",
        b"-1e308",
        b"5e-324",
        b"nan",
        b"inf",
        b".nan",
        b"-.inf",
        b"9" * 400,
        b"",
        b"null",
    ),
    *(b"true", b"x", b"0x1f", b"1_000"),
)
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def mutated(random: np.random.Generator, data: bytes) -> bytes:
    """Bytes changed in one place or a few, or as a whole: written in another encoding, cut, columns exchanged."""
    if random.random() < 0.1:
        return WHOLE[int(random.integers(len(WHOLE)))](random, data) or b"\n"
    for _ in range(int(random.choice([1, 1, 1, 2, 3, 5]))):
        data = _handle_change(random, data) or b"\n"
    return data


def _handle_change(random: np.random.Generator, data: bytes) -> bytes:
    place = int(random.integers(len(data)))
    kind = int(random.integers(12))
    if kind == 0:
        return data[:place] + bytes([int(random.integers(256))]) + data[place + 1 :]
    if kind == 1:
        return data[:place] + data[place + int(random.integers(1, 200)) :]
    if kind == 2:
        return data[:place] + PIECES[int(random.integers(len(PIECES)))] + data[place:]
    if kind == 3:
        return data[:place] if random.random() < 0.2 else data[: place + 1] * 2
    if kind <= 8:
        found = list(_NUMBER.finditer(data))
        if not found:
            return data
        match = found[int(random.integers(len(found)))]
        return data[: match.start()] + _number(random, match[0]) + data[match.end() :]
    lines = data.split(b"\n")
    a, b = (int(random.integers(len(lines))) for _ in range(2))
    if kind == 9:
        lines[a], lines[b] = lines[b], lines[a]
    elif kind == 10:
        lines.insert(a, lines[b])
    else:
        del lines[a]
    return b"\n".join(lines)


def _encode(random: np.random.Generator, data: bytes) -> bytes:
    """Return a text in an encoding that editors and loggers on Windows write; bytes that are no text beside a mark."""
    kind = str(random.choice(["utf-16", "utf-16-be", "utf-8-sig", "cp037", "utf-32"]))
    return data.decode("latin-1").encode(kind)


def _exchange_columns(random: np.random.Generator, data: bytes) -> bytes:
    """Return a text with two of its columns exchanged in all lines but the first, by the divider it has most of."""
    divider = max((b",", b";", b"\t", b" "), key=data.count)
    lines = [line.split(divider) for line in data.split(b"\n")]
    a, b = (int(random.integers(max(map(len, lines)))) for _ in range(2))
    for cells in lines[1:]:
        if max(a, b) < len(cells):
            cells[a], cells[b] = cells[b], cells[a]
    return b"\n".join(divider.join(cells) for cells in lines)


def _cut(random: np.random.Generator, data: bytes) -> bytes:
    return data[: int(random.integers(len(data)))]


def _fill_with_zeros(random: np.random.Generator, data: bytes) -> bytes:
    """Return bytes of which a part was never written, as after a loss of power."""
    place, count = int(random.integers(len(data))), int(random.integers(1, 5000))
    return data[:place] + bytes(count) + data[place + count :]


def _flip_bits(random: np.random.Generator, data: bytes) -> bytes:
    changed = bytearray(data)
    for place in random.integers(len(data), size=int(random.integers(1, 50))).tolist():
        changed[place] ^= 1 << int(random.integers(8))
    return bytes(changed)


def _stretch_a_line(random: np.random.Generator, data: bytes) -> bytes:
    """Return a text one of whose lines has ten thousand cells."""
    place = int(random.integers(len(data)))
    return data[:place] + b"1.5," * 10_000 + data[place:]


WHOLE = (_encode, _exchange_columns, _cut, _fill_with_zeros, _flip_bits, _stretch_a_line)


def _number(random: np.random.Generator, text: bytes) -> bytes:
    """Another number in the place of one: near it, far from it, or none."""
    if random.random() < 0.3:
        return NUMBERS[int(random.integers(len(NUMBERS)))]
    value = float(text) * float(random.choice([0.5, 0.99, 1.01, 1.5, -1.0, 10.0, 1e3, 1e-3]))
    return repr(value).encode()


def compressed(random: np.random.Generator, data: bytes) -> bytes:
    """As gzip, damaged behind or before the compression."""
    if random.random() < 0.5:
        return mutated(random, gzip.compress(data, compresslevel=1, mtime=0))
    return gzip.compress(mutated(random, data), compresslevel=1, mtime=0)
