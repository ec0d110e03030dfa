# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Which further columns a model wants most: candidates compared by their evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pkm_identification.numerics.arrays import FloatArray

from .evidence import Base, Score

DECISIVE = 10.0  # log evidence: odds of 20 000 to 1
UNDECIDED = 5.0  # difference of log evidence below which two candidates are not told apart


class Named(Protocol):
    """Something that the data may ask for."""

    @property
    def name(self) -> str:
        """Of the cause."""


@dataclass(frozen=True)
class Candidate:
    """Columns that may be added together.

    Attributes
    ----------
    name : str
    family : str
        Candidates of one family are kinds of one thing.
    columns : ndarray, shape (K, m, q)
    scale : ndarray, shape (q,)
        Prior standard deviations of their coefficients.
    positive : bool
        Whether a single coefficient cannot be negative.
    """

    name: str
    family: str
    columns: FloatArray
    scale: FloatArray
    positive: bool = False


@dataclass(frozen=True)
class Ranked:
    """A candidate and what the data say of it."""

    place: int
    score: Score


def ranking(base: Base, candidates: Sequence[Candidate], noise: float) -> list[Ranked]:
    """Return all candidates, the likeliest first; `noise` as of `Base.score`."""
    return by_evidence(
        base.score(candidate.columns, candidate.scale, noise, candidate.positive) for candidate in candidates
    )


def by_evidence(scores: Iterable[Score]) -> list[Ranked]:
    """Scores with their places, the likeliest first."""
    return sorted(
        (Ranked(place, score) for place, score in enumerate(scores)), key=lambda one: -one.score.evidence
    )


def rivals(ranked: Sequence[Ranked], candidates: Sequence[Named]) -> tuple[str, ...]:
    """Return names of the candidates that the data cannot tell from the first, in order; it is not among them."""
    best = ranked[0]
    own = candidates[best.place].name
    names = [
        candidates[one.place].name
        for one in ranked[1:]
        if one.score.evidence > max(best.score.evidence - UNDECIDED, DECISIVE)
    ]
    return tuple(dict.fromkeys(name for name in names if name != own))
