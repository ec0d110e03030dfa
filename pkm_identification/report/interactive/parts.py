# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What interactive figures have in common: colours of the page, axes, and arrays that take little room.

A text that begins with "--" is a colour of the page (`templates/report.css`), light or dark.
"""

from __future__ import annotations

import base64
from itertools import pairwise
from typing import Any

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

Document = dict[str, Any]
POINTS = 2000  # of a line: twice the pixels of a page
INK, SOFT, LINE, CLEAR = "--ink", "--soft", "--line", "rgba(0,0,0,0)"
ESTIMATE, NOMINAL, TRUE, MEASURED = "--estimate", "--nominal", "--true", "--measured"


def array(values: FloatArray) -> Document:
    """Return numbers as plotly takes them from base64, in single precision."""
    packed = np.ascontiguousarray(values, dtype="<f4")
    document: Document = {"dtype": "f4", "bdata": base64.b64encode(packed.tobytes()).decode("ascii")}
    if packed.ndim > 1:
        document["shape"] = ", ".join(str(size) for size in packed.shape)
    return document


def thin_line(time: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """At most POINTS points of a line (N,) that keep its extremes: least and largest of each segment."""
    count = len(time)
    if count <= POINTS:
        return time, values
    edges = np.linspace(0, count, POINTS // 2 + 1).astype(int)
    rows = [
        first + k
        for first, last in pairwise(edges)
        for k in sorted({int(np.argmin(values[first:last])), int(np.argmax(values[first:last]))})
    ]
    return time[rows], values[rows]


def line(x: FloatArray, y: FloatArray, name: str, color: str, width: float = 1.2, **more: Any) -> Document:
    """Return a line."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": array(x),
        "y": array(y),
        "name": name,
        "line": {"color": color, "width": width},
        **more,
    }


def axis(title: str = "", **more: Any) -> Document:
    """Return an axis in the page's colours."""
    return {
        "title": {"text": title},
        "gridcolor": LINE,
        "linecolor": LINE,
        "zerolinecolor": LINE,
        "automargin": True,
        **more,
    }


def layout(height: int, **more: Any) -> Document:
    """Return a layout in the page's colours, as wide as its place."""
    return {
        "height": height,
        "autosize": True,
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "font": {"color": INK, "size": 13},
        # a choice stands below the buttons that plotly shows in the corner
        "margin": {"l": 60, "r": 20, "t": 80 if "updatemenus" in more else 40, "b": 50},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "hoverlabel": {"bgcolor": "--card", "font": {"color": INK}},
        # of itself it is half of a clear paper's black
        "modebar": {"bgcolor": CLEAR, "color": SOFT, "activecolor": INK},
        **more,
    }


def menu(labels: list[str], shown: list[list[bool]], **changes: list[Document]) -> Document:
    """Return a choice among traces: which of them each entry shows, and what of the layout changes with it."""
    layouts = changes.get("layouts") or [{} for _ in labels]
    return {
        "type": "dropdown",
        "x": 1,
        "xanchor": "right",
        "y": 1.02,
        "yanchor": "bottom",
        "bgcolor": "--card",
        "bordercolor": LINE,
        "font": {"color": INK},
        "buttons": [
            {"label": label, "method": "update", "args": [{"visible": visible}, changed]}
            for label, visible, changed in zip(labels, shown, layouts, strict=True)
        ],
    }
