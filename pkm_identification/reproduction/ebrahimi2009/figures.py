# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Singular values of the regressors without units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from pkm_identification.report.figures.style import STRUT_COLORS, apply_style

if TYPE_CHECKING:
    from .runs import UnitsStudy


@apply_style
def draw_values_figure(study: UnitsStudy) -> Figure:
    """D's singular values of the rank, machine by machine."""
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    for one, color in zip(study.machines, STRUT_COLORS, strict=False):
        values = one.found.singular_values[: one.found.rank]
        axes.semilogy(range(1, len(values) + 1), values, color=color, label=f"{one.name}: {len(values)}")
    axes.set_xlabel("number")
    axes.set_ylabel("singular value of D")
    axes.legend()
    return figure
