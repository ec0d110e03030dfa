# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whether a log of columns is our own CSV or has to be read as another program's."""

from __future__ import annotations

from pathlib import Path

from ..channels import TIME, WITH_UNIT, Channels
from ..text_lines import beginning
from .clock_times import parse_seconds
from .layout import LogLayout
from .reader import ARRAY_FILES
from .sheet import looks_foreign
from .units import KNOWN, canonical
from .workbook import is_workbook


def is_foreign(path: Path, layout: LogLayout, channels: Channels) -> bool:
    """Return whether a log of columns is another program's: a layout or its ending say so, or its first lines do."""
    if layout or path.suffix.lower() in ARRAY_FILES or is_workbook(path):
        return True
    ours = set(channels.quantity) - {TIME}
    return looks_foreign(path, ours) or _has_units_or_times(path, channels)


def _has_units_or_times(path: Path, channels: Channels) -> bool:
    """Return whether columns that commas divide have units, behind names of ours or below them, or times in words."""
    lines = [line for line in beginning(path).decode(errors="replace").splitlines() if line.strip()]
    header, below = ([cell.strip(" \"'") for cell in line.split(",")] for line in (*lines[:2], "", "")[:2])
    stated = (WITH_UNIT.fullmatch(cell) for cell in header)
    if any(match is not None and match[1] in channels.quantity for match in stated):
        return True
    return any(canonical(cell.strip("[]()")) in KNOWN or parse_seconds(cell) is not None for cell in below)
