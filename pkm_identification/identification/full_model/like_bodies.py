# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How far bodies that are made alike differ: one width of many numbers, which the data tell, too (variance components).

A single difference that is off is judged by `conflicts`. Many that are off a little are none of them off by much, and
move values together: their number says what the width should have been (Koch 1999; the overall model test of Teunissen
2006 for all of a kind).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.posterior.mode import Mode
from pkm_identification.estimation.posterior.thresholds import LARGEST_ERROR, MAX_CONFLICT
from pkm_identification.machines.knowledge.bodies import ALIKE_KEY
from pkm_identification.numerics.arrays import FloatArray

from .unknowns import FileModel

# Of the scaled inverse chi-square that the width's square has before the data, as effects have: 4 numbers say as much
FREEDOM = 4.0
SIZES = np.geomspace(1.0, LARGEST_ERROR, 97)  # stated widths that are tried, 2.4 % apart
LEAST_SEEN = 0.05  # of a width: directions of which the data say less are not judged


def find_differences(model: FileModel) -> NDArray[np.int64]:
    """Return which unknowns (q,) are differences of one body from those made alike."""
    return np.flatnonzero([one.key == ALIKE_KEY for one in model.unknowns])


def find_spread(model: FileModel, mode: Mode) -> float:
    """Return the stated widths that bodies made alike differ by, at least 1, as data and prior have it.

    Along each direction i that is independent the data alone say y_i, of variance v_i: y_i is normal with r^2 + v_i.
    """
    own = find_differences(model)
    if not len(own):
        return 1.0
    left, directions = np.linalg.eigh(mode.covariance[np.ix_(own, own)])
    seen = np.clip(1.0 - left, 0.0, 1.0)
    shown = seen > LEAST_SEEN**2
    found = (directions.T @ mode.unknowns[own])[shown] / seen[shown]
    variance = left[shown] / seen[shown]
    factors = SIZES / model.unknowns[own[0]].widened
    whole = factors[:, None] ** 2 + variance
    cost = np.sum(np.log(whole) + found**2 / whole, axis=1) + FREEDOM * (2.0 * np.log(SIZES) + SIZES**-2.0)
    return float(SIZES[np.argmin(cost)])


def judge_spread(model: FileModel, mode: Mode, own_deviations: FloatArray) -> float:
    """Return the deviations by which bodies made alike differ by more than the file says, all together; at least 0.

    Those of the unknowns if the file is right are `own_deviations` (p,).
    """
    own = find_differences(model)
    inverse, _, count = _invert_expected(model, mode, own_deviations, own)
    if not count:
        return 0.0
    off = mode.unknowns[own]
    return max(_compute_deviations(float(off @ inverse @ off), count), 0.0)


def find_unnoticed_spread(model: FileModel, mode: Mode, own_deviations: FloatArray) -> float:
    """Return the widths, of `Unknown.width`, by which like bodies may all differ before that is noticed."""
    own = find_differences(model)
    inverse, moved, count = _invert_expected(model, mode, own_deviations, own)
    seen = float(np.sum(inverse * (moved @ moved.T)))
    if not seen:
        return LARGEST_ERROR
    stated = 1.0 / model.unknowns[own[0]].widened
    return float(min(np.sqrt(stated**2 + (_find_limit(count) - count) / seen), LARGEST_ERROR))


def _invert_expected(
    model: FileModel, mode: Mode, own_deviations: FloatArray, own: NDArray[np.int64]
) -> tuple[FloatArray, FloatArray, int]:
    """Return by what differences scatter if the file is right, its inverse (q, q), and what widths move them by (q, q).

    And how many independent ones the data show. They are correlated as by white noise, and scatter as `own_deviations`.
    """
    covariance = mode.covariance[own]
    moved = np.eye(covariance.shape[1])[own] - covariance
    of_file = moved / np.maximum([one.widened for one in model.unknowns], 1.0)
    white = of_file @ of_file.T + covariance[:, own] - covariance @ covariance.T
    size = own_deviations[own] / np.sqrt(np.maximum(np.diag(white), 1e-300))
    expected = white * np.outer(size, size)
    sizes, directions = np.linalg.eigh(expected)
    shown = sizes > LEAST_SEEN**2
    directions = directions[:, shown]
    return (directions / sizes[shown]) @ directions.T, moved[:, own], int(np.count_nonzero(shown))


def _compute_deviations(power: float, count: int) -> float:
    """Return how many normal deviations a sum of squares is above that of so many (Wilson and Hilferty 1931)."""
    spread = 2.0 / (9.0 * count)
    return float((np.cbrt(power / count) - (1.0 - spread)) / np.sqrt(spread))


def _find_limit(count: int) -> float:
    """Return the sum of squares of so many that is as far above as contradicts a file."""
    spread = 2.0 / (9.0 * count)
    return float(count * (1.0 - spread + MAX_CONFLICT * np.sqrt(spread)) ** 3)
