# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Strut filters: offline zero-phase, online causal with a constant delay, and how the two agree."""

from __future__ import annotations

import numpy as np
import pytest
from core.signals.strut_logs import PERIOD, damage, joined, smooth_log

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.signals.butterworth import low_pass, zero_phase
from pkm_identification.signals.causal import CausalFilter, FilterSettings, linear_phase_taps
from pkm_identification.signals.input_validation import InputValidator, ValidatedSample, ValidationSettings
from pkm_identification.signals.zero_phase import filter_log

pytestmark = pytest.mark.slow

SETTINGS = ValidationSettings.of(Machine.load("uf"))
KINDS = pytest.mark.parametrize("kind", ["fir", "butterworth"])
CUTOFFS = pytest.mark.parametrize(("cutoff", "order"), [(150.0, 4), (60.0, 8), (400.0, 2)])
FIELDS = ("time", "length", "rate", "acceleration", "force", "segment")
OWN = {"length": "coordinate"}  # of a sample


def validated(log):
    return InputValidator(SETTINGS).validation(log)


def samples_of(log):
    force = log.force if log.force is not None else [None] * len(log.time)
    rows = zip(log.time, log.length, force, log.segment, log.filled, strict=True)
    return [ValidatedSample(float(t), l, f, int(segment), bool(filled)) for t, l, f, segment, filled in rows]


def streamed(filter_, samples):
    """Outputs and the stamps at which they came."""
    made = [(sample.time, filter_.step(sample)) for sample in samples]
    return [m for _, m in made if m is not None], np.array([t for t, m in made if m is not None])


def damaged_log():
    log = joined(smooth_log(1500, jitter=2e-5), smooth_log(1200, start=1.6, seed=1, jitter=2e-5))
    return damage(log, [("drop", 300, 0, 2), ("nan", 400, 1, 3), ("drop", 700, 0, 60), ("drop", 1000, 0, 20)])


@KINDS
@CUTOFFS
def test_sample_by_sample_equals_the_whole_log_exactly(kind, cutoff, order):
    log = validated(damaged_log())
    settings = FilterSettings(PERIOD, cutoff, order, kind)
    whole = CausalFilter(settings).filter(log)
    single, _ = streamed(CausalFilter(settings), samples_of(log))
    assert len(single) == len(whole) > 500
    for field in FIELDS:
        np.testing.assert_array_equal(
            np.array([getattr(s, OWN.get(field, field)) for s in single]), getattr(whole, field)
        )


@KINDS
@CUTOFFS
def test_delay_is_constant_and_the_stamp_is_the_instant_described(kind, cutoff, order):
    log = validated(smooth_log(1200))
    filter_ = CausalFilter(FilterSettings(PERIOD, cutoff, order, kind))
    outputs, arrival = streamed(filter_, samples_of(log))
    described = np.array([s.time for s in outputs])
    np.testing.assert_allclose(arrival - described, filter_.delay, atol=1e-9)
    assert 0 < filter_.delay < 0.06


def test_fir_gives_stamps_of_its_input():
    log = validated(smooth_log(600, jitter=2e-5))
    outputs, _ = streamed(CausalFilter(FilterSettings(PERIOD, 150.0)), samples_of(log))
    assert {s.time for s in outputs} <= set(log.time)


def uncut(cutoff, order):
    """Settings whose taps may be as long as they need to be."""
    return FilterSettings(PERIOD, cutoff, order, max_delay=0.2)


@CUTOFFS
def test_fir_equals_the_zero_phase_filter_at_the_same_stamps(cutoff, order):
    log = validated(smooth_log(2000, jitter=2e-5))
    online = CausalFilter(uncut(cutoff, order)).filter(log)
    offline = filter_log(log, cutoff, order)
    _, a, b = np.intersect1d(online.time, offline.time, return_indices=True)
    # the offline filter's own padding shows in the first and last of its samples
    a, b = a[60:-60], b[60:-60]
    assert len(a) > 1500
    # The taps end where they fall below 1e-4 of the largest. What is cut changes the gain of a 3 Hz motion
    # by a few 1e-4 times the part of it that bends within the taps' width.
    for field, size in (("length", 0.02), ("rate", 0.4), ("acceleration", 8.0), ("force", 50.0)):
        difference = np.abs(getattr(online, field)[a] - getattr(offline, field)[b]).max()
        assert difference < 3e-4 * size, field


