"""Quaternion and matrix of one sample, in plain numbers.

`rotation.py` has the batched ones, which take 40 us for a single sample; a node does this for each message.
"""

from __future__ import annotations

import math

import numpy as np

from ..motion import FloatArray


def quaternion_of(rotation: FloatArray) -> tuple[float, float, float, float]:
    """Unit quaternion (x, y, z, w), w >= 0, of one rotation matrix (3, 3); see `quaternion_from_matrix`."""
    (a, b, c), (d, e, f), (g, h, i) = rotation.tolist()
    # Shepperd: the largest of the four squares first, so that nothing is divided by a small number
    squares = (1 + a - e - i, 1 - a + e - i, 1 - a - e + i, 1 + a + e + i)
    largest = max(range(4), key=squares.__getitem__)
    if largest == 3:
        x, y, z, w = h - f, c - g, d - b, squares[3]
    elif largest == 0:
        x, y, z, w = squares[0], b + d, c + g, h - f
    elif largest == 1:
        x, y, z, w = b + d, squares[1], f + h, c - g
    else:
        x, y, z, w = c + g, f + h, squares[2], d - b
    norm = math.sqrt(x * x + y * y + z * z + w * w)
    if w < 0.0:
        norm = -norm
    return x / norm, y / norm, z / norm, w / norm


def matrix_of(x: float, y: float, z: float, w: float) -> FloatArray:
    """Rotation matrix (3, 3) of one quaternion, normalised first; see `matrix_from_quaternion`.

    Raises
    ------
    ValueError
        If the quaternion is not finite or has no length.
    """
    norm = math.sqrt(x * x + y * y + z * z + w * w)
    if not 1e-12 < norm < math.inf:
        raise ValueError(f"quaternion ({x}, {y}, {z}, {w}) must be finite and not zero")
    x, y, z, w = x / norm, y / norm, z / norm, w / norm
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
