# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is a step of a length, by the accelerations of the struts alone: a motion after rest is none."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.identification.online.diagnosis.coordinate_steps import SAME, CoordinateSteps
from pkm_identification.machines.load import load_machine

PERIOD, CUTOFF = 1e-3, 150.0


def left_out(steps: CoordinateSteps, acceleration: np.ndarray) -> list[int]:
    """Samples in which a burst passes, of a stream that begins anew where one does."""
    passing, found = False, []
    for k, sample in enumerate(acceleration):
        passing = steps.step(k * PERIOD, sample, starting=k == 0 or passing)
        if passing:
            found.append(k)
    return found


@pytest.fixture
def steps() -> CoordinateSteps:
    return CoordinateSteps(load_machine("uf"), PERIOD, CUTOFF)


def moved(amplitude: float) -> np.ndarray:
    """Six seconds of rest, in which encoders count nothing, then six of motion at 5 Hz, m/s^2, (N, 6)."""
    acceleration = amplitude * np.sin(2.0 * np.pi * 5.0 * PERIOD * np.arange(6000))
    return np.concatenate([np.zeros((6000, 6)), np.repeat(acceleration[:, None], 6, axis=1)])


def test_a_motion_after_rest_is_no_step(steps):
    """Rest makes nothing usual, and a machine that begins to move must not be left out for it."""
    assert not left_out(steps, moved(10.0))
    assert steps.last is None


def test_what_goes_on_is_a_motion(steps):
    """Ever so lively: it is left out for as long as drives may answer a step, and usual from then on."""
    found = left_out(steps, moved(2000.0))
    assert found
    assert found[0] >= 6000
    assert found[-1] < 6000 + 1.2 * SAME / PERIOD


def test_a_burst_is_left_out_and_its_time_is_kept(steps):
    acceleration = moved(10.0)
    acceleration[9000:9004] += [[0, 0, size, 0, 0, 0] for size in (100.0, -200.0, 200.0, -100.0)]
    found = left_out(steps, acceleration)
    assert found[0] == 9000
    assert found[-1] < 9000 + 0.03 / PERIOD
    assert steps.last == pytest.approx(9.0)
