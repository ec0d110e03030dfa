# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How much a parameter has changed over many logs: what is in the table and raises the alarm."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest

from pkm_identification.estimation.changes.trend import CONSTANT, DRIFT, STEPS, Step, Trend
from pkm_identification.identification.many_logs.history import ParameterHistory

EACH = 4  # logs between steps


def of(trend: Trend) -> ParameterHistory:
    count = len(trend.level)
    times = tuple(datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(days=k) for k in range(count))
    std = np.full(count, 0.1)
    return ParameterHistory(
        "viscous_3", "N s/m", "friction", 3, "strut 3", 100.0, times, trend.level, std, std, trend, ()
    )


def stepping(*levels: float) -> ParameterHistory:
    steps = tuple(
        Step(EACH * (k + 1), before, after, 0.1, 0.0)
        for k, (before, after) in enumerate(itertools.pairwise(levels))
    )
    return of(Trend(STEPS, np.repeat(levels, EACH).astype(float), 1.0, steps))


@pytest.mark.parametrize(
    ("levels", "change"),
    [
        ((100.0, 120.0), 0.2),
        ((100.0, 120.0, 100.0), 0.2),
        ((100.0, 104.0, 108.0, 112.0), 0.12),  # none of these steps would be an alarm
        ((100.0, 96.0, 88.0), -0.12),
        ((100.0, 107.0, 114.0, 104.0), 0.14),
    ],
)
def test_change_is_the_largest_step_or_what_steps_add_up_to(levels, change):
    assert stepping(*levels).largest_change == pytest.approx(change)


def test_change_of_a_drift_is_that_of_the_whole_time():
    assert of(Trend(DRIFT, np.linspace(100.0, 118.0, 7), 1.0)).largest_change == pytest.approx(0.18)


def test_what_is_constant_has_no_change():
    assert of(Trend(CONSTANT, np.full(7, 100.0), 1.0)).largest_change == 0.0
