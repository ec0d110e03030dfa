# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Counting samples in their own time: throttles and the watch on the sample rate."""

import math

import numpy as np
import pytest

from pkm_identification.ros.throttle import Throttle
from pkm_identification.signals.rate import RateWatch


@pytest.mark.parametrize("rate", [20.0, 33.0, 100.0])
def test_a_throttle_keeps_its_rate_whatever_the_jitter(rate):
    rng = np.random.default_rng(0)
    times = 1e9 + np.arange(5000) * 1e-3 + rng.uniform(-3e-4, 3e-4, 5000)
    passed = sum(Throttle.due(throttle, time) for throttle in [Throttle(rate)] for time in times)
    assert passed == pytest.approx(5 * rate, abs=2)


def test_a_throttle_of_rate_zero_lets_nothing_through():
    throttle = Throttle(0.0)
    assert not any(throttle.due(time) for time in range(10))


def test_a_throttle_goes_on_after_jumps_of_the_clock():
    throttle = Throttle(10.0)
    assert throttle.due(1000.0)
    assert not throttle.due(1000.05)
    assert throttle.due(2000.0)
    assert throttle.due(5.0)
    assert not throttle.due(5.05)
    assert throttle.due(5.11)


def test_the_rate_is_that_of_the_stamps():
    watch = RateWatch(1000.0)
    assert watch.deviation == 0.0
    rng = np.random.default_rng(0)
    for time in 50.0 + np.arange(1000) / 900.0 + rng.uniform(-2e-4, 2e-4, 1000):
        watch.update(time, 1)
    assert watch.rate == pytest.approx(900.0, rel=0.005)
    assert watch.deviation == pytest.approx(0.1, abs=0.005)
    watch.reset()
    assert math.isnan(watch.rate)


def test_a_hole_does_not_count_as_slowness():
    watch = RateWatch(1000.0)
    for start in (0.0, 100.0):
        watch.restart()
        for time in start + np.arange(300) * 1e-3:
            watch.update(time, 1)
    assert watch.rate == pytest.approx(1000.0, rel=0.01)
