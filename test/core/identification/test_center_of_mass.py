# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`--also center_of_mass`: a platform with all ten parameters, and the place that follows from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.errors import SettingsError
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import IDENTIFIABLE, IN_DOUBT
from pkm_identification.identification.center_of_mass import NAMES, find_center_position
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.dynamics.basis import PLATFORM_COLUMNS, basis_parameters
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.parameters.assumptions import Assumptions, Fix, Tie

UF = Machine.load("uf")
NEW = {"mx_p", "my_p", "mz_p", "Ixy_p", "Ixz_p", "Iyz_p"}


def chosen(name: str = "identifiable", fixed: tuple[str, ...] = (), tied: tuple[str, ...] = ()):
    assumptions = Assumptions(fixed=tuple(map(Fix.parse, fixed)), tied=tuple(map(Tie.parse, tied)))
    settings = Settings.of(also=("center_of_mass",), parameters=name, assumptions=assumptions)
    return settings.parameter_set(UF)


def basis(parameters, **changed: float):
    values = np.array([changed.get(entry.name, entry.nominal) for entry in parameters.entries])
    return parameters.mapping @ values + parameters.known


@pytest.mark.parametrize("name", ["identifiable", "oh12", "oh24"])
def test_the_platform_has_ten_parameters_and_the_files_values(name):
    parameters = chosen(name)
    assert set(parameters.names) >= NEW
    np.testing.assert_allclose(basis(parameters), basis_parameters(UF), rtol=1e-14)
    assert np.linalg.matrix_rank(parameters.mapping[:PLATFORM_COLUMNS]) == PLATFORM_COLUMNS
    # first moments do not follow the mass any more
    heavier = basis(parameters, m_p=UF.platform.mass + 1.0) - basis_parameters(UF)
    np.testing.assert_allclose(heavier, np.eye(len(heavier))[0], atol=1e-12)


def test_fixed_and_tied_parameters_leave_the_rest_free():
    held = chosen(fixed=("m_p=20", "mx_p"))
    assert {"m_p", "mx_p"}.isdisjoint(held.names)
    assert set(held.names) >= NEW - {"mx_p"}
    np.testing.assert_allclose(basis(held)[0], 20.0)
    np.testing.assert_allclose(basis(held)[1:4], basis_parameters(UF)[1:4], atol=1e-14)
    tied = chosen(tied=("my_p=mx_p*2",))
    assert basis(tied, mx_p=0.3)[1:3] == pytest.approx([0.3, 0.6])


@pytest.mark.parametrize("fixed", [("inertial",), ("mx_p", "my_p", "mz_p")])
def test_what_leaves_nothing_of_it_is_refused(fixed):
    with pytest.raises(SettingsError, match="--also center_of_mass"):
        chosen(fixed=fixed)


def estimate(values, covariance) -> ParameterEstimate:
    std = np.sqrt(np.diag(covariance))
    return ParameterEstimate(
        names=NAMES, units=("kg", *["kg m"] * 3), values=values, std=std, nominal=values, status=(IDENTIFIABLE,) * 4,
        covariance=covariance, combinations=(), nis=1.0, nis_dof=6, count=100, time=0.0, estimator="ls", model="force",
    )  # fmt: skip


def test_the_place_has_the_deviation_of_a_quotient():
    rng = np.random.default_rng(1)
    values = np.array([14.0, 0.3, -0.2, 0.9])
    root = 0.02 * rng.normal(size=(4, 4))
    center, std = find_center_position(estimate(values, root @ root.T))
    np.testing.assert_allclose(center, values[1:] / values[0])
    drawn = values + rng.normal(size=(20000, 4)) @ root.T
    # four deviations of a standard deviation from so many draws; beyond first order it is (0.02 / 14)^2
    np.testing.assert_allclose(std, np.std(drawn[:, 1:] / drawn[:, :1], axis=0), rtol=4 / np.sqrt(2 * 20000))


def test_a_place_needs_all_four():
    found = estimate(np.array([14.0, 0.3, -0.2, 0.9]), 1e-4 * np.eye(4))
    assert (
        find_center_position(replace(found, status=(IDENTIFIABLE, IN_DOUBT, IDENTIFIABLE, IDENTIFIABLE)))
        is None
    )
    assert find_center_position(replace(found, names=("m_p", "mx_p", "my_p", "other"))) is None
    assert find_center_position(replace(found, values=-found.values)) is None
