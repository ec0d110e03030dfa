# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Oh 2003, chapter 4: the UF machine identified from simulated motions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pkm_identification.estimation.identifiability import BaseParameters
from pkm_identification.report.listing import paragraph
from pkm_identification.reproduction.finding import Finding, Outcome, build_common_document, conclusions

from .cases import CaseResult
from .comparisons import Comparison, inertia_comparisons, mass_comparisons
from .data import MOTIONS
from .findings import findings
from .runs import SimulationStudy, run_study
from .source_tables import (
    ENERGY_INERTIAS,
    INERTIAS,
    ITERATIONS,
    SOURCE_NAMES,
    SOURCE_NOISE,
    TABLES,
    SourceNumber,
)
from .tables import (
    build_inertia_table,
    build_iteration_table,
    build_mass_table,
    build_noise_table,
    case_name,
    order_table,
    rank_table,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "oh2003-simulation"
TITLE = "parameters of the UF machine from simulated data (chapter 4)"
FIGURES = (
    "simulation_masses",
    "simulation_masses_friction",
    "simulation_masses_energy",
    "simulation_inertias",
    "simulation_inertias_energy",
    "simulation_order",
    "simulation_noise",
    "simulation_source_masses",
    "simulation_source_orders",
    "simulation_source_noise",
)


def run() -> Outcome:
    """The study as the source has it."""
    return outcome(run_study())


def outcome(study: SimulationStudy) -> Outcome:
    """Text, document and figures."""
    judged = findings(study)
    return Outcome(_write_text(study, judged), _build_document(study, judged), lambda: _draw_figures(study))


def _draw_figures(study: SimulationStudy) -> dict[str, Figure]:
    from .figures import (
        draw_inertia_figure,
        draw_noise_figure,
        order_figure,
        settling_figure,
    )
    from .source_figures import source_mass_figures, source_noise_figures, source_order_figures

    comparisons = mass_comparisons(study.results)
    plain = [study.of("4.4", motion) for motion in MOTIONS]
    energy = [study.of("4.8", motion) for motion in MOTIONS[:3]]
    rough = [study.of("4.6", motion) for motion in MOTIONS]
    orders = {
        motion: [study.of(table, motion) for table in ("4.4", "4.10", "4.12")] for motion in ("Z", "fall")
    }
    return {
        "simulation_masses": settling_figure(plain, comparisons, "Masses without friction, force model", 80),
        "simulation_masses_friction": settling_figure(
            rough, comparisons, "Masses with friction, force model", 200
        ),
        "simulation_masses_energy": settling_figure(
            energy, comparisons, "Masses without friction, energy model", 1000
        ),
        "simulation_inertias": draw_inertia_figure(
            plain,
            INERTIAS,
            "Inertias without friction (ours without process noise): the source's are its first guess",
        ),
        "simulation_inertias_energy": draw_inertia_figure(
            energy,
            {name: SourceNumber(one[0], None, one[1]) for name, one in ENERGY_INERTIAS["XY"].items()},
            "Inertias by the energy model (Table 4.9, XY; ours without process noise)",
        ),
        "simulation_order": order_figure(orders, comparisons),
        "simulation_noise": draw_noise_figure(
            study.noise, {key: value for key, (value, _) in SOURCE_NOISE.items()}
        ),
        "simulation_source_masses": source_mass_figures(study),
        "simulation_source_orders": source_order_figures(study),
        "simulation_source_noise": source_noise_figures(study),
    }


def bases(study: SimulationStudy) -> list[tuple[str, BaseParameters]]:
    """Return what each kind of data could identify."""
    named = [
        (case_name(one.case), one.base) for one in study.results if one.case.table in ("4.4", "4.6", "4.8")
    ]
    return [*named, ("six axes", study.six_axes[0]), ("six axes, friction", study.six_axes[1])]


def list_printed(study: SimulationStudy) -> tuple[Comparison, ...]:
    """Return the masses of the table: exact cases of the noise tables are those of 4.4 and 4.8."""
    chosen = tuple(one for one in study.results if not one.case.table.endswith(", 0 %"))
    return mass_comparisons(chosen)


NOTES = (
    "Machine uf with struts that do not spin, friction of Table 4.1 by the source's law; joint places on the sides "
    "and centres of mass of the strut bodies are our assumption. Data from the model itself, 1 ms, two periods of "
    "0.0254 m at 4 pi rad/s about home; the free fall lasts until a strut nears its limit, 0.15 s at most.",
    "source's filter: UKF with alpha 1e-3, beta 2, kappa 0 and Robbins-Monro, from the first guess the source's "
    "estimates sit on. ours: the same without process noise, which is least squares with that guess as a prior "
    "of its own size. Not in the recovered text and chosen here: masses' guess (1.5, 7.5, 4.5 kg, marked G; "
    "the inertias' is read off the results), friction's guess (90 %), rate of Robbins-Monro (0.01), trust in exact "
    "data (0.1 %).",
    "Marks say how certain the source's number is read: S sure, P probable, G guess; 'S/P' percentage sure, value "
    "probable. Percentages are of the truth. The source's normal of the platform is y, ours z.",
    "std is what noise of the forces and the guess leave open. Noise of the measured states is in the regressor "
    "too, where it causes a bias that no such std contains: error/std shows it.",
    "simulation_source_*: Figs. 4.8-4.18, 4.35-4.44, C.1, C.2 in the source's layout, its axes where they are legible. "
    "Not drawn, as what they show is not in the recovered text: Figs. 4.19-4.34 (of 4.21 the model and the iterations "
    "are: energy, 0-20) and C.3-C.9 (of C.5 to C.9 the mass and its axis are, the case is not: m_e 1.5-1.9, m_b "
    "6.6-8.4, m_p 4-6.5, m_e from 1.5, m_b from 6.5 kg).",
    "The JSON file has every parameter of every case, friction included, with standard deviation and status.",
)


def _write_text(study: SimulationStudy, judged: tuple[Finding, ...]) -> str:
    by_motion = [tuple(study.of(table, motion) for table in ("4.4", "4.10", "4.12")) for motion in MOTIONS]
    inertias = build_inertia_table(
        inertia_comparisons(study.of("4.4", "XY")), [study.of("4.4", m) for m in MOTIONS], SOURCE_NAMES
    )
    agreeing = [one.standing for one in list_printed(study) if one.source.value is not None]
    counts = {text: agreeing.count(text) for text in dict.fromkeys(agreeing)}
    return "\n\n".join(
        (
            f"Oh 2003: {TITLE}",
            "\n".join(paragraph(note) for note in NOTES),
            "What exact data could identify at all",
            str(rank_table(bases(study))),
            "Masses",
            str(build_mass_table(list_printed(study))),
            paragraph(
                f"Of {len(agreeing)} masses of the source: "
                + "; ".join(f"{text}: {count}" for text, count in counts.items())
                + ".",
                "",
            ),
            "Inertias, force model without friction (the source's numbers are nearly the same in every case)",
            str(inertias),
            "Force and energy under noise: motion XY, worst error of a mass, median of the runs",
            str(
                build_noise_table(
                    study.noise, {key: f"{v:g} ({mark})" for key, (v, mark) in SOURCE_NOISE.items()}
                )
            ),
            "Iterations of the source's figures, read as samples: worst error of a mass",
            str(build_iteration_table(_compute_iterations(study))),
            "Order of data: largest change of a mass against sequential order in %, no noise",
            str(order_table(by_motion)),
            conclusions(judged),
        )
    )


def _compute_iterations(study: SimulationStudy) -> list[tuple[CaseResult, int, float | None]]:
    """Cases whose figure is known, with its iterations and the source's worst error of a mass in %."""
    rows = []
    for (table, motion), count in ITERATIONS.items():
        percents = [
            one.percent for one in TABLES.get((table, motion), {}).values() if one.percent is not None
        ]
        rows.append((study.of(table, motion), count, max(percents, default=None)))
    return rows


def _build_document(study: SimulationStudy, judged: tuple[Finding, ...]) -> dict[str, Any]:
    return {
        **build_common_document(NAME, TITLE, NOTES, judged, FIGURES),
        "identifiability": [
            {
                "data": name,
                "parameters": len(base.names),
                "rank": base.count,
                "without_effect": [base.names[i] for i in base.invisible],
                "base_parameters": list(base.groupings),
            }
            for name, base in bases(study)
        ],
        "cases": [_build_case_document(one) for one in study.results],
        "noise": [
            {
                "model": one.model,
                "noise": one.noise,
                **{
                    name: getattr(one, name).tolist()
                    for name in ("as_source", "plain", "plain_std", "band", "band_std")
                },
                "masses_shown": one.plain_identified,
                "masses_shown_in_band": one.band_identified,
            }
            for one in study.noise
        ],
    }


def _build_case_document(result: CaseResult) -> dict[str, Any]:
    source = {one.name: one for one in mass_comparisons((result,))}
    if result.case.model == "force" and result.case.noise == 0:
        source |= {one.name: one for one in inertia_comparisons(result)}
    estimate = result.estimate
    return {
        "table": result.case.table,
        "case": case_name(result.case),
        "rank": result.base.count,
        "parameters": [
            {
                "name": name,
                "unit": estimate.units[i],
                "true": float(result.true[i]),
                "first_guess": float(result.start[i]),
                "value": float(estimate.values[i]),
                "std": float(estimate.std[i]),
                "status": estimate.status[i],
                "shown_alone_by_exact_data": bool(result.alone_identifiable(name)),
                "source_filter": float(result.as_source[i]),
                "source": None if name not in source else source[name].source.value,
                "source_percent": None if name not in source else source[name].source.percent,
                "mark": None if name not in source else source[name].source.mark or None,
                "standing": None if name not in source else source[name].standing,
            }
            for i, name in enumerate(estimate.names)
        ],
        "combinations": [
            {"name": one.name, "value": float(np.float64(one.value)), "std": float(one.std), "unit": one.unit}
            for one in estimate.combinations
        ],
    }
