# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What the tolerances of a machine file add to the online estimate: covariance J diag(tolerance^2) J^T, as it learns.

For a weighted fit, J = (P0^-1 + sum Y^T W Y)^-1 sum Y^T W S, with S the change of an equation's residual when a
quantity is off. S varies slowly in the estimation band, hence it is taken at the instant that a causal band shows (one
group delay ago) without the band, and not of every equation: samples are gathered into blocks, and a block's quantities
are worked off a few at a time, so that no sample has to wait for all of them.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from pkm_identification.machines.capabilities import HexapodFile, has, require
from pkm_identification.machines.contract import Machine as AnyMachine
from pkm_identification.mechanisms.hexapod.kinematics.forward import platform_motion
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.model import HexapodModel
from pkm_identification.motion import StrutMotion, TrackedSample
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.sections import filtered

from .off_by_tolerances import Off, off_by_tolerances

BLOCK = 8  # equations
SLOPE = 0.005  # s, to either side, over which the slope of a force is taken
_COLUMNS = ("time", "coordinate", "rate", "acceleration", "force")
AT_ONCE = 6  # quantities of a block that one equation may cost: about a millisecond


class Tolerated:
    """Follows how the estimate answers to the tolerances of a machine file.

    Parameters
    ----------
    machine : Machine
        With tolerances.
    parameters : ParameterSet
        What is estimated, nuisance parameters included.
    band : BandSettings
    """

    def __init__(self, machine: Machine, parameters: ParameterSet, band: BandSettings) -> None:
        self._machine = machine
        self._parameters = parameters
        impulse = np.zeros(4 * band.settling)
        impulse[0] = 1.0
        response = filtered(band.sections, impulse)
        delay = np.arange(len(response)) @ response / response.sum()
        self._reach = max(1, round(SLOPE / band.period))
        self._past: deque[TrackedSample] = deque(
            maxlen=max(self._reach, round(float(delay))) + self._reach + 1
        )
        self._precision = 1.0 / Prior.of(parameters).std ** 2
        self.reset()

    def reset(self) -> None:
        """Forget everything learned."""
        self._past.clear()
        self._information = np.zeros((len(self._parameters), len(self._parameters)))
        self._answers: dict[int, FloatArray] = {}
        self._begin_block()
        self._pending: deque[tuple[int, Off]] = deque()

    def note(self, sample: TrackedSample) -> None:
        """Keep a sample, whether it completes an equation or not."""
        if self._past and self._past[-1].segment != sample.segment:
            self._past.clear()
        self._past.append(sample)

    def step(self, regressor: FloatArray, noise: FloatArray, values: FloatArray) -> None:
        """Take an equation that was learned from.

        Parameters
        ----------
        regressor : ndarray, shape (6, P)
        noise : ndarray, shape (6, 6)
            Covariance the estimator took, N^2.
        values : ndarray, shape (P,)
            Present estimate.
        """
        if self._pending:
            for _ in range(min(AT_ONCE, len(self._pending))):
                self._answer(*self._pending.popleft())
            if not self._pending:
                self._end_block()
            return
        if len(self._past) < (self._past.maxlen or 1):
            return
        first, here, last = self._past[0], self._past[self._reach], self._past[2 * self._reach]
        if first.force is None or here.force is None or last.force is None:
            return
        weighted = np.linalg.solve(noise, regressor).T
        self._samples.append(here)
        self._slopes.append((last.force - first.force) / (last.time - first.time))
        self._columns.append(weighted)
        self._new_information += weighted @ regressor
        if len(self._samples) == BLOCK:
            self._begin(values)

    def covariance(self) -> FloatArray:
        """What the tolerances add to the covariance, shape (P, P), SI units."""
        if not self._answers:
            return np.zeros_like(self._information)
        scale = 1.0 / np.sqrt(self._precision)
        information = self._information * np.outer(scale, scale) + np.eye(len(scale))
        changes = np.linalg.solve(information, np.array(list(self._answers.values())).T * scale[:, None])
        changes *= scale[:, None]
        return changes @ changes.T

    def _begin_block(self) -> None:
        self._samples: list[TrackedSample] = []
        self._slopes: list[FloatArray] = []
        self._columns: list[FloatArray] = []
        self._new_information = np.zeros_like(self._information)
        self._new_answers: dict[int, FloatArray] = {}

    def _end_block(self) -> None:
        """Count a block whose quantities are all worked off."""
        self._information += self._new_information
        for number, answer in self._new_answers.items():
            self._answers[number] = self._answers.get(number, 0.0) + answer
        self._begin_block()

    def _begin(self, values: FloatArray) -> None:
        """Prepare the quantities of a full block."""
        samples = self._samples
        time, length, rate, acceleration, force = (
            np.array([getattr(sample, name) for sample in samples]) for name in _COLUMNS
        )
        segment = np.zeros(len(samples), dtype=np.int64)
        struts = StrutMotion(time, length, rate, acceleration, force, segment)
        self._values = values
        self._force = self._left(self._machine, struts)
        self._pending.extend(enumerate(off_by_tolerances(self._machine, struts, np.array(self._slopes))))

    def _left(self, machine: Machine, struts: StrutMotion) -> FloatArray:
        """What the present estimate leaves of the forces of a block, (n, 6), N."""
        own = len(self._parameters) - self._parameters.nuisance
        mapping = np.column_stack([self._parameters.mapping[:, :own], self._parameters.known])
        platform, _ = platform_motion(machine, struts)
        columns = HexapodModel(machine).regressor(platform, mapping)
        assert struts.force is not None
        return struts.force - columns @ np.append(self._values[:own], 1.0)

    def _answer(self, number: int, off: Off) -> None:
        change = self._left(off.machine, off.struts[0]) - self._force
        if np.all(np.isfinite(change)):
            answer = sum(column @ row for column, row in zip(self._columns, change, strict=True))
            self._new_answers[number] = answer


def tolerated(machine: AnyMachine, parameters: ParameterSet, band: BandSettings) -> Tolerated | None:
    """Return a follower of the machine file's tolerances; None where it has none, or is no hexapod's."""
    if not has(machine, HexapodFile):
        return None
    hexapod = require(machine, HexapodFile, "tolerances of a stream").description
    return Tolerated(hexapod, parameters, band) if hexapod.tolerances.known else None
