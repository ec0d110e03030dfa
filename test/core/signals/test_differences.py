# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Central differences: exact on polynomials, of fourth order on the rest."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.signals.differences import central_differences

PERIOD = 0.1


@pytest.mark.parametrize("degree", range(5))
def test_exact_on_polynomials_up_to_the_fourth_degree(degree):
    time = np.arange(12) * PERIOD - 0.4
    powers = np.polynomial.Polynomial.basis(degree)
    first, second = central_differences(powers(time), PERIOD)
    np.testing.assert_allclose(first, powers.deriv()(time[2:-2]), atol=1e-13)
    np.testing.assert_allclose(second, powers.deriv(2)(time[2:-2]), atol=1e-12)


def test_first_derivative_is_not_exact_beyond():
    """The test above can fail: on the fifth power the error is -4 h^4 = 120 h^4 / -30."""
    time = np.arange(9) * PERIOD
    first, second = central_differences(time**5, PERIOD)
    np.testing.assert_allclose(first - 5 * time[2:-2] ** 4, -4 * PERIOD**4, rtol=1e-6)
    np.testing.assert_allclose(second, 20 * time[2:-2] ** 3, atol=1e-11)


def test_error_falls_with_the_fourth_power_of_the_period():
    errors = []
    for period in (2e-3, 1e-3):
        time = np.arange(1000) * period
        first, second = central_differences(np.sin(20 * time), period)
        errors.append([
            np.abs(first - 20 * np.cos(20 * time[2:-2])).max(),
            np.abs(second + 400 * np.sin(20 * time[2:-2])).max(),
        ])  # fmt: skip
    ratio = np.array(errors[0]) / errors[1]
    # in the second derivative rounding of 1e-16 / period^2 shows
    np.testing.assert_allclose(ratio, 16.0, rtol=0.02)


def test_source_formula():
    values = np.random.default_rng(0).normal(size=(5, 6))
    first, second = central_differences(values, PERIOD)
    a, b, c, d, e = values
    np.testing.assert_allclose(first[0], (-e + 8 * d - 8 * b + a) / (12 * PERIOD), rtol=1e-12)
    np.testing.assert_allclose(second[0], (-e + 16 * d - 30 * c + 16 * b - a) / (12 * PERIOD**2), rtol=1e-12)


@pytest.mark.parametrize("count", range(5))
def test_too_few_samples_give_nothing(count):
    first, second = central_differences(np.ones((count, 6)), PERIOD)
    assert first.shape == second.shape == (0, 6)
