# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What a search for a motion needs to know of a machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.simulation.trajectories import peaks
from pkm_identification.simulation.waveforms import Derivatives, FadedWaves, MultiSine

SLOWEST, FASTEST = 0.1, 3.0  # Hz
PERIOD = 0.05  # s, of the states that are weighed
GRID = 0.005  # s, of those whose limits are tried
AS_MUCH = 2.0  # times the rates and forces of `rich`, where a machine does not state how much it can do


@dataclass(frozen=True)
class Response:
    """What displacements of a machine make of it.

    Attributes
    ----------
    columns : ndarray, shape (N, n, P)
        The regressor.
    force : ndarray, shape (N, n)
        Of the drives, N or N m.
    use : ndarray, shape (N, U)
        Of the machine's limits, within them up to 1.
    """

    columns: FloatArray
    force: FloatArray
    use: FloatArray

    @property
    def rms(self) -> FloatArray:
        """Of each drive's force, (n,)."""
        rms = np.sqrt(np.mean(self.force**2, axis=0))
        return np.where(rms > 0, rms, 1.0)

    @property
    def rows(self) -> FloatArray:
        """The regressor (N n, P) with each drive's rows over its rms force: noise is taken for a part of it."""
        return (self.columns / self.rms[:, None]).reshape(-1, self.columns.shape[-1])


class Subject(Protocol):
    """A machine, what is to be known of it, and how long it may move.

    Attributes
    ----------
    names : tuple of str, length P
    kinds : tuple of Kind, length P
    scale : ndarray, shape (P,)
        What a large error of each parameter is, in its unit.
    start : MultiSine
        The motion `rich`, with all tones that may be used.
    waves : FadedWaves
        Of these tones, every PERIOD.
    """

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def kinds(self) -> tuple[Kind, ...]: ...

    @property
    def scale(self) -> FloatArray: ...

    @property
    def start(self) -> MultiSine: ...

    @property
    def waves(self) -> FadedWaves: ...

    def response(self, displacement: Derivatives) -> Response | None:
        """Of displacements and their derivatives, one by sample; None where the machine cannot be there."""

    def columns(self, signal: MultiSine) -> FloatArray | None:
        """Weighted rows (R, P) of the regressor every PERIOD; None out of the limits."""

    def allowed(self, signal: MultiSine) -> bool:
        """Whether the limits are kept at GRID, and between."""


def furthest(values: FloatArray) -> FloatArray:
    """Largest sizes (n,) of evenly sampled signals (N, n), between the samples too."""
    return np.maximum(*(np.abs(part) for part in peaks(values)))


def with_all_tones(signal: MultiSine, duration: float) -> MultiSine:
    """The same motion with amplitudes, mostly zero, for all tones of the band that repeat with the duration."""
    frequency = np.arange(np.ceil(SLOWEST * duration), np.floor(FASTEST * duration) + 1) / duration
    none = np.zeros((len(signal.sine), len(frequency)))
    return signal + MultiSine(frequency, none, none) if len(frequency) else signal
