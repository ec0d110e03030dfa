# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The filter in free coordinates believes its prior as much as the linear filter does, not twice.

Tolerances: the regulariser of the coordinates has a hundredth of the prior's information.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.estimation.consistency.made_equations import NOMINAL, equations, truth_of

from pkm_identification.estimation.consistency.constrained_least_squares import (
    constrained_least_squares,
)
from pkm_identification.estimation.consistency.coordinates import FreeCoordinates
from pkm_identification.estimation.consistency.filters import ConsistentFilter
from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.filters.recursive_least_squares import RecursiveLeastSquares
from pkm_identification.estimation.filters.unscented import UnscentedFilter, UnscentedSettings
from pkm_identification.estimation.problem import Problem
from pkm_identification.mechanisms.hexapod.parameters.physical_layout import physical_layout
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters

pytestmark = pytest.mark.slow

STILL = UnscentedSettings(adaptation="none")
KINDS = pytest.mark.parametrize("kind", [UnscentedFilter, RecursiveLeastSquares])


def stated(mean: np.ndarray, std: np.ndarray) -> FreeCoordinates:
    parameters = list_hexapod_parameters(NOMINAL)
    return FreeCoordinates.of(physical_layout(NOMINAL, replace(parameters, prior_mean=mean, prior_std=std)))


def inside() -> FreeCoordinates:
    """One per cent about the truth: six standard deviations from every bound."""
    return stated(truth_of(), 0.01 * truth_of())


@KINDS
def test_without_data_it_says_what_was_stated(kind):
    c = inside()
    found = ConsistentFilter(kind(c.parameter_prior, 6, STILL), c)
    np.testing.assert_allclose(found.mean, c.parameter_prior.mean, rtol=1e-9)
    np.testing.assert_allclose(np.sqrt(np.diag(found.covariance)), c.parameter_prior.std, rtol=1e-9)


@KINDS
@pytest.mark.parametrize("unknown", ["m_p", "m_e", "viscous_1"])
def test_an_equation_as_noisy_as_the_prior_moves_half_way(kind, unknown):
    c = inside()
    k = c.layout.parameters.names.index(unknown)
    mean, std = c.parameter_prior.mean[k], c.parameter_prior.std[k]
    found = ConsistentFilter(kind(c.parameter_prior, 6, STILL), c)
    row, measured = np.zeros((6, len(c.parameter_prior.std))), np.zeros(6)
    row[0, k], measured[0] = 1.0, mean + 2.0 * std
    found.step_linear(row, measured, std**2 * np.eye(6))
    assert (found.mean[k] - mean) / std == pytest.approx(1.0, abs=0.02)
    assert np.sqrt(found.covariance[k, k]) / std == pytest.approx(np.sqrt(0.5), rel=0.02)


@KINDS
@pytest.mark.parametrize("noise", [3.0, 20.0])
def test_a_sharp_prior_weighs_as_in_constrained_least_squares(kind, noise):
    """Masses and friction stated three standard deviations off the truth, 2 s of data."""
    truth = truth_of()
    std = list_hexapod_parameters(NOMINAL).scale.copy()
    mean = list_hexapod_parameters(NOMINAL).nominal.copy()
    names = list_hexapod_parameters(NOMINAL).names
    sharp = np.array([name.startswith(("m_", "viscous", "coulomb")) for name in names])
    std[sharp] = 0.05 * truth[sharp]
    mean[sharp] = truth[sharp] - 3.0 * std[sharp]
    c, eq = stated(mean, std), equations(50, noise, 1)
    known = noise**2 * np.eye(6)
    problem = Problem(c.layout.parameters, c.parameter_prior, eq, noise=known)
    fit = ESTIMATORS["ls"].run(problem, Tuning())
    best = constrained_least_squares(fit, replace(problem, physical=c))
    found = ConsistentFilter(kind(c.parameter_prior, 6, STILL), c)
    for columns, measured in zip(eq.regressor, eq.measured, strict=True):
        found.step_linear(columns, measured, known)
    assert np.abs((found.mean - best.mean) / np.sqrt(np.diag(fit.covariance))).max() < 0.1
