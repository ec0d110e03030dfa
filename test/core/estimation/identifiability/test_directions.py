# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Singular directions of a regressor without units: shares that add up, no unit in them, growth of the weakest."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.estimation.identifiability.directions import growth, singular_directions
from pkm_identification.estimation.identifiability.homogenized import homogenize_regressor
from pkm_identification.parameters.parameter import Kind

KINDS = (Kind.MASS, Kind.MASS, Kind.FIRST_MOMENT, Kind.INERTIA)


@pytest.fixture(scope="module")
def rows():
    """Two masses, a first moment, and an inertia whose column is the sum of the masses'."""
    made = np.random.default_rng(3).normal(size=(30, 4)) * [3.0, 1.0, 0.1, 1.0]
    made[:, 3] = made[:, 0] + made[:, 1]
    return made


def test_shares_add_up_and_values_are_those_of_d(rows):
    found = singular_directions(rows, KINDS)
    assert found.rank == 3
    np.testing.assert_allclose(found.shares.sum(axis=0), 1.0, atol=1e-12)
    np.testing.assert_allclose(found.shares.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(found.values, homogenize_regressor(rows, KINDS).singular_values, atol=1e-12)
    # D's null vector by hand: the inertia's direction u against the same u in the masses' space
    np.testing.assert_allclose(found.shares[2:, 3], [0.0, 0.5], atol=1e-9)
    assert found.shares[:2, 3].sum() == pytest.approx(0.5, abs=1e-9)


def test_what_a_kind_does_not_show_by_itself_has_no_value():
    """By hand: masses a and b have the same column, so they are shown as (a + b) and (a - b) is not."""
    column = np.random.default_rng(1).normal(size=(12, 2))
    found = singular_directions(column[:, [0, 0, 1]] * [1.0, 1.0, 0.0], (Kind.MASS, Kind.MASS, Kind.INERTIA))
    assert found.rank == 1
    np.testing.assert_allclose(found.values, [1.0, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(found.shares[:, 0], [0.5, 0.5, 0.0], atol=1e-12)
    assert found.shares[2, 1:].sum() == pytest.approx(1.0)


def test_units_change_neither_shares_nor_values(rows):
    """Grams and millimetres."""
    factor = np.array([1e-3, 1e-3, 1e-6, 1e-9])
    plain, other = singular_directions(rows, KINDS), singular_directions(rows * factor, KINDS)
    np.testing.assert_allclose(other.values, plain.values, atol=1e-10)
    np.testing.assert_allclose(other.shares, plain.shares, atol=1e-9)
    parts, steps = (rows[:10], rows), np.array([1.0, 2.0])
    slow = growth(parts, steps, plain.sizes, 3).relative
    other_parts = [part * factor for part in parts]
    np.testing.assert_allclose(growth(other_parts, steps, other.sizes, 3).relative, slow, rtol=1e-9)
    # columns as they are do change
    assert np.linalg.cond((rows * factor)[:, :3]) > 1e2 * np.linalg.cond(rows[:, :3])


def test_fewer_rows_than_parameters_show_fewer_directions(rows):
    found = singular_directions(rows[:2], KINDS)
    assert found.rank == 2
    assert found.shares.shape == (4, 4)
    nothing = singular_directions(np.zeros((5, 4)), KINDS)
    assert nothing.rank == 0
    np.testing.assert_allclose(nothing.shares.sum(axis=0), 1.0, atol=1e-12)


def test_growth_follows_the_power_of_the_amplitude(rows):
    """A column that goes with the cube of an amplitude beside one that does not change: so does s_2 / s_1."""
    steps = np.array([0.01, 0.1, 1.0])
    pair = np.linalg.qr(rows[:, :2])[0] * [1.0, 0.5]
    found = growth([pair * [1.0, step**3] for step in steps], steps, np.ones(2), 2)
    np.testing.assert_allclose(found.relative, 0.5 * steps**3, rtol=1e-9)
