# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What chapter 5 reports of friction, stage by stage, next to the simulated experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pkm_identification.estimation.equations import Equations
from pkm_identification.identification.procedures.staged import MAX_PASSES, Stage, StagedResult
from pkm_identification.identification.procedures.staged_experiment import StagedIdentification
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.reproduction.finding import Finding
from pkm_identification.reproduction.number import (
    RANGE_NEAR,
    Number,
    at_most,
    beyond,
    interval,
    mark_undecided,
    statement,
    value,
)

from .data import NAMES, STRAYED, TABLE_5_1, TABLE_5_3, TABLE_5_5
from .joint_share import DAMPING, JUDGED
from .runs import StagedStudy

FRICTION_PLACES = slice(12, 24)  # in `oh24`: six viscous coefficients, six Coulomb forces
# Up to which two changes in % are the same: a quarter of the text's, as ends of its ranges are ("~" there), and these
# points at most.
NEAR = 5.0
CHOSEN = "the joints' moment, which the text does not give, decides it"
REPEATED = 0.1  # %, below which no friction coefficient has changed


def friction_findings(study: StagedStudy) -> tuple[Finding, ...]:
    """Stage 1-A and the source's explanation of it, stages 2-A and 3, and the starts of stage 3."""
    return (
        _assess_first(study),
        _assess_explanation(study),
        _assess_second(study),
        _assess_third(study),
        _assess_starts(study),
    )


def stage_of(result: StagedResult, name: str) -> Stage:
    """Return a stage by its name."""
    return next(stage for stage in result.stages if stage.name == name)


def compute_friction_difference(
    study: StagedStudy, staged: StagedIdentification, name: str, stage: str
) -> FloatArray:
    """(expected - estimate) / expected in % as the source has it, shape (12,): viscous, then Coulomb."""
    return _change(stage_of(staged.results[name], stage).values, study.experiments.expected)


def rms(equations: Equations, stage: Stage) -> float:
    """Return what a stage's estimates leave of the forces, N."""
    return float(np.sqrt(np.mean((equations.measured - equations.regressor @ stage.values) ** 2)))


def friction_changes(study: StagedStudy, staged: StagedIdentification) -> FloatArray:
    """Return largest less smallest end over the trajectories, in % of the strut tests' value, shape (12,)."""
    ends = np.array([result.values[FRICTION_PLACES] for result in staged.results.values()])
    return 100.0 * np.ptp(ends, axis=0) / np.abs(study.experiments.expected)


def _change(values: FloatArray, before: FloatArray) -> FloatArray:
    """(before - values) / before in %, of friction."""
    return 100.0 * (before - values[FRICTION_PLACES]) / np.abs(before)


def _assess_of_table(
    label: str,
    table: Mapping[str, tuple[float | None, ...]],
    ours: FloatArray,
    mark: str,
    line: str,
    because: str | None = None,
) -> list[Number]:
    """Every legible entry of a table next to ours, unjudged where a reason is given."""
    numbers = []
    for k, (kind, entries) in enumerate(table.items()):
        for i, entry in enumerate(entries):
            if entry is None:
                continue
            name, change = f"{label}: {kind} {i + 1}", float(ours[k * STRUTS + i])
            if because is not None:
                numbers.append(mark_undecided(name, entry, change, "%", mark, line, because=because))
            else:
                numbers.append(value(name, entry, change, "%", mark, line, near=compute_tolerance(entry)))
    return numbers


def compute_tolerance(text: float) -> float:
    """Return how far a change may be off the text's, both in %."""
    return min(NEAR, RANGE_NEAR * abs(text))


def halves(difference: FloatArray) -> str:
    """Both kinds of friction as ranges."""
    viscous, coulomb = difference[:STRUTS], difference[STRUTS:]
    return (
        f"viscous {viscous.min():.3g} to {viscous.max():.3g} %, Coulomb {coulomb.min():.3g} to "
        f"{coulomb.max():.3g} %"
    )


