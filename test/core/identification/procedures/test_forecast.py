# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a forecast says in names: directions that are known badly, and parameters that noise alone hides."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.estimation.estimate import make_estimate
from pkm_identification.identification.procedures.forecast import ALONE, NOT_HERE, faint, weakest
from pkm_identification.parameters.parameter import Kind, Parameter
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

NAMES = ("a", "b", "c", "d", "e")


def estimate_of(covariance):
    """Of five parameters of size one."""
    entries = tuple(Parameter(name, "kg", Kind.MASS, name, 1.0, 1.0, "m", 0) for name in NAMES)
    parameters = ParameterSet("five", entries, np.eye(5), np.zeros(5))
    return make_estimate(
        parameters,
        Prior.of(parameters),
        np.ones(5),
        covariance,
        nis=1.0,
        nis_dof=1,
        count=1,
        time=0.0,
        estimator="ls",
        model="force",
    )


def test_what_belongs_together_is_named_and_what_is_simply_not_shown_comes_last():
    """Known: a + 2 b, d and, badly, e. Of a against b and c nothing is, and any mixture of these is a direction."""
    rows = np.array([[1e3, 2e3, 0, 0, 0], [0, 0, 0, 50.0, 0], [0, 0, 0, 0, 3.0]])
    estimate = estimate_of(np.linalg.inv(rows.T @ rows + np.eye(5)))
    first, second, last = weakest(estimate, np.ones(5))
    assert first.names == ("a", "b")
    assert first.weights == pytest.approx(np.array([2, -1]) / np.sqrt(5), abs=1e-6)
    assert first.std == pytest.approx(1.0)
    assert second.names == ("e",)
    assert second.std == pytest.approx(1 / np.sqrt(10))
    assert last.names == ("d",)
    # nothing but such parameters: they are what there is to say
    assert {one.names for one in weakest(estimate_of(np.eye(5)), np.ones(5))} < {(name,) for name in NAMES}


def test_what_is_hidden_by_noise_alone_is_told_from_what_the_motion_does_not_show():
    """Columns: a large; b and c the same; d small, by itself; e nothing."""
    rng = np.random.default_rng(0)
    one, two, three = rng.normal(size=(3, 30))
    rows = np.column_stack([one, two, two, 1e-4 * three, 0 * one])
    status = (ALONE, NOT_HERE, NOT_HERE, NOT_HERE, NOT_HERE)
    assert faint(NAMES, status, rows, 3) == ("d",)
    assert faint(NAMES, (ALONE, NOT_HERE, NOT_HERE, ALONE, NOT_HERE), rows, 3) == ()
