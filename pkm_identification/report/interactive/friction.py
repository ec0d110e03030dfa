# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of the struts over their rate, to zoom into near standstill."""

from __future__ import annotations

from collections.abc import Sequence

from pkm_identification.identification.review.friction_curves import FrictionCurve
from pkm_identification.machines.contract import Drive

from ..friction_tables import RATES
from .parts import ESTIMATE, Document, array, axis, layout, line

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
