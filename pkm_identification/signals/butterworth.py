# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Butterworth filters: designed by the bilinear transform; zero-phase offline, causal with carried state online."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray, contiguous

from .sections import both_ways, fill_columns, filtered, response, rest


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
    return _design_low_pass(order, float(cutoff), float(sample_rate)).copy()


def band_pass(order: int, low: float, high: float, sample_rate: float) -> FloatArray:
    """Second-order sections (order, 6) of a Butterworth band-pass between two -3 dB frequencies in Hz."""
    return _design_band_pass(order, float(low), float(high), float(sample_rate)).copy()


@lru_cache(maxsize=64)
def _design_low_pass(order: int, cutoff: float, sample_rate: float) -> FloatArray:
    """Return a diagnosis asks for the same one fifty times."""
    poles = _apply_bilinear_transform(_warp_frequency(cutoff, sample_rate) * _place_prototype_poles(order))
    sections = _build_sections(poles, np.array([1.0, 2.0, 1.0]))
    if order % 2:  # the real pole's section is of first order
        sections[0] = 1.0, 1.0, 0.0, 1.0, -poles[np.argmin(np.abs(poles.imag))].real, 0.0
    sections[0, :3] /= np.real(response(sections, np.zeros(()), sample_rate))
    return sections


@lru_cache(maxsize=64)
def _design_band_pass(order: int, low: float, high: float, sample_rate: float) -> FloatArray:
    edges = _warp_frequency(low, sample_rate), _warp_frequency(high, sample_rate)
    half = 0.5 * (edges[1] - edges[0]) * _place_prototype_poles(order)
    spread = np.sqrt(half**2 - edges[0] * edges[1] + 0j)
    sections = _build_sections(
        _apply_bilinear_transform(np.concatenate([half + spread, half - spread])), np.array([1.0, 0.0, -1.0])
    )
    centre = np.arctan(np.sqrt(edges[0] * edges[1])) * sample_rate / np.pi
    sections[0, :3] /= np.abs(response(sections, np.array(centre), sample_rate))
    return sections


def _place_prototype_poles(order: int) -> np.ndarray:
    """Poles of the analog filter whose power is halved at 1."""
    return -np.exp(0.5j * np.pi * np.arange(1 - order, order, 2) / order)


def _warp_frequency(frequency: float, sample_rate: float) -> float:
    """Return the analog frequency which the bilinear transform s = (z - 1) / (z + 1) puts at this one."""
    return float(np.tan(np.pi * frequency / sample_rate))


def _apply_bilinear_transform(poles: np.ndarray) -> np.ndarray:
    return (1.0 + poles) / (1.0 - poles)


def _build_sections(poles: np.ndarray, zeros: FloatArray) -> FloatArray:
    """A section for each pair of conjugate poles, those nearest to the unit circle last; the first is left for one."""
    upper = poles[poles.imag > 1e-12 * np.abs(poles)]
    upper = upper[np.argsort(np.abs(upper))]
    sections = np.zeros((-(-len(poles) // 2), 6))
    first = len(sections) - len(upper)
    sections[first:, :3] = zeros
    sections[first:, 3] = 1.0
    sections[first:, 4] = -2.0 * upper.real
    sections[first:, 5] = np.abs(upper) ** 2
    return sections


def settling_samples(sections: FloatArray, tolerance: float = 1e-3) -> int:
    """Return samples after which the filter's step response stays within `tolerance` of its end."""
    return _compute_settling(np.ascontiguousarray(sections, dtype=float).tobytes(), float(tolerance))


@lru_cache(maxsize=64)
def _compute_settling(packed: bytes, tolerance: float) -> int:
    sections = np.frombuffer(packed).reshape(-1, 6)
    poles = np.concatenate([np.roots(section[3:]) for section in sections])
    slowest = np.max(np.abs(poles))
    horizon = int(np.ceil(np.log(tolerance * 1e-3) / np.log(slowest))) + 1
    outside = np.nonzero(np.abs(filtered(sections, np.ones(horizon)) - 1) > tolerance)[0]
    return int(outside[-1]) + 2 if outside.size else 1


def zero_phase(sections: FloatArray, values: FloatArray) -> FloatArray:
    """Filter forwards and backwards along the first axis; one uninterrupted segment.

    Its ends are continued by their odd reflection; segments shorter than that are reflected as far as they go.
    """
    flat = np.asarray(values, dtype=float).reshape(len(values), -1)
    smooth = np.empty(flat.shape)
    every = np.arange(flat.shape[1])
    both_ways(
        sections, rest(sections), contiguous(flat), every, _compute_padding(sections, flat), 0, 1, smooth
    )
    return smooth.reshape(np.shape(values))


def zero_phase_at(sections: FloatArray, values: FloatArray, rows: range) -> FloatArray:
    """Return what `zero_phase` gives of values (N, ...) at some rows; columns that are zero everywhere stay so.

    Returns
    -------
    ndarray, shape (len(rows), ...)
    """
    flat = contiguous(np.asarray(values, dtype=float).reshape(len(values), -1))
    smooth = np.zeros((len(rows), flat.shape[1]))
    if len(rows):
        padding = _compute_padding(sections, flat)
        both_ways(sections, rest(sections), flat, fill_columns(flat), padding, rows.start, rows.step, smooth)
    return smooth.reshape(len(rows), *np.shape(values)[1:])


def _compute_padding(sections: FloatArray, values: FloatArray) -> int:
    return min(3 * (2 * len(sections) + 1), len(values) - 1)


def causal(sections: FloatArray, values: FloatArray) -> FloatArray:
    """Filter forwards along the first axis, primed as if the first value had stood for ever."""
    flat = values.reshape(len(values), -1)
    return filtered(sections, flat, rest(sections)[:, :, None] * flat[0]).reshape(values.shape)


def zero_phase_response(sections: FloatArray, reach: int) -> FloatArray:
    """Impulse response (2 reach + 1,) of a zero-phase filter, its peak in the middle."""
    impulse = np.zeros(2 * reach + 1)
    impulse[reach] = 1.0
    return zero_phase(sections, impulse)
