# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a report says of logs, against what the simulator did."""

from __future__ import annotations

import numpy as np
import pytest

import pkm_identification as pkm
from pkm_identification.identification.review.review import review
from pkm_identification.machines.outline import create_outline

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def result():
    return pkm.identify(pkm.simulate("uf", "rich", duration=10.0, perturb=0.1, seed=1), "uf", estimator="ls")


@pytest.fixture(scope="module")
def reviewed(result):
    return review(result.identification, result.logs)


def test_friction_is_the_simulated_machines(result, reviewed):
    table = dict(zip(result.estimate.names, result.estimate.values, strict=True))
    assert [curve.strut for curve in reviewed.friction] == list(range(6))
    for curve in reviewed.friction:
        # far from standstill, where every law is viscous plus Coulomb friction
        fast = np.abs(curve.rate) > 0.02
        number = curve.strut + 1
        expected = table[f"viscous_{number}"] * curve.rate + table[f"coulomb_{number}"] * np.sign(curve.rate)
        np.testing.assert_allclose(curve.law[fast], expected[fast], rtol=1e-2, atol=0.5)
        # the mean of some hundred samples with 1 % noise, of which the law knows nothing
        error = curve.measured - curve.law
        assert np.sqrt(np.mean(error[fast] ** 2)) < 0.02 * np.ptp(curve.law)
        assert np.all(np.diff(curve.rate) > 0)


def test_travel_is_that_of_the_log(result, reviewed):
    (log,) = result.logs
    machine = result.machine
    length = log.length
    np.testing.assert_allclose(reviewed.travel.length[:, 0], length.min(axis=0), atol=2e-4)
    np.testing.assert_allclose(reviewed.travel.length[:, 1], length.max(axis=0), atol=2e-4)
    np.testing.assert_allclose(reviewed.travel.force, np.abs(log.force).max(axis=0))
    assert np.all((reviewed.travel.stroke_used > 0) & (reviewed.travel.stroke_used < 1))
    np.testing.assert_array_equal(reviewed.travel.rate_limit, machine.rate_limit)
    assert np.all(reviewed.travel.rate < machine.rate_limit)


def test_the_path_is_where_the_platform_was(result, reviewed):
    path = reviewed.path
    assert path.time[0] == 0.0
    outline = create_outline(result.identification.machine)
    ends = np.array([outline.place(state)[outline.driven] for state in path.state])
    length = np.linalg.norm(ends[:, :, 1] - ends[:, :, 0], axis=2)
    low, high = reviewed.travel.length.T
    assert np.all(length > low - 1e-6)
    assert np.all(length < high + 1e-6)
    np.testing.assert_allclose(np.ptp(length, axis=0), high - low, rtol=0.02)


def test_motions_that_would_help_do_so(reviewed):
    assert reviewed.next_motions
    assert all(factor > 1.0 for one in reviewed.next_motions for _, factor in one.better)
