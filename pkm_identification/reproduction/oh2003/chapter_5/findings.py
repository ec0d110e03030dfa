# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The source's findings of chapter 5 next to those of the simulated experiments, each verdict computed."""

from __future__ import annotations

import numpy as np

from pkm_identification.estimation.identifiability import IDENTIFIABLE, UNIDENTIFIABLE
from pkm_identification.identification.procedures.staged import StagedResult
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.report.staged_tables import still_unidentified
from pkm_identification.reproduction.finding import Finding
from pkm_identification.reproduction.number import Number, beyond, interval, mark_undecided, value

from .data import NAMES, SOURCE_INERTIAS
from .friction_findings import compute_tolerance, friction_findings, stage_of
from .runs import SWEEPS, StagedStudy

MASSES = ("m_e", "m_b", "m_p")
CONVERGED = 2.0  # standard deviations, up to which an estimate counts as come to rest
INERTIAL = slice(0, 12)  # in `oh24`
NOT_SEEN = "these data do not identify it alone: it rests on the first guess, which the text does not print"


def findings(study: StagedStudy) -> tuple[Finding, ...]:
    """Finding by finding."""
    return (
        *friction_findings(study),
        _assess_masses(study),
        _assess_inertias(study),
        _assess_all_at_once(study),
        _assess_starts(study),
        _assess_together(study),
    )


def _assess_span(values: FloatArray, digits: int = 3) -> str:
    return f"{np.min(values):.{digits}g} to {np.max(values):.{digits}g}"


def _assess_mass_errors(result: StagedResult, reference: FloatArray) -> FloatArray:
    return np.abs(100.0 * (result.values[:3] / reference[:3] - 1.0))


def _assess_masses(study: StagedStudy) -> Finding:
    nominal, true = study.ours.trajectories.parameters.nominal, study.experiments.true_values
    far = np.abs(100.0 * (true[:3] / nominal[:3] - 1.0))
    lines, count = [], 0
    for name, result in study.ours.results.items():
        identified = [m for m in MASSES if result.estimate.shown(m) is not None]
        count += len(identified)
        lines.append(
            f"{name.upper()} {_assess_span(_assess_mass_errors(result, nominal), 2)} % from the file and "
            f"{_assess_span(_assess_mass_errors(result, true), 2)} % from the truth (identified: "
            f"{', '.join(identified) or 'none'})"
        )
    return Finding(
        "Masses end 2 to 19 % from CAD (1-B), masses and inertias 13 to 18 % (2-B) and 5 to 26 % (3, from X); against "
        "2-B 3 changes them by 5 % on X and Z, by 39 % on XY (S; the tables are lost).",
        f"The machine is {_assess_span(far, 2)} % from its file. Ends of stage 3: {'; '.join(lines)}.",
        f"The inertial columns of the exact motions have rank {', '.join(str(study.ranks[n]) for n in NAMES)} (X, Z, "
        "XY) for twelve parameters. What these data identify are sums: "
        + "; ".join(_assess_sums(study))
        + ". A single mass off its file "
        "by some percent is then partly the first guess.",
        _assess_mass_numbers(study, count == len(MASSES) * len(NAMES)),
    )


def _assess_mass_numbers(study: StagedStudy, identified: bool) -> tuple[Number, ...]:
    """Ranges of masses and inertias against CAD and against 2-B, judged only if the data identify the masses."""
    nominal = study.as_source.trajectories.parameters.nominal

    def against(values: FloatArray, before: FloatArray, which: slice) -> FloatArray:
        return np.abs(100.0 * (values[which] / before[which] - 1.0))

    results, third = study.as_source.results, study.third["x"]
    first = [against(stage_of(one, "1-B").values, nominal, slice(0, 3)) for one in results.values()]
    second = [against(stage_of(one, "2-B").values, nominal, INERTIAL) for one in results.values()]
    last = [against(one.values, nominal, INERTIAL) for one in third.values()]
    ranges = (
        ("1-B: masses against CAD", (2.0, 19.0), first, "16489-93"),
        ("2-B: masses and inertias against CAD", (13.0, 18.0), second, "16513-18"),
        ("3 from X: masses and inertias against CAD", (5.0, 26.0), last, "16543-46"),
    )
    numbers = []
    for name, source, parts, line in ranges:
        values = np.concatenate(parts)
        ends = (float(values.min()), float(values.max()))
        numbers.append(
            interval(name, source, values, "%", "S", line)
            if identified
            else mark_undecided(name, source, ends, "%", "S", line, because=NOT_SEEN)
        )
    start = results["x"].stages[-2].values
    for trajectory, change in (("x", 5.0), ("z", 5.0), ("xy", 39.0)):
        name = f"3 from X: inertial against 2-B, {trajectory.upper()}"
        ours = float(against(third[trajectory].values, start, INERTIAL).max())
        numbers.append(
            value(name, change, ours, "%", "S", "16543-46", near=compute_tolerance(change))
            if identified
            else mark_undecided(name, change, ours, "%", "S", "16543-46", because=NOT_SEEN)
        )
    return tuple(numbers)


