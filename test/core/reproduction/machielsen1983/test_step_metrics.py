# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What is read off a step response, on signals whose peaks, period and end are known."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.errors import NotConverged
from pkm_identification.reproduction.machielsen1983.step_metrics import step_metrics

TIME = np.arange(0.0, 0.2, 1e-4)


def ringing(ratio: float, w: float = 400.0, late: float = 0.0) -> np.ndarray:
    t = np.maximum(TIME - late, 0.0)
    fast = w * np.sqrt(1 - ratio**2)
    return 1 - np.exp(-ratio * w * t) * (np.cos(fast * t) + ratio * w / fast * np.sin(fast * t))


@pytest.mark.parametrize("size", [0.3, -0.3])
def test_a_damped_sinusoid_is_read_exactly(size):
    ratio, w = 0.2, 400.0
    found = step_metrics(TIME, size * ringing(ratio, w), size, end=size)
    fast = w * np.sqrt(1 - ratio**2)
    assert found.first_peak == pytest.approx(np.pi / fast, abs=2e-6)
    assert found.period == pytest.approx(2 * np.pi / fast, abs=5e-6)
    assert found.overshoot == pytest.approx(np.exp(-ratio * np.pi / np.sqrt(1 - ratio**2)), abs=1e-4)


def test_a_delay_moves_the_peak_and_nothing_else():
    prompt, late = (step_metrics(TIME, ringing(0.2, late=d), 1.0, end=1.0) for d in (0.0, 0.658e-3))
    assert late.first_peak - prompt.first_peak == pytest.approx(0.658e-3, abs=5e-6)
    assert late.period == pytest.approx(prompt.period, abs=5e-6)
    assert late.overshoot == pytest.approx(prompt.overshoot, abs=1e-4)


def test_overshoot_is_over_where_it_settles_and_not_over_the_setpoint():
    creeping = 0.8 * ringing(0.2)
    found = step_metrics(TIME, creeping, 1.0)
    assert found.overshoot == pytest.approx(step_metrics(TIME, ringing(0.2), 1.0).overshoot, abs=1e-9)
    assert step_metrics(TIME, creeping, 1.0, end=1.0).overshoot < found.overshoot


def test_a_ripple_is_no_peak_and_no_peak_is_said():
    found = step_metrics(TIME, ringing(0.2) + 1e-4 * np.sin(2e4 * TIME), 1.0)
    assert found.period == pytest.approx(step_metrics(TIME, ringing(0.2), 1.0).period, abs=1e-4)
    with pytest.raises(NotConverged, match="no peak"):
        step_metrics(TIME, 1 - np.exp(-50 * TIME), 1.0)
