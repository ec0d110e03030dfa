# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What of a figure's text lies on other text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

TOUCHING = 1.0  # pixel, by which boxes may share an edge


def overlaps(figure: Figure) -> list[str]:
    """Pairs of texts whose boxes overlap once the figure is drawn."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    boxes = [(text.get_text(), text.get_window_extent(canvas.get_renderer())) for text in _texts(figure)]
    return [f"{a!r} on {b!r}" for (a, one), (b, other) in combinations(boxes, 2) if _overlap(one, other)]


def _overlap(one: Bbox, other: Bbox) -> bool:
    shared = Bbox.intersection(one, other)
    return shared is not None and min(shared.width, shared.height) > TOUCHING


def _texts(figure: Figure) -> Iterator[Text]:
    """Visible texts of titles, labels, ticks in view, legends and notes."""
    legends = list(figure.legends)
    yield from _filled(figure.texts)
    for panel in figure.axes:
        if panel.get_visible():
            yield from _filled(_of_panel(panel))
            legends += [panel.get_legend()] if panel.get_legend() else []
    for legend in legends:
        yield from _filled(legend.get_texts())


def _of_panel(panel: Axes) -> Iterator[Text]:
    yield from (panel.title, *(title for title in (panel._left_title, panel._right_title)))
    yield from panel.texts
    for axis in (panel.xaxis, panel.yaxis):
        yield axis.label
        yield from _ticks(axis)


def _ticks(axis: Axis) -> Iterator[Text]:
    low, high = sorted(axis.get_view_interval())
    slack = 1e-9 * (high - low)
    for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
        if tick.label1.get_visible() and low - slack <= tick.get_loc() <= high + slack:
            yield tick.label1


def _filled(texts: Iterator[Text] | list[Text]) -> Iterator[Text]:
    return (text for text in texts if text.get_visible() and text.get_text().strip())
