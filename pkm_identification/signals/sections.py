"""Filters in second-order sections: their kernel, their rest, their frequency response.

`scipy.signal` has all of this and is the oracle of the tests. But it brings `scipy.stats` and `scipy.optimize` along,
and importing them was half of the start of `pkm identify` and of a node: 1.3 s of processor time without, 2.5 s with.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel


@kernel
def filter_rows(sections, values, state, filtered):
    """Rows (N, C) through sections (S, 6) in transposed direct form II; `state` (S, 2, C) goes on in place."""
    for n in range(values.shape[0]):
        for c in range(values.shape[1]):
            filtered[n, c] = values[n, c]
        for k in range(sections.shape[0]):
            b0, b1, b2 = sections[k, 0], sections[k, 1], sections[k, 2]
            a1, a2 = sections[k, 4], sections[k, 5]
            for c in range(values.shape[1]):
                x = filtered[n, c]
                y = b0 * x + state[k, 0, c]
                state[k, 0, c] = b1 * x - a1 * y + state[k, 1, c]
                state[k, 1, c] = b2 * x - a2 * y
                filtered[n, c] = y


def filtered(sections: FloatArray, values: FloatArray, state: FloatArray | None = None) -> FloatArray:
    """Filter along the first axis.

    Parameters
    ----------
    sections : ndarray, shape (S, 6)
        b0, b1, b2, 1, a1, a2 of each.
    values : ndarray, shape (N,) or (N, ...)
    state : ndarray, shape (S, 2, C), optional
        Of C channels; goes on in place. By default all was zero before.

    Returns
    -------
    ndarray
        Of the shape of `values`.
    """
    rows = np.array(values, dtype=float, order="C").reshape(len(values), -1)
    if state is None:
        state = np.zeros((len(sections), 2, rows.shape[1]))
    result = np.empty_like(rows)
    filter_rows(np.array(sections), rows, state, result)
    return result.reshape(np.shape(values))


def rest(sections: FloatArray) -> FloatArray:
    """State (S, 2) of a filter through which 1 has passed for ever."""
    state = np.empty((len(sections), 2))
    level = 1.0
    for row, (b0, b1, b2, _, a1, a2) in zip(state, sections, strict=True):
        after = level * (b0 + b1 + b2) / (1.0 + a1 + a2)
        row[:] = after - b0 * level, b2 * level - a2 * after
        level = after
    return state


def response(sections: FloatArray, frequency: FloatArray, sample_rate: float) -> np.ndarray:
    """Complex gain at frequencies in Hz, of their shape."""
    delay = np.exp(-2j * np.pi * np.asarray(frequency) / sample_rate)
    gain = np.ones(delay.shape, dtype=complex)
    for b0, b1, b2, _, a1, a2 in sections:
        gain *= (b0 + delay * (b1 + delay * b2)) / (1.0 + delay * (a1 + delay * a2))
    return gain


def group_delay(sections: FloatArray, frequency: float, sample_rate: float) -> float:
    """Group delay in s at a frequency in Hz: less the slope of the phase."""
    delay = np.exp(-2j * np.pi * frequency / sample_rate)
    samples = 0.0
    for b0, b1, b2, a0, a1, a2 in sections:
        for sign, (c0, c1, c2) in ((1.0, (b0, b1, b2)), (-1.0, (a0, a1, a2))):
            value = c0 + delay * (c1 + delay * c2)
            samples += sign * float(np.real(delay * (c1 + 2.0 * delay * c2) / value))
    return samples / sample_rate
