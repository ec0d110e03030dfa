# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""True forces from measured ones, on whole logs and sample by sample."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pkm_identification.machines.contract import Drive
from pkm_identification.mechanisms.hexapod.drive import KnownForces
from pkm_identification.motion import DriveLog
from pkm_identification.signals.forces.correction import CorrectionStream
from pkm_identification.signals.forces.known import ForceAlignment, correct_known_forces
from pkm_identification.signals.input_validation import InputValidator, ValidatedLog, ValidationSettings

PERIOD = 0.002
DRIVES = tuple(Drive(f"length_{i}", f"strut_{i}", "m", f"force_{i}") for i in range(1, 7))
GAIN, OFFSET = (1.1, 0.9, 1.0, 1.0, 1.2, 1.0), (5.0, 0.0, -3.0, 0.0, 0.0, 1.0)


def true_force(time: np.ndarray) -> np.ndarray:
    return 100 * np.sin(2 * np.pi * np.outer(time, np.arange(2.0, 8.0)))


def validated(delay: float, hole: bool = False) -> tuple[ValidatedLog, list]:
    """A log in one or two segments, and the same samples as input validation's `step` gives them."""
    time = PERIOD * np.arange(600)
    if hole:
        time = np.delete(time, slice(300, 340))
    length = np.full((len(time), 6), 0.4)
    force = np.array(GAIN) * true_force(time - delay) + np.array(OFFSET)
    settings = ValidationSettings(period=PERIOD, drives=DRIVES)
    stream = InputValidator(settings)
    stepped = [sample for t, l, f in zip(time, length, force, strict=True) for sample in stream.step(t, l, f)]
    return InputValidator(settings).validation(DriveLog(time, length, force, "made")), stepped


@pytest.mark.parametrize("delay", [0.0, 0.004, 0.0017, -0.0011, 0.0005, -0.006])
@pytest.mark.parametrize("hole", [False, True])
def test_forces_come_back_as_they_were(delay, hole):
    log, stepped = validated(delay, hole)
    known = KnownForces(delay, GAIN, OFFSET)
    right = correct_known_forces(log, known)
    # a cubic through samples 2 ms apart, tones up to 7 Hz: 3/128 (2 pi 7 0.002)^4 of 100 N
    np.testing.assert_allclose(right.force, true_force(right.time), atol=2e-4)
    lost = len(log.time) - len(right.time)
    assert lost <= (2 if hole else 1) * (abs(delay) / PERIOD + 4)

    stream = CorrectionStream(ForceAlignment.of(known, PERIOD), PERIOD)
    passed = [sample for each in stepped for sample in stream.step(each)]
    np.testing.assert_array_equal([sample.time for sample in passed], right.time)
    np.testing.assert_array_equal([sample.segment for sample in passed], right.segment)
    np.testing.assert_allclose([sample.force for sample in passed], right.force, rtol=1e-12, atol=1e-10)


def test_nothing_known_changes_nothing():
    log, _ = validated(0.0)
    assert correct_known_forces(log, None) is log


def test_samples_without_forces_pass():
    stream = CorrectionStream(ForceAlignment.of(KnownForces(0.004, GAIN, OFFSET), PERIOD), PERIOD)
    _, stepped = validated(0.0)
    assert not stream.step(stepped[0])
    bare = type(stepped[0])(1.0, stepped[0].coordinate, None, 0, False)
    assert stream.step(bare) == [bare]


@pytest.mark.parametrize("delay", [0.0, 0.004, 0.002, 0.0017, -0.002, -0.01])
def test_a_stream_follows_another_period_without_a_hole(delay):
    """A delay is no longer one of whole samples, and neighbours are others; no sample is lost or comes twice."""
    log, stepped = validated(delay)
    known = KnownForces(delay, GAIN, OFFSET)
    stream = CorrectionStream(ForceAlignment.of(known, PERIOD), PERIOD)
    passed = []
    for n, each in enumerate(stepped):
        stream.follow(PERIOD if n < 200 or n >= 400 else 0.96 * PERIOD)
        passed += stream.step(each)
    stated, other = (
        correct_known_forces(log, known),
        correct_known_forces(replace(log, period=0.96 * PERIOD), known),
    )
    np.testing.assert_array_equal([sample.time for sample in passed], stated.time)
    expected = {t: force for t, force in zip(stated.time, stated.force, strict=True) if not 0.38 < t < 0.82}
    expected |= {t: force for t, force in zip(other.time, other.force, strict=True) if 0.42 < t < 0.78}
    for sample in passed:
        if sample.time in expected:
            np.testing.assert_allclose(sample.force, expected[sample.time], rtol=1e-12, atol=1e-10)
