# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The first harmonic of a periodic answer."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray


def harmonic(time: FloatArray, values: FloatArray, frequency: float, drifting: bool = False) -> complex:
    """First harmonic by least squares beside a mean, as a multiple of sin(2 pi f t).

    Parameters
    ----------
    time, values : ndarray, shape (N,)
        s; whole periods, over which higher harmonics stay out.
    frequency : float
        Hz.
    drifting : bool
        Fit a slope besides. It takes some of the odd harmonics of an answer that does not drift.
    """
    angle = 2 * np.pi * frequency * time
    columns = [np.sin(angle), np.cos(angle), np.ones_like(time)]
    if drifting:
        columns.append(time - time.mean())
    sine, cosine, *_ = np.linalg.lstsq(np.column_stack(columns), values, rcond=None)[0]
    return complex(sine, cosine)
