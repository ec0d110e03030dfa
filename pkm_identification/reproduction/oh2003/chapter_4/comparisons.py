# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where a number of the source's chapter 4 stands: to the truth, and to what its data can identify at all."""

from __future__ import annotations

from dataclasses import dataclass

from pkm_identification.estimation.identifiability import IDENTIFIABLE

from .cases import CaseResult
from .source_tables import INERTIAS, MASSES, TABLES, SourceNumber

RIGHT = "right"
OFF = "off, though the data identify it"
GUESS = "its first guess"
GUESS_IN_SUM = "its first guess, though a sum with it is identified"
BY_START = "decided by the first guess"
LEFT_OPEN = "within what the data leave open"
BEYOND = "off by more than the data leave open"
NOT_LEGIBLE = "not legible"

ROUNDING = 0.005  # of the truth: the source prints three digits
NEAR_START = 0.01  # of the first guess
SIGMAS = 2.0


@dataclass(frozen=True)
class Comparison:
    """One number of the source next to ours.

    Attributes
    ----------
    result : CaseResult
    name : str
        Parameter.
    source : SourceNumber
    standing : str
    """

    result: CaseResult
    name: str
    source: SourceNumber
    standing: str

    @property
    def index(self) -> int:
        """Of the parameter."""
        return self.result.names.index(self.name)


def mass_comparisons(results: tuple[CaseResult, ...]) -> tuple[Comparison, ...]:
    """Return all masses of all cases in the order of the tables."""
    unread = SourceNumber(None, None, "")
    return tuple(
        _compute_comparison(
            result, name, TABLES.get((result.case.table, result.case.motion), {}).get(name, unread)
        )
        for result in results
        for name in MASSES
    )


def inertia_comparisons(result: CaseResult) -> tuple[Comparison, ...]:
    """Return the inertias of one case next to the source's typical ones."""
    return tuple(_compute_comparison(result, name, source) for name, source in INERTIAS.items())


def _compute_comparison(result: CaseResult, name: str, source: SourceNumber) -> Comparison:
    return Comparison(result, name, source, standing(result, name, source))


def standing(result: CaseResult, name: str, source: SourceNumber) -> str:
    """In words; see the module's constants. The masses' first guess is itself a guess and decides nothing."""
    if source.value is None:
        return NOT_LEGIBLE
    i = result.names.index(name)
    true, start, std = result.true[i], result.start[i], result.estimate.std[i]
    error = abs(source.value - true)
    moved = abs(source.value - start)
    if name not in MASSES and moved <= NEAR_START * abs(start) and error > 2 * moved:
        return GUESS if i in result.base.invisible else GUESS_IN_SUM
    if not result.alone_identifiable(name):
        return BY_START
    right = error <= max(ROUNDING * abs(true), SIGMAS * std)
    if result.estimate.status[i] == IDENTIFIABLE:
        return RIGHT if right else OFF
    return LEFT_OPEN if right else BEYOND
