# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Regressors without units: the toy by hand, identities of the decomposition, units that do not matter."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import machine

from pkm_identification.errors import SettingsError
from pkm_identification.estimation.identifiability.contributions import parameter_contributions
from pkm_identification.estimation.identifiability.homogenized import (
    homogenize_regressor,
    raw_condition,
    scaled_rows,
)
from pkm_identification.mechanisms.hexapod.analysis.base_parameters import random_states
from pkm_identification.mechanisms.hexapod.dynamics.thirteen_bodies import compute_body_regressor
from pkm_identification.mechanisms.multibody.analysis.subject import Subject
from pkm_identification.parameters.parameter import Kind

TOY = np.array([[3.0, 0.0], [4.0, 5.0], [0.0, 0.0], [0.0, 12.0]])
TOY_KINDS = (Kind.MASS, Kind.INERTIA)
UNITS = {Kind.MASS: "kg", Kind.FIRST_MOMENT: "kg m", Kind.INERTIA: "kg m^2"}
# Of a column, when parameters are given in other units: m to mm, kg to g; and of all rows, N to kN.
CHANGES = {
    "m to mm": ({Kind.FIRST_MOMENT: 1e-3, Kind.INERTIA: 1e-6}, 1.0),
    "kg to g": (dict.fromkeys(UNITS, 1e-3), 1.0),
    "N to kN": ({}, 1e-3),
}
# The platform alone: 2 kg, first moments, inertia in the order xx, yy, zz, xy, xz, yz.
PLATFORM = np.array([2, 0.02, -0.01, 0.03, 0.05, 0.06, 0.08, 0.002, -0.001, 0.003])


def whole(name):
    subject = Subject.load(name)
    return scaled_rows(subject.columns(), subject.row_units), subject


def platform():
    m = machine("uf")
    rows = scaled_rows(compute_body_regressor(m, random_states(m, 40))[..., :10], ("N",) * 6)
    return rows, (Kind.MASS, *(Kind.FIRST_MOMENT,) * 3, *(Kind.INERTIA,) * 6)


def changed(rows, kinds, change):
    factors, of_rows = CHANGES[change]
    return rows * np.array([factors.get(kind, 1.0) for kind in kinds]) * of_rows


def test_the_toy_by_hand():
    """U_m and U_J are at cos = 4 / 13: singular values of D are the roots of 1 +- 4/13, however large the columns."""
    found = homogenize_regressor(TOY, TOY_KINDS)
    np.testing.assert_allclose(found.singular_values, np.sqrt([17 / 13, 9 / 13]), atol=1e-14)
    np.testing.assert_allclose(found.singular_values, [1.14354375, 0.83205029], atol=1e-8)
    assert found.condition == pytest.approx(1.37436854, abs=1e-8)
    assert raw_condition(TOY, 2) == pytest.approx(2.77664755, abs=1e-8)
    millimetres = TOY * [1, 1e-6]
    assert raw_condition(millimetres, 2) == pytest.approx(404226.04, abs=1e-2)
    assert homogenize_regressor(millimetres, TOY_KINDS).condition == pytest.approx(found.condition, abs=1e-12)


def test_groups_are_the_columns_and_decompose_them():
    rows, subject = whole("uf")
    found = homogenize_regressor(rows, subject.kinds)
    parameters = np.random.default_rng(0).normal(size=len(subject.names))
    tau = rows @ parameters
    together = np.zeros(len(rows))
    assert [group.kind for group in found.groups] == [Kind.MASS, Kind.FIRST_MOMENT, Kind.INERTIA]
    assert [len(group.columns) for group in found.groups] == [13, 39, 78]
    for group in found.groups:
        own = rows[:, group.columns]
        np.testing.assert_allclose(
            (group.directions * group.values) @ group.parameters.T, own, atol=1e-12 * np.abs(own).max()
        )
        np.testing.assert_allclose(group.directions.T @ group.directions, np.eye(group.rank), atol=1e-12)
        together += own @ parameters[group.columns]
    np.testing.assert_allclose(together, tau, atol=1e-12 * np.abs(tau).max())
    homogeneous = np.concatenate([g.values * (g.parameters.T @ parameters[g.columns]) for g in found.groups])
    np.testing.assert_allclose(found.matrix @ homogeneous, tau, atol=1e-12 * np.linalg.norm(tau))
    # the way back and forth loses only what the columns do not show
    np.testing.assert_allclose(rows @ found.back(homogeneous), tau, atol=1e-11 * np.linalg.norm(tau))


