# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Power density of signals over frequency."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray


def power_density(values: FloatArray, count: int, rate: float) -> tuple[FloatArray, FloatArray]:
    """One-sided power density by Welch (1967): Hann windows that overlap by half, each without its mean.

    Parameters
    ----------
    values : ndarray, shape (N,) or (N, C)
        Samples of one uninterrupted stretch.
    count : int
        Samples of a window, at most N.
    rate : float
        Samples per second.

    Returns
    -------
    frequency : ndarray, shape (F,)
        Hz, from 0 to half the rate.
    density : ndarray, shape (F,) or (F, C)
        Squared unit of the values per Hz.
    """
    windows = np.lib.stride_tricks.sliding_window_view(values, count, axis=0)[:: count - count // 2]
    hann = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(count) / count)
    spectra = np.fft.rfft(hann * (windows - windows.mean(axis=-1, keepdims=True)), axis=-1)
    density = np.mean(np.abs(spectra) ** 2, axis=0) / (rate * np.sum(hann**2))
    density[..., 1 : (count + 1) // 2] *= 2.0  # what a real signal has at negative frequencies
    frequency = np.fft.rfftfreq(count, 1.0 / rate)
    return np.asarray(frequency, dtype=float), np.asarray(density.T, dtype=float)
