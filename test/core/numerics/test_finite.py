# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whether numbers are finite: every kind of array that stages and messages hold."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.numerics.finite import finite, finite_or_none, finite_sample


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_one_bad_number_anywhere_is_noticed(bad):
    arrays = [np.ones(6), np.eye(3), np.arange(24.0).reshape(4, 6).T, np.ones((4, 6))[:, 2]]
    assert finite(*arrays)
    assert finite(None, *arrays, None)
    for k, array in enumerate(arrays):
        for place in np.ndindex(array.shape):
            spoilt = array.copy(order="K")
            spoilt[place] = bad
            assert not finite(*arrays[:k], spoilt, *arrays[k + 1 :])


@pytest.mark.parametrize("value", [None, np.nan, np.inf, np.float64(-np.inf)])
def test_json_has_no_number_that_is_not_finite(value):
    assert finite_or_none(value) is None
    assert type(finite_or_none(np.float64(1.5))) is float


@pytest.mark.parametrize("k", range(5))
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_one_bad_number_of_a_sample_is_noticed(bad, k):
    arrays = [np.ones(3), np.ones(6), np.ones(6), np.ones(6), np.eye(3)]
    assert finite_sample(*arrays)
    assert finite_sample(*arrays[:4])
    assert finite_sample(*arrays[:3], None)
    arrays[k].flat[-1] = bad
    assert not finite_sample(*arrays)
    if k < 3:
        assert not finite_sample(*arrays[:3], None)


def test_nothing_is_finite():
    assert finite()
    assert finite(None)
    assert finite(np.empty(0))


def test_infinities_that_cancel_and_sums_that_overflow_are_not_finite():
    assert not finite(np.array([np.inf, -np.inf]))
    assert not finite(np.array([1.7e308, 1.7e308]))


def test_a_view_of_a_structure_is_read_as_it_is():
    numbers = np.zeros((), np.dtype([("length", "<f8", (6,)), ("count", "<u4")], align=True))
    assert finite(numbers["length"])
    numbers["length"][3] = np.nan
    assert not finite(numbers["length"])
