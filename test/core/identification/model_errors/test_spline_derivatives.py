# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derivatives by the quintic spline are those of SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

from pkm_identification.identification.model_errors.spline_derivatives import (
    DEGREE,
    FEWEST,
    spline_derivatives,
)


@pytest.mark.parametrize("count", [FEWEST, FEWEST + 1, 11, 12, 400])
def test_derivatives_are_those_of_scipys_spline(count):
    interval = 0.013
    values = np.cumsum(np.random.default_rng(count).standard_normal((count, 3)), axis=0)
    time = interval * np.arange(count)
    spline = make_interp_spline(time, values, k=DEGREE)
    for order, found in enumerate(spline_derivatives(values, interval), 1):
        expected = spline.derivative(order)(time)
        np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())


def test_a_polynomial_of_fifth_degree_is_differentiated_exactly():
    time = 0.1 * np.arange(40)
    first, second = spline_derivatives(np.stack([time**5, 1.0 + time], axis=1), 0.1)
    np.testing.assert_allclose(first, np.stack([5 * time**4, np.ones(40)], axis=1), atol=1e-9)
    np.testing.assert_allclose(second, np.stack([20 * time**3, np.zeros(40)], axis=1), atol=1e-8)
