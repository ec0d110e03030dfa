# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A held-out end that is the motion of the beginning once more is known as that, and no other end is."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.identification.regression.repeated_motion import find_repetition

RATE, FIRST = 250.0, 8000


def swing(seconds, base, seed):
    """Two drives, five harmonics of a base frequency in Hz each, with an encoder's noise."""
    time, rng = np.arange(0.0, seconds, 1.0 / RATE), np.random.default_rng(seed)
    phase, size = rng.uniform(0.0, 2.0 * np.pi, (2, 5)), rng.uniform(0.02, 0.1, (2, 5))
    angle = 2.0 * np.pi * base * np.arange(1, 6) * time[:, None, None] + phase
    return 0.3 + np.sum(size * np.sin(angle), axis=2) + 1e-5 * rng.standard_normal((len(time), 2))


@pytest.mark.parametrize("seed", [31, 32])
def test_an_end_is_of_the_same_motion_after_whole_periods(seed):
    assert find_repetition(swing(40.0, 0.25, seed), FIRST, 1.0 / RATE) % 4.0 == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("seed", [31, 32])
def test_an_end_of_another_motion_or_at_rest_is_no_repetition(seed):
    assert np.isnan(find_repetition(swing(40.0, 1.0 / 41.0, seed), FIRST, 1.0 / RATE))
    other = swing(40.0, 0.25, seed)
    other[FIRST:] = swing(40.0, 0.25, seed + 9)[FIRST:]
    assert np.isnan(find_repetition(other, FIRST, 1.0 / RATE))
    other[FIRST:] = other[FIRST]
    assert np.isnan(find_repetition(other, FIRST, 1.0 / RATE))
