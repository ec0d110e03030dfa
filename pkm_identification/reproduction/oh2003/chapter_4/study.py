"""Oh 2003, chapter 4: the UF machine identified from simulated motions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pkm_identification.estimation.identifiability import BaseParameters
from pkm_identification.report.paragraphs import paragraph
from pkm_identification.reproduction.finding import Judgement, finding_document, finding_text
from pkm_identification.reproduction.outcome import Outcome

from .cases import CaseResult
from .comparisons import Compared, inertia_comparisons, mass_comparisons
from .data import MOTIONS
from .findings import findings
from .runs import SimulationStudy, study
from .source_tables import (
    INERTIAS,
    ITERATIONS,
    SOURCE_NAMES,
    SOURCE_NOISE,
    TABLES,
)
from .tables import (
    case_name,
    inertia_table,
    iteration_table,
    mass_table,
    noise_table,
    order_table,
    rank_table,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "oh2003-simulation"


def run() -> Outcome:
    """The study as the source has it."""
    return outcome(study())


def outcome(done: SimulationStudy) -> Outcome:
    """Text, document and figures."""
    found = findings(done)
    return Outcome(_text(done, found), _document(done, found), lambda: _figures(done))


def _figures(done: SimulationStudy) -> dict[str, Figure]:
    from .figures import (
        inertia_figure,
        noise_figure,
        order_figure,
        settling_figure,
    )

    compared = mass_comparisons(done.results)
    plain = [done.of("4.4", motion) for motion in MOTIONS]
    energy = [done.of("4.8", motion) for motion in MOTIONS[:3]]
    rough = [done.of("4.6", motion) for motion in MOTIONS]
    orders = {
        motion: [done.of(table, motion) for table in ("4.4", "4.10", "4.12")] for motion in ("Z", "fall")
    }
    return {
        "simulation_masses": settling_figure(plain, compared, "Masses without friction, force model", 80),
        "simulation_masses_friction": settling_figure(
            rough, compared, "Masses with friction, force model", 200
        ),
        "simulation_masses_energy": settling_figure(
            energy, compared, "Masses without friction, energy model", 1000
        ),
        "simulation_inertias": inertia_figure(plain, INERTIAS),
        "simulation_order": order_figure(orders, compared),
        "simulation_noise": noise_figure(
            done.noise, {key: value for key, (value, _) in SOURCE_NOISE.items()}
        ),
    }


def bases(done: SimulationStudy) -> list[tuple[str, BaseParameters]]:
    """What each kind of data could show."""
    named = [
        (case_name(one.case), one.base) for one in done.results if one.case.table in ("4.4", "4.6", "4.8")
    ]
    return [*named, ("six axes", done.six_axes[0]), ("six axes, friction", done.six_axes[1])]


def printed(done: SimulationStudy) -> tuple[Compared, ...]:
    """The masses of the table: exact cases of the noise tables are those of 4.4 and 4.8."""
    chosen = tuple(one for one in done.results if not one.case.table.endswith(", 0 %"))
    return mass_comparisons(chosen)


def _text(done: SimulationStudy, found: tuple[Judgement, ...]) -> str:
    notes = (
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
        "std is what noise of the forces and the guess leave open. Noise of the measured states stands in the model's "
        "columns, where it is a bias that no such std knows: error/std shows it.",
        "The JSON file has every parameter of every case, friction included, with standard deviation and status.",
    )
    by_motion = [tuple(done.of(table, motion) for table in ("4.4", "4.10", "4.12")) for motion in MOTIONS]
    inertias = inertia_table(
        inertia_comparisons(done.of("4.4", "XY")), [done.of("4.4", m) for m in MOTIONS], SOURCE_NAMES
    )
    agreeing = [one.verdict for one in printed(done) if one.quoted.value is not None]
    counts = {text: agreeing.count(text) for text in dict.fromkeys(agreeing)}
    return "\n\n".join(
        (
            "Oh 2003, chapter 4: parameters of the UF machine from simulated data",
            "\n".join(paragraph(note) for note in notes),
            "What exact data could show at all",
            str(rank_table(bases(done))),
            "Masses",
            str(mass_table(printed(done))),
            paragraph(
                f"Of {len(agreeing)} masses of the source: "
                + "; ".join(f"{text}: {count}" for text, count in counts.items())
                + ".",
                "",
            ),
            "Inertias, force model without friction (the source's numbers are nearly the same in every case)",
            str(inertias),
            "Force and energy under noise: motion XY, worst error of a mass, median of the runs",
            str(noise_table(done.noise, {key: f"{v:g} ({mark})" for key, (v, mark) in SOURCE_NOISE.items()})),
            "Iterations of the source's figures, read as samples: worst error of a mass",
            str(iteration_table(_iterations(done))),
            "Order of data: largest change of a mass against sequential order in %, no noise",
            str(order_table(by_motion)),
            *(finding_text(k, finding) for k, finding in enumerate(found, 1)),
        )
    )


def _iterations(done: SimulationStudy) -> list[tuple[CaseResult, int, float | None]]:
    """Cases whose figure is known, with its iterations and the source's worst error of a mass in %."""
    rows = []
    for (table, motion), count in ITERATIONS.items():
        percents = [
            one.percent for one in TABLES.get((table, motion), {}).values() if one.percent is not None
        ]
        rows.append((done.of(table, motion), count, max(percents, default=None)))
    return rows


def _document(done: SimulationStudy, found: tuple[Judgement, ...]) -> dict[str, Any]:
    return {
        "schema": 1,
        "study": NAME,
        "identifiability": [
            {
                "data": name,
                "parameters": len(base.names),
                "rank": base.count,
                "without_effect": [base.names[i] for i in base.invisible],
                "base_parameters": list(base.groupings),
            }
            for name, base in bases(done)
        ],
        "cases": [_case_document(one) for one in done.results],
        "noise": [
            {
                "model": one.model,
                "noise": one.noise,
                **{
                    name: getattr(one, name).tolist()
                    for name in ("as_source", "plain", "plain_std", "band", "band_std")
                },
                "masses_shown": one.plain_shown,
                "masses_shown_in_band": one.band_shown,
            }
            for one in done.noise
        ],
        "findings": [finding_document(finding) for finding in found],
    }


def _case_document(result: CaseResult) -> dict[str, Any]:
    quoted = {one.name: one for one in mass_comparisons((result,))}
    if result.case.model == "force" and result.case.noise == 0:
        quoted |= {one.name: one for one in inertia_comparisons(result)}
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
                "shown_alone_by_exact_data": bool(result.shown_alone(name)),
                "source_filter": float(result.as_source[i]),
                "source": None if name not in quoted else quoted[name].quoted.value,
                "source_percent": None if name not in quoted else quoted[name].quoted.percent,
                "mark": None if name not in quoted else quoted[name].quoted.mark or None,
                "verdict": None if name not in quoted else quoted[name].verdict,
            }
            for i, name in enumerate(estimate.names)
        ],
        "combinations": [
            {"name": one.name, "value": float(np.float64(one.value)), "std": float(one.std), "unit": one.unit}
            for one in estimate.combinations
        ],
    }
