# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Candidates of the selection from kinds of causes: singles, the same for all struts, and all together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.lack_of_fit.evidence import Base, Score
from pkm_identification.estimation.lack_of_fit.together import Together
from pkm_identification.numerics.arrays import FloatArray

from ...model_errors.effect import Effect


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
        """Return columns of the choice from those of its effect."""
        chosen = columns[:, :, self.members]
        return chosen.sum(axis=2, keepdims=True) if self.together else chosen


def choices_of(effect: Effect) -> list[Choice]:
    """Return all ways to choose from an effect's columns."""
    every = np.arange(len(effect.scale))
    if not effect.members:
        return [Choice(effect, every)]
    choices = [Choice(effect, every[k : k + 1]) for k in every]
    choices.append(Choice(effect, every))
    if effect.common:
        choices.append(Choice(effect, every, together=True))
    return choices


@dataclass(frozen=True)
class Candidates:
    """All choices from all effects, with their columns under one estimate.

    Attributes
    ----------
    choices : tuple of Choice
    effects : tuple of ndarray, shape (K, 6, q)
        Columns of each effect, which its choices share.
    owner : tuple of int
        Which of these each choice is from.
    """

    choices: tuple[Choice, ...]
    effects: tuple[FloatArray, ...]
    owner: tuple[int, ...]

    def columns(self, place: int) -> FloatArray:
        """Return columns (K, 6, q) of a choice."""
        return self.choices[place].of(self.effects[self.owner[place]])

    def beside(self, base: Base) -> Together:
        """Return all of them worked off a base."""
        scale = np.concatenate([np.empty(0), *self._scales])
        none = np.empty((len(base.segment), self.effects[0].shape[1] if self.effects else 0, 0))
        return Together.of(base, np.concatenate([none, *self.effects], axis=2), scale)

    def scores(self, together: Together, noise: float) -> Iterator[Score]:
        """Yield what the data say of each choice; `noise` as of `Base.score`."""
        for choice, mixed in zip(self.choices, self._mixed, strict=True):
            yield together.score(mixed, choice.scale, noise, choice.effect.positive)

    @property
    def _scales(self) -> list[FloatArray]:
        own = {owner: choice.effect.scale for owner, choice in zip(self.owner, self.choices, strict=True)}
        return [own[k] for k in range(len(self.effects))]

    @cached_property
    def _mixed(self) -> list[FloatArray]:
        """Each choice as sums of all scaled columns, (Q, q)."""
        scales = self._scales
        begins = np.concatenate([[0], np.cumsum([len(scale) for scale in scales])]).astype(int)
        mixed = []
        for choice, owner in zip(self.choices, self.owner, strict=True):
            sums = np.zeros((begins[-1], len(choice.scale)))
            rows = begins[owner] + choice.members
            if choice.together:
                sums[rows, 0] = choice.scale[0] / scales[owner][choice.members]
            else:
                sums[rows, np.arange(len(rows))] = 1.0
            mixed.append(sums)
        return mixed
