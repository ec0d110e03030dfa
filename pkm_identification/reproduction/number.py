# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A number of a reference text next to ours, and the verdict that its rule gives.

There are six verdicts:

agrees              what the rule of the number asks for
agrees in part      most entries of a row, or most cases of a statement; of several numbers, some and not others
agrees in kind      sign and order of magnitude
not reproduced      anything else
cannot be judged    the text's number is not legible or only a guess (mark G), or where ours ends is decided by
                    something that the text does not say, such as a first guess
not in the text     the text says nothing of it: the number is ours
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

AGREES = "agrees"
IN_PART = "agrees in part"
IN_KIND = "agrees in kind"
NOT_REPRODUCED = "not reproduced"
NOT_IN_TEXT = "not in the text"
UNJUDGED = "cannot be judged"
VERDICTS = (AGREES, IN_PART, IN_KIND, NOT_REPRODUCED, UNJUDGED, NOT_IN_TEXT)

FACTOR = 2.0  # up to which two amounts are of one kind
RANGE_NEAR = 0.25  # of the text's upper end: up to which the ends of two ranges are the same


@dataclass(frozen=True)
class Count:
    """In how many of the cases a statement holds."""

    holds: int
    of: int


Entry = float | tuple[float, float] | list[float | None] | Count | str | None


@dataclass(frozen=True)
class Number:
    """One comparison.

    Attributes
    ----------
    name : str
        What is compared, with table or figure.
    source, ours : float, pair of float (a range), list (a row), Count, str (a statement) or None
    unit : str
    mark : str
        How certain the text's number is read: S sure, P probable, G guess, R reconstructed; + and - between.
    verdict : str
        One of VERDICTS.
    line : str or None
        Lines of the recovered text.
    rule : str
        How the verdict follows from the two.
    """

    name: str
    source: Entry
    ours: Entry
    unit: str
    mark: str
    verdict: str
    line: str | None
    rule: str

    def document(self) -> dict[str, Any]:
        """For JSON: a range as from and to, a row as a list."""
        return {
            "name": self.name,
            "source": _make_plain(self.source),
            "ours": _make_plain(self.ours),
            "unit": self.unit,
            "mark": self.mark,
            "verdict": self.verdict,
            "line": self.line,
            "rule": self.rule,
        }


def value(
    name: str, source: float | None, ours: float, unit: str, mark: str, line: str | None, *, near: float
) -> Number:
    """A number that is printed: agrees within `near` (absolute), in kind with one sign and within a factor of two."""
    rule = f"agrees within {near:.3g} {unit}, in kind within a factor of {FACTOR:g}"
    if source is None:
        return _mark_unjudged(name, source, ours, unit, mark, line, "not legible")
    if abs(ours - source) <= near:
        verdict = AGREES
    elif source * ours > 0 and 1 / FACTOR <= ours / source <= FACTOR:
        verdict = IN_KIND
    else:
        verdict = NOT_REPRODUCED
    return _read(name, float(source), float(ours), unit, mark, line, verdict, rule)


def series(
    name: str,
    source: Sequence[float | None],
    ours: Sequence[float] | np.ndarray,
    unit: str,
    mark: str,
    line: str | None,
    *,
    near: float,
) -> Number:
    """Return a row of a table: agrees when each entry that is judged is within `near`, in part when more than half are.

    Entries of `source` that are None are not judged.
    """
    pairs = [(theirs, own) for theirs, own in zip(source, ours, strict=True) if theirs is not None]
    held = sum(abs(own - theirs) <= near for theirs, own in pairs)
    # rounding beside what counts is nothing
    row: list[float | None] = [float(one) if abs(one) > 1e-3 * near else 0.0 for one in ours]
    printed = [None if one is None else float(one) for one in source]
    rule = f"agrees when each is within {near:.3g} {unit}, in part when more than half are: {held} of {len(pairs)}"
    return _read(name, printed, row, unit, mark, line, _compute_most(held, len(pairs)), rule)


def at_most(name: str, source: float, ours: float, unit: str, mark: str, line: str | None) -> Number:
    """Return a bound the text gives: agrees when ours keeps it, in kind within twice as much."""
    verdict = AGREES if ours <= source else IN_KIND if ours <= FACTOR * source else NOT_REPRODUCED
    rule = f"agrees up to {source:g} {unit}, in kind up to {FACTOR:g} times that"
    return _read(name, float(source), float(ours), unit, mark, line, verdict, rule)


