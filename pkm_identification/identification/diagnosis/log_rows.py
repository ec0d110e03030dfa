# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""One log as hypotheses need it: samples at the drive's rate, and a thin grid for what bodies do.

Friction bends within a millisecond, so its columns are made of every sample and pass the very filter of the equations.
What rigid bodies do is smooth: its columns need the motion only on a thin grid, low-passed well above the band, and
pass the same filter there by its impulse response. Both give the equations' own rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pkm_identification.mechanisms.hexapod.kinematics.forward import platform_motion
from pkm_identification.mechanisms.hexapod.kinematics.nearby import inverse_jacobians, nearby_motion
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion, StrutMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.butterworth import low_pass, zero_phase, zero_phase_response

from ..equations.band_rows import BandPiece, band_pieces, in_band
from ..equations.rest import moving_equations
from ..samples import Samples

DENSITY = 5.0  # samples of the thin grid per period of the band's cutoff, at least
SMOOTH = 2.0  # cutoff of the motion on the thin grid, in cutoffs of the band
SMOOTH_ORDER = 6
FORGOTTEN = 1e-7  # of the impulse response's peak: where it ends


@kernel
def _thinned(response, values, every, smooth):
    """Every so many rows (K, C) of a convolution with values (N, C), from the first the whole response covers."""
    for k in range(smooth.shape[0]):
        newest = k * every + response.size - 1
        for j in range(max(0, newest - values.shape[0] + 1), response.size):
            for c in range(smooth.shape[1]):
                smooth[k, c] += response[j] * values[newest - j, c]


@dataclass(frozen=True)
class LogRows:
    """Samples of a log and the way into its equations.

    Attributes
    ----------
    machine : Machine
    parameters : ParameterSet
        What is estimated: with friction, equations at rest are left out.
    samples : Samples
        Zero-phase, every row a good pose, with forces.
    band : BandSettings
    """

    machine: Machine
    parameters: ParameterSet
    samples: Samples
    band: BandSettings

    @cached_property
    def pieces(self) -> list[BandPiece]:
        """Stretches that equations are taken from."""
        return band_pieces(self.samples.struts.segment, self.band)

    @cached_property
    def moving(self) -> NDArray[np.bool_]:
        """Which of the pieces' equations are used."""
        return moving_equations(self.machine, self.parameters, self.samples.struts, self.band)

    @property
    def struts(self) -> StrutMotion:
        """Strut motion at the drive's rate."""
        return self.samples.struts

    @property
    def force(self) -> FloatArray:
        """Measured forces (N, 6) in N behind the kinematic low-pass."""
        force = self.samples.struts.force
        if force is None:
            raise ValueError("samples without forces make no equations")
        return force

    def in_band(self, values: FloatArray) -> FloatArray:
        """Columns at all samples (N, ...) as the equations have them (K, ...)."""
        return in_band(values, self.struts.segment, self.band)[self.moving]

    @cached_property
    def step(self) -> int:
        """Samples from one point of the thin grid to the next: a divisor of the stride."""
        most = 1.0 / (DENSITY * self.band.cutoff * self.band.period)
        stride = self.band.stride
        return max(step for step in range(1, stride + 1) if stride % step == 0 and step <= max(most, 1.0))

    @cached_property
    def thin(self) -> NDArray[np.int64]:
        """Samples on the thin grid."""
        parts = [
            np.arange(piece.part.start + piece.chosen.start % self.step, piece.part.stop, self.step)
            for piece in self.pieces
        ]
        return np.concatenate(parts or [np.empty(0, dtype=np.int64)])

    @property
    def smoothing(self) -> FloatArray:
        """Second-order sections of the low-pass before the thin grid."""
        rate = 1.0 / self.band.period
        return low_pass(SMOOTH_ORDER, min(SMOOTH * self.band.cutoff, 0.45 * rate), rate)

    @cached_property
    def thin_struts(self) -> StrutMotion:
        """Smooth strut motion on the thin grid."""
        struts = self.struts
        rate = 1.0 / self.band.period
        cutoff = SMOOTH * self.band.cutoff
        if self.step == 1 or cutoff >= 0.45 * rate:
            return struts[self.thin]
        sections = self.smoothing
        smooth = [np.array(x) for x in (struts.length, struts.rate, struts.acceleration)]
        for piece in self.pieces:
            for values in smooth:
                values[piece.part] = zero_phase(sections, values[piece.part])
        length, speed, second = smooth
        return replace(struts, length=length, rate=speed, acceleration=second)[self.thin]

    @cached_property
    def thin_motion(self) -> PlatformMotion:
        """Platform motion on the thin grid."""
        return platform_motion(self.machine, self.thin_struts)[0]

    @cached_property
    def _inverse(self) -> FloatArray:
        """Inverse Jacobians of the thin motion."""
        return inverse_jacobians(self.machine, self.thin_motion)

    def thin_motion_of(self, machine: Machine, struts: StrutMotion) -> PlatformMotion:
        """Platform motion on the thin grid of another geometry, or of other lengths, both near to the log's own."""
        return nearby_motion(machine, struts, self.thin_motion, self._inverse)

    def thin_in_band(self, values: FloatArray) -> FloatArray:
        """Columns on the thin grid (n, ...) as the equations have them (K, ...)."""
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
            _thinned(response, padded[lead:], every, smooth)
            parts.append(smooth.reshape(wanted, *values.shape[1:]))
        return np.concatenate(parts or [np.empty((0, *values.shape[1:]))])[self.moving]

    def power_in_band(self, power: FloatArray) -> FloatArray:
        """Variance at the equations (K, ...) of what passes the band of white noise of variances (N, ...)."""
        half = 4 * self.band.settling
        squares = zero_phase_response(self.band.sections, half) ** 2
        parts = []
        for piece in self.pieces:
            own = power[piece.part].reshape(piece.part.stop - piece.part.start, -1)
            padded = np.pad(own, ((half, half), (0, 0)))[piece.chosen.start :]
            passed = np.zeros((len(range(*piece.chosen.indices(len(own)))), own.shape[1]))
            _thinned(squares, padded, self.band.stride, passed)
            parts.append(passed.reshape(len(passed), *power.shape[1:]))
        return np.concatenate(parts or [np.empty((0, *power.shape[1:]))])[self.moving]

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
