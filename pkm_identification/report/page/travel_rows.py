# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How much of the machine's travel, rates and forces was used, as a table with drawings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pkm_identification.identification.review.review import Travel
from pkm_identification.machines.contract import Drive

from ..listing import number
from ..markup import Cell, build_table, draw

if TYPE_CHECKING:
    from markupsafe import Markup

WIDTH, HEIGHT = 150, 16  # px
NO_LIMIT = Cell("no limit stated")
# How coordinates and rates are shown, by a drive's unit: factor and unit
_SHOWN = {"m": (1e3, "mm", "m/s"), "rad": (180.0 / math.pi, "°", "rad/s")}


def travel_rows(travel: Travel, drives: Sequence[Drive]) -> Markup:
    """Return a table of one drive a row: what was used, drawn in what is allowed."""
    alike = len({drive.unit for drive in drives}) == 1
    limits = np.broadcast_to(travel.length_limits, travel.length.shape)
    rows = []
    for i, drive in enumerate(drives):
        (least, largest), (low, high) = travel.length[i], limits[i]
        factor, length, rate = _SHOWN[drive.unit]
        units = ("", "", "") if alike else (f" {length}", f" {rate}", f" {drive.force_unit}")
        stroke = NO_LIMIT
        if np.isfinite(high - low):
            used = _format_percent(travel.stroke_used[i])
            stroke = share_cell((least - low) / (high - low), (largest - low) / (high - low), used)
        rows.append(
            [
                Cell(drive.label, "n"),
                Cell(f"{factor * least:.0f} to {factor * largest:.0f}{units[0]}", "n"),
                stroke,
                Cell(f"{number(travel.rate[i], 3)}{units[1]}", "n"),
                _draw_share(travel.rate[i], travel.rate_limit[i]),
                Cell(f"{number(travel.force[i], 4)}{units[2]}", "n"),
                _draw_share(travel.force[i], travel.force_limit[i]),
            ]
        )
    what = "length" if {drive.unit for drive in drives} == {"m"} else "travel"
    _, length, rate = _SHOWN[drives[0].unit]
    units = (f" ({length})", f" ({rate})", f" ({drives[0].force_unit})") if alike else ("", "", "")
    heads = [
        Cell(drives[0].part, "n"), Cell(f"{what} used{units[0]}", "n"), Cell("of the stroke"),
        Cell(f"largest rate{units[1]}", "n"), Cell("of the limit"), Cell(f"largest force{units[2]}", "n"),
        Cell("of the limit"),
    ]  # fmt: skip
    return build_table("Travel", heads, rows)


def format_travel_sentence(travel: Travel) -> str:
    """Return how far the platform went; empty where there is none with a pose."""
    if travel.position is None or travel.turning is None:
        return ""
    moved = [
        f"{name} {1e3 * low:.0f} to {1e3 * high:.0f} mm"
        for name, (low, high) in zip("xyz", travel.position, strict=True)
    ]
    turned = [
        f"{name} {low:.1f} to {high:.1f}°"
        for name, (low, high) in zip("xyz", np.degrees(travel.turning), strict=True)
    ]
    return f"The platform went {', '.join(moved)}, and turned from home about {', '.join(turned)}."


def share_cell(first: float, last: float, text: str) -> Cell:
    """Return a cell with the part from `first` to `last` of a whole drawn in, and a text behind it."""
    begin, end = (float(np.clip(part, 0.0, 1.0)) * WIDTH for part in (first, last))
    over = first < 0 or last > 1
    end = max(end, begin + 1.5)  # what is nearly nothing stays visible
    return Cell(draw("used", WIDTH, HEIGHT, begin, end, over, text, text or f"{100 * last:.0f} %"), "drawn")


def _draw_share(value: float, limit: float) -> Cell:
    return share_cell(0.0, value / limit, _format_percent(value / limit)) if np.isfinite(limit) else NO_LIMIT


def _format_percent(share: float) -> str:
    return f"{100 * share:.0f} %"
