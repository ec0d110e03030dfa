# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Metrics of answers whose peaks are known exactly."""

from __future__ import annotations

import numpy as np

from pkm_identification.signals.step_metrics import step_metrics


def test_a_damped_oscillation_has_its_own_metrics():
    damping, natural = 0.2, 2 * np.pi * 60.0
    swing = natural * np.sqrt(1 - damping**2)
    time = np.arange(0.0, 0.1, 1e-4)
    decay = np.exp(-damping * natural * time)
    answer = 1 - decay * (np.cos(swing * time) + damping / np.sqrt(1 - damping**2) * np.sin(swing * time))
    made = step_metrics(time, 0.003 * answer, 0.003)
    np.testing.assert_allclose(made.first_peak, np.pi / swing, rtol=1e-4)
    np.testing.assert_allclose(made.period, 2 * np.pi / swing, rtol=1e-4)
    # the mean over one period of what still swings is not 1 exactly: it is the plateau the peak is measured from
    peak = 1 + np.exp(-np.pi * damping / np.sqrt(1 - damping**2))
    np.testing.assert_allclose((1 + made.overshoot) * made.end, peak, rtol=1e-4)
    assert abs(made.end - 1) < 0.05


def test_an_answer_without_peak_settles_and_does_not_overshoot():
    time = np.arange(0.0, 0.2, 1e-3)
    made = step_metrics(time, 1 - np.exp(-time / 0.02))
    assert made.first_peak is None
    assert made.overshoot == 0.0
    np.testing.assert_allclose(made.settling, 0.02 * np.log(50), atol=2e-3)
