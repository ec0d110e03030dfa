# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Has an estimate converged? The statistics behind the answer, and both answers."""

from __future__ import annotations

import numpy as np
import pytest
from core.estimation.toy_problems import autoregressive, equations, parameter_set, prior_of
from scipy import stats

from pkm_identification.estimation.convergence import (
    compute_white_covariance,
    half_known,
    narrow_by_drift,
    nonconvergence,
)
from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.filters.recursive import FILTERS
from pkm_identification.estimation.filters.unscented import UnscentedSettings
from pkm_identification.estimation.problem import Problem

pytestmark = pytest.mark.slow

WIDTH, OUTPUTS, COUNT, NOISE = 4, 6, 600, 1.0
RECURSIVE = pytest.mark.parametrize("name", FILTERS)


def posed(seed: int, drift: float = 0.0, size: np.ndarray | None = None, memory: float = 0.0):
    """A problem whose second parameter drifts by so many prior deviations, its columns scaled by `size` (K,)."""
    rng, prior = np.random.default_rng(seed), prior_of(WIDTH, 2, 4.0)
    truth = prior.mean + rng.normal(size=WIDTH) * prior.std
    columns = rng.normal(size=(COUNT, OUTPUTS, WIDTH)) / prior.std
    if size is not None:
        columns *= size[:, None, None]
    path = np.tile(truth, (COUNT, 1))
    path[:, 1] += drift * prior.std[1] * np.linspace(0, 1, COUNT)
    noise = autoregressive(rng, COUNT, OUTPUTS, memory, NOISE)
    measured = np.einsum("kop,kp->ko", columns, path) + noise
    return Problem(parameter_set(prior), prior, equations(columns, measured), typical_force=20.0)


def judged(
    problem: Problem, name: str = "ukf", tuning: Tuning | None = None, fewest: int = 20, **more
) -> str:
    fit = ESTIMATORS[name].run(problem, tuning or Tuning())
    prior, noise = problem.prior, fit.noise * problem.redundancy
    scale = np.outer(prior.std, prior.std)
    narrow = narrow_by_drift(problem.equations, fit.mean, fit.noise, prior, problem.redundancy)
    return nonconvergence(
        fit.trace,
        fit.estimate(problem),
        narrow @ (fit.covariance / scale) @ narrow.T * scale,
        prior.std,
        fewest=fewest,
        entry=1.0,
        white_covariance=lambda count: compute_white_covariance(problem.equations[:count], noise, prior),
        **more,
    )


def test_what_an_estimate_moves_after_half_of_the_data_is_its_standard_deviation():
    """Over 40 seeds, the mean square of 4 independent directions lies in the chi-square band of 99.8 %."""
    squares = []
    for seed in range(40):
        problem = posed(seed)
        fit = ESTIMATORS["rls"].run(problem, Tuning())
        mean, std = fit.trace.values, fit.trace.std
        known_by = half_known(std)
        # half of 600 equally good equations; the prior counts little
        assert np.all(np.abs(known_by - COUNT / 2) < 0.05 * COUNT)
        moved = mean[-1] - mean[known_by.max()]
        squares.append(moved @ np.linalg.solve(fit.covariance, moved) / WIDTH)
    low, high = stats.chi2.ppf([0.001, 0.999], 40 * WIDTH) / (40 * WIDTH)
    assert low < np.mean(squares) < high


@RECURSIVE
@pytest.mark.parametrize("memory", [0.0, 0.8])
def test_good_data_settle(name, memory):
    """Correlated noise, too: the deviations know of it."""
    assert [judged(posed(seed, memory=memory), name) for seed in range(10)] == [""] * 10


@RECURSIVE
def test_a_parameter_that_drifts_does_not_and_is_named(name):
    """A steady drift moves the mean over all data by a quarter of it in their second half: here by ten deviations."""
    own = NOISE / np.sqrt(COUNT * OUTPUTS)
    for seed in range(5):
        assert judged(posed(seed, drift=40 * own), name).startswith("b had not converged: it moved by")
    # a quarter of a deviation is what chance does
    assert [judged(posed(seed, drift=own), name) for seed in range(5)] == [""] * 5


