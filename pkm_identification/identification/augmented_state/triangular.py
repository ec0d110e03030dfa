# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Triangular square roots of covariances: updates that keep them triangular.

The joint filter's vector is (w, x), parameters first. With a lower triangular root its first P columns move parameters
and state, the rest the state alone, so that a time step in which the parameters stand still changes only the state's
rows and costs a factorisation of 12 rows. Potter's update (`estimation.square_root`) would fill the upper triangle;
Carlson's (N. A. Carlson, AIAA J. 11, 1973) does the same work and keeps it empty.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.compiled import kernel


@kernel
def carlson_update(columns, still, rows, innovation, change):
    """Take whitened scalar measurements one by one; P = columns columns^T.

    `columns` (n, m) with m >= n: row i < `still` is zero right of column i. `rows` (r, m) are the measurements in the
    columns' coordinates, `innovation` (r,) their innovations, noise 1 each; both are spoilt. The correction of the mean
    is added to `change` (n,).
    """
    count, width = rows.shape
    size = columns.shape[0]
    sums, inner = np.empty(size), np.empty(count)
    for m in range(count):
        alpha = 1.0
        sums[:] = 0.0
        inner[:] = 0.0
        for j in range(width - 1, -1, -1):
            f = rows[m, j]
            if f == 0.0:
                continue
            grown = alpha + f * f
            shrink = np.sqrt(alpha / grown)
            gain = f / np.sqrt(alpha * grown)
            alpha = grown
            for i in range(min(j, still), size):
                entry = columns[i, j]
                columns[i, j] = shrink * entry - gain * sums[i]
                sums[i] += entry * f
            for r in range(m + 1, count):
                entry = rows[r, j]
                rows[r, j] = shrink * entry - gain * inner[r]
                inner[r] += entry * f
        step = innovation[m] / alpha
        for i in range(size):
            change[i] += step * sums[i]
        for r in range(m + 1, count):
            innovation[r] -= step * inner[r]


@kernel
def gather(wide, root):
    """Write the lower triangular root (n, n) of wide wide^T, wide (n, m) with m >= n; `wide` is spoilt.

    Householder reflections from the right: no product of columns is ever formed.
    """
    size, width = wide.shape
    mirror = np.empty(width)
    for k in range(size):
        norm = 0.0
        for j in range(k, width):
            norm += wide[k, j] ** 2
        norm = np.sqrt(norm)
        if norm > 0.0:
            if wide[k, k] > 0.0:
                norm = -norm
            square = 0.0
            for j in range(k, width):
                mirror[j] = wide[k, j]
            mirror[k] -= norm
            for j in range(k, width):
                square += mirror[j] ** 2
            if square > 0.0:
                for i in range(k + 1, size):
                    inner = 0.0
                    for j in range(k, width):
                        inner += wide[i, j] * mirror[j]
                    inner *= 2.0 / square
                    for j in range(k, width):
                        wide[i, j] -= inner * mirror[j]
            wide[k, k] = norm
        for j in range(k):
            root[j, k] = 0.0
        root[k, k] = wide[k, k]
        for i in range(k + 1, size):
            root[i, k] = wide[i, k]
