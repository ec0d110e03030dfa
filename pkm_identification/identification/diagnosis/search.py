# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The search for causes: forward selection among all hypotheses, each choice refitted with those before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.estimation.lack_of_fit.evidence import Base
from pkm_identification.estimation.lack_of_fit.selection import DECISIVE, by_evidence, rivals
from pkm_identification.estimation.lack_of_fit.together import Together
from pkm_identification.numerics.arrays import FloatArray

from ..model_errors.effect import Effect
from .candidates import Candidates, Choice, candidates_of
from .evidence_base import EvidenceBase
from .noise_floor import NoiseFloor
from .standstill import with_standstill

MOST_CAUSES = 6
REFITS = 3  # of columns that depend on the estimate
LEAST_PART = 1e-3  # of a large coefficient: of none of it the change is none
DISTINCT = 5.0  # standard deviations from the median, for a member of a group to be a cause of its own
MOST_DISTINCT = 3
SHARED = 0.1  # of the member furthest apart: less of the others is what its column leaves, not being linear


@dataclass(frozen=True)
class Pick:
    """A choice with its columns as they were made last, and what the data could not tell from it.

    Attributes
    ----------
    choice : Choice
    columns : ndarray, shape (K, n, q)
    scale : ndarray, shape (q,)
        What a large coefficient is, widened to what was found: a prior that pulled back what the data show to be large
        would be evidence for whatever shares in it.
    rivals : tuple of str
    alternatives : ndarray, shape (n, P)
        What each rival would change about the reported parameters, SI units.
    """

    choice: Choice
    columns: FloatArray
    scale: FloatArray
    rivals: tuple[str, ...]
    alternatives: FloatArray


@dataclass(frozen=True)
class Found:
    """A cause as it stands among all that were found.

    Attributes
    ----------
    pick : Pick
    evidence : float
        Logarithm of the odds against all others without it.
    coefficients, covariance : ndarray, shapes (q,) and (q, q)
    left : float
        Sum of squares that it alone takes away from the model without any, in units of the noise floor.
    moved : ndarray, shape (P,)
        What it alone changes about the reported parameters, SI units.
    """

    pick: Pick
    evidence: float
    coefficients: FloatArray
    covariance: FloatArray
    left: float
    moved: FloatArray


@dataclass(frozen=True)
class Search:
    """The result of the selection.

    Attributes
    ----------
    first, last : Base
        Without any choice, and with all of them.
    found : tuple of Found
        What explains most first.
    together : Together
        All candidates beside the first.
    noise : float
        Variance of pure error per independent row, in units of the floor's.
    candidates : Candidates
        Under the first estimate.
    floor : NoiseFloor
        With what pure error shows near standstill.
    """

    first: Base
    last: Base
    found: tuple[Found, ...]
    together: Together
    noise: float
    candidates: Candidates
    floor: NoiseFloor


def search(base: EvidenceBase, effects: Sequence[Effect], noise_floor: NoiseFloor, first: Base) -> Search:
    """Select causes until no candidate has decisive evidence.

    Parameters
    ----------
    base : EvidenceBase
    effects : sequence of Effect
        The hypotheses.
    noise_floor : NoiseFloor
    first : Base
        The model alone, its rows divided by that floor.
    """
    candidates = candidates_of(base, effects, base.situations(base.parameters(first)))
    return _select_groups(base, first, noise_floor, candidates)


def search_again(base: EvidenceBase, found: Search) -> Search:
    """The same with a noise floor that knows how well friction near standstill is known; itself where it is well.

    That is asked of what all causes together leave, those that were found as they are at their sizes.
    """
    situations = base.situations(base.parameters(found.last))
    pure = found.candidates.beside(found.last).saturated
    floor = with_standstill(found.floor, pure.left, base.near_standstill(situations))
    if floor is found.floor:
        return found
    return _select_groups(base, base.base(floor.of_equations), floor, found.candidates)


def _select_groups(
    base: EvidenceBase, first: Base, noise_floor: NoiseFloor, candidates: Candidates
) -> Search:
    together = candidates.beside(first)
    everything, choices = together.saturated, candidates.choices
    # what is below the part of the floor that nothing is modelled better than cannot be told from rounding
    rounding = float(np.mean((noise_floor.exact / noise_floor.std) ** 2))
    noise = max(everything.pure_error, everything.correlation * rounding)
    last, present = first, together
    picks: list[Pick] = []
    tried: set[str] = set()
    for _ in range(MOST_CAUSES):
        ranking = by_evidence(candidates.scores(present, noise))
        ranked = [one for one in ranking if choices[one.place].name not in tried]
        if not ranked or ranked[0].score.evidence < DECISIVE:
            break
        best = ranked[0]
        choice, columns = choices[best.place], candidates.columns(best.place)
        tried.add(choice.name)
        near = rivals(ranked, choices)
        alternatives = [base.moved(one.score.moved) for one in ranked[1:] if choices[one.place].name in near]
        parts = _find_distinct_members(choice, best.score.coefficients, best.score.covariance)
        # one strut is a choice of its own and may be what stands apart in its group: it is one cause all the same
        picked = {pick.choice.name for pick in picks}
        parts = [part for part in parts if part.name not in picked]
        tried.update(part.name for part in parts)
        for part in parts:
            own, sizes = columns, np.abs(best.score.coefficients)
            if part is not choice:
                own, sizes = columns[:, :, part.members], sizes[part.members]
            scale = np.maximum(part.scale, sizes)
            picks.append(Pick(part, own, scale, near, np.reshape(alternatives, (-1, base.problem.reported))))
        last, picks = _refit(base, first, picks)
        last, picks = _prune(base, first, last, picks, noise)
        present = candidates.beside(last)
    causes = [_build_found(base, first, picks, place, noise) for place in range(len(picks))]
    causes.sort(key=lambda one: -one.left)
    return Search(first, last, tuple(causes), together, noise, candidates, noise_floor)


