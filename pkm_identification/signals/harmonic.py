"""The first harmonic of a periodic answer."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray


def harmonic(time: FloatArray, values: FloatArray, frequency: float) -> complex:
    """First harmonic by least squares, beside a mean and a slope, as a multiple of sin(2 pi f t).

    Parameters
    ----------
    time, values : ndarray, shape (N,)
        s; of whole periods for best.
    frequency : float
        Hz.
    """
    angle = 2 * np.pi * frequency * time
    columns = np.column_stack([np.sin(angle), np.cos(angle), np.ones_like(time), time - time.mean()])
    sine, cosine, *_ = np.linalg.lstsq(columns, values, rcond=None)[0]
    return complex(sine, cosine)