def _assess_sums(study: StagedStudy) -> list[str]:
    texts = []
    true = study.experiments.true_values
    for name, result in study.ours.results.items():
        for c in result.estimate.combinations:
            if "m_p" in c.name and "m_e" in c.name:
                texts.append(
                    f"{name.upper()} {c.name} = {c.value:.4g} ± {c.std:.1g} kg (true {c.weights @ true:.4g})"
                )
    return texts or ["none that joins m_e and m_p alone"]


def _assess_inertias(study: StagedStudy) -> Finding:
    resting = {name: still_unidentified(result) for name, result in study.ours.results.items()}
    names = tuple(SOURCE_INERTIAS)
    moved = [
        abs(study.ours.results[name].values[i] / study.ours.start[i] - 1.0) * 100.0
        for name, rest in resting.items()
        for i in [study.ours.trajectories.parameters.names.index(p) for p in rest]
    ]
    unidentified = {
        name: sum(result.estimate.status[k] == UNIDENTIFIABLE for k in range(12))
        for name, result in study.ours.results.items()
    }
    source = ", ".join(f"{name} {SOURCE_INERTIAS[name]:g}" for name in names)
    stage = stage_of(study.as_source.results["xy"], "1-B")
    nominal = study.as_source.trajectories.parameters.nominal
    return Finding(
        f"XY, moments of inertia from CAD in % (Table 5.2, P+): {source}.",
        "; ".join(
            f"{name.upper()}: {', '.join(rest)} stood still and are not identifiable"
            for name, rest in resting.items()
        )
        + f". They end within {max(moved, default=0.0):.2g} % of the first guess.",
        "Not identifiable at all of the twelve: "
        + ", ".join(f"{name.upper()} {count}" for name, count in unidentified.items())
        + ". Iyy_b and Iyy_e have columns of exact zeros in a model without spin, Ixx_e and Izz_e only add to Ixx_b "
        "and Izz_b, and the platform's moments have no effect in translation. The source's percentages are those of "
        "its simulations, where the start was the same: 26.1 % is the distance of 40 from 54.2.",
        tuple(
            mark_undecided(
                f"Table 5.2, XY: {name} off CAD",
                source,
                float(abs(100.0 * (stage.values[i] / nominal[i] - 1.0))),
                "%",
                "P+",
                "16489-93",
                because=NOT_SEEN,
            )
            for name, source in SOURCE_INERTIAS.items()
            for i in [study.as_source.trajectories.parameters.names.index(name)]
        ),
    )


