# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Candidates of the selection from kinds of causes: singles, the same for all struts, and all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.lack_of_fit.selection import Candidate
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.pipelined import side_by_side

from .evidence_base import EvidenceBase
from .hypotheses import Effect
from .situation import Situation


@dataclass(frozen=True)
class Choice:
    """Which of an effect's columns are meant.

    Attributes
    ----------
    effect : Effect
    members : ndarray of int64, shape (n,)
    together : bool
        Whether all of them have one coefficient.
    """

    effect: Effect
    members: NDArray[np.int64]
    together: bool = False

    @property
    def name(self) -> str:
        """Of the cause, where it is one."""
        if self.together or (self.whole and self.effect.common):
            return self.effect.common
        if self.effect.members and len(self.members) == 1:
            return self.effect.members[int(self.members[0])]
        return self.effect.name

    @property
    def whole(self) -> bool:
        """Whether it takes all of its effect's columns, each with a coefficient of its own."""
        return not self.together and len(self.members) == len(self.effect.scale)

    @property
    def scale(self) -> FloatArray:
        """Prior standard deviations of the coefficients."""
        return self.effect.scale[:1] if self.together else self.effect.scale[self.members]

    def of(self, columns: FloatArray) -> FloatArray:
        """Columns of the choice from those of its effect."""
        chosen = columns[:, :, self.members]
        return chosen.sum(axis=2, keepdims=True) if self.together else chosen

    def candidate(self, columns: FloatArray) -> Candidate:
        """For the selection, from the columns of the effect."""
        return Candidate(self.name, self.effect.family, self.of(columns), self.scale, self.effect.positive)


def choices_of(effect: Effect) -> list[Choice]:
    """All ways to choose from an effect's columns."""
    every = np.arange(len(effect.scale))
    if not effect.members:
        return [Choice(effect, every)]
    choices = [Choice(effect, every[k : k + 1]) for k in every]
    choices.append(Choice(effect, every))
    if effect.common:
        choices.append(Choice(effect, every, together=True))
    return choices


def candidates_of(
    base: EvidenceBase, effects: Sequence[Effect], situations: Sequence[Situation]
) -> tuple[list[Choice], list[Candidate]]:
    """All choices from all effects, with their columns under one estimate."""
    choices, candidates = [], []
    made = side_by_side(partial(base.columns, situations=situations), effects)
    for effect, columns in zip(effects, made, strict=True):
        if not np.all(np.isfinite(columns)):
            continue
        for choice in choices_of(effect):
            own = choice.of(columns)
            if not np.any(own):
                continue
            choices.append(choice)
            candidates.append(choice.candidate(columns))
    return choices, candidates
