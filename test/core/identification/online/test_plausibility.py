# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What no machine can have is found by a few half spaces, and never where a machine lies near."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.estimation.estimate import make_estimate
from pkm_identification.identification.online.diagnosis.plausibility import BEYOND, Plausibility
from pkm_identification.machines.load import load_machine
from pkm_identification.parameters.prior import Prior

UF = load_machine("uf")
PARAMETERS = UF.build_parameter_set()


def estimated(std):
    """An estimate of the machine file's values, each known to a share of its size."""
    prior = Prior.of(PARAMETERS)
    covariance = np.diag((std * prior.std) ** 2)
    return make_estimate(PARAMETERS, prior, PARAMETERS.nominal, covariance, nis=6.0, nis_dof=6, count=100, time=1.0,
                         estimator="ukf", model="force")  # fmt: skip


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("m_p", "the platform's mass is"),
        ("Ixx_p", "not that of a rigid"),
        ("coulomb_3", "coulomb_3 is -"),
    ],
)
def test_a_value_well_below_its_bound_is_impossible(name, said):
    judge = Plausibility(UF, PARAMETERS).judge
    right = estimated(0.01)
    assert judge(right) == ""
    k = PARAMETERS.names.index(name)
    values = right.values.copy()
    values[k] = -2.0 * BEYOND * right.std[k]
    assert said in judge(replace(right, values=values))


def test_friction_below_zero_by_chance_is_not_impossible():
    right = estimated(0.01)
    k = PARAMETERS.names.index("coulomb_3")
    values = right.values.copy()
    values[k] = -0.9 * BEYOND * right.std[k]
    assert Plausibility(UF, PARAMETERS).judge(replace(right, values=values)) == ""


def test_until_a_verdict_the_file_may_have_something_wrong():
    """A moment of inertia above the sum of the others by a tenth of it, as a guessed centre of mass makes it."""
    judge = Plausibility(UF, PARAMETERS).judge
    right = estimated(0.001)
    x, y, z = (PARAMETERS.names.index(name) for name in ("Ixx_p", "Iyy_p", "Izz_p"))
    values = right.values.copy()
    values[z] = 1.1 * (values[x] + values[y])
    beyond = replace(right, values=values)
    assert judge(beyond, total=False) == ""
    assert "not that of a rigid" in judge(beyond, total=True)
    values[x] = -values[x]  # no centre of mass does that
    assert "not that of a rigid" in judge(replace(right, values=values), total=False)


def test_what_is_not_known_is_not_impossible():
    vague = estimated(1.0)
    values = vague.values.copy()
    values[PARAMETERS.names.index("m_p")] = -vague.std[PARAMETERS.names.index("m_p")]
    assert Plausibility(UF, PARAMETERS).judge(replace(vague, values=values)) == ""


def test_scattered_estimates_of_a_possible_machine_are_not_called_impossible():
    right = estimated(0.02)
    judge = Plausibility(UF, PARAMETERS).judge
    made = np.random.default_rng(4).multivariate_normal(right.values, right.covariance, 200)
    assert not any(judge(replace(right, values=values)) for values in made)
