# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What there is to draw of an identification, as a picture or to point at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from pkm_identification.estimation.identifiability.correlation import Correlation, correlation
from pkm_identification.identification.review.friction_curves import FrictionCurve
from pkm_identification.identification.review.review import Review
from pkm_identification.machines.contract import Drive
from pkm_identification.numerics.arrays import FloatArray

from .figures.parameters import converging

if TYPE_CHECKING:
    from pkm_identification.estimation.estimate import ParameterEstimate
    from pkm_identification.estimation.trace import EstimateTrace
    from pkm_identification.identification.diagnosis.findings import Diagnosis
    from pkm_identification.identification.result import Identification
    from pkm_identification.identification.validation import Validation

Drawn = TypeVar("Drawn")


@dataclass(frozen=True)
class Drawings(Generic[Drawn]):
    """What draws each figure, by its name."""

    correlation: Callable[[Correlation], Drawn]
    convergence: Callable[[EstimateTrace, ParameterEstimate, FloatArray | None], Drawn]
    forces: Callable[[Validation, Sequence[Drive]], Drawn]
    residual: Callable[[Validation, Sequence[Drive]], Drawn]
    misfit: Callable[[Diagnosis, Sequence[Drive]], Drawn]
    friction: Callable[[Sequence[FrictionCurve], Sequence[Drive]], Drawn]


def draw_figures(
    result: Identification, truth: FloatArray | None, reviewed: Review | None, by: Drawings[Drawn]
) -> dict[str, Drawn]:
    """The figures there is something to show in, by name; see `folder.report_figures`."""
    figures = {}
    strongest = correlation(result.estimate)
    if len(strongest.names) > 1:
        figures["correlation"] = by.correlation(strongest)
    if converging(result.trace, result.estimate):
        figures["convergence"] = by.convergence(result.trace, result.estimate, truth)
    if result.validation is not None:
        figures["forces"] = by.forces(result.validation, result.machine.drives)
        figures["residual"] = by.residual(result.validation, result.machine.drives)
    if result.fit is not None and result.fit.residuals:
        figures["misfit"] = by.misfit(result.fit, result.machine.drives)
    if reviewed is not None and reviewed.friction:
        figures["friction"] = by.friction(reviewed.friction, result.machine.drives)
    return figures
