# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Oh 2003, chapter 3: the double inverted pendulum on a cart identified from a free fall."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pkm_identification.estimation.batch.gauss_newton import NonlinearFit
from pkm_identification.mechanisms.pendulum.model import (
    NAMES,
    PendulumMotion,
    compute_acceleration_jacobian,
    energy,
)
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.report.listing import Listing, number, with_deviation

from .data import (
    DURATION,
    ELSEWHERE,
    ITERATIONS,
    NOISE,
    RATIO_NAMES,
    START,
    STATED_TRAVEL,
    TRUE,
    TRUE_RATIOS,
    acceleration_scale,
    free_fall,
    largest,
    measure_motion,
    push,
)
from .figures import draw_fall_figure, draw_iterations_figure, settling_figure
from .runs import (
    RATE,
    START_STD,
    START_STDS,
    STARTS,
    FallRuns,
    PendulumRun,
    all_runs,
    by_fall,
    compute_errors,
    compute_kinetic,
    compute_worst_error,
    least_squares,
    residual_least_squares,
    run_filter,
    stopped_at,
)

__all__ = ["PendulumStudy", "draw_fall_figure", "draw_iterations_figure", "run_study", "settling_figure"]

LOST = 1000.0  # %, beyond which an estimate is anywhere
EXACT = 1e-12  # a standard deviation that is rounding
RANGES = {
    "x": ("position", 0),
    "x'": ("velocity", 0),
    "x''": ("acceleration", 0),
    "theta 1": ("position", 1),
    "theta 1'": ("velocity", 1),
}


