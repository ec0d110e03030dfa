# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whether the end of a log is the motion of its beginning once more, as of a periodic excitation."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

SAME_MOTION = (
    0.02  # of the end's own motion, rms: drives follow a command that is repeated more closely than that
)
SHORTEST_END_S = 1.0
MOST_SAMPLES = 20_000  # of a log, that are compared: of a longer one every so many


def find_repetition(coordinate: FloatArray, first: int, period: float) -> float:
    """Return how many s before the end (from row `first` on) the same motion was made; NaN if it was not.

    Parameters
    ----------
    coordinate : ndarray, shape (N, n)
        Of the drives, m or rad, sampled regularly.
    first : int
        Row from which on it is the end.
    period : float
        s, of the samples.
    """
    step = math.ceil(len(coordinate) / MOST_SAMPLES)
    rows = coordinate[::step] - np.mean(coordinate, axis=0)
    rows, first = rows / np.maximum(np.std(rows, axis=0), 1e-300), first // step
    end, before = rows[first:], rows[:first]
    if len(end) * step * period < SHORTEST_END_S or len(before) < len(end):
        return math.nan
    size = float(np.sum((end - end.mean(axis=0)) ** 2))
    if size < SAME_MOTION**2 * float(np.sum(end**2)):  # it rests
        return math.nan
    width = 2 ** math.ceil(math.log2(len(rows)))
    spectra = np.fft.rfft(before, width, axis=0) * np.conj(np.fft.rfft(end, width, axis=0))
    starts = len(before) - len(end) + 1
    product = np.fft.irfft(spectra.sum(axis=1), width)[:starts]
    squares = np.concatenate([[0.0], np.cumsum(np.sum(before**2, axis=1))])
    apart = squares[len(end) :] - squares[:starts] + np.sum(end**2) - 2.0 * product
    start = int(np.argmin(apart))
    return (first - start) * step * period if apart[start] < SAME_MOTION**2 * size else math.nan


def find_repeated_ends(logs: Iterable[tuple[FloatArray, int, float]]) -> float:
    """Return how many s before the end of the first log the same motion was made; NaN unless every end is a repetition.

    Parameters
    ----------
    logs : iterable of (coordinate, first, period)
        As of `find_repetition`, of each log of which an end is held out.
    """
    found = [find_repetition(*log) for log in logs]
    return found[0] if found and all(map(math.isfinite, found)) else math.nan
