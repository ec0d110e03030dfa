# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What chapter 4 says of how its cases compare: which motion, model and order of data is faster and closer."""

from __future__ import annotations

import numpy as np

from pkm_identification.reproduction.finding import Finding
from pkm_identification.reproduction.number import FACTOR, Number, mark_undecided, statement

from .cases import CaseResult
from .numbers import BY_GUESS, NOT_SEEN, compute_worst_mass
from .runs import SimulationStudy
from .source_tables import ENERGY_ITERATIONS, MASSES

SETTLED = 5.0  # %, within which every mass must stay to count as settled
POOR = 1.0  # %, above which we call an error poor
LINEAR = 0.95  # share of a trace's variation that a straight line takes, above which we call the trace linear


def trend_findings(study: SimulationStudy) -> tuple[Finding, ...]:
    """In the order of the chapter."""
    return (
        _assess_without_friction(study),
        _assess_with_friction(study),
        _assess_energy_model(study),
        _assess_orders(study),
    )


def count_settling_samples(result: CaseResult) -> int:
    """Return samples until every mass stays within 5 % of the truth; one more than there are if it never does."""
    errors = 100 * np.abs(result.source_history[:, : len(MASSES)] / result.true[: len(MASSES)] - 1)
    outside = np.flatnonzero(errors.max(axis=1) > SETTLED)
    return int(outside[-1]) + 2 if len(outside) else 1


def straightness(result: CaseResult) -> list[float]:
    """Share of each mass's variation over the iterations shown that a straight line takes; 0 if it does not move."""
    traces = result.source_history[:ENERGY_ITERATIONS, : len(MASSES)].T
    samples = np.arange(traces.shape[1])
    return [float(np.corrcoef(samples, one)[0, 1] ** 2) if np.ptp(one) > 0 else 0.0 for one in traces]


def _assess_sizes(results: dict[str, CaseResult]) -> str:
    return "; ".join(
        f"{name} {compute_worst_mass(one):.2g} % after {count_settling_samples(one)}"
        for name, one in results.items()
    )


def _assess_better(results: dict[str, CaseResult], first: str, second: str) -> tuple[bool, bool]:
    """Return whether the first is closer to the truth than the second, and settles before it."""
    a, b = results[first], results[second]
    return compute_worst_mass(a) < compute_worst_mass(b), count_settling_samples(a) < count_settling_samples(
        b
    )


NOT_SAID = (
    "how fast a filter settles is decided by its first variances and noise, which the text does not give"
)
READING = (
    f"Closer: the worst mass at the end; faster: samples until all masses stay within {SETTLED:g} %, our reading of "
    "an iteration as a sample."
)


def _assess_speed(name: str, source: str, held: list[bool], line: str) -> Number:
    ours = f"holds in {sum(held)} of {len(held)}"
    return mark_undecided(name, source, ours, "cases", "S", line, because=NOT_SAID)


def _assess_without_friction(study: SimulationStudy) -> Finding:
    results = {motion: study.of("4.4", motion) for motion in ("X", "XY", "Z", "fall")}
    pairs = [(a, b) for a in ("X", "XY") for b in ("Z", "fall")]
    closer, faster = ([_assess_better(results, *pair)[which] for pair in pairs] for which in (0, 1))
    return Finding(
        "Without friction X and XY converge faster and closer than Z and free fall.",
        f"Worst mass by the source's filter, samples until within {SETTLED:g} %: {_assess_sizes(results)}.",
        READING,
        (
            statement("No friction: X, XY closer than Z, fall", "closer", closer, "S", "6439-44"),
            _assess_speed("No friction: X, XY faster than Z, fall", "faster", faster, "6439-44"),
        ),
    )


def _assess_with_friction(study: SimulationStudy) -> Finding:
    results = {motion: study.of("4.6", motion) for motion in ("X", "Z", "XY")}
    closer, faster = (
        [_assess_better(results, "Z", other)[which] for other in ("X", "XY")] for which in (0, 1)
    )
    return Finding(
        "With friction Z is the fastest and closest.",
        f"Worst mass by the source's filter, samples until within {SETTLED:g} %: {_assess_sizes(results)}.",
        READING + " All three identify the masses beside friction; Z moves all struts alike.",
        (
            statement("Friction: Z closer than X and XY", "closest", closer, "S", "6466-69"),
            _assess_speed("Friction: Z faster than X and XY", "fastest", faster, "6466-69"),
        ),
    )