@dataclass(frozen=True)
class PendulumStudy(FallRuns):
    """Everything that is run for the report.

    Attributes
    ----------
    elsewhere : tuple of PendulumMotion
        Falls without noise from other places.
    by_fall, one_turn : tuple of NonlinearFit
        Least squares on each fall with noise of its own: the text's, and angles' capped at that of one turn.
    loose : dict of float to tuple of (int, float)
        By tolerance: samples until the source's filter predicts every acceleration so well, relative to its range, and
        worst error then of lengths and mass ratios in %.
    energy_error : float
        Largest change of the energy over its kinetic part's largest value.
    singular_values : ndarray, shape (5,)
        Of d acceleration / d (ln w) at the truth, accelerations in their ranges.
    null_direction : ndarray, shape (5,)
        The last of their directions, as relative changes of the parameters; its largest entry is 1.
    by_std : ndarray, shape (3,)
        M in kg after `ITERATIONS` samples of the source's filter, by its start's standard deviation (`START_STDS`).
    residual_form : NonlinearFit
        Least squares on the equations of motion themselves.
    pushed, pushed_noisy : NonlinearFit
        Least squares where a known force acts on the cart, without and with noise.
    """

    elsewhere: tuple[PendulumMotion, ...]
    by_fall: tuple[NonlinearFit, ...]
    one_turn: tuple[NonlinearFit, ...]
    loose: dict[float, tuple[int, float]]
    energy_error: float
    singular_values: FloatArray
    null_direction: FloatArray
    by_std: FloatArray
    residual_form: NonlinearFit
    pushed: NonlinearFit
    pushed_noisy: NonlinearFit

    @property
    def values(self) -> dict[str, Any]:
        """What is compared and printed, by its name in the study's file."""
        fit = self.run("ls", "none")
        return {
            "releases": ", ".join(f"{first:g} and {second:g}" for _, first, second in ELSEWHERE),
            "start_std": START_STD,
            "rate": RATE,
            "start_stds": _join(START_STDS, "g"),
            "starts": _join(STARTS, "g"),
            "samples": min(ITERATIONS, len(self.motion)),
            "all_samples": len(self.motion),
            "falls": 1 + len(self.elsewhere),
            "energy_error": self.energy_error,
            "singular_values": self.singular_values.tolist(),
            "singular_values_listed": _list_two_digits(self.singular_values),
            "null_direction": self.null_direction.tolist(),
            "null_direction_listed": _list_two_digits(self.null_direction),
            "runs_table": tabulate_runs(self),
            "runs": [
                {
                    "estimator": one.estimator,
                    "adaptation": one.adaptation,
                    "noise": noise,
                    **_document_run(one),
                }
                for noise, runs in ((0.0, self.exact), (NOISE, self.noisy))
                for one in runs
            ],
            "least_squares_by_start": {
                f"{start:g}": one.values.tolist() for start, one in zip(STARTS, self.by_start, strict=True)
            },
            "mass_factors": _join((one.values[4] / fit.values[4] for one in self.by_start), ".3g"),
            "mass_by_std": _join(self.by_std, ".3g"),
            "residual_form": self.residual_form.iterates.tolist(),
            "collapsed_mass": np.abs(self.residual_form.iterates[:2][-1, 2:]).max(),
            "pushed": {
                "rank": self.pushed.rank,
                "exact": self.pushed.values.tolist(),
                "noisy": self.pushed_noisy.values.tolist(),
            },
            "pushed_rank": self.pushed.rank,
            "pushed_listed": _list_named(self.pushed.values),
            "pushed_noisy_listed": _list_named(self.pushed_noisy.values),
            **_describe_run("ls", fit),
            **_describe_run("ekf", self.run("ekf", "none")),
            **_describe_run("ukf", self.run("ukf", "robbins_monro")),
            "ls_iterations": float(len(fit.history) - 1),
            **self._compare_stops(),
            **self._compare_ranges(),
            **self._compare_under_noise(),
        }

    def _compare_stops(self) -> dict[str, Any]:
        early = compute_worst_error(self.run("ukf", "robbins_monro").history[:ITERATIONS][-1])
        errors = [error for _, error in self.loose.values()]
        return {
            "ukf_early_error": early,
            "ukf_early": [early < 1.0],
            "loose_errors": (min(errors), max(errors)),
            "loose_listed": "; ".join(
                f"{tolerance:g}: {count} samples, {error:.2g} %"
                for tolerance, (count, error) in self.loose.items()
            ),
        }

    def _compare_ranges(self) -> dict[str, Any]:
        falls = (self.motion, *self.elsewhere)
        found: dict[str, Any] = {}
        for name, key in RANGES.items():
            found[name], *others = (largest(motion, *key) for motion in falls)
            found |= {f"{name} of fall {k}": one for k, one in enumerate(others, 2)}
        turned = [largest(motion, *RANGES["theta 1"]) for motion in falls]
        drift = (STATED_TRAVEL - found["x"]) / float(np.ptp(self.motion.time))
        ends = {"least_turned": min(turned), "most_turned": max(turned)}
        return {**found, **ends, "turned": (min(turned), max(turned)), "drift": drift}

    def _compare_under_noise(self) -> dict[str, Any]:
        ls = compute_worst_error(self.run("ls", "none", noisy=True).values)
        found: dict[str, Any] = {"noisy_ls": ls}
        for label, adaptation in (("adapting", "robbins_monro"), ("plain", "none")):
            ukf, ekf = (
                compute_worst_error(self.run(one, adaptation, noisy=True).values) for one in ("ukf", "ekf")
            )
            found[f"order_{label}"] = [ukf < ls, ukf <= ekf <= ls]
            found[f"noisy_{label}"] = ", ".join(
                f"{name} {error:.3g} %" if error < LOST else f"{name} beyond {LOST:.0f} %"
                for name, error in (("UKF", ukf), ("EKF", ekf))
            )
        for label, fits in (("", self.by_fall), ("turn_", self.one_turn)):
            errors = np.array([compute_errors(one.values) for one in fits])
            for name, part in (("lengths_off", errors[:, :2]), ("ratios_off", errors[:, 2:])):
                worst = part.max(axis=1)
                found[label + name] = (float(worst.min()), float(worst.max()))
        found["turn_off"] = max(found["turn_lengths_off"][1], found["turn_ratios_off"][1])
        return found


