# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Oh 2003, chapter 5: friction and inertia in stages from three trajectories of the machine, here a simulated one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pkm_identification.estimation.identifiability import IDENTIFIABLE, UNIDENTIFIABLE
from pkm_identification.identification.procedures.staged import StagedResult
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.report.staged_tables import (
    build_cross_table,
    build_dependence_table,
    build_parameters_table,
    build_staged_document,
    build_stages_table,
    still_unidentified,
)

from .data import DURATIONS, FRACTION, GUESS, NAMES, Experiments, run_experiments
from .figures import draw_friction_by_trajectory_figure, draw_source_figures
from .friction import compare_friction, stage_of
from .runs import SWEEPS, AtOnce, StagedRuns, run_stages
from .wording import describe_range, find_ends, join_named

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["StagedStudy", "draw_friction_by_trajectory_figure", "draw_source_figures", "run_study"]

MASSES = ("m_e", "m_b", "m_p")
INERTIAL = slice(0, 12)  # in `oh24`
SHOWN_PARAMETERS = ("m_e", "m_b", "m_p", "Ixx_p", "viscous_1", "viscous_2", "coulomb_1", "coulomb_2")
CONVERGED = 2.0  # standard deviations, up to which an estimate counts as come to rest
SAME_RESIDUAL = 1.1  # up to which times another's a residual is the same
NOT_SEEN = "these data do not identify it alone: it rests on the first guess, which the text does not print"


