# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How far two outputs differ: estimates in their deviations, other numbers by their size, words by themselves."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

# What no two runs have in common, or what the numbers beside it say already
IGNORED = {"provenance", "date", "version", "command", "path", "sha256", "state_sha256", "printed", "state"}
LARGEST_SHIFT = 1e-9  # deviations; the unscented filter's last digit alone makes 5e-10
COLUMN = 100  # numbers: so many in a list are a column
LARGEST_CHANGE = 1e-9  # of the largest number of the same list or group


@dataclass(frozen=True)
class Difference:
    """One difference.

    Attributes
    ----------
    place : str
        Path of keys in the file.
    what : str
        Both values, in words.
    size : float
        In units of what is allowed; infinite for words and missing entries.
    """

    place: str
    what: str
    size: float


@dataclass(frozen=True)
class Comparison:
    """Two outputs of a case.

    Attributes
    ----------
    shift, deviation, change : float
        Largest differences: of estimates in deviations, of deviations and of other numbers by their size.
    differences : tuple of Difference
        Those beyond what is allowed.
    """

    shift: float
    deviation: float
    change: float
    differences: tuple[Difference, ...]


def compare_folders(before: Path, now: Path) -> Comparison:
    """Return what differs between the outputs of one case."""
    largest = {"shift": 0.0, "deviation": 0.0, "change": 0.0}
    found: list[Difference] = []
    names = {
        path.relative_to(folder) for folder in (before, now) for path in folder.rglob("*") if path.is_file()
    }
    for name in sorted(names):
        pair = before / name, now / name
        if not all(path.exists() for path in pair):
            found.append(Difference(str(name), "written by one of them alone", float("inf")))
        elif name.suffix in READERS:
            documents = [READERS[name.suffix](path.read_text(encoding="utf-8")) for path in pair]
            for kind, one in _walk(documents[0], documents[1], str(name)):
                if kind:
                    largest[kind] = max(largest[kind], one.size)
                if one.size > 1.0:
                    found.append(one)
        elif pair[0].read_bytes() != pair[1].read_bytes():
            found.append(Difference(str(name), "the text differs", float("inf")))
    return Comparison(
        largest["shift"] * LARGEST_SHIFT, largest["deviation"] * LARGEST_CHANGE, largest["change"] * LARGEST_CHANGE,
        tuple(found),
    )  # fmt: skip


def _read_columns(text: str) -> dict[str, list[float]]:
    """Return the columns of a log by their names."""
    header, *rows = csv.reader(text.splitlines())
    columns = zip(*(map(float, row) for row in rows), strict=True)
    return {name: list(column) for name, column in zip(header, columns, strict=True)}


def _read_document(text: str) -> Any:
    """Return a file whose numbers may be quoted or not."""
    return _unquote(yaml.safe_load(text))


def _unquote(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unquote(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_unquote(one) for one in value]
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


READERS: dict[str, Callable[[str], Any]] = {
    ".json": json.loads,
    ".yaml": _read_document,
    ".csv": _read_columns,
}


def _walk(one: Any, other: Any, place: str, largest: float = 0.0) -> Iterator[tuple[str, Difference]]:
    """Yield differences of two documents, each with its kind: shift, deviation, change, or none of words."""
    if isinstance(one, dict) and isinstance(other, dict):
        if {"value", "std"} <= one.keys() & other.keys():
            yield from _compare_estimates(one, other, f"{place}.{one.get('name', '')}")
            one, other = (
                {k: v for k, v in part.items() if k not in ("value", "std")} for part in (one, other)
            )
        size = max(_size(one), _size(other))
        for key in sorted({*one, *other} - IGNORED):
            if key not in one or key not in other:
                yield "", Difference(f"{place}.{key}", "in one of them alone", float("inf"))
            else:
                yield from _walk(one[key], other[key], f"{place}.{key}", size)
    elif _is_column(one) and _is_column(other) and len(one) == len(other):
        scale = max(_size(one), _size(other), largest, 1e-300)
        far = max(range(len(one)), key=lambda k: abs(one[k] - other[k]))
        size = abs(one[far] - other[far]) / scale / LARGEST_CHANGE
        yield "change", Difference(place, f"{one[far]!r}, {other[far]!r} in row {far}", size)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        size = max(_size(one), _size(other))
        for k, pair in enumerate(zip(one, other, strict=True)):
            yield from _walk(*pair, f"{place}.{k}", size)
    elif _is_number(one) and _is_number(other):
        scale = max(abs(one), abs(other), largest, 1e-300)
        size = 0.0 if one == other else abs(one - other) / scale / LARGEST_CHANGE
        yield "change", Difference(place, f"{one!r}, {other!r}", size)
    elif one != other:
        yield "", Difference(place, f"{one!r}, {other!r}"[:200], float("inf"))


def _compare_estimates(one: dict, other: dict, place: str) -> Iterator[tuple[str, Difference]]:
    std, value = one["std"], one["value"]
    for key, kind, allowed in (("value", "shift", LARGEST_SHIFT), ("std", "deviation", LARGEST_CHANGE)):
        pair = one[key], other[key]
        if pair == (None, None):
            continue
        size = float("inf")
        if all(map(_is_number, pair)):
            scale = std if _is_number(std) and std > 0.0 else abs(value or 1.0)
            size = abs(pair[0] - pair[1]) / scale / allowed
        yield kind, Difference(f"{place}.{key}", f"{pair[0]!r}, {pair[1]!r}", size)


def _size(group: Any) -> float:
    """Return the largest size of the numbers that stand directly in a list; 0 of a mapping, whose units differ."""
    return max((abs(x) for x in group if _is_number(x)), default=0.0) if isinstance(group, list) else 0.0


def _is_column(value: Any) -> bool:
    """Return whether it is a column of a log: of which one difference is told, and not thousands."""
    return isinstance(value, list) and len(value) > COLUMN and all(map(_is_number, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
