"""Derivatives by the four-point central difference (Oh 2003, 5.1-5.2)."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

REACH = 2  # samples needed on either side
FIRST = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12.0
SECOND = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / 12.0


def central_differences(values: FloatArray, period: float) -> tuple[FloatArray, FloatArray]:
    """First and second derivative along the first axis of one uninterrupted segment.

    Parameters
    ----------
    values : ndarray, shape (N, ...)
    period : float
        Sample period in s.

    Returns
    -------
    first, second : ndarray, shape (N - 4, ...)
        At samples 2 .. N - 3; empty when the segment has fewer than five samples.
    """
    count = max(len(values) - 2 * REACH, 0)
    if count == 0:
        return np.empty((0, *values.shape[1:])), np.empty((0, *values.shape[1:]))
    first = sum(FIRST[k] * values[k : k + count] for k in range(5) if FIRST[k] != 0.0)
    second = sum(SECOND[k] * values[k : k + count] for k in range(5))
    return first / period, second / period**2
