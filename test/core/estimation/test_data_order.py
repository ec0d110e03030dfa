# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Orders of data: each datum once, and of no account to a linear model without process noise."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.estimation.data_order import ORDERS, data_order
from pkm_identification.estimation.filters.unscented import UnscentedFilter, UnscentedSettings
from pkm_identification.parameters.prior import Prior


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("count", [0, 1, 9, 10, 57])
def test_every_datum_comes_once(order, count):
    assert sorted(data_order(count, order)) == list(range(count))


def test_spread_takes_every_tenth():
    assert data_order(25, "spread").tolist()[:6] == [0, 10, 20, 1, 11, 21]


def test_random_follows_its_seed():
    np.testing.assert_array_equal(data_order(50, "random", 3), data_order(50, "random", 3))
    assert data_order(50, "random", 3).tolist() != data_order(50, "random", 4).tolist()
    assert data_order(50, "random").tolist() != list(range(50))


def test_an_unknown_order_is_refused():
    with pytest.raises(ValueError, match=r"'backwards': must be one of sequential, random, spread"):
        data_order(5, "backwards")


@pytest.mark.parametrize("adaptation", ["none", "robbins_monro"])
def test_only_process_noise_makes_order_matter(adaptation):
    rng = np.random.default_rng(2)
    columns = rng.normal(size=(200, 2, 3))
    output = columns @ np.array([1.0, 2.0, 3.0]) + 0.1 * rng.normal(size=(200, 2))
    ends = []
    for order in ORDERS:
        made = UnscentedFilter(
            Prior(np.zeros(3), np.full(3, 5.0)), 2, UnscentedSettings(adaptation=adaptation)
        )
        for k in data_order(200, order):
            made.step_linear(columns[k], output[k], 0.01 * np.eye(2))
        ends.append(made.mean)
    difference = max(np.abs(end - ends[0]).max() for end in ends[1:])
    # rounding of 200 updates, against noise that moves the estimate by 0.1 / sqrt(200)
    assert difference < 1e-10 if adaptation == "none" else difference > 1e-4
