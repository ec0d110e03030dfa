# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The noise floor of an experiment's equations, of any machine."""

from __future__ import annotations

import numpy as np

from pkm_identification.estimation.problem import Problem
from pkm_identification.numerics.arrays import FloatArray

from ..experiment import Experiment
from ..model_errors.log_rows import rows_of_samples
from ..regression.equations import LogEquations
from ..regression.noise import LEAST, measure_noise_floor
from ..regression.road import Road
from .noise_floor import FROM_DATA, NoiseFloor, noise_floor


def measure_floor(experiment: Experiment, problem: Problem, values: FloatArray) -> NoiseFloor | None:
    """Return the noise floor of an experiment; None of logs too short for it.

    Parameters
    ----------
    experiment : Experiment
    problem : Problem
        Its zero-phase force equations.
    values : ndarray, shape (P,)
        Of the problem's parameters, rough ones, SI units.
    """
    if experiment.machine.quick:  # whose neighbours are found row by row
        basis = problem.parameters.mapping @ values + problem.parameters.known
        return noise_floor(experiment, basis, problem.equations.force)
    road = Road(experiment.machine, problem.parameters, experiment.settings.band)
    std = measure_noise_floor(road, experiment.logs, _list_equations(experiment, problem, road), values)
    if std is None:
        return None
    nothing = np.zeros_like(std)
    exact = LEAST * np.sqrt(np.mean(problem.equations.force**2, axis=0)) + 1e-300
    return NoiseFloor(std, std, nothing, FROM_DATA, exact, nothing)


def _list_equations(experiment: Experiment, problem: Problem, road: Road) -> list[LogEquations]:
    """Return the equations of each log, with the samples they were made of."""
    band = experiment.settings.band
    if experiment.point is not None:  # whose columns are in the problem's equations, and no noise's
        return [road.equations(log) for log in experiment.logs]
    made, machine = [], experiment.equations_machine()
    for number, samples in enumerate(experiment.smooth_samples):
        rows = rows_of_samples(machine, problem.parameters, samples, band, experiment.flicker)
        own = problem.equations[problem.log == number]
        standing = int(np.count_nonzero(~rows.kept))
        made.append(LogEquations(own, rows.used, standing, rows.samples, rows.still, band))
    return made
