# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""All interactive figures of a report."""

from __future__ import annotations

import base64
import gzip
from typing import TYPE_CHECKING

from pkm_identification.identification.review.review import Review
from pkm_identification.numerics.arrays import FloatArray

from ..drawings import Drawings, draw_figures
from .parts import Document

if TYPE_CHECKING:
    from pkm_identification.identification.result import Identification

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pkm_identification.estimation.identifiability.correlation import Correlation
from pkm_identification.identification.review.friction_curves import FrictionCurve
from pkm_identification.machines.contract import Drive

from ..figures.parameters import SIGMAS, converging, settled_range, time_axis
from ..friction_tables import RATES
from .parts import CLEAR, ESTIMATE, NOMINAL, TRUE, array, axis, layout, line, menu

if TYPE_CHECKING:
    from pkm_identification.estimation.estimate import ParameterEstimate
    from pkm_identification.estimation.trace import EstimateTrace

from dataclasses import replace
from typing import TYPE_CHECKING

from ..figures.forces import compute_residual_spectrum, format_visible_lines, residual_units
from ..figures.style import color_of
from .parts import MEASURED, thin_line

if TYPE_CHECKING:
    from pkm_identification.identification.diagnosis.findings import Diagnosis
    from pkm_identification.identification.validation import Validation


