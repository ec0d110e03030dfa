# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The source's options: sigma points, process noise, passes, and groups of parameters held at the file's values."""

from __future__ import annotations

import numpy as np
import pytest
from core.estimation.toy_problems import equations, parameter_set, prior_of

from pkm_identification.errors import SettingsError
from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.filters.unscented import UnscentedSettings
from pkm_identification.estimation.problem import Problem
from pkm_identification.identification.settings import (
    NAMED,
    TUNING,
    Settings,
    assumptions_of,
    choose_estimator,
)
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters

GIVEN = {
    "alpha": 1e-2,
    "beta": 1.0,
    "kappa": 3.0,
    "process_noise": "robbins_monro",
    "process_noise_factor": 0.002,
}


def test_the_options_become_the_filters_tuning():
    assert set(GIVEN) == set(TUNING) <= set(NAMED)
    assert Settings.of(estimator="ukf", **GIVEN).estimator.tuning == UnscentedSettings(
        1e-2, 1.0, 3.0, "robbins_monro", 0.002
    )
    both = Settings.of(tuning=UnscentedSettings(alpha=0.5), beta=1.0).estimator.tuning
    assert (both.alpha, both.beta) == (0.5, 1.0)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"alpha": 0.0}, "alpha 0: must be between"),
        ({"alpha": float("nan")}, "alpha nan"),
        ({"alpha": 1.0, "beta": 0.5}, "beta is 0.5, must be at least alpha"),
        ({"process_noise": "some"}, "process noise 'some': must be one of none, robbins_monro, normalized"),
        ({"process_noise_factor": 1.0}, "process noise factor 1: must be between"),
        ({"passes": 0}, "passes 0: must be between 1 and 100"),
        ({"estimator": "ls", "alpha": 1e-2}, "alpha .* estimator ukf, not for 'ls'"),
        ({"estimator": "ekf", "kappa": 1.0}, "kappa .* estimator ukf, not for 'ekf'"),
        ({"estimator": "rls", "process_noise": "none"}, "process noise .* estimator ukf or ekf, not"),
        ({"estimator": "ls", "passes": 5}, "passes .* a recursive estimator"),
    ],
)
def test_what_is_impossible_or_without_effect_is_refused(values, words):
    with pytest.raises(SettingsError, match=words):
        Settings.of(**values)


@pytest.fixture(scope="module")
def posed():
    """Exact sums with noise far above the first guess of it, so that a second pass has something to learn."""
    rng, prior = np.random.default_rng(3), prior_of(3, 4)
    columns = rng.normal(size=(400, 6, 3)) / prior.std
    made = equations(columns, columns @ prior.mean + rng.normal(size=(400, 6)))
    return Problem(parameter_set(prior), prior, made, typical_force=2000.0)


def test_no_more_passes_than_asked_for(posed):
    counts = {most: ESTIMATORS["ukf"].run(posed, Tuning(passes=most)).iterations for most in (1, 2, 10)}
    assert counts[1] == 1
    assert counts[2] == 2
    assert 2 <= counts[10] <= 10


def test_process_noise_is_what_is_asked_for(posed):
    """Without it the filter is least squares; with Robbins-Monro it is not, and its factor matters."""

    def off(adaptation, rate=0.01):
        fit = ESTIMATORS["ukf"].run(posed, Tuning(UnscentedSettings(adaptation=adaptation, rate=rate)))
        return np.abs(fit.mean - plain).max()

    plain = ESTIMATORS["ls"].run(posed, Tuning()).mean
    assert off("none") < 1e-2 * off("robbins_monro", 0.01)
    assert abs(off("robbins_monro", 0.001) / off("robbins_monro", 0.1) - 1) > 0.01


def test_groups_are_held_at_the_files_values():
    whole = list_hexapod_parameters(Machine.load("uf"), "oh24")
    masses, inertias = ("m_e", "m_b", "m_p"), tuple(n for n in whole.names if n.startswith("I"))
    friction = tuple(entry.name for entry in whole.entries if entry.kind.friction)
    assert len(masses) + len(inertias) + len(friction) == len(whole.names)
    for group, left in {
        "inertial": friction,
        "masses": (*inertias, *friction),
        "inertias": (*masses, *friction),
        "friction": (*masses, *inertias),
    }.items():
        made = assumptions_of([group], [], "").apply(whole)
        assert set(made.names) == set(left), group
        np.testing.assert_allclose(
            made.mapping @ made.nominal + made.known, whole.mapping @ whole.nominal + whole.known, rtol=1e-12
        )


def test_a_group_beside_one_of_its_members_holds_the_rest():
    whole = list_hexapod_parameters(Machine.load("uf"), "oh24")
    made = assumptions_of(["m_p=6", "masses"], [], "").apply(whole)
    one_by_one = assumptions_of(["m_p=6", "m_e", "m_b"], [], "").apply(whole)
    np.testing.assert_array_equal(made.known, one_by_one.known)
    assert made.names == one_by_one.names


@pytest.mark.parametrize(
    ("fix", "words"),
    [
        (["friction=3"], "fix friction=3: a group is held"),
        (["friction"], "fix friction: no parameter of the set 'oh12' is of this group"),
        (["inertial"], "no parameter remains"),
    ],
)
def test_groups_that_make_no_sense_are_refused(fix, words):
    with pytest.raises(SettingsError, match=words):
        assumptions_of(fix, [], "").apply(list_hexapod_parameters(Machine.load("uf"), "oh12"))


@pytest.mark.parametrize(
    ("asked", "estimator"),
    [
        ({}, "full"),
        ({"falls": ()}, "full"),
        ({"falls": ["fall.csv"]}, "ls"),
        ({"fix": ["masses"]}, "ukf"),
        ({"falls": ["fall.csv"], "causal": True}, "ukf"),
    ],
)
def test_the_estimator_follows_what_is_asked(asked, estimator):
    assert choose_estimator(**asked) == estimator