def _assess_first(study: StagedStudy) -> Finding:
    source = {name: compute_friction_difference(study, study.as_source, name, "1-A") for name in NAMES}
    ours = {name: compute_friction_difference(study, study.ours, name, "1-A") for name in NAMES}
    joints = study.joints.coulomb[JUDGED]
    size = {name: np.abs(one) for name, one in joints.items()}
    line = "16472-88"
    tests = float(
        100 * np.max(np.abs(study.experiments.expected / study.experiments.true_values[FRICTION_PLACES] - 1))
    )
    return Finding(
        "1-A, friction against the tests of single struts: Coulomb 5-250 % (X), 5-210 % (Z), 15-300 % (XY); viscous 54 "
        "and 32 % (X, struts 1 and 6), 36-85 % (Z, struts 1, 2, 4, 6), up to 123 % (XY); in Table 5.1 all above the "
        "tests (S).",
        f"(expected - estimate) / expected with Coulomb friction of {JUDGED:g} N m in each of the twelve joints, exact "
        "data, inertias held: "
        + "; ".join(f"{name.upper()} {halves(one)}" for name, one in joints.items())
        + ". Without friction of the joints, positions filtered as in the source: "
        + "; ".join(f"{name.upper()} {halves(one)}" for name, one in source.items())
        + ". Both sides in one band: "
        + "; ".join(f"{name.upper()} {halves(one)}" for name, one in ours.items())
        + ".",
        f"In the experiments expected is our own test of the struts, right to {tests:.2g} %; their friction is that of "
        "the struts alone and the same in every motion, and no processing of the signals gives Coulomb forces two to "
        "four times as large. The numbers are therefore those of the source's explanation, friction of the spherical "
        "and Hooke joints, which single-strut tests do not contain (5.4, l.16558-79). How large it is the text does "
        f"not say: {JUDGED:g} N m is assumed, and the changes are in proportion to it.",
        (
            *(
                mark_undecided(f"1-A: {name}", source, entry, "%", "S", line, because=CHOSEN)
                for name, source, entry, line in (
                    ("Coulomb, X", (5.0, 250.0), _assess_ends(size["x"][STRUTS:]), line),
                    ("Coulomb, Z", (5.0, 210.0), _assess_ends(size["z"][STRUTS:]), line),
                    ("Coulomb, XY", (15.0, 300.0), _assess_ends(size["xy"][STRUTS:]), line),
                    ("viscous 1, X", 54.0, float(size["x"][0]), "16476-87"),
                    ("viscous 6, X", 32.0, float(size["x"][5]), "16476-87"),
                    (
                        "viscous 1, 2, 4, 6, Z",
                        (36.0, 85.0),
                        _assess_ends(size["z"][[0, 1, 3, 5]]),
                        "16476-87",
                    ),
                    ("viscous, XY, largest", 123.0, float(size["xy"][:STRUTS].max()), "16476-87"),
                )
            ),
            *_assess_of_table("Table 5.1, XY", TABLE_5_1, joints["xy"], "S", "Table 5.1", CHOSEN),
        ),
    )


def _assess_explanation(study: StagedStudy) -> Finding:
    share, coulomb = study.joints, slice(STRUTS, 2 * STRUTS)
    table = {kind: np.array([np.nan if x is None else x for x in row]) for kind, row in TABLE_5_1.items()}
    legible = np.isfinite(table["Coulomb"])
    source = float(-table["Coulomb"][legible].mean())
    mean = {size: float(-runs["xy"][coulomb][legible].mean()) for size, runs in share.coulomb.items()}
    spread = {name: _assess_away(share.coulomb[JUDGED], name) for name in NAMES}
    line = "16558-79"
    at_platform = "; ".join(
        f"hinges {kind}, "
        + ", ".join(f"{name.upper()} {_assess_of(one[coulomb])}" for name, one in runs.items())
        for kind, runs in share.at_platform.items()
    )
    return Finding(
        "5.4: the excess over single-strut tests is friction of the spherical and Hooke joints; X and XY move the "
        "struts over different joint ranges, Z nearer to X's (S; the text gives no amount).",
        "Coulomb friction above the test on XY, mean of the struts legible in Table 5.1: "
        + ", ".join(f"{one:.0f} % with {size:g} N m" for size, one in mean.items())
        + f" in every joint (text {source:.0f} %). With {JUDGED:g} N m Coulomb friction moves from X to XY by "
        f"{spread['xy']:.0f} %, from X to Z by {spread['z']:.0f} % in the mean. Viscous friction of the joints "
        f"({DAMPING:g} N m s): "
        + ", ".join(f"{name.upper()} {halves(one)}" for name, one in share.viscous.items())
        + f". Universal joints at the platform, {JUDGED:g} N m, Coulomb: {at_platform}.",
        "Size, sign and motion dependence of the Coulomb column come out in kind: a joint's moment over the struts' "
        "levers is as large as their own friction. Not an excess on every strut, and not the viscous column, which "
        "Coulomb friction gives only to a strut that hardly slides; viscous friction of the joints gives it in part. "
        "Strut friction takes "
        + ", ".join(f"{100 * (1 - one**2):.0f} % ({name.upper()})" for name, one in share.left.items())
        + " of the joints' forces squared; what is left would show in the residual.",
        (
            mark_undecided(
                "5.4, XY: mean Coulomb excess of five struts",
                source,
                mean[JUDGED],
                "%",
                "S",
                line,
                because=CHOSEN,
            ),
            *(
                _assess_with_every_moment(
                    f"5.4{name}", text, [held(runs) for runs in share.coulomb.values()], line
                )
                for name, text, held in (
                    (
                        ", XY: Coulomb above the test on every strut of Table 5.1",
                        "every strut",
                        lambda runs: runs["xy"][coulomb][legible] < -NEAR,
                    ),
                    (
                        ", XY: viscous above the test on every strut",
                        "every strut",
                        lambda runs: runs["xy"][:STRUTS] < -NEAR,
                    ),
                    (
                        ": Coulomb on Z nearer to X than on XY",
                        "Z nearer",
                        lambda runs: np.array([_assess_away(runs, "z") < _assess_away(runs, "xy")]),
                    ),
                )
            ),
        ),
    )


