# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Start values of a machine file that are wrong by several times are no misfit."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from core.synthetic import log, nominal, truth

from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.lack_of_fit.start_values import release_start_values, remove_start_values
from pkm_identification.estimation.problem import Problem
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.parameters.parameter import Kind, Parameter
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

UF = Machine.load("uf")
PARAMETERS = list_hexapod_parameters(UF)
WRONG = 8.0  # times


def linear_problem(start, kinds, true, stated=None) -> Problem:
    """Three hundred equations of as many outputs as there are forces, with noise of 1 %."""
    rng = np.random.default_rng(3)
    entries = tuple(
        Parameter(f"p_{k}", "kg", kind, "body", value, max(abs(value), 1e-3), limb=0)
        for k, (kind, value) in enumerate(zip(kinds, start, strict=True))
    )
    width = len(entries)
    parameters = ParameterSet("test", entries, np.eye(width), np.zeros(width))
    regressor = rng.standard_normal((300, 6, width))
    regressor[:, :, -1] = 0.0  # nothing is seen of the last one
    measured = regressor @ np.asarray(true) + 0.01 * rng.standard_normal((300, 6))
    equations = Equations(np.arange(300.0), regressor, measured, measured, np.zeros(300, dtype=np.int64))
    return Problem(parameters, stated or Prior.of(parameters), equations)


def test_start_values_give_way_to_estimates_and_what_is_not_seen_stays():
    kinds = (Kind.MASS, Kind.MASS, Kind.INERTIA, Kind.INERTIA)
    problem = linear_problem([0.01, 1.1, 8.0, 0.3], kinds, [1.0, 1.0, 1.0, 1.0])
    prior = release_start_values(problem)
    # a hundredth and eight times; one within its deviation and one that no equation has
    np.testing.assert_allclose(prior.mean, [1.0, 1.1, 1.0, 0.3], rtol=0.01)
    assert prior.std[0] == pytest.approx(1.0, rel=0.01)
    np.testing.assert_array_equal(prior.std[1:], problem.prior.std[1:])


def test_scale_follows_the_prior_and_size_the_estimate():
    kinds = (Kind.MASS, Kind.MASS, Kind.INERTIA, Kind.INERTIA)
    problem = remove_start_values(linear_problem([0.01, 1.1, 8.0, 0.3], kinds, [1.0, 1.0, 1.0, 1.0]))
    np.testing.assert_allclose(problem.parameters.scale, [1.0, 1.1, 8.0, 0.3], rtol=0.01)
    # an eight times too heavy guess makes no deviation small
    np.testing.assert_allclose(problem.parameters.size, [1.0, 1.1, 1.0, 0.3], rtol=0.01)
    np.testing.assert_array_equal(problem.parameters.nominal, [0.01, 1.1, 8.0, 0.3])


@pytest.mark.parametrize("kind", [Kind.EFFECT, Kind.GAIN, Kind.NUISANCE])
def test_what_is_no_start_value_keeps_its_prior(kind):
    prior = release_start_values(linear_problem([0.01, 1.0], (kind, Kind.MASS), [1.0, 1.0]))
    assert (prior.mean[0], prior.std[0]) == (0.01, 0.01)


def test_a_stated_prior_is_kept():
    stated = Prior(np.array([0.5, 1.0]), np.array([0.01, 1.0]))
    prior = release_start_values(linear_problem([1.0, 1.0], (Kind.MASS, Kind.MASS), [1.0, 1.0], stated))
    np.testing.assert_array_equal(prior.mean, stated.mean)
    np.testing.assert_array_equal(prior.std, stated.std)


@pytest.fixture(scope="module")
def right():
    return log(truth(), 16, seed=3, real=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [None, 0, 1])
def test_wrong_start_values_provoke_no_cause(right, seed):
    """Light struts, as somebody guesses them who knows the platform alone; or each key wrong by up to eight times."""
    document = copy.deepcopy(nominal().document)
    rng = np.random.default_rng(seed)
    for part, body in (("platform", document["platform"]), *document["strut"].items()):
        if seed is None:
            mass = inertia = 1.0 if part == "platform" else 0.1
        else:
            mass, inertia = WRONG ** rng.uniform(-1.0, 1.0, 2)
        body["mass"] *= float(mass)
        body["inertia"] = [float(inertia) * value for value in body["inertia"]]
    document["known"] = "guessed"  # or the data contradict it
    result = identify([right], Machine.from_document(document), Settings.of(estimator="ls", hold_out=0.0))
    assert result.fit.causes == ()
    assert result.fit.adequate
    # nothing of the start values is left in the residual: that of the right file is .7 to 1.1
    assert 0.7 < result.fit.ratio < 1.1
    # and nothing of them in the values: what is identified is what the right file's log shows
    true = list_hexapod_parameters(truth()).nominal
    shown = np.array([one == "identifiable" for one in result.estimate.status])
    assert shown.sum() >= 14
    assert np.max(np.abs(result.estimate.values - true)[shown] / result.estimate.std[shown]) < 4.0