def run_study(duration: float = DURATION) -> PendulumStudy:
    """Return the study: the fall simulated and identified every way."""
    motion = free_fall(duration)
    scale = acceleration_scale(motion)
    relative = compute_acceleration_jacobian(TRUE, motion) * TRUE / scale[:, None]
    _, singular, directions = np.linalg.svd(relative.reshape(-1, len(NAMES)), full_matrices=False)
    null = directions[-1] / directions[-1][np.argmax(np.abs(directions[-1]))]
    total = energy(TRUE, motion)
    moved = free_fall(duration, push)
    exact = all_runs(motion, scale)
    elsewhere = tuple(free_fall(duration, start=start) for start in ELSEWHERE)
    return PendulumStudy(
        motion=motion,
        exact=exact,
        noisy=all_runs(measure_motion(motion), scale),
        elsewhere=elsewhere,
        by_fall=by_fall(motion, *elsewhere),
        one_turn=by_fall(motion, *elsewhere, one_turn=True),
        loose=stopped_at(motion, scale, exact),
        energy_error=float(np.abs(total - total[0]).max() / np.ptp(compute_kinetic(motion))),
        singular_values=singular,
        null_direction=null,
        by_start=tuple(least_squares(motion, scale, factor * START) for factor in STARTS),
        by_std=np.array(
            [
                run_filter(motion[:ITERATIONS], scale, "ukf", "robbins_monro", std).values[4]
                for std in START_STDS
            ]
        ),
        residual_form=residual_least_squares(motion),
        pushed=least_squares(moved, scale),
        pushed_noisy=least_squares(measure_motion(moved), scale),
    )


def tabulate_runs(study: PendulumStudy) -> Listing:
    """Return a table with one estimator and record a row, filters also after the text's number of samples."""
    header = ("noise", "estimator", "samples", *NAMES, *(f"{name} ± std" for name in RATIO_NAMES))
    rows = [("", "true", "", *(f"{v:.2f}" for v in TRUE), *(f"{v:.4f}" for v in TRUE_RATIOS))]
    for label, runs in (("0 %", study.exact), (f"{100 * NOISE:g} %", study.noisy)):
        for one in runs:
            name = one.estimator.upper() + (" rm" if one.adaptation == "robbins_monro" else "")
            if one.estimator != "ls" and len(one.history) > ITERATIONS:
                early = one.history[ITERATIONS - 1]
                ratios = [f"{v:.4f}" for v in early[2:4] / early[4]]
                rows.append((label, name, str(ITERATIONS), *(number(v, 4) for v in early), *ratios))
            ratios = [_format_with_deviation(v, std) for v, std in zip(*one.ratios(), strict=True)]
            rows.append((label, name, str(len(study.motion)), *(number(v, 4) for v in one.values), *ratios))
    return Listing(header, tuple(rows), frozenset(header[2:]))


def _format_with_deviation(value: float, std: float) -> str:
    return " ± ".join(with_deviation(value, std)) if std > EXACT else f"{value:.4f}"


def _document_run(run: PendulumRun) -> dict[str, Any]:
    return {
        "values": run.values.tolist(),
        f"after_{ITERATIONS}": run.history[: ITERATIONS + 1][-1].tolist() if run.estimator != "ls" else None,
        "ratios": dict(zip(RATIO_NAMES, np.column_stack(run.ratios()).tolist(), strict=True)),
    }


def _describe_run(label: str, run: PendulumRun) -> dict[str, Any]:
    """Return a run's values and mass ratios by name, all listed, and how far its masses are off."""
    errors = 100 * (run.values / TRUE - 1)[2:]
    if np.ptp(errors) < 0.5:
        off = f"all masses {errors.mean():+.2g} %"
    else:
        off = ", ".join(f"{name} {error:+.2g} %" for name, error in zip(NAMES[2:], errors, strict=True))
    named = zip((*NAMES, *RATIO_NAMES), (*run.values, *run.ratios()[0]), strict=True)
    return {
        **{f"{label}_{name}": float(value) for name, value in named},
        f"{label}_listed": _list_named(run.values),
        f"{label}_off": off,
        f"{label}_worst_mass": float(np.abs(errors).max()),
    }


def _list_named(values: FloatArray) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in zip(NAMES, values, strict=True))


def _list_two_digits(values: FloatArray) -> str:
    """Return values in two digits; what is rounding is zero."""
    return _join((value if abs(value) > 1e-9 * np.abs(values).max() else 0 for value in values), ".2g")


def _join(values: Iterable[float], form: str) -> str:
    return ", ".join(format(value, form) for value in values)
