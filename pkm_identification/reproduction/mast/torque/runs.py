# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Slider 1 in z with the manufacturers' data and with what the paper identified, by frequency."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.harmonic import harmonic

from ..axis import AXIS, Axis
from ..cascade import Cascade
from ..data import (
    FREQUENCIES,
    GEAR_RATIO,
    IDENTIFIED_FRICTION,
    INERTIA_FACTOR,
    PRINTED_FRICTION,
)
from ..rubbing import PERIODS, SETTLING, AxisRun, run_axis, sine
from .estimation import AxisIdentification, identify_axis

AMPLITUDE = 8.0  # rad of the motor, 6 mm of the slider: the paper's is lost
NOISE = 0.02  # of a log's rms, on torque and, a tenth of it, on the rate
SEED = 1
FILE_FRICTION = PRINTED_FRICTION / GEAR_RATIO


@dataclass(frozen=True)
class Comparison:
    """The file's model and the identified machine at one frequency, steady.

    Attributes
    ----------
    frequency : float
        Hz.
    file, machine : AxisRun
        The last periods.
    position, torque : tuple of complex
        First harmonics of file and machine: motor angle relative to the command, torque in N m.
    """

    frequency: float
    file: AxisRun
    machine: AxisRun
    position: tuple[complex, complex]
    torque: tuple[complex, complex]

    @property
    def magnitudes(self) -> tuple[float, float]:
        """Of the motor's angle, file and machine."""
        return abs(self.position[0]), abs(self.position[1])

    @property
    def torque_gap(self) -> float:
        """File less machine, amplitude of the first harmonic, N m."""
        return abs(self.torque[0]) - abs(self.torque[1])

    @property
    def rms_gap(self) -> float:
        """File over machine less 1, rms of the torques' variation."""
        file, machine = (np.std(run.torque) for run in (self.file, self.machine))
        return float(file / machine - 1.0)


@dataclass(frozen=True)
class TorqueStudy:
    """Comparisons by frequency in Hz, and what is identified from synthetic logs."""

    comparisons: dict[float, Comparison]
    identified: AxisIdentification
    carried: float


def run_study(amplitude: float = AMPLITUDE, seed: int = SEED) -> TorqueStudy:
    """Compute everything for a commanded amplitude of the motor in rad."""
    mast = Mechanism.load("mast")
    carried = float(dynamics.mass_matrix(mast, mast.home[None])[0][0].sum())
    file = AXIS.carrying(carried)
    machine = replace(file, motor=AXIS.motor / INERTIA_FACTOR)
    weight = 9.81 * carried
    comparisons = {}
    for frequency in FREQUENCIES:
        first = _steady(file, frequency, amplitude, FILE_FRICTION, weight)
        second = _steady(machine, frequency, amplitude, IDENTIFIED_FRICTION, weight)
        comparisons[frequency] = Comparison(
            frequency,
            first,
            second,
            _harmonics(first, second, "angle", frequency, amplitude),
            _harmonics(first, second, "torque", frequency, 1.0),
        )
    rng = np.random.default_rng(seed)
    slow, fast = (_measured(comparisons[f].machine, rng) for f in (min(FREQUENCIES), max(FREQUENCIES)))
    return TorqueStudy(comparisons, identify_axis(slow, fast, file.guide, AXIS.motor), carried)


def _steady(axis: Axis, frequency: float, amplitude: float, friction: float, weight: float) -> AxisRun:
    # whole periods, and at least a second of them for the logs
    periods = max(PERIODS, int(np.ceil(frequency)))
    duration = SETTLING + periods / frequency
    run = run_axis(axis, Cascade(), sine(frequency, amplitude, duration), friction, weight)
    kept = run.time >= duration - periods / frequency - 1e-9
    return AxisRun(run.time[kept], run.angle[kept], run.rate[kept], run.torque[kept])


def _harmonics(
    first: AxisRun, second: AxisRun, part: str, frequency: float, unit: float
) -> tuple[complex, complex]:
    one, other = (harmonic(run.time, getattr(run, part), frequency) / unit for run in (first, second))
    return one, other


def _measured(run: AxisRun, rng: np.random.Generator) -> AxisRun:
    """The log of a run: torque and rate with noise."""

    def noisy(values: FloatArray, part: float) -> FloatArray:
        return values + part * float(np.std(values)) * rng.standard_normal(len(values))

    return replace(run, torque=noisy(run.torque, NOISE), rate=noisy(run.rate, 0.1 * NOISE))
