# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One log in one piece on its road: at the mechanism, smooth, standing drives found, equations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.causal import FilterSettings
from pkm_identification.signals.input_validation import ValidatedLog

from ..equations.force_equations import force_equations
from ..equations.standstill import StandstillLimits, find_standstill, leave_out
from ..rates.kinematic_cutoff import kinematic_cutoff
from ..samples import samples_of
from .equations import LogEquations
from .flicker import measure_flicker


@dataclass(frozen=True)
class Road:
    """What makes equations of logs.

    Attributes
    ----------
    machine : Machine
    parameters : ParameterSet
        In the machine's basis.
    band : BandSettings
        Of the logs' period.
    """

    machine: Machine
    parameters: ParameterSet
    band: BandSettings

    @property
    def low_pass(self) -> FilterSettings:
        """On coordinates and forces."""
        period = self.band.period
        return FilterSettings(period, kinematic_cutoff(self.machine, period))

    def equations(self, log: ValidatedLog, still: NDArray[np.bool_] | None = None) -> LogEquations:
        """Return the equations of a log.

        Parameters
        ----------
        log : ValidatedLog
            At the mechanism.
        still : ndarray of bool, shape (K, n), optional
            Which drives stand still at each equation; else the log is asked.
        """
        machine, band, low_pass = self.machine, self.band, self.low_pass
        samples = samples_of(log, machine, low_pass)
        if still is None:
            flicker = measure_flicker(machine, log.coordinate, log.period, low_pass.cutoff)
            limits, motion = StandstillLimits.of(machine, self.parameters, flicker), samples.motion
            still = find_standstill(limits, motion.coordinate, motion.rate, samples.segment, band)
        equations = leave_out(force_equations(machine, self.parameters, samples, band), still)
        kept = ~still.all(axis=1)
        return LogEquations(equations, ~still[kept], int(np.count_nonzero(~kept)), samples, still, band)


def residual_rms(residual: FloatArray, used: NDArray[np.bool_]) -> FloatArray:
    """Return the rms (n,) of residuals (K, n) whose unused rows are zero; infinite where no row of a drive is used."""
    counts = used.sum(axis=0)
    square = np.sum(residual**2, axis=0) / np.maximum(counts, 1)
    return np.where(counts > 0, np.sqrt(square), np.inf)