def _assess_with_every_moment(name: str, text: str, held: Sequence[FloatArray], line: str) -> Number:
    """Return a statement, judged only if its verdict is the same with each moment of the joints that was tried."""
    numbers = [statement(name, text, one, "S", line) for one in held]
    if len({one.verdict for one in numbers}) == 1:
        return numbers[0]
    return mark_undecided(name, text, numbers[0].ours, "cases", "S", line, because=CHOSEN)


def _assess_away(runs: Mapping[str, FloatArray], name: str) -> float:
    """Return mean distance in % of the struts' Coulomb friction of a motion from that of X."""
    return float(np.abs(runs[name] - runs["x"])[STRUTS : 2 * STRUTS].mean())


def _assess_ends(values: FloatArray) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _assess_of(changes: FloatArray) -> str:
    return f"{changes.min():.3g} to {changes.max():.3g} %"


def _assess_second(study: StagedStudy) -> Finding:
    changes, residuals = {}, {}
    for name, result in study.as_source.results.items():
        first, second = (stage_of(result, stage) for stage in ("1-A", "2-A"))
        changes[name] = _change(second.values, first.values[FRICTION_PLACES])
        residuals[name] = (first.residual_rms, second.residual_rms)
    size = {name: np.abs(one) for name, one in changes.items()}
    stages = [stage_of(study.ours.results["xy"], stage) for stage in ("1-A", "2-A")]
    band = [stage.residual_rms for stage in stages]
    whole = [rms(study.whole_xy, stage) for stage in stages]
    count = len(study.whole_xy)
    resting = count - len(study.ours.trajectories.equations["xy"])
    previous = stage_of(study.previous, "2-A").residual_rms
    ordered = np.sort(size["xy"])
    line = "16499-505"
    return Finding(
        "2-A, friction against 1-A: 0-4 % (X), 15 % (Z), below 2.6 % but for one of 23 % (XY; Table 5.3: .27 to 22.7 "
        "%), from which the source concludes that friction does not depend on the inertias (S).",
        "; ".join(f"{name.upper()} up to {one.max():.2g} %" for name, one in size.items())
        + ". Residual from 1-A to 2-A: "
        + ", ".join(f"{name.upper()} {a:.2f} to {b:.2f} N" for name, (a, b) in residuals.items())
        + f"; with both sides in one band XY {band[0]:.2f} to {band[1]:.2f} N, and {whole[0]:.2f} to {whole[1]:.2f} N "
        f"with {resting} of {count} equations in which the machine rests before it moves.",
        "2-A holds the CAD inertias once more (l.16409-12): data, model and held values are those of 1-A, and a 2-A "
        "that converges is 1-A. What the source saw change is what a restart of an unconverged filter adds. That "
        "friction is independent of the inertias does not follow from it. With the inertias of 1-B held instead, the "
        f"residual in the band falls to {previous:.2f} N (pkm staged --hold previous). Equations at rest are left out, "
        "as static friction holds the machine there; the same estimates have a smaller residual with them, since "
        "nothing accelerates that wrong inertias would show in.",
        (
            interval("2-A against 1-A: X", (0.0, 4.0), size["x"], "%", "S", line),
            *(
                value(
                    f"2-A against 1-A: {name}, largest",
                    text,
                    ours,
                    "%",
                    "S",
                    line,
                    near=compute_tolerance(text),
                )
                for name, text, ours in (
                    ("Z", 15.0, float(size["z"].max())),
                    ("XY", 23.0, float(ordered[-1])),
                )
            ),
            at_most("2-A against 1-A: XY, all but one", 2.6, float(ordered[-2]), "%", "S", line),
            *_assess_changed("Table 5.3, XY", TABLE_5_3, changes["xy"]),
            beyond("2-A: residual in the band on XY, from 1-A", (band[0], band[1]), "N"),
            beyond("2-A: the same with the rest before the motion", (whole[0], whole[1]), "N"),
            mark_undecided(
                "2-A: friction independent of the inertias",
                "nearly independent",
                f"2-A {'is' if float(ordered[-1]) < REPEATED else 'is not'} 1-A again",
                "",
                "S",
                line,
                because="2-A holds the inertias that 1-A held, so that its change says nothing about them",
            ),
        ),
    )


