# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Equations of a machine whose truth is known: the model's columns along a motion, and forces with white noise."""

from __future__ import annotations

import numpy as np
from core import synthetic
from core.platform_motions import Harmonics, six_axes

from pkm_identification.estimation.consistency.coordinates import FreeCoordinates
from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.problem import Fit, Problem
from pkm_identification.mechanisms.hexapod.dynamics import regressor
from pkm_identification.mechanisms.hexapod.parameters.physical_layout import physical_layout
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters

NOMINAL, TRUTH = synthetic.nominal(), synthetic.truth()
PERIOD = 0.04  # s between equations


def truth_of(name: str = "identifiable") -> np.ndarray:
    """True parameters of a set."""
    return list_hexapod_parameters(TRUTH, name).nominal


def coordinates_of(name: str = "identifiable") -> FreeCoordinates:
    return FreeCoordinates.of(physical_layout(NOMINAL, list_hexapod_parameters(NOMINAL, name)))


def equations(
    count: int, noise: float, seed: int, name: str = "identifiable", poor: bool = False, truth=None
) -> Equations:
    """Equations; `poor` turns the platform by 1 degree only, so that its moments of inertia hardly show."""
    rng = np.random.default_rng(seed)
    path = six_axes(NOMINAL, seed)
    if poor:
        path = Harmonics(NOMINAL, [0.03, 0.03, 0.02, 0.02, 0.02, 0.02], [0.45, 0.8, 1.35], seed)
    time = PERIOD * np.arange(count)
    columns = regressor(NOMINAL, path.at(time), list_hexapod_parameters(NOMINAL, name).mapping)
    values = truth_of(name) if truth is None else truth
    measured = columns @ values + noise * rng.normal(size=(count, 6))
    return Equations(time, columns, measured, measured, np.zeros(count, dtype=np.int64))


def least_squares_of(coordinates: FreeCoordinates, eq: Equations) -> tuple[Fit, Problem]:
    """The unconstrained fit, and the problem it solves."""
    problem = Problem(coordinates.layout.parameters, coordinates.parameter_prior, eq, physical=coordinates)
    return ESTIMATORS["ls"].run(problem, Tuning()), problem
