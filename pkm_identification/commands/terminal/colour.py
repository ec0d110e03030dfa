# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
    "in doubt": BAD,
}
_ROW = re.compile(rf"(?<=  )({'|'.join(_ENDINGS)})(?=[,:][^\n]*$|$)", re.MULTILINE)


def wanted(stream: TextIO) -> bool:
    """Whether a stream is a terminal that takes colours, and neither NO_COLOR nor TERM=dumb is set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def painted(text: str, colour: int, stream: TextIO) -> str:
    """The text in a colour for a stream that wants one."""
    return f"\x1b[{colour}m{text}\x1b[0m" if text and wanted(stream) else text


def verdict_painted(good: bool, verdict: str) -> str:
    """A sentence on stdout about a result, by whether it is good news."""
    return painted(verdict, GOOD if good else ATTENTION, sys.stdout)


def warn(line: str) -> None:
    """A line on stderr that says what is wrong."""
    print(painted(line, BAD, sys.stderr), file=sys.stderr)


def rows_painted(text: str, stream: TextIO) -> str:
    """Tables whose rows end with a status or a verdict, these in their colours."""
    if not wanted(stream):
        return text
    return _ROW.sub(lambda match: painted(match[1], _ENDINGS[match[1]], stream), text)