@CUTOFFS
def test_fir_has_the_zero_phase_filters_gain(cutoff, order):
    taps = linear_phase_taps(uncut(cutoff, order))
    np.testing.assert_array_equal(taps, taps[::-1])
    assert taps.sum() == pytest.approx(1.0, abs=1e-15)
    frequency = np.array([0.1, 0.5, 1.0]) * cutoff
    half = len(taps) // 2
    gain = np.cos(2 * np.pi * np.outer(frequency, np.arange(-half, half + 1)) * PERIOD) @ taps
    ideal = 1 / (1 + (np.tan(np.pi * frequency * PERIOD) / np.tan(np.pi * cutoff * PERIOD)) ** (2 * order))
    np.testing.assert_allclose(gain, ideal, atol=2e-3)


def sines(omega, at):
    """A motion of all struts alike, by its formula; `at` is (N, 1)."""
    s, c, ones = np.sin(omega * at), np.cos(omega * at), np.ones(6)
    return {
        "length": (0.43 + 0.02 * s) * ones,
        "rate": 0.02 * omega * c * ones,
        "acceleration": -0.02 * omega**2 * s * ones,
        "force": 100.0 * c * ones,
    }


@KINDS
def test_slow_motion_and_its_derivatives_come_out_as_they_are(kind):
    """Against the sines themselves, at the stamps given: no phase is lost."""
    log, omega = smooth_log(3000), 2 * np.pi * 1.7
    motion = sines(omega, np.arange(3000)[:, None] * PERIOD)
    log.length[:], log.force[:] = motion["length"], motion["force"]
    out = CausalFilter(FilterSettings(PERIOD, 150.0, 4, kind)).filter(validated(log))
    motion = sines(omega, out.time[:, None])
    # relative 1e-5: the taps that are cut, or the third order of the Butterworth's phase
    settled = slice(60, None)
    for field in FIELDS[1:5]:
        size = np.abs(motion[field]).max()
        np.testing.assert_allclose(getattr(out, field)[settled], motion[field][settled], atol=1e-5 * size)
    # before that the causal filter's settling shows in the second derivative
    np.testing.assert_allclose(out.acceleration, motion["acceleration"], atol=0.2)


@KINDS
def test_nothing_crosses_a_segment(kind):
    """What comes out of the second segment is what comes out when the first had never been."""
    settings = FilterSettings(PERIOD, 150.0, kind=kind)
    log = validated(joined(smooth_log(500), smooth_log(500, start=2.0, seed=5)))
    assert log.segment[-1] == 1
    whole = CausalFilter(settings).filter(log)
    alone = CausalFilter(settings).filter(validated(smooth_log(500, start=2.0, seed=5)))
    second = whole[whole.segment == 1]
    assert len(second) == len(alone) > 0
    for field in FIELDS[:-1]:
        np.testing.assert_array_equal(getattr(second, field), getattr(alone, field))
    assert np.all(second.time > 2.0)


def test_offline_nothing_crosses_a_segment():
    log = validated(joined(smooth_log(500), smooth_log(500, start=2.0, seed=5)))
    whole, alone = (
        filter_log(log, 150.0, 4),
        filter_log(validated(smooth_log(500, start=2.0, seed=5)), 150.0, 4),
    )
    second = whole[whole.segment == 1]
    for field in FIELDS[:-1]:
        np.testing.assert_array_equal(getattr(second, field), getattr(alone, field))


