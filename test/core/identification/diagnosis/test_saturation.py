# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which forces look clipped."""

from __future__ import annotations

import numpy as np

from pkm_identification.identification.diagnosis.saturation import _find_limit


def find_limits(force):
    limits = [_find_limit(one) for one in force.T]
    return {drive: one[0] for drive, one in enumerate(limits, 1) if one is not None}


def test_readings_in_steps_are_not_taken_for_clipped_ones():
    """At nearly constant forces a step of the readings holds more samples than a thousandth of the largest force."""
    step = 1.5
    force = step * np.round((100.0 + np.random.default_rng(5).standard_normal((20000, 6))) / step)
    force[:, 4] = np.minimum(force[:, 4], 99.0)
    assert find_limits(force) == {5: 99.0}


def test_clipping_is_seen_whatever_the_resolution():
    force = 50.0 * np.random.default_rng(7).standard_normal((20000, 6))
    for step in (1e-9, 0.01, 1.5):
        limited = step * np.round(force / step)
        limited[:, 2] = np.clip(limited[:, 2], -60.0, 60.0)
        assert list(find_limits(limited)) == [3]
