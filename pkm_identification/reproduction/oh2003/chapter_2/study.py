# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Oh 2003, section 2.4: what the strut forces are made of, and what a wrong centre of mass does to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pkm_identification.report.contribution_tables import (
    build_contributions_document,
    build_sensitivity_document,
)
from pkm_identification.report.listing import Listing, paragraph
from pkm_identification.reproduction.finding import Finding, Outcome, build_common_document, conclusions

from .data import GROUPS, MACHINES, study_machine
from .findings import findings
from .runs import Case, Study, change_with_chapters_4_5, run_study

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def build_study_table(study: Study, variation: bool = False) -> Listing:
    """One machine and motion of Table 2.2 a row: mean norms and sensitivities, or variation norms."""
    if variation:
        return _format_variations({" ".join(key): case for key, case in study.cases.items()})
    header = ("machine", "motion", "mean |F_a|, N", *GROUPS, "pm+sm", "grp+grs", "S x", "S y", "S z")
    rows = []
    for (machine, motion), case in study.cases.items():
        sensitivity = study.sensitivities[machine, motion].sensitivity
        rows.append(
            (
                machine,
                motion,
                f"{case.shares.force:.1f}",
                *(f"{case.shares.share(name):.2f}" for name in GROUPS),
                f"{case.acceleration:.1f}",
                f"{case.gravity:.1f}",
                *(f"{sensitivity.overall[sensitivity.directions.index(axis)]:.3f}" for axis in "xyz"),
            )
        )
    return Listing(header, tuple(rows), frozenset(header[2:]))


def build_scaled_table(study: Study) -> Listing:
    """Variation norms of the motions scaled for each machine."""
    return _format_variations({" ".join(key): case for key, case in study.scaled.items()})


def _format_variations(cases: dict[str, Case]) -> Listing:
    header = ("machine and motion", "F_a", *GROUPS)
    rows = tuple(
        (
            name,
            f"{case.shares.total_variation:.2f}",
            *(f"{case.shares.varies(group):.2f}" for group in GROUPS),
        )
        for name, case in cases.items()
    )
    return Listing(header, rows, frozenset(header[1:]))


NAME = "oh2003-contributions"
TITLE = "contributions to the strut forces and sensitivity to the centre of mass (section 2.4)"
FIGURES = (*(f"contributions_{machine}" for machine in MACHINES), "contributions_2_10_to_2_15", "sensitivity")


def run() -> Outcome:
    """Three machines in the motions of Table 2.2 and in motions scaled for each."""
    study = run_study()
    return outcome(study, change_with_chapters_4_5(study))


def outcome(study: Study, change: float) -> Outcome:
    """Text, document and figures; `change` with the inertias of chapters 4-5, in points."""
    notes, judged = _list_notes(study, change), findings(study)
    return Outcome(
        _write_text(study, judged, notes), _build_document(study, judged, notes), lambda: _draw_figures(study)
    )


def _draw_figures(study: Study) -> dict[str, Figure]:
    from .figures import machine_figure, sensitivity_figure, source_figures

    figures = {f"contributions_{machine}": machine_figure(study, machine) for machine in MACHINES}
    return dict(
        zip(FIGURES, (*figures.values(), source_figures(study), sensitivity_figure(study)), strict=True)
    )


def _write_text(study: Study, judged: tuple[Finding, ...], notes: list[str]) -> str:
    return "\n\n".join(
        (
            f"Oh 2003: {TITLE}",
            "\n".join(paragraph(note) for note in notes),
            "Mean norms in % of mean |F_a| (2.76-2.81), |.| over the struts; S x, y, z: sensitivity over all struts\n"
            + str(build_study_table(study)),
            "Variation norms in % of mean |F_a| (2.82-2.88)\n"
            + str(build_study_table(study, variation=True)),
            "Variation norms in motions scaled for each machine, those that fit\n"
            + str(build_scaled_table(study)),
            conclusions(judged),
        )
    )


def _list_notes(study: Study, change: float) -> list[str]:
    ratios = ", ".join(
        f"{name} {machine.platform.mass / sum(strut.body_e.mass for strut in machine.struts):.2f}"
        for name in MACHINES
        for machine in [study_machine(name)]
    )
    lost = {name: sum(one == name for one, _ in study.misfits) for name in MACHINES}
    return [
        f"m_p / (6 m_e): {ratios}. Struts without spin, no friction: the source's model and study.",
        "The UF machine has the inertias of section 2.4; with those of chapters 4-5 no mean norm differs by more "
        f"than {change:.2g} points. Assumed, as the recovered text does not say: joint places on the sides, centres of "
        "mass of the strut bodies, size and home of Hexel and Ford (those of the built-in files).",
        "Motions of Table 2.2: amplitude x sin(w t) about home, steady; theta and psi turn about base x and then about "
        "what is base y at home, in phase; the offset of 12.7 mm points towards x = y: our reading.",
        "Motions scaled for each machine (l.2971-79: ends at .04, .3, .6 m, angles 5, 15, 10 deg, with feed and "
        "acceleration): amplitude and offset end together at the end point, the top speed is the highest that keeps "
        "both limits: our reading. A motion that comes half as near to a singular pose as home is far does not fit: "
        + ", ".join(f"{name} {count} of 18" for name, count in lost.items())
        + ".",
        "Bodies and joints apart (Figs. 2.11-2.13): the bodies of one machine on the joints and home of another.",
    ]


def _build_document(study: Study, judged: tuple[Finding, ...], notes: list[str]) -> dict[str, Any]:
    return {
        **build_common_document(NAME, TITLE, notes, judged, FIGURES),
        "cases": [
            {
                **_compute_case(machine, motion, case),
                "sensitivity": build_sensitivity_document(study.sensitivities[machine, motion].sensitivity),
            }
            for (machine, motion), case in study.cases.items()
        ],
        "crossed": [
            {"geometry": joints, **_compute_case(bodies, motion, case)}
            for (joints, bodies, motion), case in study.crossed.items()
            if joints != bodies
        ],
        "scaled": [_compute_case(machine, motion, case) for (machine, motion), case in study.scaled.items()],
        "scaled_misfits": [" ".join(key) for key in study.misfits],
    }


def _compute_case(machine: str, motion: str, case: Case) -> dict[str, Any]:
    return {
        "machine": machine,
        "motion": motion,
        "acceleration_percent": case.acceleration,
        "gravity_percent": case.gravity,
        "contributions": build_contributions_document(case.shares),
    }
