# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs that have 0 elsewhere than the machine's coordinates have it, as strokes instead of lengths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import representative_rows

ROOM = 0.02  # of the range between limits, by which coordinates may lie outside: end stops yield, limits are rounded
SHARE_INSIDE = 0.98  # of the rows that must be inside; others may be another publisher's


def add_at_zero(
    coordinate: FloatArray,
    said: Sequence[float],
    known: Sequence[float],
    limits: Sequence[tuple[float, float]],
) -> FloatArray:
    """Return coordinates (N, n), m or rad, with what they are where the log has 0 added.

    What is said of this log holds. What the machine file says of all its logs is left out where the log has the
    coordinates already: they are within the limits as they are, and would not be with it.

    Parameters
    ----------
    coordinate : ndarray, shape (N, n)
    said : sequence of float
        Of the log: none, one for all or n.
    known : sequence of n float
        By the machine file; NaN where it says nothing.
    limits : sequence of n pairs
        Least and greatest coordinate; infinite where there are none.
    """
    if len(said):
        return coordinate + np.asarray(said)
    offset = np.nan_to_num(np.asarray(known, dtype=float))
    if not np.any(offset):
        return coordinate
    rows = representative_rows(coordinate)
    if _are_inside(rows, limits) and not _are_inside(rows + offset, limits):
        return coordinate
    return coordinate + offset


def subtract_at_zero(coordinate: FloatArray, known: Sequence[float]) -> FloatArray:
    """Return coordinates (N, n) as logs of a machine have them, by what its file says of where they have 0."""
    return coordinate - np.nan_to_num(np.asarray(known, dtype=float))


def _are_inside(rows: FloatArray, limits: Sequence[tuple[float, float]]) -> bool:
    low, high = np.array(limits).T
    room = np.where(np.isfinite(high - low), ROOM * (high - low), 0.0)
    finite = rows[np.isfinite(rows).all(axis=1)]
    inside = ((finite >= low - room) & (finite <= high + room)).all(axis=1)
    return bool(np.mean(inside) >= SHARE_INSIDE) if len(inside) else False