@dataclass(frozen=True)
class StagedStudy(StagedRuns):
    """The runs of chapter 5, and by `values` what the text is compared with."""

    @property
    def values(self) -> dict[str, Any]:
        """Everything that the study's file names."""
        return {
            "fraction": 100 * FRACTION,
            "duration": DURATIONS["x"],
            "guess": 100 * GUESS,
            "sweeps": SWEEPS,
            **self._list_tables(),
            **self._build_document(),
            **compare_friction(self),
            **self._compare_masses(),
            **self._compare_inertias(),
            **self._compare_at_once(),
            **self._compare_starts(),
            **self._compare_together(),
        }

    def _list_tables(self) -> dict[str, Any]:
        ours = self.ours
        estimates = {name: result.estimate for name, result in ours.results.items()}
        whole = {"all": ours.joint.estimate, "universal": self.universal.estimate}
        return {
            "stages_table": build_stages_table(ours.results),
            "parameters_table": build_parameters_table(
                {**estimates, **whole}, ours.start, self.experiments.true_values
            ),
            "cross_table": build_cross_table(ours.cross),
            "dependence_table": build_dependence_table(
                ours.cross, ours.results, ours.trajectories.parameters.scale
            ),
        }

    def _build_document(self) -> dict[str, Any]:
        kinds = {"scaled": self.scaled, "raw": self.raw, "raw_in_stages": self.raw_staged}
        joints = self.joints
        return {
            "true": self.experiments.true_values.tolist(),
            "strut_tests": self.experiments.expected.tolist(),
            "ranks": self.ranks,
            "ours": build_staged_document(self.ours),
            "source_processing": build_staged_document(self.as_source),
            "universal": {
                "values": self.universal.values.tolist(),
                "std": np.asarray(self.universal.estimate.std).tolist(),
                "status": list(self.universal.estimate.status),
            },
            "all_at_once": {
                kind: {
                    name: {
                        "values": one.values.tolist(),
                        "residual_rms": one.residual_rms,
                        "moving_std": one.moving,
                    }
                    for name, one in runs.items()
                }
                for kind, runs in kinds.items()
            },
            "joint_friction": {
                "coulomb": {f"{size:g}": _list_arrays(runs) for size, runs in joints.coulomb.items()},
                "viscous": _list_arrays(joints.viscous),
                "universal_at_platform": {
                    kind: _list_arrays(one) for kind, one in joints.at_platform.items()
                },
                "left": joints.left,
            },
        }

    def _compare_masses(self) -> dict[str, Any]:
        """Masses and inertias against CAD and against 2-B."""
        nominal, true = self.ours.trajectories.parameters.nominal, self.experiments.true_values
        ends, count = [], 0
        for name, result in self.ours.results.items():
            identified = [mass for mass in MASSES if result.estimate.shown(mass) is not None]
            count += len(identified)
            from_file, from_truth = (
                describe_range(_compute_distances(result.values, values, slice(3)), 2)
                for values in (nominal, true)
            )
            ends.append(
                f"{name.upper()} {from_file} % from the file and {from_truth} % from the truth (identified: "
                f"{', '.join(identified) or 'none'})"
            )
        printed = self.as_source.trajectories.parameters.nominal
        results, third = self.as_source.results, self.third["x"]
        start = results["x"].stages[-2].values
        return {
            "far": describe_range(_compute_distances(true, nominal, slice(3)), 2),
            "ends": "; ".join(ends),
            "motion_ranks": ", ".join(str(self.ranks[name]) for name in NAMES),
            "sums": "; ".join(self._list_sums()),
            "not_seen": "" if count == len(MASSES) * len(NAMES) else NOT_SEEN,
            **{
                key: find_ends(
                    np.concatenate([_compute_distances(one.values, printed, which) for one in stages])
                )
                for key, which, stages in (
                    ("first_masses", slice(3), [stage_of(one, "1-B") for one in results.values()]),
                    ("second_inertial", INERTIAL, [stage_of(one, "2-B") for one in results.values()]),
                    ("third_inertial", INERTIAL, list(third.values())),
                )
            },
            **{
                f"inertial change {name.upper()}": float(
                    _compute_distances(stage.values, start, INERTIAL).max()
                )
                for name, stage in third.items()
            },
        }

    def _list_sums(self) -> list[str]:
        true = self.experiments.true_values
        texts = [
            f"{name.upper()} {one.name} = {one.value:.4g} ± {one.std:.1g} kg (true {one.weights @ true:.4g})"
            for name, result in self.ours.results.items()
            for one in result.estimate.combinations
            if "m_p" in one.name and "m_e" in one.name
        ]
        return texts or ["none that joins m_e and m_p alone"]

    def _compare_inertias(self) -> dict[str, Any]:
        """Moments of inertia that stood still, and those of 1-B against CAD."""
        resting = {name: still_unidentified(result) for name, result in self.ours.results.items()}
        names = self.ours.trajectories.parameters.names
        moved = [
            100 * abs(self.ours.results[name].values[i] / self.ours.start[i] - 1.0)
            for name, rest in resting.items()
            for i in map(names.index, rest)
        ]
        parameters = self.as_source.trajectories.parameters
        stage = stage_of(self.as_source.results["xy"], "1-B")
        off = _compute_distances(stage.values, parameters.nominal, INERTIAL)
        return {
            "resting_inertias": "; ".join(
                f"{name.upper()}: {', '.join(rest)} stood still and are not identifiable"
                for name, rest in resting.items()
            ),
            "resting_moved": max(moved, default=0.0),
            "unidentified": join_named(
                ", ",
                self.ours.results,
                lambda one: str(sum(status == UNIDENTIFIABLE for status in one.estimate.status[INERTIAL])),
            ),
            **{
                f"{name} off CAD": float(one)
                for name, one in zip(parameters.names[INERTIAL], off, strict=True)
            },
        }

    def _compare_at_once(self) -> dict[str, Any]:
        """All 24 at once, with first variances to scale and with one for all."""
        truth = self.experiments.true_values
        staged = {name: self.ours.results[name].stages[-1].residual_rms for name in self.scaled}
        rests = all(one.moving < CONVERGED for one in self.scaled.values())
        same = all(one.residual_rms < SAME_RESIDUAL * staged[name] for name, one in self.scaled.items())
        helped = all(self.raw_staged[name].residual_rms < self.raw[name].residual_rms for name in staged)
        return {
            "scaled_residuals": join_named(", ", self.scaled, _describe_residual),
            "scaled_moving": max(one.moving for one in self.scaled.values()),
            "raw_listed": "; ".join(
                f"{name.upper()} residual {one.residual_rms:.2g} N instead of {staged[name]:.2g}, still moving by "
                f"{one.moving:.2g} std a sweep, Ixx_p {100 * (one.values[6] / truth[6] - 1):+.0f} %"
                for name, one in self.raw.items()
            ),
            "raw_staged": join_named(", ", self.raw_staged, _describe_residual),
            "stages_help": ", and stages help it: friction cannot hide in moments of inertia"
            if helped
            else "",
            "at_once": "to scale it converges; with one variance for all it does not"
            if rests and same
            else "does not converge, variances to scale or not",
        }

    def _compare_starts(self) -> dict[str, Any]:
        """Where stage 3 ends from each trajectory's result, and what that predicts."""
        cross, parts, worst = self.ours.cross, [], 0.0
        scale = self.ours.trajectories.parameters.scale[: cross.ends.shape[-1]]
        for k, name in enumerate(cross.names):
            estimate = self.ours.results[name].estimate
            identified = np.array([status == IDENTIFIABLE for status in estimate.status])
            free = np.where(identified, -1.0, cross.spread[k] / scale)
            inside = float(np.max(cross.spread[k][identified] / estimate.std[identified]))
            worst = max(worst, inside)
            parts.append(
                f"on {name.upper()} what is identified ends within {inside:.2g} std from any start, "
                f"{estimate.names[int(free.argmax())]} anywhere within {100 * free.max():.0f} %"
            )
        others = ~np.eye(len(cross.names), dtype=bool)
        return {
            "start_spreads": "; ".join(parts),
            "predicted": describe_range(cross.predicted[others], 2),
            "fitted": describe_range(cross.fitted[others], 2),
            "worst_spread": worst,
        }

    def _compare_together(self) -> dict[str, Any]:
        true, together, universal = self.experiments.true_values, self.ours.joint, self.universal

        def describe_masses(result: StagedResult) -> str:
            std = result.estimate.std
            return ", ".join(
                f"{name} {100 * (result.values[k] / true[k] - 1):+.2g} % "
                f"({(result.values[k] - true[k]) / std[k]:+.1f} std)"
                for k, name in enumerate(MASSES)
            )

        off = (universal.values[:3] - true[:3]) / universal.estimate.std[:3]
        return {
            "together": _count_identified(together),
            "singles": join_named(", ", self.ours.results, lambda one: str(_count_identified(one))),
            "together_masses": describe_masses(together),
            "universal_count": _count_identified(universal),
            "universal_masses": describe_masses(universal),
            "universal_worst": float(np.abs(off).max()),
        }


def run_study(experiments: Experiments | None = None) -> StagedStudy:
    """Return the study of simulated experiments, those of the text if none are given."""
    return StagedStudy(**vars(run_stages(experiments or run_experiments())))


def draw_stages(study: StagedStudy) -> Figure:
    """Return how chosen parameters go through the stages."""
    from pkm_identification.report.figures.staged import draw_stages_figure

    return draw_stages_figure(study.ours, SHOWN_PARAMETERS, study.experiments.true_values)


def draw_dependence(study: StagedStudy) -> Figure:
    """Return how far the ends of stage 3 depend on their start."""
    from pkm_identification.report.figures.staged import draw_dependence_figure

    return draw_dependence_figure(study.ours)


def _compute_distances(values: FloatArray, before: FloatArray, which: slice) -> FloatArray:
    return np.abs(100.0 * (values[which] / before[which] - 1.0))


def _describe_residual(run: AtOnce) -> str:
    return f"{run.residual_rms:.2g} N"


def _list_arrays(runs: Mapping[str, FloatArray]) -> dict[str, list[float]]:
    return {name: one.tolist() for name, one in runs.items()}


def _count_identified(result: StagedResult) -> int:
    return result.estimate.status.count(IDENTIFIABLE)
