# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a wrong number of the file does to values before the data contradict it: external reliability (Baarda 1968)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.posterior.thresholds import LARGEST_ERROR, MAX_CONFLICT
from pkm_identification.numerics.arrays import FloatArray

from .conflicts import LEAST_SEEN
from .posterior import Posterior


@dataclass(frozen=True)
class Reliability:
    """See the module; r values.

    Attributes
    ----------
    numbers : ndarray of int, shape (r,)
        Which of the unknowns moves a value most.
    shifts : ndarray, shape (r,)
        By how much, where it is off by as much as the data let pass.
    slopes : ndarray, shape (r,)
        By how much, where it is off by one width.
    """

    numbers: NDArray[np.int64]
    shifts: FloatArray
    slopes: FloatArray


def find_reliability(posterior: Posterior, moved: FloatArray) -> Reliability:
    """Return which number of the file, off without being noticed, moves each value most.

    A number k that is off by one width w moves the statistics of `find_conflicts` to (1 - P) e_k over their deviations,
    and value j by (P L)_jk: it is noticed at MAX_CONFLICT. None is taken to be off by more than LARGEST_ERROR widths.
    A mass may be off with the moments of its body, or without them.

    Parameters
    ----------
    posterior : Posterior
    moved : ndarray, shape (r, p)
        What a width of each unknown moves the values by.
    """
    model, covariance = posterior.model, posterior.mode.covariance
    assessed = np.flatnonzero([one.assessed for one in model.unknowns])
    numbers, errors = list(assessed), list(np.eye(model.width)[assessed])
    for k in assessed:
        alone = np.eye(model.width)[k]
        for off in model.hold_moments(alone, [model.unknowns[k].key]):
            numbers.append(k)
            errors.append(alone + off)
    widths = np.array(errors)
    noticed = np.abs(widths - widths @ covariance) / np.maximum(posterior.own_deviations, LEAST_SEEN)
    most = np.max(noticed[:, assessed], axis=1, initial=MAX_CONFLICT / LARGEST_ERROR)
    slopes = moved @ widths.T
    shifts = np.abs(slopes) * (MAX_CONFLICT / most)
    worst = np.argmax(shifts, axis=1)
    rows = np.arange(len(moved))
    return Reliability(np.array(numbers)[worst], shifts[rows, worst], slopes[rows, worst])
