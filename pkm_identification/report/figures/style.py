# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One look for all figures, drawn without a display and without global state."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, cast

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

P = ParamSpec("P")

# Okabe and Ito's colours, told apart by colour-blind eyes too; black and the light yellow are left out.
STRUT_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
ESTIMATE, MEASURED, TRUE, NOMINAL = "#0072B2", "#BDBDBD", "#D55E00", "#555555"
STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#888888",
    "axes.grid": True,
    "axes.labelcolor": "#333333",
    "axes.labelsize": 9,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "figure.dpi": 100,
    "figure.titlesize": 12,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.7,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "text.color": "#222222",
    "xtick.color": "#555555",
    "xtick.labelsize": 8,
    "ytick.color": "#555555",
    "ytick.labelsize": 8,
}

# Debian 12 and Ubuntu 24.04 have Matplotlib 3.6, whose legends know no place beside the panels.
_HAS_OUTSIDE = tuple(int(part) for part in matplotlib.__version__.split(".")[:2]) >= (3, 7)


def legend_outside(figure: Figure, *entries: Any, loc: str, **settings: Any) -> None:
    """A legend at an edge of the figure, next to the panels; before Matplotlib 3.7 over them."""
    location: Any = f"outside {loc}" if _HAS_OUTSIDE else loc
    figure.legend(*entries, loc=location, **settings)


@contextmanager
def _apply_style() -> Iterator[None]:
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        # which keys there are depends on matplotlib's version, and so do their types
        matplotlib.rcParams.update(cast("Any", STYLE))
        yield


def apply_style(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Decorator: draw a figure in the package's style, whatever the user's matplotlib settings are."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with _apply_style():
            return draw(*args, **kwargs)

    return drawn


def color_of(index: int) -> str:
    """Return the colour of a drive or body, from 0; beyond those there are they come again."""
    return STRUT_COLORS[index % len(STRUT_COLORS)]


def categories_across(panel: Axes, label: str) -> None:
    """An axis of categories: no vertical grid and no ticks; `label` for the values."""
    panel.grid(False, axis="x")
    panel.tick_params(axis="x", length=0)
    panel.set_ylabel(label)


def png(figure: Figure) -> bytes:
    """Return the figure as a PNG file; equal figures make equal bytes."""
    canvas = FigureCanvasAgg(figure)
    # ticks and their labels are made only now
    with _apply_style():
        canvas.draw()
    image = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    buffer = io.BytesIO()
    # A palette is enough for lines on white and makes the file a third as large.
    small = image.quantize(256, kmeans=1, dither=Image.Dither.NONE)
    small.save(buffer, format="png", optimize=True)
    return buffer.getvalue()
