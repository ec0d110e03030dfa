# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Three-vectors as tuples: the package's own functions, in the form that interpreted kernels can run too.

Frames are read by their number in an array of states or placements (F, 4 or more, 3): a view of one would cost more
than what is computed of it.
"""

from __future__ import annotations

from pkm_identification.numerics import vector3

from ..numbers.arithmetic import shared


def _share_arithmetic(inlined):
    return shared(inlined.py_func)


at = _share_arithmetic(vector3.at)
dot = _share_arithmetic(vector3.dot)
cross = _share_arithmetic(vector3.cross)
add = _share_arithmetic(vector3.add)
subtract = _share_arithmetic(vector3.subtract)
scale = _share_arithmetic(vector3.scale)
add_scaled = _share_arithmetic(vector3.add_scaled)


@shared
def write(array, i, a):
    """Put a vector into a row."""
    array[i, 0], array[i, 1], array[i, 2] = a[0], a[1], a[2]


@shared
def part(array, f, i):
    """Vector i of frame f."""
    return (array[f, i, 0], array[f, i, 1], array[f, i, 2])


@shared
def write_part(array, f, i, a):
    """Put a vector into place i of frame f."""
    array[f, i, 0], array[f, i, 1], array[f, i, 2] = a[0], a[1], a[2]


@shared
def column(array, f, k):
    """Axis k of frame f: a column of its rotation."""
    return (array[f, 0, k], array[f, 1, k], array[f, 2, k])


@shared
def write_column(array, f, k, a):
    """Put a vector into an axis of frame f."""
    array[f, 0, k], array[f, 1, k], array[f, 2, k] = a[0], a[1], a[2]


@shared
def turn_vector(array, f, a):
    """Return a vector of frame f in the axes that the frame's rotation is in."""
    return (
        array[f, 0, 0] * a[0] + array[f, 0, 1] * a[1] + array[f, 0, 2] * a[2],
        array[f, 1, 0] * a[0] + array[f, 1, 1] * a[1] + array[f, 1, 2] * a[2],
        array[f, 2, 0] * a[0] + array[f, 2, 1] * a[1] + array[f, 2, 2] * a[2],
    )


@shared
def turn_vector_back(array, f, a):
    """Return a vector in the axes of frame f."""
    return (
        array[f, 0, 0] * a[0] + array[f, 1, 0] * a[1] + array[f, 2, 0] * a[2],
        array[f, 0, 1] * a[0] + array[f, 1, 1] * a[1] + array[f, 2, 1] * a[2],
        array[f, 0, 2] * a[0] + array[f, 1, 2] * a[1] + array[f, 2, 2] * a[2],
    )
