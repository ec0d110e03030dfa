# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What passes the estimation band: which rows are kept, and the filter that everything of an equation goes through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.butterworth import causal, zero_phase_at


@dataclass(frozen=True)
class BandPiece:
    """One uninterrupted segment of samples, and the equations taken from it.

    Attributes
    ----------
    part : slice
        Of the samples.
    chosen : slice
        Of the part: where equations are taken.
    """

    part: slice
    chosen: slice


def band_pieces(segment: NDArray[np.int64], band: BandSettings, online: bool = False) -> list[BandPiece]:
    """The segments that are long enough for the filter; causally its beginning is left out, else both ends."""
    settling = band.settling
    lead, tail = (settling, 0) if online else (settling // 2, settling // 2)
    pieces = []
    for part in segment_slices(segment):
        count = part.stop - part.start
        if count > lead + tail:
            pieces.append(BandPiece(part, slice(lead, count - tail, band.stride)))
    return pieces


def through_band(
    values: FloatArray, piece: BandPiece, band: BandSettings, online: bool = False
) -> FloatArray:
    """Return what of a piece's values, shape (n, ...), passes the band, at its equations.

    Returns
    -------
    ndarray, shape (k, ...)
    """
    # most places of model columns are empty (one strut's friction in another's row) and stay so
    rows = range(*piece.chosen.indices(len(values)))
    if not online:
        return zero_phase_at(band.sections, values, rows)
    filled = values.any(axis=0)
    picked = np.zeros((len(rows), *values.shape[1:]))
    picked[:, filled] = causal(band.sections, values[:, filled])[piece.chosen]
    return picked


def in_band(values: FloatArray, segment: NDArray[np.int64], band: BandSettings) -> FloatArray:
    """Return what of columns at all samples, shape (N, ...), passes the band, at all equations (K, ...)."""
    parts = [through_band(values[piece.part], piece, band) for piece in band_pieces(segment, band)]
    return np.concatenate(parts or [np.empty((0, *values.shape[1:]))])
