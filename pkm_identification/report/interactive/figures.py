"""All interactive figures of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pkm_identification.estimation.identifiability.correlation import correlation as correlation_of
from pkm_identification.identification.review.review import Review
from pkm_identification.numerics.arrays import FloatArray

from ..figures.parameters import converging
from .forces import forces, misfit, residual
from .friction import friction
from .parameters import convergence, correlation
from .parts import Document

if TYPE_CHECKING:
    from pkm_identification.identification.result import Identification


def interactive_figures(
    result: Identification, truth: FloatArray | None = None, reviewed: Review | None = None
) -> dict[str, Document]:
    """Figures by the names of `folder.report_figures`, as far as they have an interactive form."""
    figures = {}
    found = correlation_of(result.estimate)
    if len(found.names) > 1:
        figures["correlation"] = correlation(found)
    if converging(result.trace, result.estimate):
        figures["convergence"] = convergence(result.trace, result.estimate, truth)
    if result.validation is not None:
        figures["forces"] = forces(result.validation)
        figures["residual"] = residual(result.validation)
    if result.fit is not None and result.fit.residuals:
        figures["misfit"] = misfit(result.fit)
    if reviewed is not None and reviewed.friction:
        figures["friction"] = friction(reviewed.friction)
    return figures