def _assess_all_at_once(study: StagedStudy) -> Finding:
    names = list(study.scaled)
    truth = study.experiments.true_values
    rests = all(one.moving < CONVERGED for one in study.scaled.values())
    staged = {name: study.ours.results[name].stages[-1].residual_rms for name in names}
    same = all(one.residual_rms < 1.1 * staged[name] for name, one in study.scaled.items())
    raw = "; ".join(
        f"{name.upper()} residual {one.residual_rms:.2g} N instead of {staged[name]:.2g}, still moving by "
        f"{one.moving:.2g} std a sweep, Ixx_p {100 * (one.values[6] / truth[6] - 1):+.0f} %"
        for name, one in study.raw.items()
    )
    raw_staged = ", ".join(
        f"{name.upper()} {one.residual_rms:.2g} N" for name, one in study.raw_staged.items()
    )
    helped = all(study.raw_staged[name].residual_rms < study.raw[name].residual_rms for name in names)
    return Finding(
        "All 24 at once from the first guess did not converge.",
        "With first variances by the size of each parameter: residual "
        + ", ".join(f"{name.upper()} {one.residual_rms:.2g} N" for name, one in study.scaled.items())
        + ", as after the stages, and a second run moves nothing by more than "
        f"{max(one.moving for one in study.scaled.values()):.2g} std. With one variance of 1 for all in SI units, "
        f"after {SWEEPS} sweeps: {raw}; in stages {raw_staged}.",
        "The force is linear in all 24, so there is one minimum and stages are not needed. The source does not give "
        "its first variances. A filter without scales lets moments of inertia of 1e-5 kg m^2 roam by 1 and holds "
        "viscous coefficients of 3500 N s/m to within 1: it looks as the source describes"
        + (", and stages help it: friction cannot hide in moments of inertia." if helped else "."),
        (
            mark_undecided(
                "All 24 at once from the first guess",
                "did not converge",
                "to scale it converges; with one variance for all it does not"
                if rests and same
                else "does not converge, variances to scale or not",
                "",
                "S",
                "16354-57",
                because="the source's first variances, which decide it, are not in the text",
            ),
        ),
    )


def _assess_starts(study: StagedStudy) -> Finding:
    parts = []
    cross = study.ours.cross
    scale = study.ours.trajectories.parameters.scale[: cross.ends.shape[-1]]
    worst = 0.0
    for k, name in enumerate(cross.names):
        estimate = study.ours.results[name].estimate
        identified = np.array([status == IDENTIFIABLE for status in estimate.status])
        relative = cross.spread[k] / scale
        free = np.where(identified, -1.0, relative)
        inside = float(np.max(cross.spread[k][identified] / estimate.std[identified]))
        worst = max(worst, inside)
        parts.append(
            f"on {name.upper()} what is identified ends within {inside:.2g} std from any start, "
            f"{estimate.names[int(free.argmax())]} anywhere within {100 * free.max():.0f} %"
        )
    off = cross.predicted[~np.eye(len(cross.names), dtype=bool)]
    after = cross.fitted[~np.eye(len(cross.names), dtype=bool)]
    return Finding(
        "Each trajectory's result was tried as the start for the others, to find the one that suits all.",
        f"{'; '.join(parts)}. Forces of the other trajectories are predicted to {_assess_span(off, 2)} %, after "
        f"estimation to "
        f"{_assess_span(after, 2)} %.",
        "On a linear model the cross-check cannot find a better minimum, as there is one only. What it does show is "
        "which directions the data do not identify: there the end is the start. That all starts agree is no evidence "
        "either: in Iyy_b, Iyy_e, Ixx_e and Izz_e they do because every one of them is still the first guess. "
        "A start that suits all trajectories is what estimation from all of them gives at once.",
        (beyond("Cross-check: identified parameters, spread over the starts", worst, "std"),),
    )


def _assess_together(study: StagedStudy) -> Finding:
    true = study.experiments.true_values
    together, universal = study.ours.joint, study.universal

    def far(result: StagedResult) -> str:
        estimate = result.estimate
        return ", ".join(
            f"{name} {100 * (result.values[k] / true[k] - 1):+.2g} % "
            f"({(result.values[k] - true[k]) / estimate.std[k]:+.1f} std)"
            for k, name in enumerate(MASSES)
        )

    singles = ", ".join(f"{n.upper()} {_count(r)}" for n, r in study.ours.results.items())
    z = (universal.values[:3] - true[:3]) / universal.estimate.std[:3]
    return Finding(
        "(The source estimates each trajectory by itself, with struts that do not spin.)",
        f"X, Z and XY together identify {_count(together)} of 24 parameters ({singles} alone); masses from the truth: "
        f"{far(together)}. With a rich six-axis motion besides and the joints the machine has: {_count(universal)}; "
        f"{far(universal)}.",
        "Struts in universal joints spin about their axes. Leaving that out biases the masses, the more the weaker a "
        "direction is in the data, and no residual reveals it.",
        (beyond("All trajectories, right joints: worst mass off the truth", float(np.abs(z).max()), "std"),),
    )


def _count(result: StagedResult) -> int:
    return result.estimate.status.count(IDENTIFIABLE)
