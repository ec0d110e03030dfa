# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Filters in second-order sections: their kernel, their rest, their frequency response.

`scipy.signal` has all of this and is the oracle of the tests. But it brings `scipy.stats` and `scipy.optimize` along,
and importing them was half of the start of `pkm identify` and of a node: 1.3 s of processor time without, 2.5 s with.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import compile_inline, kernel

FEW = 8  # columns that pass a filter side by side: struts' six fit in
MANY = 32  # where there are more: these take one and a half times as long as 8
ROWS = 64  # that pass a section before the next


@kernel
def fill_columns(values):
    """Return numbers of the columns of values (N, C) that are not zero everywhere, in order."""
    width = values.shape[1]
    empty = np.arange(width)  # as far as the rows so far tell, the first `left` of these
    left = width
    filled = np.zeros(width, dtype=np.bool_)
    for n in range(values.shape[0]):
        stay = 0
        for k in range(left):
            if values[n, empty[k]] != 0.0:
                filled[empty[k]] = True
            else:
                empty[stay] = empty[k]
                stay += 1
        left = stay
        if left == 0:
            break
    return np.nonzero(filled)[0]


@kernel
def _prime_state(primed, level, state):
    """The state (S, 2, C) of channels through which their levels (C,) have passed for ever."""
    for k in range(state.shape[0]):
        for c in range(state.shape[2]):
            state[k, 0, c] = primed[k, 0] * level[c]
            state[k, 1, c] = primed[k, 1] * level[c]


@compile_inline
def _pass_rows(width, sections, state, rows, first, stop, step):
    """Rows from `first` on, `width` numbers of each, through sections in transposed direct form II, in place.

    A width that is known when it is compiled is taken at once. One section goes over some rows, then the next: what it
    remembers stays at hand. Both together are four times as fast as a row after the other through all of them.
    """
    for k in range(sections.shape[0]):
        b0, b1, b2 = sections[k, 0], sections[k, 1], sections[k, 2]
        a1, a2 = sections[k, 4], sections[k, 5]
        held = state[k]
        for n in range(first, stop, step):
            row = rows[n]
            for c in range(width):
                x = row[c]
                y = b0 * x + held[0, c]
                held[0, c] = (b1 * x + held[1, c]) - a1 * y
                held[1, c] = b2 * x - a2 * y
                row[c] = y


@kernel
def filter_rows(sections, values, state, filtered):
    """Rows (N, C) through sections (S, 6), into `filtered`; `state` (S, 2, C) goes on in place."""
    count, width = values.shape
    for begin in range(0, count, ROWS):
        end = min(begin + ROWS, count)
        for n in range(begin, end):
            for c in range(width):
                filtered[n, c] = values[n, c]
        _pass_rows(width, sections, state, filtered, begin, end, 1)


@kernel
def _pass(few, sections, state, rows, first, stop, step):
    """As `_pass_rows`, FEW numbers of each row or MANY."""
    for begin in range(first, stop, step * ROWS):
        end = begin + step * ROWS
        end = min(end, stop) if step > 0 else max(end, stop)
        if few:
            _pass_rows(FEW, sections, state, rows, begin, end, step)
        else:
            _pass_rows(MANY, sections, state, rows, begin, end, step)


@kernel
def both_ways(sections, primed, values, columns, padding, first, step, smooth):
    """Some columns of rows (N, C) through sections (S, 6) forwards and backwards, into `smooth` (K, C).

    Rows are continued by their odd reflection for `padding` at both ends; `primed` (S, 2) is the state at rest. Taken
    are the rows `first`, `first + step` and so on. Some columns at a time go both ways.
    """
    count = values.shape[0]
    total = count + 2 * padding
    most = FEW if columns.shape[0] <= FEW else MANY
    once = np.zeros((total, most))
    state = np.zeros((sections.shape[0], 2, most))
    for begin in range(0, columns.shape[0], most):
        some = columns[begin : begin + most]
        width = some.shape[0]
        for n in range(padding):
            for c in range(width):
                once[n, c] = 2.0 * values[0, some[c]] - values[padding - n, some[c]]
        for n in range(count):
            for c in range(width):
                once[padding + n, c] = values[n, some[c]]
        for n in range(padding):
            for c in range(width):
                mirrored = values[count - 2 - n, some[c]]
                once[padding + count + n, c] = 2.0 * values[count - 1, some[c]] - mirrored
        few = width <= FEW
        _prime_state(primed, once[0], state)
        _pass(few, sections, state, once, 0, total, 1)
        _prime_state(primed, once[total - 1], state)
        _pass(few, sections, state, once, total - 1, padding + first - 1, -1)
        for k in range(smooth.shape[0]):
            for c in range(width):
                smooth[k, some[c]] = once[padding + first + k * step, c]


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