def forces(validation: Validation, drives: Sequence[Drive]) -> Document:
    """Measured and predicted force of the drive that is chosen, and the error below."""
    time = validation.time - validation.time[0]
    error = validation.measured - validation.predicted
    data = []
    count, units = len(drives), {drive.force_unit for drive in drives}
    unit = units.pop() if len(units) == 1 else "N or N m"
    for i in range(count):
        seen: Document = {"visible": i == 0}
        data += [
            line(*thin_line(time, validation.measured[:, i]), "measured", MEASURED, 3.0, **seen),
            line(*thin_line(time, validation.predicted[:, i]), "predicted", ESTIMATE, 1.2, **seen),
            line(
                *thin_line(time, error[:, i]),
                "measured − predicted",
                color_of(1),
                1.0,
                yaxis="y2",
                xaxis="x",
                **seen,
            ),
        ]
    shown = [[k // 3 == i for k in range(3 * count)] for i in range(count)]
    names = [
        f"{drive.title} ({error:.2g} % rms)"
        for drive, error in zip(drives, validation.rms_percent, strict=True)
    ]
    return {
        "data": data,
        "layout": layout(
            500,
            xaxis=axis("time (s)", anchor="y2"),
            yaxis=axis(f"force ({unit})", domain=[0.36, 1.0]),
            yaxis2=axis(f"error ({unit})", domain=[0.0, 0.28], anchor="x"),
            updatemenus=[menu(names, shown)],
        ),
    }


def residual(validation: Validation, drives: Sequence[Drive]) -> Document:
    """Error of the prediction over time and its spectrum (F,), (F, n); a click on a drive takes it away."""
    unit, scale = residual_units(validation, drives)
    validation = replace(
        validation, measured=validation.measured / scale, predicted=validation.predicted / scale
    )
    time = validation.time - validation.time[0]
    left = validation.measured - validation.predicted
    frequency, force, error = compute_residual_spectrum(validation)
    visible = slice(0, format_visible_lines(force, error))
    second: Document = {"xaxis": "x2", "yaxis": "y2"}
    strength = np.sqrt(np.mean(force[visible] ** 2, axis=1))
    data = [line(frequency[visible], strength, f"force, all {drives[0].part}s", MEASURED, 2.5, **second)]
    for i, drive in enumerate(drives):
        name, color = drive.title, color_of(i)
        data.append(line(*thin_line(time, left[:, i]), name, color, 1.0, legendgroup=name))
        data.append(
            line(
                frequency[visible],
                error[visible, i],
                name,
                color,
                1.0,
                legendgroup=name,
                showlegend=False,
                **second,
            )
        )
    return {
        "data": data,
        "layout": layout(
            440,
            xaxis=axis("time (s)", domain=[0.0, 0.56]),
            yaxis=axis(f"measured − predicted ({unit})"),
            xaxis2=axis("frequency (Hz)", domain=[0.66, 1.0], type="log", anchor="y2"),
            yaxis2=axis(f"amplitude density ({unit}/√Hz)", type="log", anchor="x2", exponentformat="power"),
        ),
    }


def misfit(fit: Diagnosis, drives: Sequence[Drive]) -> Document:
    """What the model leaves over time in units of the noise floor, with a strip to zoom by, and its size by drive."""
    model = fit.residuals[0]
    data = [
        line(*thin_line(model.time, model.relative[:, i]), drive.title, color_of(i), 1.0)
        for i, drive in enumerate(drives)
    ]
    data.append(
        {
            "type": "bar",
            "x": [drive.label for drive in drives],
            "y": array(np.sqrt(np.mean(model.relative**2, axis=0))),
            "marker": {"color": [color_of(i) for i in range(len(drives))]},
            "name": "root mean square",
            "showlegend": False,
            "xaxis": "x2",
            "yaxis": "y2",
        }
    )
    floor = {"type": "line", "line": {"color": "--ink", "width": 1, "dash": "dash"}}
    shapes = [
        {**floor, "xref": "x domain", "x0": 0, "x1": 1, "yref": "y", "y0": level, "y1": level}
        for level in (-2, 2)
    ]
    shapes.append({**floor, "xref": "x2 domain", "x0": 0, "x1": 1, "yref": "y2", "y0": 1, "y1": 1})
    return {
        "data": data,
        "layout": layout(
            440,
            xaxis=axis("time (s)", domain=[0.0, 0.7], rangeslider={"thickness": 0.12, "bgcolor": "--card"}),
            yaxis=axis("residual / noise floor", fixedrange=False),
            xaxis2=axis(drives[0].part, domain=[0.8, 1.0], anchor="y2", type="category"),
            yaxis2=axis("root mean square", anchor="x2", rangemode="tozero"),
            shapes=shapes,
        ),
    }


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


COLUMNS, GAP = 3, 0.06


def friction(curves: Sequence[FrictionCurve], drives: Sequence[Drive]) -> Document:
    """One panel a drive; rates of drives of one kind are zoomed together."""
    alike = len({drive.unit for drive in drives}) == 1
    rows = -(-len(curves) // COLUMNS)
    width, height = (1 - GAP * (COLUMNS - 1)) / COLUMNS, (1 - 0.14 * (rows - 1)) / rows
    data, axes, titles = [], {}, []
    for k, curve in enumerate(curves):
        row, column = divmod(k, COLUMNS)
        number = "" if k == 0 else str(k + 1)
        left, top = column * (width + GAP), 1 - row * (height + 0.14)
        x, y = {"xaxis": f"x{number}"}, {"yaxis": f"y{number}"}
        drive = drives[curve.strut]
        factor, unit = RATES[drive.unit]
        rate = factor * curve.rate
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": array(rate),
                "y": array(curve.measured),
                "error_y": {"type": "data", "array": array(curve.spread), "color": "--line", "thickness": 1},
                "marker": {"color": "--soft", "size": 5},
                "name": "measured less rigid-body part",
                "legendgroup": "measured",
                "showlegend": k == 0,
                **x,
                **y,
            }
        )
        data.append(
            line(rate, curve.law, "identified", ESTIMATE, 2.0, legendgroup="law", showlegend=k == 0, **x, **y)
        )
        last_row = k + COLUMNS >= len(curves)
        axes[f"xaxis{number}"] = axis(
            f"{drive.part} rate ({unit})" if last_row else "",
            domain=[left, min(left + width, 1.0)],
            anchor=f"y{number}",
            **({"matches": "x"} if k and alike else {}),
        )
        axes[f"yaxis{number}"] = axis(
            f"friction ({drive.force_unit})" if column == 0 or not alike else "",
            domain=[max(top - height, 0.0), top],
            anchor=f"x{number}",
        )
        titles.append(
            {
                "text": drive.title,
                "x": left + 0.01,
                "y": top,
                "xref": "paper",
                "yref": "paper",
                "xanchor": "left",
                "yanchor": "top",
                "showarrow": False,
            }
        )
    return {"data": data, "layout": layout(250 * rows + 80, annotations=titles, **axes)}


LEVEL = 6


def packed_script() -> str | None:
    """plotly.js, packed (gzip) as base64; None without plotly (extra `report`).

    Packed it takes 2 MB of a page instead of 5, and browsers unpack it themselves.
    """
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        return None
    # the same page from the same result: no time in the header
    return base64.b64encode(gzip.compress(get_plotlyjs().encode(), LEVEL, mtime=0)).decode("ascii")


FIGURES = Drawings(
    correlation=correlation,
    convergence=convergence,
    forces=forces,
    residual=residual,
    misfit=misfit,
    friction=friction,
)


def interactive_figures(
    result: Identification, truth: FloatArray | None = None, reviewed: Review | None = None
) -> dict[str, Document]:
    """Figures by the names of `folder.report_figures`, as far as they have an interactive form."""
    return draw_figures(result, truth, reviewed, FIGURES)
