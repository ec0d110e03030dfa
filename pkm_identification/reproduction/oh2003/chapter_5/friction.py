# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What chapter 5 reports of friction, stage by stage, next to the simulated experiments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pkm_identification.estimation.equations import Equations
from pkm_identification.identification.procedures.staged import MAX_PASSES, Stage, StagedResult
from pkm_identification.identification.procedures.staged_experiment import StagedIdentification
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.report.listing import Listing

from .data import NAMES, PRINTED
from .joint_share import DAMPING, JUDGED, MOMENTS
from .runs import StagedRuns
from .wording import describe_range, find_ends, join_named

FRICTION_PLACES = slice(12, 24)  # in `oh24`: six viscous coefficients, six Coulomb forces
COULOMB = slice(STRUTS, 2 * STRUTS)  # of friction
EXCESS = 5.0  # %, above which friction is above that of the strut tests
REPEATED = 0.1  # %, below which no friction coefficient has changed


def compare_friction(study: StagedRuns) -> dict[str, Any]:
    """Return by name what the text says of friction is compared with."""
    return {
        "moment": JUDGED,
        "damping": DAMPING,
        "passes": MAX_PASSES,
        "friction_table": tabulate_friction(study),
        **_compare_first(study),
        **_compare_explanation(study),
        **_compare_second(study),
        **_compare_third(study),
    }


def _compare_first(study: StagedRuns) -> dict[str, Any]:
    """Friction in 1-A next to the tests of single struts."""
    as_source, in_band = (
        {name: compute_friction_difference(study, staged, name, "1-A") for name in NAMES}
        for staged in (study.as_source, study.ours)
    )
    joints = study.joints.coulomb[JUDGED]
    size = {name: np.abs(one) for name, one in joints.items()}
    tests = study.experiments.expected / study.experiments.true_values[FRICTION_PLACES]
    return {
        "first_with_joints": join_named("; ", joints, describe_halves),
        "first_as_source": join_named("; ", as_source, describe_halves),
        "first_in_band": join_named("; ", in_band, describe_halves),
        "tests": 100 * float(np.max(np.abs(tests - 1))),
        **{f"coulomb_{name}": find_ends(one[COULOMB]) for name, one in size.items()},
        "viscous_1_x": float(size["x"][0]),
        "viscous_6_x": float(size["x"][5]),
        "viscous_z": find_ends(size["z"][[0, 1, 3, 5]]),
        "viscous_xy": float(size["xy"][:STRUTS].max()),
        **_name_friction("joints", joints["xy"]),
    }


def _compare_explanation(study: StagedRuns) -> dict[str, Any]:
    """Friction of the joints as the cause of the excess (5.4)."""
    share = study.joints
    table = np.array([np.nan if one is None else one for one in PRINTED["table_5_1"]["Coulomb"]])
    legible = np.isfinite(table)
    excess = {size: float(-runs["xy"][COULOMB][legible].mean()) for size, runs in share.coulomb.items()}
    found: dict[str, Any] = {}
    for suffix, moment in zip(("", "_twice"), MOMENTS, strict=True):
        runs = share.coulomb[moment]
        found |= {
            f"coulomb_above{suffix}": runs["xy"][COULOMB][legible] < -EXCESS,
            f"viscous_above{suffix}": runs["xy"][:STRUTS] < -EXCESS,
            f"z_nearer{suffix}": [_compute_distance(runs, "z") < _compute_distance(runs, "xy")],
        }
    return {
        **found,
        "excess": excess[JUDGED],
        "excess_listed": ", ".join(f"{one:.0f} % with {size:g} N m" for size, one in excess.items()),
        "text_excess": float(-table[legible].mean()),
        "xy_from_x": _compute_distance(share.coulomb[JUDGED], "xy"),
        "z_from_x": _compute_distance(share.coulomb[JUDGED], "z"),
        "viscous_joints": join_named(", ", share.viscous, describe_halves),
        "at_platform": "; ".join(
            f"hinges {kind}, " + join_named(", ", runs, lambda one: f"{describe_range(one[COULOMB])} %")
            for kind, runs in share.at_platform.items()
        ),
        "taken": ", ".join(
            f"{100 * (1 - one**2):.0f} % ({name.upper()})" for name, one in share.left.items()
        ),
    }


