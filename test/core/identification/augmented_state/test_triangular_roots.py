# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Triangular square roots against the textbook's formulas."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.identification.augmented_state.triangular import carlson_update, gather


def wide_root(rng, still: int, size: int, width: int) -> np.ndarray:
    """Columns of a covariance; the first `still` rows lower triangular, as `prediction` leaves them."""
    root = rng.normal(size=(size, width)) * np.geomspace(1, 1e-3, size)[:, None]
    for i in range(still):
        root[i, i + 1 :] = 0.0
    return root


@pytest.mark.parametrize(("still", "size", "width"), [(0, 12, 18), (5, 17, 40), (4, 4, 4), (3, 15, 15)])
def test_update_is_kalmans(still, size, width):
    rng = np.random.default_rng(size)
    root = wide_root(rng, still, size, width)
    rows, innovation = rng.normal(size=(6, width)), rng.normal(size=6)
    prior = root @ root.T
    cross = root @ rows.T
    spread = rows @ rows.T + np.eye(6)
    mean = cross @ np.linalg.solve(spread, innovation)
    covariance = prior - cross @ np.linalg.solve(spread, cross.T)
    change = np.zeros(size)
    carlson_update(root, still, rows, innovation, change)
    scale = np.sqrt(np.diag(prior))
    np.testing.assert_allclose(change / scale, mean / scale, atol=1e-11)
    np.testing.assert_allclose(
        root @ root.T / np.outer(scale, scale), covariance / np.outer(scale, scale), atol=1e-11
    )
    for i in range(still):
        assert not root[i, i + 1 :].any()


def test_sure_measurements_leave_a_root_of_full_rank():
    """A noise 1e-8 of what is known before: P - K S K^T would lose all digits, the root keeps its sign."""
    rng = np.random.default_rng(1)
    root = np.tril(rng.normal(size=(6, 6))) + 3 * np.eye(6)
    rows = 1e8 * rng.normal(size=(6, 6))
    carlson_update(root, 6, rows, np.zeros(6), np.zeros(6))
    assert np.all(np.abs(np.diag(root)) > 0)
    assert np.linalg.eigvalsh(root @ root.T).min() > 0


@pytest.mark.parametrize("width", [12, 18, 57])
def test_gather_keeps_the_covariance(width):
    wide = np.random.default_rng(width).normal(size=(12, width)) * np.geomspace(1, 1e-6, 12)[:, None]
    covariance = wide @ wide.T
    root = np.full((12, 12), np.nan)
    gather(wide.copy(), root)
    scale = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(
        root @ root.T / np.outer(scale, scale), covariance / np.outer(scale, scale), atol=1e-13
    )
    assert not np.triu(root, 1).any()
