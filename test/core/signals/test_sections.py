# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Second-order sections and Butterworth designs against scipy.signal."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from pkm_identification.signals.butterworth import band_pass, causal, low_pass, zero_phase
from pkm_identification.signals.sections import filtered, group_delay, response, rest

RATE = 1000.0
LOW = [(1, 30.0), (2, 499.0), (3, 80.0), (4, 150.0), (5, 3.0), (8, 10.0), (12, 200.0)]
VALUES = np.random.default_rng(3).normal(size=(400, 6)).cumsum(axis=0)


@pytest.mark.parametrize(("order", "cutoff"), LOW)
def test_low_pass_is_scipys(order, cutoff):
    ours, theirs = low_pass(order, cutoff, RATE), signal.butter(order, cutoff, fs=RATE, output="sos")
    if order % 2 == 0:  # where there is a real pole, theirs stands elsewhere
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-15 * np.abs(theirs).max())
        np.testing.assert_allclose(rest(ours), signal.sosfilt_zi(theirs), rtol=1e-9)
    frequency, gain = signal.sosfreqz(theirs, 500, fs=RATE)
    np.testing.assert_allclose(response(ours, frequency, RATE), gain, atol=1e-11)
    padding = 3 * (2 * len(theirs) + 1)
    expected = signal.sosfiltfilt(theirs, VALUES, axis=0, padlen=padding)
    np.testing.assert_allclose(zero_phase(ours, VALUES), expected, atol=1e-9)


@pytest.mark.parametrize(("low", "high"), [(300.0, 400.0), (100.0, 450.0), (400.0, 490.0)])
def test_band_pass_is_scipys(low, high):
    ours, theirs = (
        band_pass(6, low, high, RATE),
        signal.butter(6, (low, high), "bandpass", fs=RATE, output="sos"),
    )
    frequency, gain = signal.sosfreqz(theirs, 500, fs=RATE)
    np.testing.assert_allclose(response(ours, frequency, RATE), gain, atol=1e-11)
    np.testing.assert_allclose(filtered(ours, VALUES), signal.sosfilt(theirs, VALUES, axis=0), atol=1e-10)


def test_state_goes_on():
    sections = low_pass(4, 20.0, RATE)
    state = rest(sections)[:, :, None] * VALUES[0]
    parts = [filtered(sections, VALUES[a:b], state) for a, b in ((0, 1), (1, 137), (137, 400))]
    np.testing.assert_array_equal(np.concatenate(parts), causal(sections, VALUES))
    zi = signal.sosfilt_zi(sections)[:, :, None] * VALUES[0]
    expected, last = signal.sosfilt(sections, VALUES, axis=0, zi=zi)
    np.testing.assert_allclose(causal(sections, VALUES), expected, atol=1e-11)
    np.testing.assert_allclose(state, last, atol=1e-11)


@pytest.mark.parametrize(("order", "cutoff"), [(2, 40.0), (3, 80.0), (4, 150.0)])
def test_group_delay_is_scipys(order, cutoff):
    sections = low_pass(order, cutoff, RATE)
    expected = signal.group_delay(signal.sos2tf(sections), w=[5.0], fs=RATE)[1][0] / RATE
    assert group_delay(sections, 5.0, RATE) == pytest.approx(expected, rel=1e-9)
