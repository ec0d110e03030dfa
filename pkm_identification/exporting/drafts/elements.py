# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Numbers in the elements of URDF and SDF."""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import DocumentError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_vector

INERTIA = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
LARGEST = 1e30  # in any unit: beyond every machine, and squares of it are still numbers


def build_inertia_matrix(values: dict[str, float]) -> FloatArray:
    """Return the matrix (3, 3) of six elements."""
    xx, yy, zz, xy, xz, yz = (values[key] for key in INERTIA)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def numbers(text: str, count: int, where: str) -> FloatArray:
    """Return so many finite numbers of a text."""
    try:
        values = np.array([float(part) for part in text.split()])
    except ValueError:
        values = np.zeros(0)
    if len(values) != count or not np.all(np.abs(values) < LARGEST):
        raise DocumentError(f"{where}: '{text.strip()[:60]}': expected {count} numbers")
    return values


def turn(rpy: FloatArray) -> FloatArray:
    """Return the rotation (3, 3) of roll, pitch, yaw about fixed axes x, y, z."""
    x, y, z = (matrix_from_vector(angle * axis) for angle, axis in zip(rpy, np.eye(3), strict=True))
    return np.asarray(z @ y @ x)
