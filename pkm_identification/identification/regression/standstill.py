# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Which drives stand still at which equations: friction hides what their forces would say, and they must not be used.

A drive that stands still is held by friction of any size up to Coulomb's, not by what the law says of its rate, also
where others move. It does so where its coordinate stays within what noise and counts of its encoder make of it, or its
rate far below that at which the friction law bends, for as long as the band's filter remembers. All of that drive's
equations whose filter sees such a stand are left out: its force jumps as it stops and as it breaks away.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.white_noise import position_noise

from ..equations.band_rows import band_pieces
from ..equations.rest import COUNTS, SLOW
from .limits import measure_step
from .samples import Samples
from .validation import FEWEST_OF_NOISE, ValidatedLog

# The range of some hundred smooth samples of noise is 5 of its deviations, and hardly ever 8
NOISE_RANGE = 8.0


def can_hold(machine: Machine, parameters: ParameterSet) -> bool:
    """Whether the model has friction that could hold the machine: without it, standstill tells of gravity."""
    rows = machine.standstill_rows
    return bool(np.any(parameters.mapping[rows]) or np.any(parameters.known[rows]))


def measure_flicker(machine: Machine, log: ValidatedLog, cutoff: float) -> FloatArray:
    """Return the range (n,) in which noise and counts keep a smooth coordinate at rest, m or rad.

    Parameters
    ----------
    machine : Machine
    log : ValidatedLog
        As the encoders report it.
    cutoff : float
        Of the low-pass that makes coordinates smooth, Hz.
    """
    stated = np.array([drive.resolution for drive in machine.drives])
    counts = np.array([measure_step(column) for column in log.coordinate.T])
    noise = np.zeros(len(counts))
    if len(log) >= FEWEST_OF_NOISE:
        smooth = np.sqrt(min(1.0, 2.0 * cutoff * log.period))  # what of white noise passes
        noise = smooth * position_noise(log.coordinate, log.period)
    return np.maximum(COUNTS * np.where(stated > 0.0, stated, counts), NOISE_RANGE * noise)


def find_standstill(
    machine: Machine, samples: Samples, band: BandSettings, flicker: FloatArray
) -> NDArray[np.bool_]:
    """Return which drives stand still at the equations that `band_pieces` takes of samples, (K, n)."""
    slow = SLOW * np.array([one.transition_rate for one in machine.friction])
    half = band.settling // 2
    reach = -(
        -2 * half // band.stride
    )  # equations whose filter sees any of the samples at which a drive stands still
    parts = [np.empty((0, len(slow)), dtype=bool)]
    for piece in band_pieces(samples.segment, band):
        instants = np.arange(*piece.chosen.indices(piece.part.stop - piece.part.start))
        still = np.zeros((len(instants), len(slow)), dtype=bool)
        coordinate, rate = (
            np.ascontiguousarray(one[piece.part]) for one in (samples.motion.coordinate, samples.motion.rate)
        )
        _fill_still(coordinate, rate, instants, half, flicker, slow, still)
        remembered = still.copy()
        for shift in range(1, reach + 1):
            remembered[shift:] |= still[:-shift]
            remembered[:-shift] |= still[shift:]
        parts.append(remembered)
    return np.concatenate(parts)


@kernel
def _fill_still(coordinate, rate, instants, half, flicker, slow, still):
    """Write whether each drive stands still in the `half` samples to either side of each instant, (K, n)."""
    for k in range(instants.size):
        for i in range(coordinate.shape[1]):
            first = max(instants[k] - half, 0)
            last = min(instants[k] + half, coordinate.shape[0] - 1)
            low, high, quick = coordinate[first, i], coordinate[first, i], 0.0
            for m in range(first, last + 1):
                low, high = min(low, coordinate[m, i]), max(high, coordinate[m, i])
                quick = max(quick, abs(rate[m, i]))
                if high - low > flicker[i] and quick > slow[i]:
                    break
            still[k, i] = high - low <= flicker[i] or quick <= slow[i]
