# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Statuses of posteriors whose null space is known: what the data show, and by which name."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pkm_identification.estimation.identifiability import COMBINATION, IDENTIFIABLE, UNIDENTIFIABLE, assess

NOISE = 1e-3


def posterior(
    columns: np.ndarray, prior_std: np.ndarray, truth: np.ndarray, noise: float = NOISE, seed: int = 0
):
    """Mean and covariance of a Gaussian posterior around a prior at zero."""
    rng = np.random.default_rng(seed)
    measured = columns @ truth + noise * rng.normal(size=len(columns))
    information = columns.T @ columns / noise**2 + np.diag(prior_std**-2)
    covariance = np.linalg.inv(information)
    return covariance @ columns.T @ measured / noise**2, 0.5 * (covariance + covariance.T)


def judged(columns, prior_std=None, truth=None, noise=NOISE):
    width = columns.shape[1]
    prior_std = np.ones(width) if prior_std is None else np.asarray(prior_std, dtype=float)
    truth = 0.3 * prior_std if truth is None else truth
    mean, covariance = posterior(columns, prior_std, truth, noise)
    names = tuple("abcdefgh"[:width])
    return assess(names, ("kg",) * width, mean, np.zeros(width), covariance, prior_std), truth


def random_columns(width: int, seed: int = 1, count: int = 200) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(count, width))


def test_good_data_show_every_parameter_alone():
    result, _ = judged(random_columns(5))
    assert result.status == (IDENTIFIABLE,) * 5
    assert result.combinations == ()


def test_no_data_show_nothing():
    result, _ = judged(np.zeros((10, 4)))
    assert result.status == (UNIDENTIFIABLE,) * 4
    assert result.combinations == ()


def test_zero_column_is_not_identifiable_and_in_no_combination():
    columns = random_columns(5)
    columns[:, 3] = 0.0
    result, _ = judged(columns)
    assert result.status == (IDENTIFIABLE,) * 3 + (UNIDENTIFIABLE, IDENTIFIABLE)
    assert result.combinations == ()


def test_equal_columns_show_their_sum():
    columns = random_columns(4)
    columns[:, 2] = columns[:, 0]
    result, truth = judged(columns)
    assert result.status == (COMBINATION, IDENTIFIABLE, COMBINATION, IDENTIFIABLE)
    (found,) = result.combinations
    assert found.name in ("a + c", "c + a")
    np.testing.assert_allclose(found.weights, [1, 0, 1, 0], atol=1e-3)
    assert found.value == pytest.approx(truth[0] + truth[2], abs=5 * found.std)
    assert found.std < 1e-3


def test_opposite_columns_show_their_difference():
    columns = random_columns(3)
    columns[:, 1] = -columns[:, 0]
    result, _ = judged(columns)
    (found,) = result.combinations
    assert found.name in ("a - b", "b - a")
    assert result.status == (COMBINATION, COMBINATION, IDENTIFIABLE)


@pytest.mark.parametrize("factor", [0.5, 3.0, 6.0])
def test_factor_is_that_of_the_columns(factor):
    """As in m_p + 6 m_e: the column of the one is a multiple of the other's."""
    columns = random_columns(3)
    columns[:, 1] = factor * columns[:, 0]
    result, truth = judged(columns)
    (found,) = result.combinations
    weights = found.weights / found.weights[0]
    np.testing.assert_allclose(weights, [1, factor, 0], rtol=1e-3, atol=1e-3)
    assert f"{max(factor, 1 / factor):.3g}" in found.name or f"{min(factor, 1 / factor):.3g}" in found.name
    assert found.value == pytest.approx(found.weights @ truth, abs=5 * found.std + 1e-9)


def test_units_do_not_change_what_is_shown():
    columns = random_columns(4, 2)
    columns[:, 3] = 2.0 * columns[:, 1]
    plain, _ = judged(columns)
    unit = np.array([1e-5, 1e3, 1.0, 1e-3])
    other, truth = judged(columns / unit, unit)
    assert other.status == plain.status
    (a,), (b,) = plain.combinations, other.combinations
    pivot = np.argmax(b.weights == 1.0)
    np.testing.assert_allclose(b.weights * unit / unit[pivot], a.weights / a.weights[pivot], atol=1e-3)
    assert b.value == pytest.approx(b.weights @ truth, abs=5 * b.std + 1e-9)


