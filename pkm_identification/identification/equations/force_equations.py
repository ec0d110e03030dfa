# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Equations of the hexapod's force model: its linear model, and what smoothing does to friction at reversals."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.equations import Equations
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.model import HexapodModel
from pkm_identification.motion import STRUTS, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.causal import FilterSettings

from .band_rows import band_pieces
from .bend import BendCorrection, bends_in_band, take_off_all
from .linear_equations import linear_equations
from .reversal import reversal_pulses, reversal_time


def force_equations(
    machine: Machine,
    parameters: ParameterSet,
    motion: PlatformMotion,
    force: FloatArray,
    segment: NDArray[np.int64],
    band: BandSettings,
    online: bool = False,
    rounded_after: float = -np.inf,
    low_pass: FilterSettings | None = None,
) -> Equations:
    """Equations of the force model; parameters as of `linear_equations`.

    Parameters
    ----------
    machine, parameters
        The model and its unknowns.
    motion : PlatformMotion
        Every row a good pose.
    force : ndarray, shape (N, 6)
        Strut forces in N.
    segment : ndarray of int64, shape (N,)
    band : BandSettings
    online : bool
    rounded_after : float
        Stamp in s up to which rates have no noise, whatever the machine's friction says (`rates.rounding_watch`).
    low_pass : FilterSettings, optional
        What the motion has passed, where friction's bend is to be corrected for it as online (`bend`).
    """
    time = reversal_time(band.period)

    def pulses(samples: PlatformMotion) -> FloatArray:
        """Each strut's own pulse, (n, 6, 6)."""
        columns = np.zeros((len(samples), STRUTS, STRUTS))
        columns[:, np.arange(STRUTS), np.arange(STRUTS)] = reversal_pulses(machine, samples, time)
        early = _until(rounded_after, machine, samples)
        if early:
            columns[:early, np.arange(STRUTS), np.arange(STRUTS)] = reversal_pulses(
                _exact(machine), samples[:early], time
            )
        return columns

    model = _LateRounding(machine, rounded_after)
    equations = linear_equations(model, parameters, motion, force, segment, band, online, pulses)
    correction = None if low_pass is None else BendCorrection(machine, parameters, band, low_pass.cutoff)
    if low_pass is None or correction is None or correction.gains is None or not len(equations):
        return equations
    bends = []
    for piece in band_pieces(segment, band, online):
        samples = motion[piece.part]
        rate = strut_motion_from_platform(machine, samples)[1]
        early = _until(rounded_after, machine, samples)
        bends.append(bends_in_band(machine, low_pass, correction, rate, early, piece, band))
    take_off_all(np.concatenate(bends), correction.entering, equations.regressor, equations.measured)
    return equations


@dataclass(frozen=True)
class _LateRounding(HexapodModel):
    """The hexapod whose rates are taken for exact up to a stamp in s."""

    rounded_after: float

    def regressor(self, motion: PlatformMotion, mapping: FloatArray) -> FloatArray:
        columns = super().regressor(motion, mapping)
        early = _until(self.rounded_after, self.machine, motion)
        if early:
            columns[:early] = HexapodModel(_exact(self.machine)).regressor(motion[:early], mapping)
        return columns


def _until(stamp: float, machine: Machine, motion: PlatformMotion) -> int:
    """Samples of a stretch up to a stamp; 0 where that makes no difference."""
    return int(np.searchsorted(motion.time, stamp, side="right")) if machine.friction.rate_noise else 0


def _exact(machine: Machine) -> Machine:
    return replace(machine, friction=replace(machine.friction, rate_noise=0.0))
