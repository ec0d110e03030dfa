# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
