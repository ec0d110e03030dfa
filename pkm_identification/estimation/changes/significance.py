# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Probabilities of many tests at once."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray


def holm(probabilities: FloatArray) -> FloatArray:
    """Probabilities adjusted for their number, by Holm (Scand. J. Statist. 6, 1979), shape (n,).

    Calling what lies below a level significant is wrong anywhere with at most that probability, however the tests
    depend on each other. NaN, where there is no test, stays NaN and does not count.

    Parameters
    ----------
    probabilities : ndarray, shape (n,)
    """
    adjusted = np.full(len(probabilities), np.nan)
    tested = np.flatnonzero(np.isfinite(probabilities))
    order = tested[np.argsort(probabilities[tested], kind="stable")]
    steps = probabilities[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
