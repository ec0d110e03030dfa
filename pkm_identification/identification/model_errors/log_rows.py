# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One log as hypotheses need it: samples at the drive's rate, and a thin grid for what bodies do.

Friction reverses within a millisecond, so its columns are made of every sample and pass the very filter of the
equations. What rigid bodies do is smooth: its columns need the motion only on a thin grid, low-passed well above the
band, and pass the same filter there by its impulse response. Both give the equations' own rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.contract import Machine, Motion, NeighbourSolver
from pkm_identification.machines.load import AnyMachine, as_machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.butterworth import low_pass, zero_phase, zero_phase_response

from ..equations.band_rows import BandPiece, band_pieces, in_band
from ..equations.standstill import StandstillLimits, find_standstill
from ..samples import Samples

DENSITY = 2.5  # samples of the thin grid per period of the cutoff of the motion on it, at least
SMOOTH = (
    2.0,
    4.0,
    8.0,
)  # cutoffs of the motion on the thin grid, in cutoffs of the band, the first that will do
# Of a drive's rms rate: what is lost above that cutoff and is more is motion, whose square makes force in the band
LOST_RATE = 0.1
# Of a large change per s: slower, its square makes no force to speak of (v^2 over the change, .1 % of gravity for .1 m)
LEAST_RATE_LOST = 0.3
SMOOTH_ORDER = 6
HIGHEST_OF_RATE = 0.45  # of the sample rate: no low-pass is higher
FORGOTTEN = 1e-7  # of the impulse response's peak: where it ends


@kernel
def _convolve_thinned(response, values, every, smooth):
    """Every so many rows (K, C) of a convolution with values (N, C), from the first the whole response covers."""
    for k in range(smooth.shape[0]):
        newest = k * every + response.size - 1
        for j in range(max(0, newest - values.shape[0] + 1), response.size):
            for c in range(smooth.shape[1]):
                smooth[k, c] += response[j] * values[newest - j, c]


class DriveMotion(NamedTuple):
    """Coordinates, rates and accelerations of drives, (n, drives) each, in their units."""

    coordinate: FloatArray
    rate: FloatArray
    acceleration: FloatArray


