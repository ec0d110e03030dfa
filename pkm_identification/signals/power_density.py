# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Signals over frequency: power density, and the first harmonic of a periodic answer."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray


def power_density(values: FloatArray, count: int, rate: float) -> tuple[FloatArray, FloatArray]:
    """One-sided power density by Welch (1967): Hann windows that overlap by half, each without its mean.

    Parameters
    ----------
    values : ndarray, shape (N,) or (N, C)
        Samples of one uninterrupted segment.
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


def harmonic(time: FloatArray, values: FloatArray, frequency: float, drifting: bool = False) -> complex:
    """First harmonic by least squares in addition to a mean, as a multiple of sin(2 pi f t).

    Parameters
    ----------
    time, values : ndarray, shape (N,)
        s; whole periods, over which higher harmonics stay out.
    frequency : float
        Hz.
    drifting : bool
        Fit a slope as well. It takes some of the odd harmonics of an answer that does not drift.
    """
    angle = 2 * np.pi * frequency * time
    columns = [np.sin(angle), np.cos(angle), np.ones_like(time)]
    if drifting:
        columns.append(time - time.mean())
    sine, cosine, *_ = np.linalg.lstsq(np.column_stack(columns), values, rcond=None)[0]
    return complex(sine, cosine)