def interval(
    name: str,
    source: tuple[float, float],
    ours: Iterable[float],
    unit: str,
    mark: str,
    line: str | None,
) -> Number:
    """Return a range: agrees when both ends do, in kind when the ranges overlap and the far ends are of one size."""
    values = np.asarray(list(ours), dtype=float)
    low, high = float(values.min()), float(values.max())
    top = max(map(abs, source))
    near = RANGE_NEAR * top
    size = max(abs(low), abs(high))
    overlap = low <= source[1] and high >= source[0]
    if abs(low - source[0]) <= near and abs(high - source[1]) <= near:
        verdict = AGREES
    elif overlap and top / FACTOR <= size <= FACTOR * top:
        verdict = IN_KIND
    else:
        verdict = NOT_REPRODUCED
    rule = (
        f"agrees when both ends are within {near:.3g} {unit}, in kind when the ranges overlap and the larger ends are "
        f"within a factor of {FACTOR:g}"
    )
    return _read(name, source, (low, high), unit, mark, line, verdict, rule)


def statement(
    name: str, source: str, held: Sequence[bool] | np.ndarray, mark: str, line: str | None
) -> Number:
    """Return what the text says in words: agrees when it holds in all cases, in part in more than half of them."""
    count, of = int(np.count_nonzero(held)), len(held)
    rule = "agrees when it holds in every case, in part in more than half of them"
    return _read(name, source, Count(count, of), "cases", mark, line, _compute_most(count, of), rule)


def _compute_most(held: int, of: int) -> str:
    return AGREES if held == of else IN_PART if 2 * held > of else NOT_REPRODUCED


def mark_undecided(
    name: str, source: Entry, ours: Entry, unit: str, mark: str, line: str | None, *, because: str
) -> Number:
    """Return a number whose comparison would rest on something that the text does not say."""
    return _mark_unjudged(name, source, ours, unit, mark, line, because)


def beyond(name: str, ours: Entry, unit: str) -> Number:
    """A number of ours that the text has nothing to say about."""
    return Number(name, None, ours, unit, "", NOT_IN_TEXT, None, "the text says nothing of it")


def together(numbers: Iterable[Number]) -> str:
    """Return the verdict on several numbers: all that the text has count, also those that cannot be judged."""
    verdicts = {one.verdict for one in numbers} - {NOT_IN_TEXT}
    if not verdicts:
        return NOT_IN_TEXT
    good = {AGREES, IN_PART, IN_KIND}
    if len(verdicts) == 1:
        return verdicts.pop()
    if verdicts == {AGREES, IN_KIND}:
        return IN_KIND
    if verdicts & good:
        return IN_PART
    return NOT_REPRODUCED


def format_number(entry: Entry, digits: int = 3) -> str:
    """Return a number, range or statement for people."""
    if entry is None:
        return "-"
    if isinstance(entry, str):
        return entry
    if isinstance(entry, Count):
        return f"holds in {entry.holds} of {entry.of}"
    if isinstance(entry, list):
        return " ".join("-" if one is None else _round(one, digits) for one in entry)
    if isinstance(entry, tuple):
        return f"{_round(entry[0], digits)} to {_round(entry[1], digits)}"
    return _round(entry, digits)


def _round(number: float, digits: int) -> str:
    # four figures in front of the point stay figures
    return f"{number:.0f}" if 1e3 <= abs(number) < 1e5 else f"{number:.{digits}g}"


def _read(
    name: str, source: Entry, ours: Entry, unit: str, mark: str, line: str | None, verdict: str, rule: str
) -> Number:
    if mark.startswith("G"):
        return _mark_unjudged(name, source, ours, unit, mark, line, "the text's number is a guess")
    return Number(name, source, ours, unit, mark, verdict, _find_node(name, line), rule)


def _mark_unjudged(
    name: str, source: Entry, ours: Entry, unit: str, mark: str, line: str | None, because: str
) -> Number:
    return Number(name, source, ours, unit, mark, UNJUDGED, _find_node(name, line), because)


def _find_node(name: str, line: str | None) -> str | None:
    """Return the lines of a number, or the table or figure that its name begins with."""
    if line is None and name.startswith(("Table", "Fig")):
        return name.partition(":")[0].partition(", ")[0]
    return line


def _make_plain(entry: Entry) -> Any:
    if isinstance(entry, tuple):
        return {"from": float(entry[0]), "to": float(entry[1])}
    if isinstance(entry, Count):
        return {"holds": entry.holds, "of": entry.of}
    return entry