def _assess_energy_model(study: SimulationStudy) -> Finding:
    energy, force = (
        {motion: study.of(table, motion) for motion in ("X", "Z", "XY")} for table in ("4.8", "4.4")
    )
    worse = []
    for motion, result in energy.items():
        for k, name in enumerate(MASSES):
            errors = [abs(one.as_source[k] / one.true[k] - 1) for one in (result, force[motion])]
            worse.append((errors[0] < errors[1]) if (motion, name) == ("Z", "m_b") else errors[0] > errors[1])
    x, xy = compute_worst_mass(energy["X"]), compute_worst_mass(energy["XY"])
    straight = {motion: straightness(one) for motion, one in energy.items()}
    linear = [one > LINEAR for one in straight["Z"]]
    curved = [one <= LINEAR for motion in ("X", "XY") for one in straight[motion]]
    i = energy["XY"].names.index("Iyy_e")
    seen = i not in energy["XY"].base.invisible
    axial = 100 * abs(energy["XY"].as_source[i] / energy["XY"].true[i] - 1)
    return Finding(
        "Energy model: X and XY alike, Z linear (Figs. 4.16-4.18); worse than force but for m_b in Z, much better in "
        "I_yye (Tables 4.8, 4.9).",
        f"Worst mass: {'; '.join(f'{name} {compute_worst_mass(one):.2g} %' for name, one in energy.items())}. A "
        f"straight line "
        f"takes of the masses' change over the first {ENERGY_ITERATIONS} samples "
        + "; ".join(f"{name} {min(one):.2g} to {max(one):.2g}" for name, one in straight.items())
        + ".",
        "I_yye has a column of exact zeros in struts that do not spin, in force and energy alike: it cannot be better "
        "in one. Alike is read as worst masses within a factor of two of each other; linear as masses whose change is "
        f"a straight line to {100 * LINEAR:g} % in Z and not in X and XY, over the {ENERGY_ITERATIONS} iterations that "
        "Fig. 4.21 shows. Of Figs. 4.19 and 4.20 neither caption nor axes nor what is said of them are in the "
        "recovered text. The masses themselves rest on the guess: these equations leave them open.",
        (
            statement(
                "Energy: X and XY alike (Figs. 4.16-4.18)",
                "alike",
                [1 / FACTOR <= x / xy <= FACTOR],
                "S",
                "6496-6500",
            ),
            statement("Energy: Z linear (Figs. 4.16-4.18)", "linear", [*linear, *curved], "S", "6496-6500"),
            mark_undecided(
                "Figs. 4.19, 4.20",
                None,
                None,
                "",
                "",
                None,
                because="nothing of the two figures has been recovered",
            ),
            statement("Energy worse than force, m_b in Z better", "worse", worse, "S", "6477-79"),
            mark_undecided(
                "Energy much better in I_yye",
                26.2,
                float(axial),
                "%",
                "S",
                "6482-84",
                because=BY_GUESS if seen else NOT_SEEN,
            ),
        ),
    )


def _assess_orders(study: SimulationStudy) -> Finding:
    motions = ("X", "Z", "XY")
    sequential, random, spread = (
        {motion: study.of(table, motion) for motion in (*motions, "fall")}
        for table in ("4.4", "4.10", "4.12")
    )
    slower = [count_settling_samples(random[m]) > count_settling_samples(sequential[m]) for m in motions]
    as_good = [compute_worst_mass(spread[m]) <= FACTOR * compute_worst_mass(sequential[m]) for m in motions]
    poor = [compute_worst_mass(by[m]) > POOR for by in (sequential, random, spread) for m in ("Z", "fall")]
    texts = ", ".join(
        f"{m} {count_settling_samples(sequential[m])} / {count_settling_samples(random[m])} / "
        f"{count_settling_samples(spread[m])}"
        for m in motions
    )
    return Finding(
        "Random order is slower, spread as good as sequential; Z and free fall poor in all (Figs. 4.35-4.42).",
        f"Samples until within {SETTLED:g} %, sequential / random / spread: {texts}. Z ends within "
        f"{max(compute_worst_mass(by['Z']) for by in (sequential, random, spread)):.2g} % in any order, the fall "
        f"within "
        f"{max(compute_worst_mass(by['fall']) for by in (sequential, random, spread)):.2g} %.",
        f"Poor is read as a mass more than {POOR:g} % off. A random order brings unlike samples early and settles "
        "sooner here; one noise-free model, linear in its parameters, is the same in any order without process noise.",
        (
            _assess_speed("Random order slower than sequential", "slower", slower, "6563-78"),
            statement("Spread as good as sequential", "as good", as_good, "S", "6563-78"),
            statement("Z and free fall poor in every order", "poor", poor, "S", "6563-78"),
        ),
    )