def test_offline_derivatives_are_those_of_the_motion():
    log, omega = smooth_log(3000), 2 * np.pi * 2.3
    motion = sines(omega, np.arange(3000)[:, None] * PERIOD)
    log.length[:], log.force[:] = motion["length"], motion["force"]
    out = filter_log(validated(log), 150.0, 4)
    motion = sines(omega, out.time[:, None])
    for field in FIELDS[1:5]:
        error = np.abs(getattr(out, field) - motion[field]) / np.abs(motion[field]).max()
        # inside only the differences' truncation, (omega h)^4 / 30; at the ends the padding's last traces
        assert error[40:-40].max() < 1e-8, field
        assert error.max() < 2e-3, field


def test_offline_force_passes_the_same_filter_as_the_lengths():
    log = smooth_log(1000)
    log.force[:] = 1e3 * log.length
    out = filter_log(validated(log), 80.0, 4)
    np.testing.assert_allclose(out.force, 1e3 * out.length, rtol=1e-12)


def test_offline_short_segments_are_left_out_and_log_without_force_has_none():
    log = validated(damage(smooth_log(300), [("drop", 20, 0, 40)]))
    out = filter_log(log, 150.0, 4)
    assert set(out.segment) == {1}
    assert len(filter_log(validated(smooth_log(15)), 150.0, 4)) == 0
    bare = smooth_log(300)
    assert filter_log(validated(type(bare)(bare.time, bare.length, None)), 150.0, 4).force is None


def test_zero_phase_of_white_noise_is_what_the_taps_give():
    """Noise has every frequency, so the twin is compared where a smooth motion would hide a difference."""
    noise = np.random.default_rng(0).normal(size=4000)
    taps = linear_phase_taps(FilterSettings(PERIOD, 150.0, 4))
    expected = zero_phase(low_pass(4, 150.0, 1 / PERIOD), noise)
    half = len(taps) // 2
    actual = np.convolve(noise, taps, mode="valid")
    # what is cut off: taps below 1e-4 of the largest (0.3), a few dozen of them at random signs
    np.testing.assert_allclose(actual[200:-200], expected[half:-half][200:-200], atol=1e-3)


@KINDS
def test_reset_is_a_new_filter(kind):
    settings = FilterSettings(PERIOD, 150.0, kind=kind)
    used, fresh = CausalFilter(settings), CausalFilter(settings)
    streamed(used, samples_of(validated(smooth_log(200))))
    used.reset()
    samples = samples_of(validated(smooth_log(300, seed=3)))
    again, new = streamed(used, samples)[0], streamed(fresh, samples)[0]
    assert len(again) == len(new) > 0
    np.testing.assert_array_equal([s.acceleration for s in again], [s.acceleration for s in new])


@KINDS
def test_a_force_that_was_missing_is_never_filtered_as_zero(kind):
    """Some messages without effort: where the force is not known it is absent, elsewhere it is what it is."""
    log = validated(smooth_log(600))
    samples = samples_of(log)
    samples = [
        ValidatedSample(s.time, s.coordinate, None if 250 <= k < 260 else np.full(6, 100.0), s.segment, False)
        for k, s in enumerate(samples)
    ]
    outputs, _ = streamed(CausalFilter(FilterSettings(PERIOD, 150.0, kind=kind)), samples)
    assert len(outputs) > 300
    for s in outputs:
        if s.force is not None:
            np.testing.assert_allclose(s.force, 100.0, rtol=1e-9)


@pytest.mark.parametrize("cutoff", [500.0, 0.0, -3.0])
def test_impossible_cutoff(cutoff):
    with pytest.raises(ValueError, match="cutoff"):
        CausalFilter(FilterSettings(PERIOD, cutoff))


def test_unknown_kind_names_those_known():
    with pytest.raises(ValueError, match="fir, butterworth"):
        FilterSettings(PERIOD, 150.0, kind="median")


def test_longest_delay_is_kept():
    for limit in (0.004, 0.010):
        assert CausalFilter(FilterSettings(PERIOD, 20.0, 4, max_delay=limit)).delay <= limit + 1e-12
