# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a person at a terminal sees in addition to results: verdicts in colour, and a bar with the time that is left."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

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


PATIENCE = 2.0  # s: what is done sooner needs no bar


class ProgressBar:
    """Shows the outermost piece of work that is under way; pieces of it are not shown by themselves."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._what, self._started = "", 0.0
        self._bar: Any = None

    def report_progress(self, what: str, part: float, whole: float) -> None:
        """See `progress.Listener`."""
        if not self._what:
            self._what, self._started = what, self._clock()
        if what != self._what:
            return
        if part >= whole:
            self.close()
        elif self._bar is not None:
            self._bar.update(part - self._bar.n)
        elif self._clock() - self._started > PATIENCE:
            self._show(part, whole)

    def hide(self) -> None:
        """See `progress.Listener`."""
        if self._bar is not None:
            self._bar.clear()

    def tell(self, line: str) -> None:
        """See `progress.Listener`."""
        self.hide()
        print(line, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
        self._what, self._bar = "", None

    def _show(self, part: float, whole: float) -> None:
        # loaded by those only who wait anyway
        from tqdm import tqdm

        percent = "{l_bar}{bar}| {elapsed}, {remaining} left"
        self._bar = tqdm(total=whole, desc=self._what, file=sys.stderr, leave=False, bar_format=percent)
        self._bar.start_t -= self._clock() - self._started
        self._bar.n = part
        self._bar.refresh()
