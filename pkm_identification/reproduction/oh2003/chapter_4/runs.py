# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The simulation study: everything that is run for it."""

from __future__ import annotations

from dataclasses import dataclass

from pkm_identification.estimation.identifiability import BaseParameters
from pkm_identification.mechanisms.hexapod.analysis.base_parameters import random_states
from pkm_identification.mechanisms.hexapod.dynamics.regressor import regressor

from .cases import (
    CaseResult,
    cases,
    run_case,
    structure,
)
from .data import parameter_set, study_machine
from .noise import (
    BAND_DURATION,
    SEEDS,
    NoiseResult,
    noise_results,
)

STATES = 300  # of the six-axis motion whose rank is asked for


@dataclass(frozen=True)
class SimulationRuns:
    """All cases, the comparison under noise, and what motions could identify.

    Attributes
    ----------
    results : tuple of CaseResult
    noise : tuple of NoiseResult
    six_axes : tuple of BaseParameters
        Of random six-axis states: 12 and 24 parameters.
    """

    results: tuple[CaseResult, ...]
    noise: tuple[NoiseResult, ...]
    six_axes: tuple[BaseParameters, ...]

    def of(self, table: str, motion: str) -> CaseResult:
        """Return the case of a table's column."""
        return next(one for one in self.results if (one.case.table, one.case.motion) == (table, motion))


def run_cases(seeds: int = SEEDS, band_duration: float = BAND_DURATION) -> SimulationRuns:
    """Do all cases; `seeds` of the noise and seconds of data in the band for the comparison of the models."""
    return SimulationRuns(
        results=tuple(run_case(case) for case in cases()),
        noise=noise_results(seeds, band_duration),
        six_axes=tuple(six_axes(friction) for friction in (False, True)),
    )


def six_axes(friction: bool) -> BaseParameters:
    """Return what any motion at all could identify of the 12 or 24 parameters."""
    machine, parameters = study_machine(friction), parameter_set(friction)
    columns = regressor(machine, random_states(machine, STATES), parameters.mapping)
    return structure(columns, parameters.names)
