"""Homogeneous units as Ebrahimi and Kövecses (2009) begin them, and our reconstruction of the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pkm_identification.reproduction.assembly import assembled
from pkm_identification.reproduction.outcome import Outcome

from .findings import findings
from .runs import UnitsStudy, run_study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "ebrahimi2009-units"
SOURCE = "Ebrahimi and Kövecses (2009)"
TITLE = "a regressor without units"
NOTES = (
    "Our copy ends with the second page, after Eq. 7: the homogeneous matrix, the way back, the measure "
    "of sensitivity and "
    "all results are a reconstruction.",
    "The text's device is missing, too: the regressors are those of the built-in hexapods.",
)


def run() -> Outcome:
    """The study as far as the source goes."""
    return outcome(run_study())


def outcome(study: UnitsStudy) -> Outcome:
    """Text, document and figures."""

    def values() -> Figure:
        from .figures import values_figure

        return values_figure(study)

    figures = {"homogeneous_units": values}
    return assembled(SOURCE, NAME, TITLE, NOTES, findings(study), figures)
