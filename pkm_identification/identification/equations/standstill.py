# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which equations are of drives that stand still: friction hides what they would say, and they must not be used.

At rest, friction of a drive is any force that Coulomb friction allows, not what a law says of its rate; and the rate is
noise of the encoder, which flickers between two counts and which the force does not follow. Such equations draw
friction to zero and gravity to what friction holds, a thousand times the same, the surer the longer the rest.

A drive rests, as far as anybody can tell, where its coordinate stays within what noise and an encoder's flicker make of
it, or where its rate stays far below that at which the friction law has its transition, where the law stands for
sticking, for as long as the band's filter remembers: one that creeps on leaves the counts it was between, however
slow it is against the noise of its rate. Left out are its rows at rest, also while others move, and those whose
filter still remembers one: friction lets go when the machine breaks away, and the force jumps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.equations import Equations
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings

from .band_rows import band_pieces

# Encoder counts between which a drive flickers and hunts at rest. No whole number: coordinates of a drive that rests
# differ by whole counts, and no rounding is to decide.
COUNTS = 2.5
SLOW = 0.05  # of the rate at which the friction law bends: what it says of Coulomb friction is less than that share


@dataclass(frozen=True)
class StandstillLimits:
    """Up to where drives rest.

    Attributes
    ----------
    range : ndarray, shape (n,)
        By which a coordinate varies, m or rad; 0 where nothing is known of encoders.
    rate : ndarray, shape (n,)
        m/s or rad/s.
    together : bool
        Whether drives rest where all do: limbs of one design that carry one platform do not stand while others move,
        but for the moments around a turn.
    """

    range: FloatArray
    rate: FloatArray
    together: bool = False

    @classmethod
    def of(
        cls, machine: Machine, parameters: ParameterSet, flicker: FloatArray | None = None
    ) -> StandstillLimits | None:
        """Return those of a machine; None where its model has no friction that could hold it: rest tells of gravity.

        `flicker` (n,) is the range that a log shows at rest; else that of the encoders in the machine's file.
        """
        rows = machine.standstill_rows
        if not np.any(parameters.mapping[rows]) and not np.any(parameters.known[rows]):
            return None
        if flicker is None:
            flicker = COUNTS * np.array([drive.resolution for drive in machine.drives])
        slow = SLOW * np.array([friction.transition_rate for friction in machine.friction])
        return cls(flicker, slow, machine.has_identical_limbs)


@kernel
def _mark_still(coordinate, rate, newest, count, most, fastest, still):
    """Write which drives rest in the `count` samples up to the `newest` of rings (N, n); return whether all do."""
    every = True
    for i in range(coordinate.shape[1]):
        low, high, quick = coordinate[newest, i], coordinate[newest, i], 0.0
        still[i] = True
        for age in range(count):
            index = (newest - age) % coordinate.shape[0]
            low = min(low, coordinate[index, i])
            high = max(high, coordinate[index, i])
            quick = max(quick, abs(rate[index, i]))
            if high - low > most[i] and quick > fastest[i]:
                still[i] = False
                every = False
                break
    return every


@kernel
def _mark_all(coordinate, rate, newest, count, most, fastest, still):
    """Write which drives rest at each of some instants, (K, n)."""
    for k in range(newest.size):
        _mark_still(coordinate, rate, newest[k], count, most, fastest, still[k])


def find_standstill(
    limits: StandstillLimits | None,
    coordinate: FloatArray,
    rate: FloatArray,
    segment: NDArray[np.int64],
    band: BandSettings,
    online: bool = False,
) -> NDArray[np.bool_]:
    """Return which drives stand still at the equations that `band_pieces` takes from samples, (K, n).

    Parameters
    ----------
    limits : StandstillLimits or None
    coordinate, rate : ndarray, shape (N, n)
        Smooth.
    segment : ndarray of int64, shape (N,)
    band : BandSettings
    online : bool
        Whether the band's filter is the causal one, which remembers the past alone, or runs both ways. Drives rest
        then where all do, as `StandstillWatch` has it.
    """
    pieces = band_pieces(segment, band, online)
    instants = [np.arange(*piece.chosen.indices(piece.part.stop - piece.part.start)) for piece in pieces]
    if limits is None:
        return np.zeros((sum(map(len, instants)), coordinate.shape[1]), dtype=bool)
    half = band.settling // 2
    ahead, count = (0, band.settling + 1) if online else (half, 2 * half + 1)
    # a drive that breaks away alone jumps; where all do, motion begins slowly
    reach = half if limits.together else 2 * half
    parts = [np.empty((0, coordinate.shape[1]), dtype=bool)]
    for piece, rows in zip(pieces, instants, strict=True):
        still = np.zeros((len(rows), coordinate.shape[1]), dtype=bool)
        own, speed = contiguous(coordinate[piece.part]), contiguous(rate[piece.part])
        _mark_all(own, speed, rows + ahead, count, limits.range, limits.rate, still)
        if online or limits.together:
            still[:] = still.all(axis=1, keepdims=True)
        remembered = _remember(rows, still, band.settling if online else reach)
        if not online:
            remembered |= _remember(-rows[::-1], still[::-1], reach)[::-1]
        parts.append(remembered)
    return np.concatenate(parts)


def _remember(instants: NDArray[np.int64], still: NDArray[np.bool_], reach: int) -> NDArray[np.bool_]:
    """Return which of ascending instants (K,) follow one at which a drive rests by no more than `reach` samples."""
    rested = np.where(still, instants[:, None], instants.min(initial=0) - reach - 1)
    return np.asarray(instants[:, None] - np.maximum.accumulate(rested, axis=0) <= reach)


def drop_still(values: FloatArray, still: NDArray[np.bool_]) -> FloatArray:
    """Return rows (K, n, ...) without those where all drives stand still (K, n), and with zeros where one does."""
    if not still.any():
        return values
    kept = ~still.all(axis=1)
    chosen = values[kept].copy()
    chosen[still[kept]] = 0.0
    return chosen


def leave_out(equations: Equations, still: NDArray[np.bool_]) -> Equations:
    """Return equations without those where all drives stand still (K, n), and with rows of zeros where one does."""
    if not still.any():
        return equations
    kept = np.asarray(~still.all(axis=1))
    if not still[kept].any():
        return equations[kept]
    regressor, measured, force = (
        drop_still(one, still) for one in (equations.regressor, equations.measured, equations.force)
    )
    return Equations(equations.time[kept], regressor, measured, force, equations.segment[kept])


class StandstillWatch:
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
    motion : ndarray, shape (3, remembered, n)
        The drives' coordinates, rates and accelerations: a ring, in which whoever takes a sample writes what belongs to
        it. The first of a segment is in the first place.
    """

    def __init__(self, machine: Machine, parameters: ParameterSet, band: BandSettings) -> None:
        self._limits = StandstillLimits.of(machine, parameters)
        self.remembered = band.settling + 1
        count = len(machine.drives)
        self.motion = np.zeros((3, self.remembered, count))
        self._coordinate, self._rate = self.motion[:2]
        self._still = np.zeros(count, dtype=bool)
        self.begin()

    def begin(self) -> None:
        """Begin a segment."""
        self._rested: int | None = None  # age of the last equation at rest

    def equation(self, age: int) -> bool:
        """Return whether all drives rest at the last sample's equation, which so many precede, or it remembers that."""
        limits = self._limits
        if limits is None or age + 1 < self.remembered:
            return False
        newest = age % self.remembered
        if _mark_still(
            self._coordinate, self._rate, newest, self.remembered, limits.range, limits.rate, self._still
        ):
            self._rested = age
        return self._rested is not None and age - self._rested < self.remembered
