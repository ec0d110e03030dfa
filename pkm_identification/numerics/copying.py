# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Arrays copied in loops: of `target[:] = source` Numba compiles the text of its error, too, for seconds."""

from __future__ import annotations

from .compiled import inlined


@inlined
def copy_vector(source, target):
    """Copy `source` (n,) into `target` (n,)."""
    for i in range(target.size):
        target[i] = source[i]


@inlined
def copy_matrix(source, target):
    """Copy `source` (m, n) into `target` (m, n)."""
    for i in range(target.shape[0]):
        for j in range(target.shape[1]):
            target[i, j] = source[i, j]
