# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Equations of the hexapod's force model: its linear model, and what smoothing does to friction at reversals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.equations import Equations
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.model import HexapodModel
from pkm_identification.motion import STRUTS, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings

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
    """
    time = reversal_time(band.period)

    def pulses(samples: PlatformMotion) -> FloatArray:
        """Each strut's own pulse, (n, 6, 6)."""
        columns = np.zeros((len(samples), STRUTS, STRUTS))
        columns[:, np.arange(STRUTS), np.arange(STRUTS)] = reversal_pulses(machine, samples, time)
        return columns

    return linear_equations(HexapodModel(machine), parameters, motion, force, segment, band, online, pulses)
