# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Oh 2003, chapter 4: the UF machine identified from simulated motions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pkm_identification.estimation.identifiability import IDENTIFIABLE, BaseParameters
from pkm_identification.numerics.arrays import FloatArray

from .cases import CaseResult
from .comparisons import Comparison, inertia_comparisons, mass_comparisons
from .data import FALL_DURATION, MOTIONS, exact_record
from .figures import (
    draw_inertias,
    draw_inertias_by_energy,
    draw_masses,
    draw_masses_by_energy,
    draw_masses_with_friction,
    draw_noise,
    draw_orders,
)
from .held_inertia import held_inertia, with_centers
from .noise import BAND_DURATION, SEEDS, worst
from .numbers import BY_GUESS, compare_inertias, compare_masses, compute_worst_mass
from .runs import SimulationRuns, run_cases
from .source_figures import draw_source_masses, draw_source_noise, draw_source_orders
from .source_tables import (
    ENERGY_INERTIAS,
    INERTIAS,
    ITERATIONS,
    MASSES,
    SOURCE_NAMES,
    SOURCE_NOISE,
    START,
    TABLES,
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
from .trends import compare_trends

__all__ = [
    "SimulationStudy",
    "draw_inertias",
    "draw_inertias_by_energy",
    "draw_masses",
    "draw_masses_by_energy",
    "draw_masses_with_friction",
    "draw_noise",
    "draw_orders",
    "draw_source_masses",
    "draw_source_noise",
    "draw_source_orders",
    "run_study",
]
CLOSE = 0.5  # %, what we take to agree
STUCK = 0.01  # of the first guess, within which an inertia ends where it starts


@dataclass(frozen=True)
class SimulationStudy(SimulationRuns):
    """The runs of chapter 4, and by `values` what the text is compared with."""

    @cached_property
    def values(self) -> dict[str, Any]:
        """Everything that the study's file names."""
        return {
            **self._list_tables(),
            **self._build_document(),
            **compare_masses(self.results),
            **compare_inertias(self.of("4.4", "XY"), INERTIAS),
            **self._compare_exact(),
            **self._compare_vertical(),
            **self._compare_fall(),
            **self._compare_friction(),
            **self._compare_energy(),
            **self._compare_guess(),
            **self._compare_held(),
            **self._compare_noise(),
            **self._compare_order(),
            **compare_trends(self),
        }

    def _list_tables(self) -> dict[str, Any]:
        plain = [self.of("4.4", motion) for motion in MOTIONS]
        # exact cases of the noise tables are those of 4.4 and 4.8
        printed = mass_comparisons(tuple(one for one in self.results if not one.case.table.endswith(", 0 %")))
        standings = [one.standing for one in printed if one.source.value is not None]
        return {
            "rank_table": rank_table(self._list_bases()),
            "mass_table": build_mass_table(printed),
            "legible": len(standings),
            "standings": "; ".join(f"{text}: {standings.count(text)}" for text in dict.fromkeys(standings)),
            "inertia_table": build_inertia_table(
                inertia_comparisons(self.of("4.4", "XY")), plain, SOURCE_NAMES
            ),
            "noise_table": build_noise_table(
                self.noise, {key: f"{v:g} ({mark})" for key, (v, mark) in SOURCE_NOISE.items()}
            ),
            "iteration_table": build_iteration_table(self._list_iterations()),
            "order_table": order_table(
                [tuple(self.of(table, motion) for table in ("4.4", "4.10", "4.12")) for motion in MOTIONS]
            ),
        }

    def _list_bases(self) -> list[tuple[str, BaseParameters]]:
        """Return what each kind of data could identify."""
        named = [
            (case_name(one.case), one.base) for one in self.results if one.case.table in ("4.4", "4.6", "4.8")
        ]
        return [*named, ("six axes", self.six_axes[0]), ("six axes, friction", self.six_axes[1])]

    def _list_iterations(self) -> list[tuple[CaseResult, int, float | None]]:
        """Return cases whose figure is known, its iterations and the source's worst error of a mass in %."""
        rows = []
        for key, count in ITERATIONS.items():
            percents = [one.percent for one in TABLES.get(key, {}).values() if one.percent is not None]
            rows.append((self.of(*key), count, max(percents, default=None)))
        return rows

    def _build_document(self) -> dict[str, Any]:
        return {
            "identifiability": [
                {
                    "data": name,
                    "parameters": len(base.names),
                    "rank": base.count,
                    "without_effect": [base.names[i] for i in base.invisible],
                    "base_parameters": list(base.groupings),
                }
                for name, base in self._list_bases()
            ],
            "cases": [_document_case(one) for one in self.results],
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
                for one in self.noise
            ],
        }

    def _compare_exact(self) -> dict[str, Any]:
        x, xy = (self.of("4.4", motion) for motion in ("X", "XY"))
        return {
            "exact_largest": max(map(compute_worst_mass, (x, xy))),
            "exact_std": max(map(_compute_worst_std, (x, xy))),
            "rank_x": x.base.count,
            "rank_xy": xy.base.count,
        }

    def _compare_vertical(self) -> dict[str, Any]:
        """Motion Z, its weakest direction, and where the source's errors lie."""
        result = self.of("4.4", "Z")
        true = result.true[: len(MASSES)]
        moved = np.array([TABLES["4.10", "Z"][name].legible for name in MASSES]) - true
        centers = moved[1] / moved[0]
        held = held_inertia("Z", with_centers(centers))
        return {
            "z_largest": compute_worst_mass(result),
            "z_masses": _list_masses(result.as_source),
            "z_std": _compute_worst_std(result),
            "z_identify": _describe_identified([result]),
            "z_errors": _list_ratio(moved / moved[2]),
            "z_weak": _list_ratio(held_inertia("Z").weak),
            "z_weak_moved": _list_ratio(held.weak),
            "centers": centers,
            "z_held": _list_errors(100 * held.errors),
            "z_off": _list_errors(100 * moved / true),
        }

    def _compare_fall(self) -> dict[str, Any]:
        result, rough = self.of("4.4", "fall"), self.of("4.6", "fall")
        drop = exact_record("fall", True).motion.position[:, 2]
        identified = any(
            status == IDENTIFIABLE for one in (result, rough) for status in one.estimate.status[: len(MASSES)]
        )
        return {
            "fall_masses": _list_masses(result.as_source),
            "rough_fall_masses": _list_masses(rough.as_source),
            "fall_largest": compute_worst_mass(result),
            "rough_fall_largest": compute_worst_mass(rough),
            "fall_identifies": "" if identified else "No data of a free fall identify a mass. ",
            "fall_rank": result.base.count,
            "fall_scaled": result.estimate.values[1] / result.true[1],
            "fall_guess": START["m_b"] / result.true[1],
            "dropped": 1e3 * (drop[0] - drop[-1]),
            "fall_time": FALL_DURATION,
        }

    def _compare_friction(self) -> dict[str, Any]:
        results = [self.of("4.6", motion) for motion in ("X", "Z", "XY")]
        return {
            "friction_largest": _list_largest(results),
            "friction_ranks": ", ".join(str(one.base.count) for one in results),
            "friction_identify": _describe_identified(results),
        }

    def _compare_energy(self) -> dict[str, Any]:
        """The energy model without noise, and its inertias."""
        results = [self.of("4.8", motion) for motion in ("X", "Z", "XY")]
        exact = next(one for one in self.noise if one.model == "energy" and one.noise == 0)
        m_p = MASSES.index("m_p")
        found: dict[str, Any] = {}
        for motion, printed in ENERGY_INERTIAS.items():
            table = "4.16, 1 %" if "%" in motion else "4.8"
            found |= compare_inertias(self.of(table, motion.partition(",")[0]), printed)
        return {
            **found,
            "energy_largest": _list_largest(results),
            "energy_std": max(map(_compute_worst_std, results)),
            "energy_identify": "identify" if any(map(_is_identified, results)) else "do not identify",
            "energy_swing": max(
                100 * np.ptp(one.history[len(one.history) // 2 :, m_p]) / one.true[m_p] for one in results
            ),
            "energy_band": worst(exact.band),
        }

    def _compare_guess(self) -> dict[str, Any]:
        """How far the first guess of the inertias is off, where the source's results sit."""
        result = self.of("4.4", "XY")
        true = dict(zip(result.names, result.true, strict=True))
        stuck = all(abs(one.legible / START[name] - 1) < STUCK for name, one in INERTIAS.items())
        return {
            "guess_errors": ", ".join(
                f"{name} {100 * abs(START[name] / true[name] - 1):.2f} (source {one.percent:.2f})"
                for name, one in INERTIAS.items()
            ),
            "inertias_stuck": "They end where they start, shown as a result. " if stuck else "",
            "without_effect": ", ".join(
                name for name in INERTIAS if result.names.index(name) in result.base.invisible
            ),
        }

    def _compare_held(self) -> dict[str, Any]:
        """Masses next to the source's strut inertias."""
        result = self.of("4.4", "XY")
        places = [result.names.index(name) for name in ("Ixx_b", "Ixx_e")]
        true, estimated = (float(one[places].sum()) for one in (result.true, result.estimate.values))
        printed = INERTIAS["Ixx_b"].legible + INERTIAS["Ixx_e"].legible
        held = {motion: held_inertia(motion) for motion in ("X", "XY")}
        largest = [100 * float(np.abs(one.errors).max()) for one in held.values()]
        return {
            "sum_true": true,
            "sum_estimated": estimated,
            "sum_printed": printed,
            "sum_off": 100 * (printed / true - 1),
            "held_masses": "; ".join(
                f"{_list_errors(100 * one.errors)} in {motion}" for motion, one in held.items()
            ),
            "held_together": "The two do not go together in this model."
            if min(largest) > CLOSE
            else "The two go together.",
            "held_residuals": " and ".join(
                f"{one.residual:.2g} N of {one.force:.0f} N" for one in held.values()
            ),
            "held_worst": max(largest),
        }

    def _compare_noise(self) -> dict[str, Any]:
        by = {(one.model, one.noise): one for one in self.noise}
        found: dict[str, Any] = {}
        for key, label in ((0.01, "noisy"), (0.05, "noisier")):
            for model in ("force", "energy"):
                one, name = by[model, key], f"{label}_{model}"
                found |= {
                    name: worst(one.as_source),
                    f"{name}_plain": worst(one.plain),
                    f"{name}_band": worst(one.band),
                    f"{name}_identified": one.band_identified,
                    f"{name}_reason": BY_GUESS if one.plain_identified < len(MASSES) else "",
                }
        found["force_wins"] = [
            found[f"{label}_force{way}"] < found[f"{label}_energy{way}"]
            for label in ("noisy", "noisier")
            for way in ("", "_plain")
        ]
        return found

    def _compare_order(self) -> dict[str, Any]:
        """Largest change of a mass with the order of the data, in %."""
        pairs = [
            (self.of("4.4", motion), self.of(table, motion))
            for motion in ("X", "Z", "XY")
            for table in ("4.10", "4.12")
        ]
        change, still = (
            max(
                float(np.abs(_compute_errors(b, getter(b)) - _compute_errors(a, getter(a))).max())
                for a, b in pairs
            )
            for getter in (lambda one: one.as_source, lambda one: one.estimate.values)
        )
        return {
            "order_change": change,
            "order_still": still,
            "order_one_answer": "These data give one answer in any order. " if change < CLOSE else "",
        }


def run_study(seeds: int = SEEDS, band_duration: float = BAND_DURATION) -> SimulationStudy:
    """Return the study; `seeds` of the noise and seconds of data in the band for the comparison of the models."""
    return SimulationStudy(**vars(run_cases(seeds, band_duration)))


def _document_case(result: CaseResult) -> dict[str, Any]:
    source: dict[str, Comparison] = {one.name: one for one in mass_comparisons((result,))}
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


def _compute_errors(result: CaseResult, values: FloatArray) -> FloatArray:
    """Return the errors of the masses, in %."""
    return 100 * (values / result.true - 1)[: len(MASSES)]


def _compute_worst_std(result: CaseResult) -> float:
    """Return the largest standard deviation of a mass, % of the truth."""
    return 100 * float((result.estimate.std / result.true)[: len(MASSES)].max())


def _is_identified(result: CaseResult) -> bool:
    return all(status == IDENTIFIABLE for status in result.estimate.status[: len(MASSES)])


def _describe_identified(results: Iterable[CaseResult]) -> str:
    return "identify" if all(map(_is_identified, results)) else "do not identify"


def _list_largest(results: Iterable[CaseResult]) -> str:
    return "; ".join(f"{one.case.motion} {compute_worst_mass(one):.2g} %" for one in results)


def _list_masses(values: FloatArray) -> str:
    return ", ".join(f"{name} {value:.3g}" for name, value in zip(MASSES, values, strict=False))


def _list_errors(errors: FloatArray) -> str:
    return ", ".join(f"{name} {error:+.1f} %" for name, error in zip(MASSES, errors, strict=True))


def _list_ratio(direction: FloatArray) -> str:
    return " : ".join(f"{value:.2f}" for value in direction)
