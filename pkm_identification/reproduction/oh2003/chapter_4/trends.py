# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What chapter 4 says of how its cases compare: which motion, model and order of data is faster and closer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pkm_identification.reproduction.number import FACTOR

from .cases import CaseResult
from .numbers import BY_GUESS, NOT_SEEN, compute_worst_mass
from .runs import SimulationRuns
from .source_tables import ENERGY_ITERATIONS, MASSES

SETTLED = 5.0  # %, within which every mass must stay to count as settled
POOR = 1.0  # %, above which we call an error poor
LINEAR = 0.95  # share of a trace's variation that a straight line takes, above which we call the trace linear
READING = (
    f"Closer: the worst mass at the end; faster: samples until all masses stay within {SETTLED:g} %, our reading of "
    "an iteration as a sample."
)


def compare_trends(study: SimulationRuns) -> dict[str, Any]:
    """Return by name what the text says of motions, models and orders is compared with."""
    plain = {motion: study.of("4.4", motion) for motion in ("X", "XY", "Z", "fall")}
    rough = {motion: study.of("4.6", motion) for motion in ("X", "Z", "XY")}
    pairs = [(plain[a], plain[b]) for a in ("X", "XY") for b in ("Z", "fall")]
    rough_pairs = [(rough["Z"], rough[other]) for other in ("X", "XY")]
    return {
        "settled": SETTLED,
        "poor": POOR,
        "linear_from": 100 * LINEAR,
        "iterations": ENERGY_ITERATIONS,
        "reading": READING,
        "plain_sizes": _describe_sizes(plain),
        "rough_sizes": _describe_sizes(rough),
        "plain_closer": [compute_worst_mass(a) < compute_worst_mass(b) for a, b in pairs],
        "plain_faster": _count_held([_settles_before(a, b) for a, b in pairs]),
        "rough_closer": [compute_worst_mass(a) < compute_worst_mass(b) for a, b in rough_pairs],
        "rough_faster": _count_held([_settles_before(a, b) for a, b in rough_pairs]),
        **_compare_energy_model(study),
        **_compare_orders(study),
    }


def count_settling_samples(result: CaseResult) -> int:
    """Return samples until every mass stays within 5 % of the truth; one more than there are if it never does."""
    errors = 100 * np.abs(result.source_history[:, : len(MASSES)] / result.true[: len(MASSES)] - 1)
    outside = np.flatnonzero(errors.max(axis=1) > SETTLED)
    return int(outside[-1]) + 2 if len(outside) else 1


def compute_straightness(result: CaseResult) -> list[float]:
    """Share of each mass's variation over the iterations shown that a straight line takes; 0 if it does not move."""
    traces = result.source_history[:ENERGY_ITERATIONS, : len(MASSES)].T
    samples = np.arange(traces.shape[1])
    return [float(np.corrcoef(samples, one)[0, 1] ** 2) if np.ptp(one) > 0 else 0.0 for one in traces]


def _settles_before(first: CaseResult, second: CaseResult) -> bool:
    return count_settling_samples(first) < count_settling_samples(second)


def _describe_sizes(results: Mapping[str, CaseResult]) -> str:
    return "; ".join(
        f"{name} {compute_worst_mass(one):.2g} % after {count_settling_samples(one)}"
        for name, one in results.items()
    )


def _count_held(held: Sequence[bool]) -> str:
    return f"holds in {sum(held)} of {len(held)}"


def _compare_energy_model(study: SimulationRuns) -> dict[str, Any]:
    energy, force = (
        {motion: study.of(table, motion) for motion in ("X", "Z", "XY")} for table in ("4.8", "4.4")
    )
    worse = []
    for motion, result in energy.items():
        for k, name in enumerate(MASSES):
            errors = [abs(one.as_source[k] / one.true[k] - 1) for one in (result, force[motion])]
            worse.append((errors[0] < errors[1]) if (motion, name) == ("Z", "m_b") else errors[0] > errors[1])
    ratio = compute_worst_mass(energy["X"]) / compute_worst_mass(energy["XY"])
    straight = {motion: compute_straightness(one) for motion, one in energy.items()}
    curved = [one <= LINEAR for motion in ("X", "XY") for one in straight[motion]]
    i = energy["XY"].names.index("Iyy_e")
    return {
        "straight": "; ".join(f"{name} {min(one):.2g} to {max(one):.2g}" for name, one in straight.items()),
        "energy_alike": [1 / FACTOR <= ratio <= FACTOR],
        "energy_linear": [*(one > LINEAR for one in straight["Z"]), *curved],
        "energy_worse": worse,
        "axial": 100 * abs(float(energy["XY"].as_source[i] / energy["XY"].true[i]) - 1),
        "axial_reason": NOT_SEEN if i in energy["XY"].base.invisible else BY_GUESS,
    }


def _compare_orders(study: SimulationRuns) -> dict[str, Any]:
    motions = ("X", "Z", "XY")
    orders = [
        {motion: study.of(table, motion) for motion in (*motions, "fall")}
        for table in ("4.4", "4.10", "4.12")
    ]
    sequential, random, spread = orders
    return {
        "order_samples": ", ".join(
            f"{m} " + " / ".join(str(count_settling_samples(by[m])) for by in orders) for m in motions
        ),
        "order_z": max(compute_worst_mass(by["Z"]) for by in orders),
        "order_fall": max(compute_worst_mass(by["fall"]) for by in orders),
        "random_slower": _count_held([_settles_before(sequential[m], random[m]) for m in motions]),
        "spread_as_good": [
            compute_worst_mass(spread[m]) <= FACTOR * compute_worst_mass(sequential[m]) for m in motions
        ],
        "poor_in_every_order": [compute_worst_mass(by[m]) > POOR for by in orders for m in ("Z", "fall")],
    }
