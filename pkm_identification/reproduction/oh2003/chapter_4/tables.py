# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tables of the simulation study: the source's numbers with their marks, ours, statuses and verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pkm_identification.report.listing import (
    ABSENT,
    Listing,
    number,
    relative,
    with_deviation,
)

if TYPE_CHECKING:
    from pkm_identification.estimation.identifiability import BaseParameters

    from .cases import Case, CaseResult
    from .comparisons import Comparison
    from .noise import NoiseResult

CASE_HEADER = ("table", "case")
SUMS = 4  # shown of a motion


def case_name(case: Case) -> str:
    """Return what a case is, in a few words."""
    words = [case.motion]
    if case.model == "energy":
        words.append("energy")
    if case.friction:
        words.append("friction")
    if case.order != "sequential":
        words.append(case.order)
    if case.noise:
        words.append(f"{100 * case.noise:g} %")
    return ", ".join(words)


def build_mass_table(comparisons: Sequence[Comparison]) -> Listing:
    """One mass of one case a row, where the source's number can be read."""
    header = (
        *CASE_HEADER,
        "kg",
        "true",
        "source",
        "%",
        "mark",
        "source's filter",
        "ours",
        "std",
        "error/std",
        "status",
        "source's number",
    )
    rows = []
    for one in comparisons:
        if one.source.value is None and one.source.percent is None:
            continue
        result, i = one.result, one.index
        value, std = with_deviation(result.estimate.values[i], result.estimate.std[i])
        rows.append(
            (
                result.case.table.split(",")[0],
                case_name(result.case),
                one.name,
                f"{result.true[i]:.2f}",
                number(one.source.value, 4),
                number(one.source.percent, 4),
                one.source.mark or ABSENT,
                f"{result.as_source[i]:.3f}",
                value,
                std,
                f"{(result.estimate.values[i] - result.true[i]) / result.estimate.std[i]:.1f}",
                result.estimate.status[i],
                one.standing,
            )
        )
    return Listing(
        header, tuple(rows), frozenset(("true", "source", "%", "source's filter", "ours", "std", "error/std"))
    )


def build_inertia_table(
    comparisons: Sequence[Comparison], results: Sequence[CaseResult], source_names: dict[str, str]
) -> Listing:
    """One inertia a row: the source's typical number next to the first guess, and which motions could identify it."""
    header = (
        "1e-6 kg m^2",
        "source's name",
        "true",
        "first guess",
        "%",
        "source",
        "%",
        "mark",
        *(f"ours, {case_name(result.case)}" for result in results),
        "alone in",
        "in a sum in",
        "source's number",
    )
    rows = []
    for one in comparisons:
        i = one.index
        true, start = one.result.true[i], one.result.start[i]
        alone = [result.case.motion for result in results if result.alone_identifiable(one.name)]
        summed = [
            result.case.motion
            for result in results
            if result.names.index(one.name) not in result.base.invisible
            and not result.alone_identifiable(one.name)
        ]
        rows.append(
            (
                one.name,
                source_names.get(one.name, one.name),
                _format_micro(true),
                _format_micro(start),
                f"{abs(relative(start, true) or 0.0):.2f}",
                _format_micro(one.source.value),
                number(one.source.percent, 4),
                one.source.mark,
                *(_format_micro(result.estimate.values[i]) for result in results),
                ", ".join(alone) or "none",
                ", ".join(summed) or "none",
                one.standing,
            )
        )
    left = {"1e-6 kg m^2", "source's name", "mark", "alone in", "in a sum in", "source's number"}
    return Listing(header, tuple(rows), frozenset(header) - left)


def rank_table(bases: Sequence[tuple[str, BaseParameters]]) -> Listing:
    """Return what exact data of each kind would identify: rank, what has no effect, sums."""
    header = ("data", "parameters", "rank", "without any effect", "only in sums")
    rows = []
    for name, base in bases:
        sums = [text for text in base.groupings if " " in text]
        more = [f"and {len(sums) - SUMS} more"] if len(sums) > SUMS else []
        invisible = ", ".join(base.names[i] for i in base.invisible)
        rows.append(
            (
                name,
                str(len(base.names)),
                str(base.count),
                invisible or "none",
                "; ".join(sums[:SUMS] + more) or "none",
            )
        )
    return Listing(header, tuple(rows), frozenset(("parameters", "rank")))


def build_noise_table(results: Sequence[NoiseResult], source: dict[tuple[str, float], str]) -> Listing:
    """Worst error of a mass in %: one model and noise a row."""
    header = (
        "model",
        "noise",
        "source, %",
        "source's filter, %",
        "no process noise, %",
        "std, %",
        "masses identified",
        "10 s in the band, %",
        "std, % ",
        "masses identified ",
    )
    rows = tuple(
        (
            one.model,
            f"{100 * one.noise:g} %",
            source.get((one.model, one.noise), ABSENT),
            _format_worst(one.as_source),
            _format_worst(one.plain),
            _format_worst(one.plain_std),
            f"{one.plain_identified} of 3",
            _format_worst(one.band),
            _format_worst(one.band_std),
            f"{one.band_identified} of 3",
        )
        for one in results
    )
    return Listing(header, rows, frozenset(header[3:]))


def build_iteration_table(rows: Sequence[tuple[CaseResult, int, float | None]]) -> Listing:
    """Worst error of a mass after as many samples as the source's figure shows iterations, and at the end."""
    header = (
        *CASE_HEADER,
        "iterations",
        "source, %",
        "source's filter then, %",
        "at the end, %",
        "no process noise then, %",
        "at the end, % ",
    )
    lines = []
    for result, count, source in rows:
        errors = [
            100 * np.abs(values[:3] / result.true[:3] - 1).max()
            for history in (result.source_history, result.history)
            for values in (history[min(count, len(history)) - 1], history[-1])
        ]
        lines.append(
            (
                result.case.table,
                case_name(result.case),
                str(count),
                number(source, 4),
                *(f"{error:.2g}" for error in errors),
            )
        )
    return Listing(header, tuple(lines), frozenset(header[2:]))


def order_table(rows: Sequence[tuple[CaseResult, ...]]) -> Listing:
    """Largest change of a mass in % against sequential order, with and without process noise; one motion a row."""
    header = (
        "motion",
        "source's filter, random",
        "source's filter, spread",
        "no process noise, random",
        "no process noise, spread",
    )
    lines = []
    for sequential, *others in rows:
        scale = sequential.true[:3]
        with_noise = [np.abs((one.as_source - sequential.as_source)[:3] / scale).max() for one in others]
        without = [
            np.abs((one.estimate.values - sequential.estimate.values)[:3] / scale).max() for one in others
        ]
        lines.append((sequential.case.motion, *(f"{100 * v:.1e}" for v in (*with_noise, *without))))
    return Listing(header, tuple(lines), frozenset(header[1:]))


def _format_micro(value: float | None) -> str:
    return ABSENT if value is None else f"{1e6 * value:.1f}"


def _format_worst(errors: np.ndarray) -> str:
    return f"{100 * np.median(np.abs(errors).max(axis=1)):.2g}"
