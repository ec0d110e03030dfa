# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The block jackknife beside what it is by definition: fits of all equations but those of one block."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.estimation.batch.block_jackknife import block_jackknife, with_block_jackknife
from pkm_identification.estimation.batch.least_squares import least_squares
from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.problem import Fit, Problem
from pkm_identification.parameters.parameter import Kind, Parameter
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

PERIOD, WIDTH, OUTPUTS = 0.04, 4, 2


def problem(seconds: float, seed: int = 0) -> Problem:
    """Slow columns and a residual that remembers half a second."""
    random = np.random.default_rng(seed)
    count = round(seconds / PERIOD)
    time = PERIOD * np.arange(count)
    phase = random.uniform(0.0, 6.0, (OUTPUTS, WIDTH))
    columns = np.sin(time[:, None, None] * random.uniform(0.5, 6.0, (OUTPUTS, WIDTH)) + phase)
    left = np.zeros((count, OUTPUTS))
    for row in range(1, count):
        left[row] = 0.92 * left[row - 1] + 0.1 * random.standard_normal(OUTPUTS)
    entries = tuple(Parameter(f"p{k}", "kg", Kind.MASS, "", 0.0, 100.0) for k in range(WIDTH))
    parameters = ParameterSet("some", entries, np.eye(WIDTH), np.zeros(WIDTH))
    measured = columns @ np.arange(1.0, WIDTH + 1.0) + left
    equations = Equations(time, columns, measured, measured, np.zeros(count, dtype=np.int64))
    return Problem(parameters, Prior.of(parameters), equations)


def fitted(given: Problem, noise: np.ndarray | None = None) -> Fit:
    found = least_squares(given.equations, given.prior, given.redundancy, noise)
    return Fit("ls", found.mean, found.covariance, found.noise, 1.0, found.iterations, found.converged)


def test_it_is_the_scatter_of_fits_without_one_block():
    given = problem(20.0)
    fit = fitted(given)
    means = []
    for rows in np.array_split(np.arange(len(given.equations)), 20):
        kept = np.ones(len(given.equations), dtype=bool)
        kept[rows] = False
        means.append(fitted(given.part(kept), fit.noise).mean)
    expected = np.sqrt(19.0 * np.var(means, axis=0))
    np.testing.assert_allclose(block_jackknife(given, fit), expected, rtol=1e-6)


def test_it_states_the_spread_of_estimates_whose_residual_is_slow():
    fits = [(given, fitted(given)) for given in (problem(30.0, seed) for seed in range(30))]
    # the motion is another in each: errors in units of what is stated
    errors = [(fit.mean - np.arange(1.0, WIDTH + 1.0)) / block_jackknife(given, fit) for given, fit in fits]
    assert 0.8 < np.sqrt(np.mean(np.square(errors))) < 1.3


def test_the_larger_deviation_is_kept_and_correlations_stay():
    # nine tenths of what is known of the first column come from one second
    given = problem(20.0)
    given.equations.regressor[:, :, 0] *= np.where(given.equations.time < 1.0, 1.0, 0.05)[:, None]
    fit = fitted(given)
    wide = replace(fit, covariance=1e4 * fit.covariance)
    assert with_block_jackknife(given, wide).covariance == pytest.approx(wide.covariance)
    narrow = with_block_jackknife(given, replace(fit, covariance=1e-4 * fit.covariance)).covariance
    std = np.sqrt(np.diag(narrow))
    np.testing.assert_allclose(std, block_jackknife(given, fit))
    own = np.sqrt(np.diag(fit.covariance))
    np.testing.assert_allclose(narrow / np.outer(std, std), fit.covariance / np.outer(own, own))


def test_one_equation_leaves_a_fit_alone():
    given = problem(1.0)
    few = given.part(np.arange(len(given.equations)) < 1)
    fit = fitted(few)
    assert with_block_jackknife(few, fit) is fit


def test_without_leverage_a_fit_is_left_alone():
    given = problem(20.0)
    fit = replace(fitted(given), covariance=1e-4 * fitted(given).covariance)
    assert with_block_jackknife(given, fit) is fit
