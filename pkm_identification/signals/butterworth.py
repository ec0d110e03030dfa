"""Butterworth low-pass filters: zero-phase offline, causal with carried state online."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import signal

from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray


@lru_cache(maxsize=64)
def _designed(order: int, cutoff: float, sample_rate: float) -> FloatArray:
    """Sections of a filter: a design takes as long as filtering, and a diagnosis asks for the same one fifty times."""
    return signal.butter(order, cutoff, fs=sample_rate, output="sos")


def low_pass(order: int, cutoff: float, sample_rate: float) -> FloatArray:
    """Second-order sections of a Butterworth low-pass.

    Parameters
    ----------
    order : int
        At least 1; the source uses 8.
    cutoff : float
        -3 dB frequency in Hz; the source uses 10.
    sample_rate : float
        Hz.

    Returns
    -------
    ndarray, shape (sections, 6)

    Raises
    ------
    SettingsError
        If the order or the cutoff is impossible; the cutoff must lie below half the sample rate.
    """
    if order < 1:
        raise SettingsError(f"filter order is {order}, must be at least 1")
    if not 0 < cutoff < 0.5 * sample_rate:
        raise SettingsError(
            f"filter cutoff is {cutoff} Hz, must lie between 0 and {0.5 * sample_rate} Hz (Nyquist)"
        )
    return _designed(order, float(cutoff), float(sample_rate)).copy()


def settling_samples(sections: FloatArray, tolerance: float = 1e-3) -> int:
    """Samples after which the filter's step response stays within `tolerance` of its end."""
    poles = np.concatenate([np.roots(section[3:]) for section in sections])
    slowest = np.max(np.abs(poles))
    horizon = int(np.ceil(np.log(tolerance * 1e-3) / np.log(slowest))) + 1
    response = signal.sosfilt(sections, np.ones(horizon))
    outside = np.nonzero(np.abs(response - 1) > tolerance)[0]
    return int(outside[-1]) + 2 if outside.size else 1


def zero_phase(sections: FloatArray, values: FloatArray) -> FloatArray:
    """Filter forwards and backwards along the first axis; one uninterrupted segment.

    Segments shorter than the filter's own padding are padded as far as they go.
    """
    flat = values.reshape(len(values), -1)
    padding = min(3 * (2 * len(sections) + 1), len(flat) - 1)
    return signal.sosfiltfilt(sections, flat, axis=0, padlen=padding).reshape(values.shape)


def causal(sections: FloatArray, values: FloatArray) -> FloatArray:
    """Filter forwards along the first axis, primed as if the first value had stood for ever."""
    flat = values.reshape(len(values), -1)
    state = signal.sosfilt_zi(sections)[:, :, None] * flat[0]
    return signal.sosfilt(sections, flat, axis=0, zi=state)[0].reshape(values.shape)