@dataclass(frozen=True)
class LogRows:
    """Samples of a log and the way into its equations.

    Attributes
    ----------
    machine : Machine
    samples : Samples
        Smooth, every row with a closed motion.
    band : BandSettings
    still : ndarray of bool, shape (K, n)
        Which drives stand still at each equation that `band_pieces` takes: an equation of which all do is left out, the
        row of one that does is zero.
    """

    machine: Machine
    samples: Samples
    band: BandSettings
    still: NDArray[np.bool_]

    @cached_property
    def pieces(self) -> list[BandPiece]:
        """Segments that equations are taken from."""
        return band_pieces(self.samples.segment, self.band)

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """Which of the pieces' equations are used, (K,)."""
        return np.asarray(~self.still.all(axis=1))

    @cached_property
    def used(self) -> NDArray[np.bool_]:
        """Which drives' rows are used of these, (K', n)."""
        return ~self.still[self.kept]

    @property
    def motion(self) -> Motion:
        """Motion at the drive's rate."""
        return self.samples.motion

    @property
    def force(self) -> FloatArray:
        """Measured forces (N, n) behind the kinematic low-pass."""
        if self.samples.force is None:
            raise ValueError("samples without forces make no equations")
        return self.samples.force

    def in_band(self, values: FloatArray) -> FloatArray:
        """Return columns at all samples (N, n, ...) as the equations have them (K', n, ...)."""
        return self.select(in_band(values, self.samples.segment, self.band))

    def select(self, values: FloatArray) -> FloatArray:
        """Return rows (K, n, ...) of the equations that are used, zero where a drive stands still."""
        values = values[self.kept]
        if not self.used.all():
            values[~self.used] = 0.0
        return values

    def at_equations(self, values: FloatArray) -> FloatArray:
        """Return values at all samples (N, n, ...) at the instants of the equations that are used, unfiltered."""
        parts = [values[piece.part][piece.chosen] for piece in self.pieces]
        return self.select(np.concatenate(parts or [np.empty((0, *values.shape[1:]))]))

    @cached_property
    def cutoff(self) -> float:
        """Cutoff in Hz of the motion on the thin grid, which keeps what drives do; infinite: all samples are on it.

        Drives that swing far above the band make forces in it by their squares.
        """
        rate, size = self.motion.rate, np.array([drive.size for drive in self.machine.drives])
        moved = np.sqrt(np.mean(rate**2, axis=0)) if len(rate) else np.zeros_like(size)
        for factor in SMOOTH:
            cutoff = factor * self.band.cutoff
            if self._find_step(cutoff) == 1 or cutoff >= HIGHEST_OF_RATE / self.band.period:
                break
            lost = np.sqrt(np.mean((rate - self.smooth(rate, cutoff)) ** 2, axis=0)) if len(rate) else moved
            if not np.any((lost > LOST_RATE * moved) & (lost > LEAST_RATE_LOST * size)):
                return cutoff
        return np.inf

    def _find_step(self, cutoff: float) -> int:
        most, stride = 1.0 / (DENSITY * cutoff * self.band.period), self.band.stride
        return max(step for step in range(1, stride + 1) if stride % step == 0 and step <= max(most, 1.0))

    @cached_property
    def step(self) -> int:
        """Samples from one point of the thin grid to the next: a divisor of the stride."""
        return self._find_step(self.cutoff)

    @cached_property
    def thin(self) -> NDArray[np.int64]:
        """Samples on the thin grid."""
        parts = [
            np.arange(piece.part.start + piece.chosen.start % self.step, piece.part.stop, self.step)
            for piece in self.pieces
        ]
        return np.concatenate(parts or [np.empty(0, dtype=np.int64)])

    def smooth(self, values: FloatArray, cutoff: float | None = None) -> FloatArray:
        """Return values at all samples (N, ...) behind the low-pass before the thin grid, or one of a cutoff in Hz."""
        highest = HIGHEST_OF_RATE / self.band.period
        sections = low_pass(SMOOTH_ORDER, min(cutoff or self.cutoff, highest), 1.0 / self.band.period)
        made = np.array(values, dtype=float)
        for piece in self.pieces:
            made[piece.part] = zero_phase(sections, made[piece.part])
        return made

    @cached_property
    def thin_drives(self) -> DriveMotion:
        """Smooth motion of the drives on the thin grid."""
        parts = (self.motion.coordinate, self.motion.rate, self.motion.acceleration)
        smooth = parts if self.step == 1 else tuple(map(self.smooth, parts))
        return DriveMotion(*(values[self.thin] for values in smooth))

    @cached_property
    def thin_segment(self) -> NDArray[np.int64]:
        """Segment of each point of the thin grid."""
        return self.samples.segment[self.thin]

    @cached_property
    def thin_motion(self) -> Motion:
        """Motion on the thin grid, loops closed."""
        return self.machine.compute_motion(*self.thin_drives, self.motion[self.thin].state)

    @cached_property
    def _nearby(self) -> NeighbourSolver:
        return self.machine.create_neighbour_solver(self.thin_motion)

    def thin_motion_of(self, machine: Machine, drives: DriveMotion) -> Motion:
        """Return the motion on the thin grid of another geometry, or of other coordinates, near to the log's own."""
        return self._nearby(machine, *drives)

    def thin_in_band(self, values: FloatArray) -> FloatArray:
        """Return columns on the thin grid (n, drives, ...) as the equations have them (K', drives, ...)."""
        response, reach = self._response
        every = self.band.stride // self.step
        parts, start = [], 0
        for piece in self.pieces:
            begin = piece.part.start + piece.chosen.start % self.step
            count = len(range(begin, piece.part.stop, self.step))
            own = values[start : start + count].reshape(count, -1)
            start += count
            padded = np.pad(own, ((reach, reach), (0, 0)), mode="edge")
            lead = piece.chosen.start // self.step
            wanted = len(range(*piece.chosen.indices(piece.part.stop - piece.part.start)))
            smooth = np.zeros((wanted, own.shape[1]))
            _convolve_thinned(response, padded[lead:], every, smooth)
            parts.append(smooth.reshape(wanted, *values.shape[1:]))
        return self.select(np.concatenate(parts or [np.empty((0, *values.shape[1:]))]))

    @cached_property
    def _response(self) -> tuple[FloatArray, int]:
        """Impulse response of the band's two passes on the thin grid, and its reach to either side."""
        every = self.band.stride // self.step
        half = 4 * self.band.settling
        response = zero_phase_response(self.band.sections, half)
        seen = np.nonzero(np.abs(response) > FORGOTTEN * np.max(np.abs(response)))[0]
        reach = every * -(-(half - int(seen[0])) // (self.step * every))
        reach = min(reach, every * (half // (self.step * every)))
        return self.step * response[
            half - reach * self.step : half + reach * self.step + 1 : self.step
        ], reach


def rows_of_samples(
    machine: AnyMachine,
    parameters: ParameterSet,
    samples: Samples,
    band: BandSettings,
    flicker: FloatArray | None = None,
) -> LogRows:
    """Return the rows of smooth samples of a log; `flicker` as of `StandstillLimits.of`."""
    machine, motion = as_machine(machine), samples.motion
    limits = StandstillLimits.of(machine, parameters, flicker)
    still = find_standstill(limits, motion.coordinate, motion.rate, samples.segment, band)
    return LogRows(machine, samples, band, still)
