# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Noise that is not the same in all rows is told from what is."""

from __future__ import annotations

import numpy as np

from pkm_identification.estimation.lack_of_fit.uneven import compute_uneven_share

ROWS = 4000


def test_what_a_shape_adds_is_found_and_what_is_even_is_none_of_it():
    rng = np.random.default_rng(1)
    # a tenth of the rows, some of them very much more than others
    shape = np.where(rng.random((ROWS, 3)) < 0.1, rng.exponential(50.0, (ROWS, 3)), 0.0)
    true = np.array([0.0, 0.5, 2.0])
    residual = rng.normal(size=(ROWS, 3)) * np.sqrt(np.array([9.0, 1.0, 0.01]) + true * shape)
    share, std = compute_uneven_share(residual, shape)
    assert np.all(np.abs(share - true) < 4.0 * std + 0.02)
    assert share[0] < 3.0 * std[0]
    assert np.all(share[1:] > 10.0 * std[1:])


def test_shapes_that_tell_nothing_are_none():
    residual = np.ones((50, 3))
    residual[:, 2] = 0.0
    shape = np.zeros((50, 3))
    shape[:, 1] = 2.0
    shape[:25, 2] = 1.0
    share, std = compute_uneven_share(residual, shape)
    assert not np.any(share)
    assert np.all(np.isinf(std))
    assert not np.any(compute_uneven_share(residual[:0], shape[:0])[0])