def _find_distinct_members(choice: Choice, coefficients: FloatArray, covariance: FloatArray) -> list[Choice]:
    """Return a group in which only a few members differ from the others, as those members; else the choice itself.

    What all members of a group have in common (a factor of all forces) the data need not show, so that each is
    uncertain while their differences are not. Where the others surely have the thing, too, it is a matter of all.
    """
    if not choice.effect.members or choice.together or len(choice.members) == 1:
        return [choice]
    size = len(coefficients)
    against = np.eye(size) - np.full((size, size), 1.0 / size)
    std = np.sqrt(np.diag(against @ covariance @ against.T))
    off = np.abs(coefficients - np.median(coefficients))
    apart = off > DISTINCT * std
    if not 0 < np.count_nonzero(apart) <= MOST_DISTINCT:
        return [choice]
    sure = np.maximum(DISTINCT * np.sqrt(np.diag(covariance)), SHARED * off[apart].max())
    if np.any((np.abs(coefficients) > sure)[~apart]):
        return [choice]
    return [Choice(choice.effect, choice.members[k : k + 1]) for k in np.nonzero(apart)[0]]


def _refit(base: EvidenceBase, first: Base, picks: list[Pick]) -> tuple[Base, list[Pick]]:
    """Return all choices together, their columns made again where they depend on the estimate."""
    last = _add_choice(first, picks)
    for _ in range(REFITS):
        if all(pick.choice.effect.linear for pick in picks):
            break
        situations = base.situations(base.parameters(last))
        # unknowns of the choices, after those of the base
        place = len(first.pulls)
        refitted = []
        for pick in picks:
            effect, size = pick.choice.effect, len(pick.choice.scale)
            columns = pick.columns
            if effect.secant is not None:
                values = np.zeros(len(effect.scale))
                values[pick.choice.members] = last.solution[place : place + size] * pick.scale
                values = np.where(
                    np.abs(values) > LEAST_PART * effect.scale, values, LEAST_PART * effect.scale
                )
                columns = pick.choice.of(base.columns_at(effect.secant, situations, values))
            elif effect.at is not None:
                value = float(last.solution[place] * pick.scale[0])
                columns = base.columns_at(effect.at, situations, value)
            elif not effect.linear:
                columns = pick.choice.of(base.columns(effect, situations))
            refitted.append(replace(pick, columns=columns))
            place += size
        picks = refitted
        last = _add_choice(first, picks)
    return last, picks


def _prune(
    base: EvidenceBase, first: Base, last: Base, picks: list[Pick], noise: float
) -> tuple[Base, list[Pick]]:
    """Without the choices that later ones have made superfluous."""
    while len(picks) > 1:
        worth = [_compute_evidence(first, picks, place, noise) for place in range(len(picks))]
        least = int(np.argmin(worth))
        if worth[least] >= DECISIVE:
            break
        picks = [pick for place, pick in enumerate(picks) if place != least]
        last, picks = _refit(base, first, picks)
    return last, picks


def _compute_evidence(first: Base, picks: Sequence[Pick], place: int, noise: float) -> float:
    """Evidence of one choice against all others."""
    others = _add_choice(first, [pick for k, pick in enumerate(picks) if k != place])
    pick = picks[place]
    return others.score(pick.columns, pick.choice.scale, noise, pick.choice.effect.positive).evidence


def _build_found(base: EvidenceBase, first: Base, picks: Sequence[Pick], place: int, noise: float) -> Found:
    pick = picks[place]
    others = _add_choice(first, [other for k, other in enumerate(picks) if k != place])
    score = others.score(pick.columns, pick.choice.scale, noise, pick.choice.effect.positive)
    alone = first.score(pick.columns, pick.choice.scale, noise)
    return Found(
        pick=pick,
        evidence=score.evidence,
        coefficients=score.coefficients,
        covariance=score.covariance,
        left=float(first.residual @ first.residual) - alone.left,
        moved=base.moved(score.moved),
    )


def _add_choice(base: Base, picks: Sequence[Pick]) -> Base:
    for pick in picks:
        base = base.extend(pick.columns, pick.scale)
    return base
