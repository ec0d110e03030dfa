"""The paper on the 3PRS table: torques of an axis and what is identified from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pkm_identification.reproduction.assembly import assembled
from pkm_identification.reproduction.outcome import Outcome

from ..data import SOURCE
from ..notes import AXIS_NOTES
from .findings import findings
from .runs import AMPLITUDE, TorqueStudy, run_study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "mast-torque"
TITLE = "torque of the 3PRS table's axes: friction and inertia from it, and what position hides"


def run() -> Outcome:
    """The study as the source has it."""
    return outcome(run_study())


def outcome(study: TorqueStudy) -> Outcome:
    """Text, document and figures."""

    def torque() -> Figure:
        from .figures import torque_figure

        return torque_figure(study)

    notes = (
        *AXIS_NOTES,
        f"Axis 1 in z with the {study.carried:.2f} kg it carries and their weight; motor amplitude {AMPLITUDE:g} rad.",
    )
    results = {
        "harmonics": {
            f"{frequency:g}": {
                "magnitude": list(one.magnitudes),
                "torque": [abs(part) for part in one.torque],
                "rms_gap": one.rms_gap,
            }
            for frequency, one in study.comparisons.items()
        },
        "identified": {
            "inertia": [study.identified.inertia, study.identified.inertia_std],
            "friction": [study.identified.friction, study.identified.friction_std],
        },
    }
    return assembled(SOURCE, NAME, TITLE, notes, findings(study), {"mast_torque": torque}, results=results)
