# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Estimates are as good as any can be: errors over many noise realisations against the Cramer-Rao bound.

The bound is that of the band-limited equations with the noise correlation the band gives them. An RMS over n runs is
itself uncertain by 1 / sqrt(2 n): 5 % for 200; the worst of twenty parameters then looks 10 % worse than it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from core.estimation.loaded_equations import NOISE, PERIOD, estimator, scene
from scipy import linalg, signal

from pkm_identification.estimation.batch.least_squares import compute_residual_covariance, least_squares
from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.filters.recursive import RecursiveEstimator
from pkm_identification.mechanisms.hexapod.parameters.builder import force_scale
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.signals.band import BandSettings

pytestmark = pytest.mark.slow

RUNS, ONLINE_RUNS, SECONDS = 200, 50, 24.0
BAND = BandSettings(PERIOD)


def bound(columns: np.ndarray, prior: Prior, taps: np.ndarray, std: np.ndarray) -> np.ndarray:
    """Cramer-Rao bound of equations whose white noise, `std` (6,) N at 1 kHz, passed `taps`, in prior deviations."""
    response = signal.sosfilt(BAND.sections, np.concatenate([taps, np.zeros(3000)]))
    covariance = np.correlate(response, response, "full")[len(response) - 1 :: BAND.stride]
    covariance = np.pad(covariance, (0, len(columns)))[: len(columns)]
    root = np.linalg.cholesky(linalg.toeplitz(covariance) + 1e-9 * covariance[0] * np.eye(len(columns)))
    information = np.eye(len(prior.mean))
    for strut, deviation in enumerate(std):
        rows = linalg.solve_triangular(root, columns[:, strut] * prior.std / deviation, lower=True)
        information += rows.T @ rows
    return np.sqrt(np.diag(np.linalg.inv(information)))


@dataclass(frozen=True)
class Case:
    """Equations of a rich motion without noise, the truth, and the bound."""

    parameters: ParameterSet
    prior: Prior
    truth: np.ndarray
    columns: np.ndarray
    known: np.ndarray
    bound: np.ndarray


@pytest.fixture(scope="module")
def case() -> Case:
    made = scene(SECONDS)
    parameters = list_hexapod_parameters(made.nominal)
    prior = Prior.of(parameters)
    columns = made.filtered @ parameters.mapping
    nominal = list_hexapod_parameters(made.truth).nominal
    limit = bound(columns, prior, np.ones(1), NOISE)
    return Case(parameters, prior, nominal, columns, made.filtered @ parameters.known, limit)


@pytest.fixture(scope="module")
def realisations():
    """Equations of each noise realisation, as the online estimator builds them."""
    made = scene(SECONDS)
    force = made.force()
    return [made.equations(force, 1000 + seed) for seed in range(RUNS)]


@pytest.fixture(scope="module")
def fits(case, realisations):
    """Least squares fits of all realisations."""
    made = []
    for rows in realisations:
        measured, time = np.array([row.measured for row in rows]), np.array([row.time for row in rows])
        equations = Equations(time, case.columns, measured, measured, np.zeros(len(rows), dtype=np.int64))
        made.append(least_squares(equations, case.prior, BAND.redundancy))
    return made


def ratio(errors: list[np.ndarray], case: Case) -> np.ndarray:
    """RMS error by the bound, of every parameter; all twenty are identifiable by this motion."""
    assert np.all(case.bound < 0.05)
    return np.sqrt(np.mean(np.square(errors), axis=0)) / case.prior.std / case.bound


def test_least_squares_reaches_the_bound(case, fits):
    found = ratio([fit.mean - case.truth for fit in fits], case)
    assert found.max() < 1.2
    # no estimate beats the bound: a much smaller ratio would mean that the bound is not one
    assert found.mean() > 0.9


def test_unscented_filter_offline_is_least_squares(case, fits, realisations):
    """With the noise known from a pass before, as offline: the same estimate, hence as near to the bound."""
    for fit, rows in list(zip(fits, realisations, strict=True))[:12]:
        recursive = RecursiveEstimator(
            case.parameters,
            "ukf",
            redundancy=BAND.redundancy,
            force_scale=force_scale(scene(SECONDS).nominal),
            gate=0.0,
        )
        recursive.fix_noise(compute_residual_covariance(fit.residual, len(case.truth)))
        for row in rows:
            recursive.step(row.time, row.regressor[:, : len(case.truth)], row.measured)
        assert np.all(np.abs(recursive.filter.mean - fit.mean) < 0.05 * case.bound * case.prior.std)


def test_online_estimator_comes_near_the_bound(case, realisations):
    """One pass, nothing known of the noise before, watching for payloads and drift all the while."""
    errors, squares = [], []
    for rows in realisations[:ONLINE_RUNS]:
        online = estimator(scene(SECONDS))
        for row in rows:
            online.take(row)
        errors.append(online.estimate.values - case.truth)
        squares.append((errors[-1] / online.estimate.std) ** 2)
    assert ratio(errors, case).max() < 1.5
    # and knows how good it is: neither over-confident nor without confidence
    size = np.sqrt(np.mean(squares, axis=0))
    assert size.max() < 1.3
    assert size.min() > 0.6