@pytest.mark.parametrize(
    ("name", "ranks", "rank", "condition", "raw", "raw_mm"),
    [
        ("uf", [6, 39, 42], 82, 26.71, 499.6, 1.9e7),
        ("hexel", [4, 37, 41], 79, None, None, None),  # of its present base no independent figure
        ("ford", [6, 39, 42], 82, 16.05, 121.9, 4.3e6),
    ],
)
def test_ranks_and_conditions_of_hexapods(name, ranks, rank, condition, raw, raw_mm):
    """The figures were computed independently of this code, for the same states."""
    rows, subject = whole(name)
    found = homogenize_regressor(rows, subject.kinds)
    assert [group.rank for group in found.groups] == ranks
    assert found.rank == rank
    assert found.clear
    if condition is None:
        return
    assert found.condition == pytest.approx(condition, abs=0.005)
    assert 0 <= found.singular_values[-1] <= found.singular_values[0] <= np.sqrt(3)
    assert raw_condition(rows, rank) == pytest.approx(raw, abs=0.05)
    millimetres = changed(rows, subject.kinds, "m to mm")
    assert raw_condition(millimetres, rank) == pytest.approx(raw_mm, rel=0.03)


@pytest.mark.parametrize("change", CHANGES)
def test_no_unit_changes_anything(change):
    rows, subject = whole("uf")
    before, after = (
        homogenize_regressor(r, subject.kinds) for r in (rows, changed(rows, subject.kinds, change))
    )
    assert before.rank == after.rank
    np.testing.assert_allclose(after.singular_values[:82], before.singular_values[:82], atol=1e-10)
    assert after.condition == pytest.approx(before.condition, abs=1e-10)
    factors, _ = CHANGES[change]
    values = subject.nominal / np.array([factors.get(kind, 1.0) for kind in subject.kinds])
    first = parameter_contributions(rows, subject.nominal, subject.kinds)
    second = parameter_contributions(changed(rows, subject.kinds, change), values, subject.kinds)
    np.testing.assert_allclose(second.size, first.size, atol=1e-10)
    np.testing.assert_allclose(second.share, first.share, atol=1e-10)
    raw, other = (raw_condition(r, 82) for r in (rows, changed(rows, subject.kinds, change)))
    # only a change of length mixes kinds anew
    assert (abs(other / raw - 1) > 0.01) == (change == "m to mm")


def test_the_platform_alone_comes_back():
    rows, kinds = platform()
    found = homogenize_regressor(rows, kinds)
    assert [group.rank for group in found.groups] == [1, 3, 6]
    y = np.linalg.lstsq(found.matrix, rows @ PLATFORM, rcond=None)[0]
    np.testing.assert_allclose(found.back(y), PLATFORM, atol=1e-9)


def test_contributions_add_up_and_zero_columns_are_listed():
    rows, subject = whole("uf")
    found = parameter_contributions(rows, subject.nominal, subject.kinds)
    assert found.share.sum() == pytest.approx(1.0, abs=1e-10)
    nothing = [subject.names[k] for k in found.without_influence]
    assert set(nothing) >= {f"m_b_{i}" for i in range(1, 7)}
    assert not found.size[found.without_influence].any()
    tau = rows @ subject.nominal
    group = [kind is Kind.MASS for kind in subject.kinds]
    mass = np.linalg.norm(rows[:, group] @ subject.nominal[group]) / np.linalg.norm(tau)
    assert found.of_groups[Kind.MASS] == pytest.approx(mass, rel=1e-12)
    with pytest.raises(SettingsError, match="gives no force"):
        parameter_contributions(rows, 0.0 * subject.nominal, subject.kinds)


@pytest.mark.parametrize("below", [1e-3, 1e-2])
def test_what_is_left_out_changes_forces_by_less_than_its_sum(below):
    rows, subject = whole("uf")
    found = parameter_contributions(rows, subject.nominal, subject.kinds)
    out = np.flatnonzero(found.size < below)
    assert found.size[out].sum() > 0
    less = subject.nominal.copy()
    less[out] = 0.0
    tau = rows @ subject.nominal
    change = np.linalg.norm(rows @ less - tau) / np.linalg.norm(tau)
    assert 0 < change <= found.size[out].sum()


def test_a_low_mobility_four_bar_is_in_doubt_here_too():
    rows, subject = whole("four-bar-low-mobility")
    assert not homogenize_regressor(rows, subject.kinds).clear
    rows, subject = whole("four-bar")
    found = homogenize_regressor(rows, subject.kinds)
    assert found.rank == 8
    assert found.clear


def test_rows_and_columns_of_mixed_units_are_refused():
    columns = np.ones((3, 2, 2))
    with pytest.raises(SettingsError, match="N and N m"):
        scaled_rows(columns, ("N", "N m"))
    with pytest.raises(SettingsError, match="2 positive numbers"):
        scaled_rows(columns, ("N", "N m"), (1.0, 0.0))
    np.testing.assert_allclose(scaled_rows(columns, ("N", "N m"), (1.0, 2.0))[:2], [[1, 1], [0.5, 0.5]])
    with pytest.raises(ValueError, match="1 kinds"):
        homogenize_regressor(TOY, (Kind.MASS,))
    with pytest.raises(ValueError, match="not finite"):
        homogenize_regressor(TOY * np.nan, TOY_KINDS)
    with pytest.raises(ValueError, match="gives no force"):
        parameter_contributions(TOY, np.zeros(2), TOY_KINDS)
