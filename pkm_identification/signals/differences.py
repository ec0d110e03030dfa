# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Derivatives by central differences: of four points (Oh 2003, 5.1-5.2), of ten where samples come slowly."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

# From this period on four points are too few. Their relative error at a frequency f is (2 pi f T)^4 / 30: 2e-5 for 5 Hz
# at 400 Hz, but 3 % for 3 Hz at 20 Hz, where ten points leave 2e-4.
SLOW_PERIOD = 2.5e-3  # s


@dataclass(frozen=True)
class Stencil:
    """Weights of neighbouring samples, oldest first, for the first two derivatives; to be divided by period, period^2.

    Attributes
    ----------
    reach : int
        Samples needed on either side.
    first, second : ndarray, shape (2 reach + 1,)
    """

    reach: int
    first: FloatArray
    second: FloatArray


FOUR_POINTS = Stencil(
    2, np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12.0, np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / 12.0
)


def _compute_highest_order_differences(reach: int) -> Stencil:
    """The differences that are exact for polynomials up to degree 2 reach (Fornberg 1988)."""
    away = range(1, reach + 1)
    half = np.array(
        [
            (-1) ** (k + 1) * factorial(reach) ** 2 / (factorial(reach - k) * factorial(reach + k))
            for k in away
        ]
    )
    first, second = half / np.array(away), 2.0 * half / np.array(away) ** 2
    return Stencil(
        reach,
        np.concatenate([-first[::-1], [0.0], first]),
        np.concatenate([second[::-1], [-2.0 * second.sum()], second]),
    )


TEN_POINTS = _compute_highest_order_differences(5)


def stencil(period: float) -> Stencil:
    """Return the differences for a sample period in s."""
    return TEN_POINTS if period >= SLOW_PERIOD else FOUR_POINTS


def central_differences(
    values: FloatArray, period: float, differences: Stencil = FOUR_POINTS
) -> tuple[FloatArray, FloatArray]:
    """First and second derivative along the first axis of one uninterrupted segment.

    Parameters
    ----------
    values : ndarray, shape (N, ...)
    period : float
        Sample period in s.
    differences : Stencil

    Returns
    -------
    first, second : ndarray, shape (N - 2 reach, ...)
        At samples reach .. N - reach - 1; empty when the segment has fewer than 2 reach + 1 samples.
    """
    width = 2 * differences.reach + 1
    count = max(len(values) - width + 1, 0)
    if count == 0:
        return np.empty((0, *values.shape[1:])), np.empty((0, *values.shape[1:]))
    weights = differences.first, differences.second
    first, second = (
        sum(one[k] * values[k : k + count] for k in range(width) if one[k] != 0.0) for one in weights
    )
    return first / period, second / period**2