def _compare_second(study: StagedRuns) -> dict[str, Any]:
    """Friction in 2-A against 1-A."""
    pairs = {
        name: [stage_of(result, stage) for stage in ("1-A", "2-A")]
        for name, result in study.as_source.results.items()
    }
    change = {
        name: _compute_change(second.values, first.values[FRICTION_PLACES])
        for name, (first, second) in pairs.items()
    }
    size = {name: np.abs(one) for name, one in change.items()}
    stages = [stage_of(study.ours.results["xy"], stage) for stage in ("1-A", "2-A")]
    ordered = np.sort(size["xy"])
    return {
        "second_largest": join_named("; ", size, lambda one: f"up to {one.max():.2g} %"),
        "second_residuals": join_named(
            ", ", pairs, lambda pair: f"{pair[0].residual_rms:.2f} to {pair[1].residual_rms:.2f} N"
        ),
        "band": tuple(stage.residual_rms for stage in stages),
        "whole": tuple(compute_rms(study.whole_xy, stage) for stage in stages),
        "equations": len(study.whole_xy),
        "resting": len(study.whole_xy) - len(study.ours.trajectories.equations["xy"]),
        "previous": stage_of(study.previous, "2-A").residual_rms,
        "second_x": size["x"],
        "second_z": float(size["z"].max()),
        "second_xy": float(ordered[-1]),
        "second_xy_but_one": float(ordered[-2]),
        **_name_friction("second", change["xy"]),
        "repeated": f"2-A {'is' if float(ordered[-1]) < REPEATED else 'is not'} 1-A again",
    }


def _compare_third(study: StagedRuns) -> dict[str, Any]:
    """Friction in stage 3 against its start, and whether stage 3 converges from each start."""
    start = study.as_source.results["x"].stages[-2].values[FRICTION_PLACES]
    change = {name: _compute_change(stage.values, start) for name, stage in study.third["x"].items()}
    mean = {name: float(np.abs(one).mean()) for name, one in change.items()}
    stopped = {
        first: [stage.passes >= MAX_PASSES for stage in stages.values()]
        for first, stages in study.third.items()
    }
    return {
        "third_listed": join_named("; ", change, describe_halves),
        "third_viscous": np.abs(np.concatenate([one[:STRUTS] for one in change.values()])),
        "third_coulomb": np.abs(change["xy"][STRUTS:]),
        **_name_friction("third", change["xy"]),
        "farthest": [mean["xy"] > mean["z"], mean["z"] > mean["x"]],
        "third_residuals": "; ".join(
            f"from {first.upper()} " + join_named(", ", stages, lambda one: f"{one.residual_rms:.2f} N")
            for first, stages in study.third.items()
        ),
        "stopped": [*stopped["xy"], *stopped["z"]],
        "converged": [not one for one in stopped["x"]],
    }


def tabulate_friction(study: StagedRuns) -> Listing:
    """Return Table 5.1 next to ours, a strut a row."""
    ours, as_source = (
        compute_friction_difference(study, staged, "xy", "1-A") for staged in (study.ours, study.as_source)
    )
    rows = []
    for k, (name, source) in enumerate(PRINTED["table_5_1"].items()):
        for i, value in enumerate(source):
            index = k * STRUTS + i
            rows.append(
                (
                    f"{name} {i + 1}",
                    f"{study.experiments.expected[index]:.4g}",
                    "lost" if value is None else f"{value:.2f} (S)",
                    f"{ours[index]:+.2f}",
                    f"{as_source[index]:+.2f}",
                    *(f"{runs['xy'][index]:+.2f}" for runs in study.joints.coulomb.values()),
                )
            )
    with_joints = (f"joints of {size:g} N m" for size in study.joints.coulomb)
    header = ("friction", "strut test", "source", "ours", "ours, source's processing", *with_joints)
    return Listing(header, tuple(rows), frozenset(header[1:]))


def stage_of(result: StagedResult, name: str) -> Stage:
    """Return a stage by its name."""
    return next(stage for stage in result.stages if stage.name == name)


def compute_friction_difference(
    study: StagedRuns, staged: StagedIdentification, name: str, stage: str
) -> FloatArray:
    """Return (expected - estimate) / expected in % as the source has it, shape (12,): viscous, then Coulomb."""
    return _compute_change(stage_of(staged.results[name], stage).values, study.experiments.expected)


def compute_rms(equations: Equations, stage: Stage) -> float:
    """Return what a stage's estimates leave of the forces, N."""
    return float(np.sqrt(np.mean((equations.measured - equations.regressor @ stage.values) ** 2)))


def describe_halves(difference: FloatArray) -> str:
    """Return both kinds of friction as ranges."""
    return f"viscous {describe_range(difference[:STRUTS])} %, Coulomb {describe_range(difference[STRUTS:])} %"


def _compute_change(values: FloatArray, before: FloatArray) -> FloatArray:
    """Return (before - values) / before in %, of friction."""
    return 100.0 * (before - values[FRICTION_PLACES]) / np.abs(before)


def _compute_distance(runs: Mapping[str, FloatArray], name: str) -> float:
    """Return mean distance in % of the struts' Coulomb friction of a motion from that of X."""
    return float(np.abs(runs[name] - runs["x"])[COULOMB].mean())


def _name_friction(label: str, change: FloatArray) -> dict[str, float]:
    names = (f"{kind} {i}" for kind in ("viscous", "Coulomb") for i in range(1, STRUTS + 1))
    return {f"{label} {name}": float(one) for name, one in zip(names, change, strict=True)}
