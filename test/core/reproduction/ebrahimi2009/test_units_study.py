# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The study of units: what our reconstruction gives, and verdicts that turn with what was found."""

from __future__ import annotations

import numpy as np
import pytest
from core.reproduction.computed import compute_study

from pkm_identification.mechanisms.multibody.analysis.subject import Subject
from pkm_identification.parameters.parameter import Kind


@pytest.fixture(scope="module")
def study():
    return compute_study("ebrahimi2009-units")


def test_the_toy_is_that_by_hand(study):
    np.testing.assert_allclose(study.toy.singular_values, np.sqrt([1 + 4 / 13, 1 - 4 / 13]), atol=1e-12)
    assert study.toy_raw == pytest.approx(2.77664755, abs=1e-8)
    assert study.toy_raw_small == pytest.approx(404226.04, rel=1e-7)


def test_units_change_the_columns_and_not_what_is_made_of_them(study):
    for one in study.machines:
        assert one.change < 1e-10
        assert one.raw_small > 1e3 * one.raw
        assert one.shares == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize("name", ["uf", "ford", "hexel"])
def test_groups_and_their_decomposition_are_those_of_numpy(study, name):
    """Eq. 3 and 7 by NumPy's SVD, in units drawn at random."""
    subject = Subject.load(name)
    rows, kinds = subject.columns().reshape(-1, len(subject.names)), np.array(subject.kinds, dtype=object)
    groups = [np.flatnonzero(kinds == kind) for kind in (Kind.MASS, Kind.FIRST_MOMENT, Kind.INERTIA)]
    own = next(one for one in study.machines if one.name == name)
    assert tuple(map(len, groups)) == own.sizes == (13, 39, 78)
    units = 10.0 ** np.random.default_rng(1).uniform(-3, 3, 3)
    parts = []
    for columns, unit in zip(groups, units, strict=True):
        left, size, _ = np.linalg.svd(unit * rows[:, columns], full_matrices=False)
        parts.append(left[:, size > 1e-9 * size[0]])
    size = np.linalg.svd(np.hstack(parts), compute_uv=False)
    size = size[size > 1e-9]
    np.testing.assert_allclose(size[0] / size[-1], own.found.condition, rtol=1e-6)
    scaled = rows.copy()
    for columns, unit in zip(groups, units, strict=True):
        scaled[:, columns] *= unit
    whole = np.linalg.svd(scaled, compute_uv=False)[: len(size)]
    assert abs(whole[0] / whole[-1] / own.raw - 1.0) > 0.01
