# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Verdicts in colour, on a terminal whose user has nothing against it (https://no-color.org)."""

from __future__ import annotations

import os
import re
import sys
from typing import TextIO

GOOD, ATTENTION, BAD = 32, 33, 31  # green, yellow, red: SGR codes of ECMA-48
# What a row of a table ends with: of a parameter's status, of a change
_ENDINGS = {
    "identified": GOOD,
    "only in a combination": ATTENTION,
    "not identifiable": ATTENTION,
    "changed": ATTENTION,
    "from the file": ATTENTION,
    "rests on the file": ATTENTION,
    "contradicts the file": BAD,
    "affected": BAD,
    "affected by the misfit": BAD,
}
_ROW = re.compile(rf"(?<=  )({'|'.join(_ENDINGS)})(?=[,:][^\n]*$|  |$)", re.MULTILINE)


def wants_colour(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that takes colours, and neither NO_COLOR nor TERM=dumb is set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, colour: int, stream: TextIO) -> str:
    """Return the text in a colour for a stream that wants one."""
    return f"\x1b[{colour}m{text}\x1b[0m" if text and wants_colour(stream) else text


def paint_verdict(good: bool, verdict: str) -> str:
    """Return a sentence on stdout about a result, by whether it is good news."""
    return paint(verdict, GOOD if good else ATTENTION, sys.stdout)


def warn(line: str) -> None:
    """A line on stderr that says what is wrong."""
    print(paint(line, BAD, sys.stderr), file=sys.stderr)


def paint_rows(text: str, stream: TextIO) -> str:
    """Tables whose rows end with a status or a verdict, these in their colours."""
    if not wants_colour(stream):
        return text
    return _ROW.sub(lambda match: paint(match[1], _ENDINGS[match[1]], stream), text)