def _assess_changed(
    label: str, table: Mapping[str, tuple[float | None, ...]], ours: FloatArray
) -> list[Number]:
    """Entries of Table 5.3."""
    return [
        value(
            f"{label}: {kind} {i + 1}",
            entry,
            float(ours[k * STRUTS + i]),
            "%",
            "S",
            None,
            near=compute_tolerance(entry),
        )
        for k, (kind, entries) in enumerate(table.items())
        for i, entry in enumerate(entries)
        if entry is not None
    ]


def _assess_third(study: StagedStudy) -> Finding:
    start = study.as_source.results["x"].stages[-2].values[FRICTION_PLACES]
    changes = {name: _change(stage.values, start) for name, stage in study.third["x"].items()}
    viscous = np.abs(np.concatenate([one[:STRUTS] for one in changes.values()]))
    mean = {name: float(np.abs(one).mean()) for name, one in changes.items()}
    return Finding(
        "3, all 24 from the results of X, friction against its start: viscous 0-22 % over all, Coulomb on XY 0-186 %; "
        "in Figs. 5.2-5.16 XY ends much higher than Z, X near its start; Coulomb friction of strut 4 strays and ends "
        "8.67 % above (S).",
        "; ".join(f"{name.upper()} {halves(one)}" for name, one in changes.items()) + ".",
        "Positions filtered as in the source. In the simulation friction is the same on every trajectory, so that only "
        "what the processing makes of it is left of the change. Which trajectory Fig. 5.12 shows is not said; "
        "beside it stands XY.",
        (
            interval("3: viscous against start", (0.0, 22.0), viscous, "%", "S", "16536-37"),
            interval(
                "3: Coulomb against start, XY",
                (0.0, 186.0),
                np.abs(changes["xy"][STRUTS:]),
                "%",
                "S",
                "16537-43",
            ),
            *_assess_of_table("Table 5.5, XY", TABLE_5_5, changes["xy"], "P", "16537-43"),
            statement(
                "Figs. 5.2-5.16: XY farthest from the start, then Z, X nearest",
                "XY, Z, X",
                [mean["xy"] > mean["z"], mean["z"] > mean["x"]],
                "S",
                "16546-54",
            ),
            _assess_strayed(float(changes["xy"][STRUTS + 3])),
        ),
    )


def _assess_strayed(end: float) -> Number:
    because = "which trajectory the figure shows is not in the recovered text"
    return mark_undecided("Fig. 5.12: Coulomb 4, end", STRAYED, end, "%", "S", "16546-54", because=because)


def _assess_starts(study: StagedStudy) -> Finding:
    stopped = {
        first: [stage.passes >= MAX_PASSES for stage in stages.values()]
        for first, stages in study.third.items()
    }
    texts = [
        f"from {first.upper()} "
        + ", ".join(f"{name.upper()} {stage.residual_rms:.2f} N" for name, stage in stages.items())
        for first, stages in study.third.items()
    ]
    return Finding(
        "3 from the results of XY or of Z did not converge; from X it did (S).",
        "Residual at the end on each trajectory: "
        + "; ".join(texts)
        + f". Passes end when none moves an estimate by a twentieth of its deviation, or after {MAX_PASSES}.",
        "The force is linear in all 24: there is one minimum, and from any start the filter comes to it in every "
        "direction that the data identify. A filter that does not converge from XY or Z has first variances or noise "
        "that do not fit; the source does not print them.",
        (
            statement(
                "3: no convergence from XY and Z",
                "did not converge",
                [*stopped["xy"], *stopped["z"]],
                "S",
                "16533-35",
            ),
            statement(
                "3: convergence from X", "converged", [not one for one in stopped["x"]], "S", "16533-35"
            ),
        ),
    )
