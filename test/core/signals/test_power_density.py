# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Welch's power density against scipy.signal."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from pkm_identification.signals.power_density import power_density

RATE = 1000.0
VALUES = np.random.default_rng(3).normal(size=(400, 6)).cumsum(axis=0)


@pytest.mark.parametrize("count", [64, 101, 400])
def test_it_is_scipys(count):
    frequency, expected = signal.welch(VALUES, RATE, nperseg=count, detrend="constant", axis=0)
    found = power_density(VALUES, count, RATE)
    np.testing.assert_allclose(found[0], frequency, rtol=1e-12)
    np.testing.assert_allclose(found[1], expected, rtol=1e-10)
    np.testing.assert_allclose(power_density(VALUES[:, 2], count, RATE)[1], expected[:, 2], rtol=1e-10)
