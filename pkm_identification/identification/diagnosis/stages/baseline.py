# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The model alone before its logs: equations, their noise floor, and what the model leaves in units of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.estimation.lack_of_fit.evidence import Base
from pkm_identification.estimation.problem import Problem
from pkm_identification.numerics.arrays import FloatArray

from ..evidence_base import EvidenceBase
from ..findings import Residuals
from ..noise_floor import NoiseFloor
from ..subject import Subject

ROUGH = 0.01  # of the rms force: noise of a first estimate
ROUNDING = 1.0 / 3.0  # of the least floor: below, there is nothing to find


@dataclass(frozen=True)
class Baseline:
    """What every explanation of logs is compared with.

    Attributes
    ----------
    subject : Subject
    evidence : EvidenceBase
    floor : NoiseFloor
    model : Base
        The model alone, its rows divided by the floor.
    """

    subject: Subject
    evidence: EvidenceBase
    floor: NoiseFloor
    model: Base

    @classmethod
    def of(cls, subject: Subject, problem: Problem) -> Baseline | None:
        """Return that of a problem of a subject's logs, of the force model, zero-phase; None: too short for a floor."""
        problem = subject.expect(problem)
        evidence = EvidenceBase.of(subject, problem)
        force = problem.equations.force
        # the size of encoder noise in the force needs a rough estimate only
        rough = evidence.parameters(evidence.base(ROUGH * np.sqrt(np.mean(force**2, axis=0)) + 1e-300))
        floor = subject.measure_floor(problem, rough)
        if floor is None:
            return None
        evidence = evidence.smooth(rough)
        return cls(subject, evidence, floor, evidence.base(floor.std))

    @property
    def problem(self) -> Problem:
        """Its equations."""
        return self.evidence.problem

    @property
    def parameters(self) -> FloatArray:
        """Values (P,) by the model alone, SI units."""
        return self.evidence.parameters(self.model)

    @property
    def floor_percent(self) -> float:
        """The floor over the rms force in the band, %."""
        force = self.problem.equations.force
        return 100.0 * float(np.sqrt(np.mean(self.floor.std**2) / max(np.mean(force**2), 1e-300)))

    @property
    def exact(self) -> bool:
        """Whether the model leaves no more than rounding."""
        return _compute_rms(self.model.ratio * self.floor.std) < ROUNDING * _compute_rms(self.floor.exact)

    def residuals(self, model: Base) -> Residuals:
        """Return what `model` leaves of the log with most equations."""
        kept = self.evidence.kept
        log = self.problem.log[kept]
        own = log == np.bincount(log).argmax()
        return Residuals(self.problem.equations.time[kept][own], model.left[own])


def _compute_rms(values: FloatArray) -> float:
    return float(np.sqrt(np.mean(values**2)))
