"""One look for all figures, drawn without a display and without global state."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from ..records.atomic import replacing

P = ParamSpec("P")

# Okabe and Ito's colours, told apart by colour-blind eyes too; black and the light yellow are left out.
STRUT_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
ESTIMATE, MEASURED, TRUE, NOMINAL, ABSENT = "#0072B2", "#BDBDBD", "#D55E00", "#555555", "#BBBBBB"
STYLE = {
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
    "figure.dpi": 110,
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


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Decorator: draw a figure in the package's style, whatever the user's matplotlib settings are."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with matplotlib.rc_context():
            matplotlib.rcdefaults()
            matplotlib.rcParams.update(STYLE)
            return draw(*args, **kwargs)

    return drawn


def png(figure: Figure) -> bytes:
    """The figure as a PNG file; equal figures make equal bytes."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    image = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
    buffer = io.BytesIO()
    # A palette is enough for lines on white and makes the file a third as large.
    small = image.quantize(256, kmeans=1, dither=Image.Dither.NONE)
    small.save(buffer, format="png", optimize=True)
    return buffer.getvalue()


def save_png(figure: Figure, path: str | Path) -> None:
    """Write the figure, complete or not at all; raises LogError if it cannot be written."""
    with replacing(path) as temporary:
        temporary.write_bytes(png(figure))
