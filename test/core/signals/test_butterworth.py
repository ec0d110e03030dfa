# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Butterworth filters against the analytic formula of the bilinear transform."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.numerics.rows import segment_slices
from pkm_identification.signals.butterworth import causal, low_pass, settling_samples, zero_phase

RATE = 1000.0
CASES = pytest.mark.parametrize(
    ("order", "cutoff"), [(8, 10.0), (4, 150.0), (1, 30.0), (3, 80.0), (2, 499.0)]
)


def gain(order: int, cutoff: float, frequency: np.ndarray) -> np.ndarray:
    """|H(f)| of the digital Butterworth: the analog one at the tangent of the frequency."""
    return 1 / np.sqrt(1 + (np.tan(np.pi * frequency / RATE) / np.tan(np.pi * cutoff / RATE)) ** (2 * order))


def response(filtered) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies and complex gain of a filter applied to a pulse in the middle of a long record."""
    count = 1 << 14
    pulse = np.zeros(count)
    pulse[count // 2] = 1.0
    spectrum = np.fft.rfft(np.roll(filtered(pulse), -(count // 2)))
    return np.fft.rfftfreq(count, 1 / RATE), spectrum


@CASES
def test_magnitude_of_one_pass(order, cutoff):
    sections = low_pass(order, cutoff, RATE)
    frequency, spectrum = response(lambda pulse: causal(sections, pulse))
    # coefficients of an order 8 filter at a hundredth of the rate lose some digits
    np.testing.assert_allclose(np.abs(spectrum[:-1]), gain(order, cutoff, frequency[:-1]), atol=1e-7)
    at_cutoff = np.interp(cutoff, frequency, np.abs(spectrum))
    assert at_cutoff == pytest.approx(10 ** (-3.0103 / 20), rel=2e-3)  # interpolated between 0.06 Hz


@CASES
def test_zero_phase_has_the_squared_magnitude_and_no_phase(order, cutoff):
    sections = low_pass(order, cutoff, RATE)
    frequency, spectrum = response(lambda pulse: zero_phase(sections, pulse))
    np.testing.assert_allclose(spectrum.real[:-1], gain(order, cutoff, frequency[:-1]) ** 2, atol=1e-7)
    np.testing.assert_allclose(spectrum.imag, 0.0, atol=1e-7)


@pytest.mark.parametrize("cutoff", [0.0, -1.0, 500.0, 501.0, 1e9, np.nan])
def test_impossible_cutoff_names_nyquist(cutoff):
    with pytest.raises(ValueError, match=r"cutoff is .* 500\.0 Hz \(Nyquist\)"):
        low_pass(4, cutoff, RATE)


@pytest.mark.parametrize("order", [0, -2])
def test_impossible_order(order):
    with pytest.raises(ValueError, match="order is"):
        low_pass(order, 10.0, RATE)


@CASES
def test_steady_values_pass_unchanged_from_the_first_sample_on(order, cutoff):
    sections = low_pass(order, cutoff, RATE)
    values = np.full((300, 2, 3), 1e3) * np.arange(1, 7).reshape(2, 3)
    for smooth in (causal, zero_phase):
        np.testing.assert_allclose(smooth(sections, values), values, rtol=1e-9)


@CASES
def test_settling_is_where_a_step_has_arrived(order, cutoff):
    sections = low_pass(order, cutoff, RATE)
    settled = settling_samples(sections, 1e-3)
    step = causal(sections, np.concatenate([[0.0], np.ones(20 * settled + 50)]))[1:]
    outside = np.nonzero(np.abs(step - 1) > 1e-3)[0]
    last = outside[-1] if outside.size else -1
    # one or two samples of slack, not more: the estimator waits that long after each gap
    assert last < settled <= last + 3


def test_channels_do_not_mix():
    sections = low_pass(4, 50.0, RATE)
    values = np.random.default_rng(0).normal(size=(200, 2, 3))
    for smooth in (causal, zero_phase):
        whole = smooth(sections, values)
        alone = smooth(sections, values[:, 1, 2])
        np.testing.assert_allclose(whole[:, 1, 2], alone, atol=1e-14)


@pytest.mark.parametrize("count", [1, 2, 5, 20])
def test_short_segments_are_filtered_too(count):
    smooth = zero_phase(low_pass(8, 10.0, RATE), np.linspace(0.4, 0.5, count))
    assert smooth.shape == (count,)
    assert np.all(np.isfinite(smooth))


def test_segment_slices():
    assert segment_slices(np.array([], dtype=np.int64)) == []
    assert segment_slices(np.array([3, 3, 5, 5, 5, 3])) == [slice(0, 2), slice(2, 5), slice(5, 6)]
