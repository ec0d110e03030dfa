# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The friction law at its corners (Oh 2003, 4.5)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pkm_identification.mechanisms.friction import Friction
from pkm_identification.mechanisms.hexapod.dynamics import friction_force

VISCOUS = np.array([1258.0, 1012.0, 1098.0, 3517.0, 962.0, 1309.0])
COULOMB = np.array([50.0, 49.0, 58.0, 99.0, 43.0, 63.0])
LAW = Friction.of("coulomb", viscous=VISCOUS, coulomb=COULOMB, transition_rate=0.002)


@pytest.mark.parametrize(
    ("rate", "part"), [(0.0, 0.0), (0.0005, 0.25), (0.001, 0.5), (0.002, 1.0), (0.0020001, 1.0), (0.5, 1.0)]
)
def test_values(rate, part):
    rates = np.full(6, rate)
    np.testing.assert_allclose(friction_force(rates, LAW), VISCOUS * rate + part * COULOMB, rtol=1e-15)


def test_source_formula_inside_and_outside_the_transition():
    """c_v L' + F_c above 2 mm/s, c_v L' - F_c below -2 mm/s, (2 F_c / 0.004) L' more between."""
    rates = np.linspace(-0.01, 0.01, 401)[:, None] * np.ones(6)
    expected = np.where(
        rates > 0.002, COULOMB, np.where(rates < -0.002, -COULOMB, 2 * COULOMB / 0.004 * rates)
    )
    np.testing.assert_allclose(friction_force(rates, LAW), VISCOUS * rates + expected, rtol=1e-12, atol=1e-12)


@pytest.mark.slow
@given(st.floats(-10, 10), st.floats(1e-5, 0.1))
def test_odd_and_never_driving(rate, transition):
    law = Friction.of("coulomb", viscous=VISCOUS, coulomb=COULOMB, transition_rate=transition)
    rates = np.full((1, 6), rate)
    force = friction_force(rates, law)
    np.testing.assert_array_equal(friction_force(-rates, law), -force)
    assert np.all(force * rates >= 0)


def test_continuous_and_increasing():
    rates = np.linspace(-0.004, 0.004, 8001)[:, None] * np.ones(6)
    steps = np.diff(friction_force(rates, LAW), axis=0)
    assert np.all(steps > 0)
    # 1 um/s at the steepest slope F_c / v_t + c_v
    assert np.all(steps <= 1e-6 * (COULOMB / 0.002 + VISCOUS) * (1 + 1e-9))


def test_each_strut_has_its_own():
    law = Friction.of("coulomb", coulomb=np.array([0.0, 0, 5.0, 0, 0, 0]), transition_rate=0.002)
    np.testing.assert_array_equal(friction_force(np.full(6, -1.0), law), [0, 0, -5.0, 0, 0, 0])
