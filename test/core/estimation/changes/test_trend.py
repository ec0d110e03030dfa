# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Steps and drifts: found where and as large as they are, and not where there are none."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.estimation.changes.trend import CONSTANT, DRIFT, STEPS, TOO_FEW, scatter, trend

LEVEL = 0.01


def drawn(rng, n, excess=1.0):
    """Times, values about zero that scatter `excess` times as much as their deviations say, and these."""
    std = rng.uniform(0.5, 2.0, n)
    return np.sort(rng.uniform(0, 100, n)), excess * std * rng.normal(size=n), std


@pytest.mark.parametrize("excess", [1.0, 3.0])
@pytest.mark.parametrize("n", [5, 20])
def test_what_only_scatters_is_constant(n, excess):
    rng = np.random.default_rng(n)
    draws = 500
    wrong = sum(trend(*drawn(rng, n, excess), LEVEL).kind != CONSTANT for _ in range(draws))
    # four standard deviations above the level
    assert wrong / draws < LEVEL + 4 * np.sqrt(LEVEL / draws)


@pytest.mark.parametrize("excess", [1.0, 3.0])
def test_a_step_is_found_at_its_place_with_its_size(excess):
    rng = np.random.default_rng(1)
    miss = []
    for _ in range(40):
        time, values, std = drawn(rng, 24, excess)
        values[15:] += 12 * excess
        found = trend(time, 7 + values, std, LEVEL)
        assert found.kind == STEPS
        (step,) = found.steps
        assert step.first == 15
        miss.append((step.change - 12 * excess) / step.std)
        np.testing.assert_allclose(found.level[[0, -1]], [step.before, step.after])
    # deviations that are true have a mean square of one; the scatter is estimated, so a factor two is allowed
    assert 0.5 < np.mean(np.square(miss)) < 2.0


@pytest.mark.parametrize(("n", "size"), [(8, 50.0), (12, 16.0), (16, 8.0), (30, 4.0)])
def test_sizes_of_steps_that_logs_show(n, size):
    """The table of docs/history.md: steps in the middle, in deviations of a value, of one of twenty parameters."""
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(100):
        values = rng.normal(size=n)
        values[n // 2 :] += size
        steps = trend(np.arange(float(n)), values, np.ones(n), LEVEL / 20).steps
        found += [step.first for step in steps] == [n // 2]
    # nine of ten, less three standard deviations of a hundred draws
    assert found >= 81


def test_two_steps_are_two():
    time, values, std = drawn(np.random.default_rng(2), 30)
    values[10:20] += 15
    found = trend(time, values, std, LEVEL)
    assert [step.first for step in found.steps] == [10, 20]
    assert found.steps[0].change > 0 > found.steps[1].change


def test_a_drift_is_a_drift_and_no_stairs():
    rng = np.random.default_rng(3)
    miss = []
    for _ in range(40):
        time, values, std = drawn(rng, 25)
        found = trend(time, values + 0.3 * time, std, LEVEL)
        assert found.kind == DRIFT
        assert not found.steps
        miss.append((found.slope - 0.3) / found.slope_std)
    assert 0.5 < np.mean(np.square(miss)) < 2.0


def test_scatter_is_what_deviations_leave_out_and_a_step_does_not_move_it():
    rng = np.random.default_rng(4)
    _, values, std = drawn(rng, 2000, 3.0)
    values[1000:] += 500
    assert abs(scatter(values, std) - 3.0) < 0.15
    assert scatter(values / 10, std) == 1.0


def test_few_values_say_nothing():
    found = trend(np.arange(3.0), np.array([0.0, 0.0, 100.0]), np.ones(3), LEVEL)
    assert found.kind == TOO_FEW
    assert not found.steps


def test_logs_of_one_instant_have_no_drift():
    found = trend(np.zeros(8), np.arange(8.0), np.full(8, 10.0), LEVEL)
    assert found.kind == CONSTANT


def of_two_motions(rng, n, tolerances):
    """Values that never change, of logs that have another motion from the middle on, and what tolerances do to them."""
    shared = np.zeros((n, tolerances))
    shared[: n // 2] = 20 * rng.normal(size=tolerances)
    shared[n // 2 :] = 20 * rng.normal(size=tolerances)
    return rng.normal(size=n) + shared @ rng.normal(size=tolerances), shared


@pytest.mark.slow
def test_what_tolerances_do_to_another_motion_is_no_step():
    rng = np.random.default_rng(8)
    draws, n = 300, 16
    wrong = blind = 0
    for _ in range(draws):
        values, shared = of_two_motions(rng, n, 3)
        wrong += trend(np.arange(float(n)), values, np.ones(n), LEVEL, shared).kind != CONSTANT
        blind += trend(np.arange(float(n)), values, np.ones(n), LEVEL).kind != CONSTANT
    assert wrong / draws < LEVEL + 4 * np.sqrt(LEVEL / draws)
    assert blind / draws > 0.5


def test_what_tolerances_do_to_all_logs_alike_hides_nothing():
    rng = np.random.default_rng(9)
    n = 16
    values, alike = rng.normal(size=n), np.tile(20 * rng.normal(size=3), (n, 1))
    values[n // 2 :] += 12
    with_them = trend(np.arange(float(n)), values, np.ones(n), LEVEL, alike)
    without = trend(np.arange(float(n)), values, np.ones(n), LEVEL)
    (one,), (other,) = with_them.steps, without.steps
    assert one.first == other.first == n // 2
    np.testing.assert_allclose([one.std, one.change], [other.std, other.change])


def test_a_step_in_one_motion_is_seen_where_motions_differ():
    rng = np.random.default_rng(10)
    values, shared = of_two_motions(rng, 24, 3)
    values[18:] += 15
    found = trend(np.arange(24.0), values, np.ones(24), LEVEL, shared)
    assert 18 in [step.first for step in found.steps]
