# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Which equations are of a machine that stands still: friction hides what they would say, and they must not be used.

At rest, friction of a strut is any force that Coulomb friction allows, not what a law says of its rate; and the rate is
noise of the encoder, which flickers between two counts and which the force does not follow. Such equations draw
friction to zero and gravity to what friction holds, a thousand times the same, the surer the longer the rest.

A strut rests, as far as anybody can tell, where its length stays within what an encoder's flicker makes of it, or
where its rate stays far below that at which the friction law bends, where the law stands for sticking. The machine is
at rest when all struts have been for as long as the band's filter remembers: a strut that creeps on leaves the counts
it was between, however slow it is against the noise of its rate. Left out are the equations at rest, and those whose
filter still remembers one: friction lets go when the machine breaks away, and the force jumps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.mechanisms.hexapod.dynamics.basis import coulomb_columns
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, StrutMotion
from pkm_identification.numerics.arrays import contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings

from .band_rows import BandPiece, band_pieces

# Encoder counts between which a strut flickers and a drive hunts at rest. No whole number: lengths of a strut that
# rests differ by whole counts, and no rounding is to decide.
COUNTS = 2.5
SLOW = 0.05  # of the rate at which the friction law bends: what it says of Coulomb friction is less than that share


@dataclass(frozen=True)
class RestLimits:
    """Up to where a strut rests.

    Attributes
    ----------
    range : float
        By which its length varies, m; 0 where nothing is known of encoders.
    rate : float
        m/s.
    """

    range: float
    rate: float

    @classmethod
    def of(cls, machine: Machine, parameters: ParameterSet) -> RestLimits | None:
        """Those of a machine; None where its model has no friction that could hold it: rest tells of gravity then."""
        columns = coulomb_columns(machine)
        if not np.any(parameters.mapping[columns]) and not np.any(parameters.known[columns]):
            return None
        known = machine.drive is not None and machine.drive.has_encoder
        flicker = COUNTS / machine.drive.counts_per_meter if known and machine.drive is not None else 0.0
        return cls(flicker, SLOW * machine.friction.transition_rate)


@kernel
def _resting(length, rate, newest, count, most, fastest):
    """Whether all struts rest in the `count` samples up to the `newest` of rings of lengths and rates (n, 6)."""
    struts = length.shape[1]
    low, high = length[newest].copy(), length[newest].copy()
    quick = np.zeros(struts)
    for age in range(count):
        place = (newest - age) % length.shape[0]
        for i in range(struts):
            low[i] = min(low[i], length[place, i])
            high[i] = max(high[i], length[place, i])
            quick[i] = max(quick[i], abs(rate[place, i]))
            if high[i] - low[i] > most and quick[i] > fastest:
                return False
    return True


def moving_equations(
    machine: Machine, parameters: ParameterSet, struts: StrutMotion, band: BandSettings, online: bool = False
) -> NDArray[np.bool_]:
    """Which of the equations that `band_pieces` takes from samples are not at rest, shape (K,).

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
        What is estimated.
    struts : StrutMotion
        Smoothed.
    band : BandSettings
    online : bool
        Whether the band's filter is the causal one, which remembers the past alone, or runs both ways.
    """
    pieces = band_pieces(struts.segment, band, online)
    limits = RestLimits.of(machine, parameters)
    if limits is None:
        return np.ones(sum(len(_instants(piece)) for piece in pieces), dtype=bool)
    ahead, count = (0, band.settling + 1) if online else (band.settling // 2, 2 * (band.settling // 2) + 1)
    moving = []
    for piece in pieces:
        instants = _instants(piece)
        length, rate = contiguous(struts.length[piece.part]), contiguous(struts.rate[piece.part])
        still = np.array(
            [
                _resting(length, rate, newest, count, limits.range, limits.rate)
                for newest in (instants + ahead).tolist()
            ],
            dtype=bool,
        )
        remembered = _remembers(instants, still, band.settling if online else band.settling // 2)
        if not online:
            remembered |= _remembers(-instants[::-1], still[::-1], band.settling // 2)[::-1]
        moving.append(~remembered)
    return np.concatenate(moving or [np.empty(0, dtype=bool)])


def _instants(piece: BandPiece) -> NDArray[np.int64]:
    """The samples of a piece's part that equations are taken at."""
    return np.arange(*piece.chosen.indices(piece.part.stop - piece.part.start))


def _remembers(instants: NDArray[np.int64], still: NDArray[np.bool_], reach: int) -> NDArray[np.bool_]:
    """Which of ascending instants follow one at rest by no more than `reach` samples."""
    last = np.maximum.accumulate(np.where(still, instants, instants.min(initial=0) - reach - 1))
    return instants - last <= reach


class RestWatch:
    """The same of one sample after the other.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
    band : BandSettings

    Attributes
    ----------
    remembered : int
        Samples that the band's filter remembers, with the newest.
    struts : ndarray, shape (3, remembered, 6)
        Their strut lengths, rates and accelerations in m, m/s and m/s^2: a ring, in which whoever takes a sample writes
        what belongs to it. The first of a stretch is in the first place.
    """

    def __init__(self, machine: Machine, parameters: ParameterSet, band: BandSettings) -> None:
        self._limits = RestLimits.of(machine, parameters)
        self.remembered = band.settling + 1
        self.struts = np.zeros((3, self.remembered, STRUTS))
        self._length, self._rate = self.struts[:2]
        self.begin()

    def begin(self) -> None:
        """A stretch begins."""
        self._rested: int | None = None  # age of the last equation at rest

    def equation(self, age: int) -> bool:
        """Whether the equation at the last sample, which so many precede, is at rest, or remembers one that was."""
        limits = self._limits
        if limits is None or age + 1 < self.remembered:
            return False
        newest = age % self.remembered
        if _resting(self._length, self._rate, newest, self.remembered, limits.range, limits.rate):
            self._rested = age
        return self._rested is not None and age - self._rested < self.remembered
