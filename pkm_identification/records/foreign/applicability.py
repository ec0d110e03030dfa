# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Options of a layout that say nothing of a log are refused, not passed over."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.mechanisms.reported import NEEDED

from ..channels import TIME
from ..table import Table
from .layout import LogLayout
from .units import KNOWN, canonical


def refuse_for_recording(path: str | Path, layout: LogLayout) -> None:
    """Raise LogError where a layout says of a recording what its messages say themselves."""
    if layout.columns:
        raise LogError(f"{path}: --columns: a recording has no columns; its joints are named by --joints")
    if layout.rate is not None:
        raise LogError(f"{path}: --rate: the messages of a recording have stamps")
    recorded = layout.channels.recorded
    for unit in layout.units:
        if KNOWN[canonical(unit)] not in (*recorded, *NEEDED):
            raise LogError(
                f"{path}: --units {unit}: of a recording, expected units of {' and '.join(recorded)}"
            )


def refuse_for_columns(path: str | Path, layout: LogLayout) -> None:
    """Raise LogError where a layout names the joints of a log of columns."""
    if layout.joints:
        raise LogError(
            f"{path}: --joints: names the joints of a recording; the columns of this log are named by --columns"
        )
    if layout.stamps:
        raise LogError(f"{path}: --stamps: of a recording's messages; this log has a column of time")


def refuse_no_count(table: Table) -> None:
    """Raise LogError where a column `t` of counted samples holds something else, as seconds."""
    time = table.select([TIME])[:, 0]
    other = np.flatnonzero(np.isfinite(time) & (time != np.round(time)))
    if len(other):
        raise LogError(
            f"{table.source}: line {table.line[other[0]]}: --rate: column t is {time[other[0]]:g}, "
            "expected samples counted 0, 1, 2, ...; without --rate it is time"
        )
