# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of the drives: every rank rises by what is excited."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.mechanisms.multibody.analysis.routes import find_base_parameters
from pkm_identification.mechanisms.multibody.analysis.subject import Subject, with_friction_columns
from pkm_identification.parameters.parameter import Kind


@pytest.mark.slow
def test_every_route_of_a_four_bar_finds_two_more():
    subject = Subject.load("four-bar").with_friction()
    assert subject.names[-2:] == ("viscous_q", "coulomb_q")
    assert subject.kinds[-2:] == (Kind.VISCOUS, Kind.COULOMB)
    found = find_base_parameters(subject, "all")
    assert found.disagreement == ""
    routes = (found.double, found.precise, found.symbolic, found.exact)
    assert [route.rank for route in routes] == [10, 10, 10, 10]
    out = found.symbolic.base.elimination
    assert out.kept[-2:].tolist() == [12, 13]
    assert not out.coefficients[-2:].any()


@pytest.mark.slow
def test_a_hexapod_has_twelve_more():
    subject = Subject.load("uf", "axisymmetric_alike").with_friction()
    found = find_base_parameters(subject, "double").double
    assert (found.rank, found.sure) == (14 + 12, True)
    assert find_base_parameters(subject, "symbolic").symbolic.rank == 14 + 12


def test_columns_by_hand():
    made = with_friction_columns(np.zeros((2, 2, 1)), np.array([[0.5, -2.0], [0.0, 3.0]]))
    np.testing.assert_array_equal(made[0], [[0, 0.5, 0, 1, 0], [0, 0, -2, 0, -1]])
    # a drive at rest is not excited
    np.testing.assert_array_equal(made[1], [[0, 0, 0, 0, 0], [0, 0, 3, 0, 1]])