def test_two_sums_of_three_are_two_combinations():
    """Only a + c and b + c: three parameters, none alone."""
    basis = random_columns(2, 3)
    columns = np.column_stack([basis[:, 0], basis[:, 1], basis.sum(axis=1)])
    result, truth = judged(columns)
    assert result.status == (COMBINATION,) * 3
    assert len(result.combinations) == 2
    null = np.array([1.0, 1.0, -1.0])
    for found in result.combinations:
        # what is shown is blind to the null space
        assert abs(found.weights @ null) < 1e-2
        assert found.value == pytest.approx(found.weights @ truth, abs=5 * found.std + 1e-3)
    stacked = np.array([found.weights for found in result.combinations])
    assert np.linalg.matrix_rank(stacked, tol=1e-2) == 2


def test_poor_data_resolve_nothing_even_without_a_null_space():
    result, _ = judged(random_columns(3, 4, count=20), noise=50.0)
    assert result.status == (UNIDENTIFIABLE,) * 3


@pytest.mark.slow
@given(
    silent=st.lists(st.integers(0, 5), max_size=4, unique=True),
    scale=hnp.arrays(float, 6, elements=st.floats(-4, 4)),
    seed=st.integers(0, 1000),
)
@settings(max_examples=80)
def test_column_of_zeros_is_never_called_identifiable(silent, scale, seed):
    prior_std = 10.0**scale
    columns = random_columns(6, seed) / prior_std
    columns[:, silent] = 0.0
    result, _ = judged(columns, prior_std)
    for k in range(6):
        assert result.status[k] == (UNIDENTIFIABLE if k in silent else IDENTIFIABLE)


@pytest.mark.slow
@given(null=hnp.arrays(float, (2, 5), elements=st.floats(-1, 1)), seed=st.integers(0, 1000))
@settings(max_examples=80)
def test_what_is_called_shown_is_blind_to_the_null_space(null, seed):
    """Two directions removed from the data: no parameter with a share in them is shown, no combination sees them."""
    q, r = np.linalg.qr(null.T)
    null = q[:, np.abs(np.diag(r)) > 1e-2]
    columns = random_columns(5, seed)
    columns = columns - columns @ null @ null.T
    result, truth = judged(columns)
    share = np.linalg.norm(null, axis=1)
    for k in range(5):
        if result.status[k] == IDENTIFIABLE:
            # its standard deviation is its share of the null space, in units of the prior's
            assert share[k] < 0.05 + 1e-6
    for found in result.combinations:
        assert np.count_nonzero(found.weights) >= 2
        assert found.std < 0.05 * 1.5
        assert abs(found.value - found.weights @ truth) < 5 * found.std + 1e-3
        assert np.linalg.norm(found.weights @ null) <= 0.05 * 1.5


@pytest.mark.parametrize(
    ("value", "size", "status"),
    [
        (0.1, 0.1, UNIDENTIFIABLE),
        (0.1, 1.0, IDENTIFIABLE),
        (1.0, 0.0, IDENTIFIABLE),
        (0.0, 0.0, UNIDENTIFIABLE),
    ],
)
def test_a_deviation_is_small_beside_the_value_or_the_bodys_scale(value, size, status):
    """A hundredth of a prior of 4 is no knowledge of a value of .1 of a body of that size."""
    found = assess(
        ("a",),
        ("kg m^2",),
        np.array([value]),
        np.zeros(1),
        np.diag([0.04**2]),
        np.array([4.0]),
        size=np.array([size]),
    )
    assert found.status == (status,)
    assert found.std[0] == pytest.approx(0.04)


@pytest.mark.parametrize(("deviation", "shown"), [(0.07, False), (0.03, True)])
def test_a_combination_obeys_the_rule_of_parameters(deviation, shown):
    """A sum of 1 of two bodies of size 1, each alone unknown to 3."""
    apart, together = np.array([1.0, -1.0]), np.array([1.0, 1.0])
    covariance = 0.25 * (9.0 * np.outer(apart, apart) + deviation**2 * np.outer(together, together))
    found = assess(
        ("a", "b"),
        ("kg", "kg"),
        np.array([0.5, 0.5]),
        np.zeros(2),
        covariance,
        np.full(2, 30.0),
        size=np.ones(2),
    )
    assert [one.value for one in found.combinations] == pytest.approx([1.0] if shown else [])
    assert all(one.std == pytest.approx(deviation) for one in found.combinations)
    assert found.status == ((COMBINATION if shown else UNIDENTIFIABLE),) * 2


def test_factors_of_other_units_have_theirs():
    columns = random_columns(2, 5)
    columns = np.column_stack([columns, 0.5 * columns[:, 1]])
    mean, covariance = posterior(columns, np.ones(3), np.full(3, 0.3))
    names, units = ("m", "mx", "J"), ("kg", "kg m", "kg m^2")
    found = assess(names, units, mean, np.zeros(3), covariance, np.ones(3))
    assert [one.name for one in found.combinations] == ["mx + 0.5 1/m J"]
