# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Offline strut filter: zero-phase Butterworth and central differences, segment by segment."""

from __future__ import annotations

import numpy as np

from pkm_identification.motion import StrutMotion
from pkm_identification.numerics.rows import segment_slices

from .butterworth import low_pass, zero_phase
from .differences import central_differences, stencil
from .input_validation import ValidatedLog


def rows_left_out(cutoff: float, period: float) -> int:
    """Return rows that a segment loses at each end, for a cutoff in Hz and a sample period in s."""
    # two periods of the cutoff frequency: there the filter's padding shows
    return max(stencil(period).reach, int(np.ceil(2.0 / (cutoff * period))))


def filter_log(log: ValidatedLog, cutoff: float, order: int) -> StrutMotion:
    """Smooth and differentiate a validated log.

    The force passes the same low-pass as the lengths. The rows at both ends of a segment that lack the neighbours the
    differences need, or still feel the end of the data, are left out.

    Parameters
    ----------
    log : ValidatedLog
    cutoff : float
        -3 dB frequency of one pass in Hz.
    order : int
        Order of one pass of the Butterworth filter.

    Returns
    -------
    StrutMotion
        Rows of segments long enough for the filter, in order.
    """
    sections = low_pass(order, cutoff, 1.0 / log.period)
    differences = stencil(log.period)
    reach = differences.reach
    edge = rows_left_out(cutoff, log.period)
    parts: list[StrutMotion] = []
    for part in segment_slices(log.segment):
        if part.stop - part.start <= 2 * edge + 2 * reach:
            continue
        length = zero_phase(sections, log.length[part])
        rate, acceleration = central_differences(length, log.period, differences)
        inner = slice(edge, len(length) - edge)
        shifted = slice(edge - reach, len(rate) - (edge - reach))
        force = None if log.force is None else zero_phase(sections, log.force[part])[inner]
        parts.append(StrutMotion(log.time[part][inner], length[inner], rate[shifted], acceleration[shifted], force,
                                 log.segment[part][inner]))  # fmt: skip
    if not parts:
        empty = np.empty((0, log.length.shape[1]))
        return StrutMotion(np.empty(0), empty, empty, empty, None if log.force is None else empty,
                           np.empty(0, dtype=np.int64))  # fmt: skip
    forces = [part.force for part in parts if part.force is not None]
    return StrutMotion(
        np.concatenate([part.time for part in parts]),
        np.concatenate([part.length for part in parts]),
        np.concatenate([part.rate for part in parts]),
        np.concatenate([part.acceleration for part in parts]),
        np.concatenate(forces) if forces else None,
        np.concatenate([part.segment for part in parts]),
    )
