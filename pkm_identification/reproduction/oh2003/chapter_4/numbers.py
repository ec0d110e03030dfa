# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Errors in % next to the legible numbers of chapter 4: masses of Tables 4.4 to 4.16, inertias of 4.5 to 4.17.

Each has the name of its case, as `4.4 XY m_e`; under `printed` behind it is what the text's number comes to, and under
`reason` why it cannot be judged, or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pkm_identification.estimation.identifiability import IDENTIFIABLE

from .cases import CaseResult
from .comparisons import BEYOND, BY_START, LEFT_OPEN, mass_comparisons
from .source_tables import MASSES, SourceNumber

SUMS = (("Ixx_b", "Ixx_e"), ("Izz_b", "Izz_e"))
NOT_SEEN = "without any effect on these data: where it ends is the first guess, which the text does not print"
ONLY_SUM = (
    "only its sum with another is in these data: the rest is the first guess, which the text does not print"
)
BY_GUESS = "these data do not identify it: where it ends is decided by the first guess, which the text does not print"


def name_case(result: CaseResult) -> str:
    """Return table and motion, as the study's file has them."""
    return f"{result.case.table} {result.case.motion}"


def compare_masses(results: tuple[CaseResult, ...]) -> dict[str, Any]:
    """Return the error of every mass of every case by the source's filter."""
    found: dict[str, Any] = {}
    for one in mass_comparisons(results):
        result, i = one.result, one.index
        name = f"{name_case(result)} {one.name}"
        found[name] = 100 * abs(float(result.as_source[i]) / float(result.true[i]) - 1)
        found[f"{name} reason"] = BY_GUESS if one.standing in (BY_START, LEFT_OPEN, BEYOND) else ""
    return found


def compare_inertias(result: CaseResult, printed: Mapping[str, SourceNumber]) -> dict[str, Any]:
    """Return the error of every printed inertia of a case, and of the sums that are in its data."""
    found: dict[str, Any] = {}
    index = {name: result.names.index(name) for name in printed}
    for names in (*((name,) for name in printed), *SUMS):
        places = [index[name] for name in names]
        true = float(result.true[places].sum())
        name = f"{name_case(result)} {' + '.join(names)}"
        found[name] = 100 * (float(result.as_source[places].sum()) / true - 1)
        found[f"{name} printed"] = 100 * (sum(printed[one].legible for one in names) / true - 1)
        found[f"{name} reason"] = _find_reason(result, names, places)
    return found


def _find_reason(result: CaseResult, names: tuple[str, ...], places: list[int]) -> str:
    if any(i in result.base.invisible for i in places):
        return NOT_SEEN
    if len(names) > 1:
        return BY_GUESS if result.estimate.status[places[0]] != IDENTIFIABLE else ""
    return "" if result.alone_identifiable(names[0]) else ONLY_SUM


def compute_worst_mass(result: CaseResult) -> float:
    """Return largest error of a mass by the source's filter, %."""
    return 100 * max(abs(float(result.as_source[k] / result.true[k]) - 1) for k in range(len(MASSES)))