def test_deviations_that_are_too_small_are_told():
    """The same path, five times as sure as it may be."""
    reported = 0
    for seed in range(10):
        problem = posed(seed)
        fit = ESTIMATORS["rls"].run(problem, Tuning())
        narrow, std = 0.04 * fit.covariance, problem.prior.std
        reported += bool(nonconvergence(fit.trace, fit.estimate(problem), narrow, std, fewest=20, entry=1.0))
    # four directions that move by five deviations each stay below 4.4 all together in one of 30 cases
    assert reported >= 8


def test_what_the_last_equations_alone_show_is_too_short():
    late = np.full(COUNT, 1e-2)
    late[-15:] = 30.0
    assert judged(posed(1, size=late)).startswith("the logs are too short: half of the information on")
    # nothing to tell by on the other side
    assert judged(posed(1), fewest=400).startswith("the logs are too short")


def test_half_of_the_information_may_come_with_the_last_few_equations():
    """Of 600 the last 15 bring half: the last 20 are judged, in which all of a drift is seen as well."""
    late = np.ones(COUNT)
    late[-15:] = 6.8
    assert [judged(posed(seed, size=late)) for seed in range(5)] == [""] * 5
    own = NOISE / np.sqrt(COUNT * OUTPUTS)
    for seed in range(3):
        assert judged(posed(seed, drift=40 * own, size=late)).startswith("b had not converged: it moved by")
    assert judged(posed(1, size=late), fewest=151).startswith("the logs are too short")


def test_a_slow_beginning_is_no_fault():
    """Nine tenths of the data say little; what they did say is not what is judged."""
    late = np.full(COUNT, 1e-2)
    late[-60:] = 3.0
    assert [judged(posed(seed, size=late)) for seed in range(10)] == [""] * 10


def test_a_combination_that_the_last_equations_show_may_move_with_them():
    """The last tenth shows the sum of two parameters a hundred times as well as all before; half of each came early."""
    for seed in range(10):
        problem = posed(seed)
        columns, std = problem.equations.regressor.copy(), problem.prior.std
        late = np.arange(COUNT) >= 0.9 * COUNT
        columns[late, :, 0] *= 30.0
        columns[late, :, 1] = columns[late, :, 0] * std[0] / std[1]
        noise = np.random.default_rng(seed).normal(0.0, NOISE, (COUNT, OUTPUTS))
        measured = columns @ (problem.prior.mean + std) + noise
        assert judged(Problem(problem.parameters, problem.prior, equations(columns, measured), 20.0)) == ""


def test_an_estimator_that_forgets_is_judged_by_what_it_remembers():
    tuning = Tuning(UnscentedSettings(forgetting=0.995))
    for seed in range(5):
        assert judged(posed(seed), "rls", tuning, memory=200.0) == ""
    # noise and drift leave a residual of 1.5: it is known to 0.05 of its prior, and in 140 equations moves on by 0.9
    assert "b had not converged" in judged(posed(0, drift=4.0), "rls", tuning, memory=200.0)


def test_what_the_data_do_not_show_is_not_judged():
    nothing = posed(0, size=np.full(COUNT, 1e-6))
    assert judged(nothing) == ""


def test_a_filter_that_starts_over_says_so():
    """Forces jump to a thousand times their size: the gate refuses until the filter opens anew."""
    problem = posed(4)
    measured = problem.equations.measured.copy()
    measured[COUNT // 2 :] *= 1000.0
    broken = Problem(
        problem.parameters, problem.prior, equations(problem.equations.regressor, measured), 20.0
    )
    fit = ESTIMATORS["ukf"].run(broken, Tuning(gate=1e-9, causal=True))
    assert not fit.converged
    assert "start over" in fit.nonconvergence
