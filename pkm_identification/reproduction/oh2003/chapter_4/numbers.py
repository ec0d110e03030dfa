# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The legible numbers of chapter 4 next to ours: masses of Tables 4.4 to 4.16, inertias of 4.5 to 4.17."""

from __future__ import annotations

from pkm_identification.estimation.identifiability import IDENTIFIABLE
from pkm_identification.reproduction.number import Number, at_most, mark_undecided, value

from .cases import CaseResult
from .comparisons import BEYOND, BY_START, LEFT_OPEN, Comparison
from .source_tables import ENERGY_INERTIAS, INERTIAS, LINES, MASSES
from .tables import case_name

NEAR = 0.5  # points of the error in %: three digits of a mass
EXACT = 0.04  # %, that the source gives for all masses together, as a bound
SUMS = (("Ixx_b", "Ixx_e"), ("Izz_b", "Izz_e"))
NOT_SEEN = "without any effect on these data: where it ends is the first guess, which the text does not print"
ONLY_SUM = (
    "only its sum with another is in these data: the rest is the first guess, which the text does not print"
)
BY_GUESS = "these data do not identify it: where it ends is decided by the first guess, which the text does not print"


def mass_number(comparison: Comparison) -> Number | None:
    """Error of a mass in %, the source's and that of its filter here; None where nothing is legible."""
    result, source, i = comparison.result, comparison.source, comparison.index
    true = float(result.true[i])
    percent = source.percent
    mark = source.mark.split("/")[0]
    if percent is None:
        if source.value is None:
            return None
        # two decimals, as the source prints them
        percent, mark = round(100 * abs(source.value / true - 1), 2), source.mark.split("/")[-1]
    ours = 100 * abs(float(result.as_source[i]) / true - 1)
    table = result.case.table.split(",")[0]
    name = f"Table {table}, {case_name(result.case)}: {comparison.name} off"
    line = LINES.get((table, result.case.motion))
    if comparison.standing in (BY_START, LEFT_OPEN, BEYOND):
        return mark_undecided(name, percent, ours, "%", mark, line, because=BY_GUESS)
    if percent <= EXACT:
        return at_most(name, percent, ours, "%", mark, line)
    return value(name, percent, ours, "%", mark, line, near=NEAR)


def inertia_numbers(result: CaseResult) -> tuple[Number, ...]:
    """Tables 4.5, 4.7, 4.11, 4.13, 4.15, nearly alike: each inertia, then the sums that are in the data."""
    singles = {name: (source.legible, source.mark) for name, source in INERTIAS.items()}
    return _compute_inertias(f"Table 4.5, {case_name(result.case)}", result, singles)


def energy_inertia_numbers(results: dict[str, CaseResult]) -> tuple[Number, ...]:
    """Tables 4.9 and 4.17; results by motion, as `source_tables.ENERGY_INERTIAS`."""
    numbers: list[Number] = []
    for motion, printed in ENERGY_INERTIAS.items():
        table = "4.17" if "%" in motion else "4.9"
        numbers += _compute_inertias(f"Table {table}, {motion}", results[motion], printed)
    return tuple(numbers)


def _compute_inertias(
    label: str, result: CaseResult, printed: dict[str, tuple[float, str]]
) -> tuple[Number, ...]:
    numbers = []
    for name, (source, mark) in printed.items():
        i = result.names.index(name)
        true = float(result.true[i])
        invisible = i in result.base.invisible
        numbers.append(
            mark_undecided(
                f"{label}: {name} off",
                100 * (source / true - 1),
                100 * (float(result.as_source[i]) / true - 1),
                "%",
                mark.split("/")[-1],
                None,
                because=NOT_SEEN if invisible else ONLY_SUM,
            )
            if invisible or not result.alone_identifiable(name)
            else value(
                f"{label}: {name} off",
                100 * (source / true - 1),
                100 * (float(result.as_source[i]) / true - 1),
                "%",
                mark.split("/")[-1],
                None,
                near=NEAR,
            )
        )
    return (
        *numbers,
        *(_sum(label, result, printed, pair) for pair in SUMS if _compute_visible(result, pair)),
    )


def _compute_visible(result: CaseResult, pair: tuple[str, str]) -> bool:
    return all(result.names.index(name) not in result.base.invisible for name in pair)


def _sum(
    label: str, result: CaseResult, printed: dict[str, tuple[float, str]], pair: tuple[str, str]
) -> Number:
    """Return a sum of two inertias, which the data identify: its error in %."""
    index = [result.names.index(name) for name in pair]
    name = f"{label}: {' + '.join(pair)} off"
    true = float(result.true[index].sum())
    marks = [printed[name][1].split("/")[-1] for name in pair]
    mark = max(marks, key=lambda one: "SPG".index(one[0]))
    source = 100 * (sum(printed[name][0] for name in pair) / true - 1)
    ours = 100 * (float(result.as_source[index].sum()) / true - 1)
    if result.estimate.status[result.names.index(pair[0])] != IDENTIFIABLE:
        return mark_undecided(name, source, ours, "%", mark, None, because=BY_GUESS)
    return value(name, source, ours, "%", mark, None, near=NEAR)


def compute_worst_mass(result: CaseResult) -> float:
    """Return largest error of a mass by the source's filter, %."""
    return 100 * max(abs(float(result.as_source[k] / result.true[k]) - 1) for k in range(len(MASSES)))
