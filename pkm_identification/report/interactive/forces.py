# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Held-out forces, and what is left of them, to zoom into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pkm_identification.machines.contract import Drive

from ..figures.forces import compute_residual_spectrum, format_visible_lines, residual_units
from ..figures.style import color_of
from .parts import ESTIMATE, MEASURED, Document, array, axis, layout, line, menu, thin_line

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
