# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Linear relations between parameters besides the equations of motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from core.mechanisms.hexapod.machine_variants import machine

from pkm_identification.estimation.estimate import make_estimate
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.parameters.prior import Prior
from pkm_identification.parameters.relations import LinearRelations, alike_limbs


def test_alike_struts_say_nothing_of_a_common_change():
    parameters = list_hexapod_parameters(machine("uf"), "extended")
    said = alike_limbs(parameters)
    changed = parameters.nominal * np.where(
        [n.startswith(("m_b", "m_e")) for n in parameters.names], 1.3, 1.0
    )
    assert np.abs(said.rows @ changed).max() < 1e-12


def test_one_strut_apart_costs_what_a_normal_spread_says():
    parameters = list_hexapod_parameters(machine("uf"), "extended")
    said = alike_limbs(parameters, spread=0.05)
    changed = parameters.nominal.copy()
    changed[parameters.names.index("m_b_3")] *= 1.10
    # deviations from the mean: 5/6 and five times -1/6 of 10 %, over 5 %
    expected = ((5 / 6) ** 2 + 5 / 36) * (0.10 / 0.05) ** 2
    np.testing.assert_allclose(np.sum((said.rows @ changed) ** 2), expected, rtol=1e-12)


def test_sets_with_common_struts_get_no_statements():
    said = alike_limbs(list_hexapod_parameters(machine("uf"), "identifiable"))
    assert said.rows.shape == (0, 20)


def test_friction_is_not_held_alike():
    parameters = list_hexapod_parameters(machine("uf"), "extended")
    friction = [n.startswith(("viscous", "coulomb")) for n in parameters.names]
    assert not np.any(alike_limbs(parameters).rows[:, friction])


def test_joined_statements_are_all_there():
    one = LinearRelations(np.eye(2), np.ones(2))
    both = LinearRelations.concatenate([one, LinearRelations.none(2), one])
    np.testing.assert_array_equal(both.values, np.ones(4))


def test_struts_left_over_by_a_fixed_one_stay_alike():
    parameters = list_hexapod_parameters(machine("uf"), "extended")
    keep = [n for n in range(len(parameters.names)) if parameters.names[n] != "m_b_2"]
    rest = replace(parameters, entries=tuple(parameters.entries[k] for k in keep))
    of_masses = np.any(
        alike_limbs(rest).rows[:, [rest.names.index(f"m_b_{i}") for i in (1, 3, 4, 5, 6)]], axis=1
    )
    assert np.count_nonzero(of_masses) == 4


def test_what_is_only_assumed_is_not_shown():
    parameters = list_hexapod_parameters(machine("uf"), "extended")
    assumed = alike_limbs(parameters, spread=0.01)
    prior = Prior.of(parameters)
    # the data show the mean of the six masses and nothing of their differences
    row = np.array([name.startswith("m_b_") / 6.0 for name in parameters.names]) / 0.001
    information = np.diag(prior.std**-2.0) + np.outer(row, row) + assumed.rows.T @ assumed.rows
    covariance = np.linalg.inv(information)
    made = {"nis": 6.0, "nis_dof": 6, "count": 1, "time": 0.0, "estimator": "ls", "model": "force"}
    with_assumption = make_estimate(parameters, prior, prior.mean, covariance, **made)
    honest = make_estimate(parameters, prior, prior.mean, covariance, **made, assumed=assumed)
    k = parameters.names.index("m_b_3")
    assert with_assumption.status[k] == "identifiable"
    assert honest.status[k] == "combination"
    assert honest.std[k] == with_assumption.std[k]
