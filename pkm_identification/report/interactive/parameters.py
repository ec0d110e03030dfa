# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Correlations and convergence, to point at and to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pkm_identification.estimation.identifiability.correlation import Correlation
from pkm_identification.numerics.arrays import FloatArray

from ..figures.parameters import SIGMAS, converging, settled_range, time_axis
from .parts import CLEAR, ESTIMATE, NOMINAL, TRUE, Document, array, axis, layout, line, menu

if TYPE_CHECKING:
    from pkm_identification.estimation.estimate import ParameterEstimate
    from pkm_identification.estimation.trace import EstimateTrace

ENTRIES = 250  # of a trace
MATRIX_PX = 620  # side of the matrix in a page's widest figure: a taller figure would stand empty
_BAND = "rgba(0,114,178,0.22)"


def correlation(strongest: Correlation) -> Document:
    """Return the matrix."""
    names = list(strongest.names)
    labels: Document = {
        "tickfont": {"size": max(6, min(12, MATRIX_PX // max(len(names), 1) - 1))},
        "dtick": 1,
        "type": "category",
    }
    return {
        "data": [
            {
                "type": "heatmap",
                "x": names,
                "y": names,
                "z": array(strongest.matrix),
                "zmin": -1,
                "zmax": 1,
                "colorscale": [[0, "#2166ac"], [0.5, "--paper"], [1, "#b2182b"]],
                "hovertemplate": "%{y}, %{x}: %{z:.2f}<extra></extra>",
                "colorbar": {"thickness": 14},
            }
        ],
        "layout": layout(
            min(max(380, 24 * len(names) + 120), MATRIX_PX + 180),
            xaxis=axis(tickangle=-90, showgrid=False, constrain="domain", **labels),
            yaxis=axis(autorange="reversed", showgrid=False, scaleanchor="x", constrain="domain", **labels),
            margin={"l": 90, "r": 20, "t": 20, "b": 90},
        ),
    }  # fmt: skip


def convergence(trace: EstimateTrace, estimate: ParameterEstimate, truth: FloatArray | None) -> Document:
    """The parameter that is chosen over time, with its band of two standard deviations."""
    chosen = np.unique(np.linspace(0, len(trace) - 1, min(ENTRIES, len(trace))).astype(int))
    time, label = time_axis(trace.time)
    time = time[chosen]
    ends = time[[0, -1]]
    data: list[Document] = []
    names: list[str] = []
    layouts: list[Document] = []
    counts: list[int] = []
    for i in converging(trace, estimate):
        name = estimate.names[i]
        values, band = trace.values[chosen, i], SIGMAS * trace.std[chosen, i]
        seen: Document = {"visible": not names}
        traces = [
            line(time, values - band, "", CLEAR, 0.0, showlegend=False, hoverinfo="skip", **seen),
            line(
                time,
                values + band,
                "± 2 standard deviations",
                CLEAR,
                0.0,
                fill="tonexty",
                fillcolor=_BAND,
                **seen,
            ),
            line(time, values, "estimate", ESTIMATE, 1.8, **seen),
            line(ends, np.full(2, estimate.nominal[i]), "nominal", NOMINAL, 1.2, **seen),
        ]
        if truth is not None:
            traces.append(line(ends, np.full(2, truth[i]), "true", TRUE, 1.5, **seen))
        limits = settled_range(values, band, None if truth is None else float(truth[i]))
        names.append(name)
        layouts.append({"yaxis.title.text": f"{name} ({estimate.units[i]})", "yaxis.range": list(limits)})
        counts.append(len(traces))
        data += traces
    owner = np.repeat(np.arange(len(names)), counts)
    shown = [(owner == k).tolist() for k in range(len(names))]
    first = layouts[0]
    return {
        "data": data,
        "layout": layout(
            440,
            xaxis=axis(label),
            yaxis=axis(first["yaxis.title.text"], range=first["yaxis.range"]),
            updatemenus=[menu(names, shown, layouts=layouts)],
        ),
    }
