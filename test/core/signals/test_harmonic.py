# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The first harmonic of signals whose amplitude and phase are known."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.signals.power_density import harmonic

TIME = np.arange(0.0, 1.0, 1e-3)


def test_mean_and_slope_are_no_harmonic():
    values = 3.0 * np.sin(2 * np.pi * 4.0 * TIME - 0.7) + 5.0 - 2.0 * TIME
    assert harmonic(TIME, values, 4.0, drifting=True) == pytest.approx(3.0 * np.exp(-0.7j), abs=1e-12)


def test_other_harmonics_stay_out_over_whole_periods():
    values = np.sin(2 * np.pi * 4.0 * TIME) + 0.3 * np.sin(2 * np.pi * 12.0 * TIME)
    assert harmonic(TIME, values, 4.0) == pytest.approx(1.0, abs=1e-12)
    assert abs(harmonic(TIME, values, 4.0, drifting=True) - 1.0) > 1e-3
