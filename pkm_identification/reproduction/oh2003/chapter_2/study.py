"""Oh 2003, section 2.4: what the strut forces are made of, and what a wrong centre of mass does to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pkm_identification.report.contribution_tables import contributions_document, sensitivity_document
from pkm_identification.report.paragraphs import paragraph
from pkm_identification.reproduction.finding import AGREES, Finding
from pkm_identification.reproduction.outcome import Outcome

from .data import MACHINES, study_machine
from .findings import findings
from .runs import Study, change_with_chapters_4_5, run_study
from .tables import study_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def run() -> Outcome:
    """Three machines in the motions of Table 2.2."""
    study = run_study()
    notes = _notes(change_with_chapters_4_5(study))
    conclusions = findings(study)
    return Outcome(
        _text(study, conclusions, notes), _document(study, conclusions, notes), lambda: _figures(study)
    )


def _figures(study: Study) -> dict[str, Figure]:
    from .figures import machine_figure, sensitivity_figure

    figures = {f"contributions_{machine}": machine_figure(study, machine) for machine in MACHINES}
    return {**figures, "sensitivity": sensitivity_figure(study)}


def _text(study: Study, conclusions: tuple[Finding, ...], notes: list[str]) -> str:
    agreeing = sum(finding.verdict == AGREES for finding in conclusions)
    return "\n\n".join(
        (
            "Oh 2003, section 2.4: contributions to the strut forces and sensitivity to the centre of mass",
            "\n".join(paragraph(note) for note in notes),
            str(study_table(study)),
            "mean shares in % of mean |F_a| over all struts; S x, y, z: sensitivity over all struts",
            *(finding.text(number) for number, finding in enumerate(conclusions, 1)),
            f"{agreeing} of {len(conclusions)} findings agree.",
        )
    )


def _notes(change: float) -> list[str]:
    ratios = ", ".join(
        f"{name} {machine.platform.mass / sum(strut.body_e.mass for strut in machine.struts):.2f}"
        for name in MACHINES
        for machine in [study_machine(name)]
    )
    return [
        f"m_p / (6 m_e): {ratios}. Struts without spin, no friction: the source's model and study.",
        "The UF machine has the inertias of section 2.4; with those of chapters 4-5 no mean share differs by more "
        f"than {change:.2g} points. Joint places on the sides, centres of mass of the strut bodies, and size and home "
        "of Hexel and Ford are not in the recovered text: those of the built-in files are taken.",
        "Motions: amplitude x sin(w t) about home, steady; theta and psi turn about base x and then about what is base "
        "y at home, in phase; the offset of 12.7 mm points towards x = y.",
    ]


def _document(study: Study, conclusions: tuple[Finding, ...], notes: list[str]) -> dict:
    return {
        "schema": 1,
        "study": "oh2003-contributions",
        "notes": notes,
        "findings": [finding.document() for finding in conclusions],
        "cases": [
            {
                "machine": machine,
                "motion": motion,
                "acceleration_percent": case.acceleration,
                "gravity_percent": case.gravity,
                "contributions": contributions_document(case.shares),
                "sensitivity": sensitivity_document(case.sensitivity),
            }
            for (machine, motion), case in study.items()
        ],
    }
