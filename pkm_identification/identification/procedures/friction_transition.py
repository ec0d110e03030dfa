# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The shape of friction near standstill: transition rate and Stribeck excess by separable least squares.

    F = c_v L' + (F_c + E exp(-(L' / v_s)^2)) clip(L' / v_t, -1, 1) + offset

is linear in c_v, F_c, E and the offset for given rates v_t and v_s. For these two alone a nonlinear search is made on
the residual that the best linear parameters leave (variable projection, Golub and Pereyra 1973). Whether the data show
the one or the other is then decided by standard deviations that know how residuals are correlated: those of the linear
fit with the derivatives by the two rates as further columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray

from .strut_friction import (
    Quantity,
    StrutSamples,
    combine_parameters,
    fit_strut,
)

SHOWN = 0.3  # largest relative standard deviation of a rate that counts as shown
EXCESS_SIGMAS = 5.0  # of the Stribeck excess, to count as shown
LEAST_EXCESS = 0.03  # relative to the Coulomb force, below which smearing makes it
STEP = 1e-3  # relative, of the derivatives by the rates
NONE = np.empty(0)


@dataclass(frozen=True)
class FrictionTransition:
    """What the data show of friction near standstill; None where they do not.

    Attributes
    ----------
    transition_rate : Quantity or None
        v_t, m/s; the smearing of the low-pass is in it.
    static_ratio : Quantity or None
        k = 1 + E / F_c, breakaway by Coulomb force.
    stribeck_rate : Quantity or None
        v_s, m/s.
    """

    transition_rate: Quantity | None = None
    static_ratio: Quantity | None = None
    stribeck_rate: Quantity | None = None


def fit_friction_transition(
    rate: FloatArray,
    friction: FloatArray,
    segment: NDArray[np.int64],
    first_guess: float,
    redundancy: float = 1.0,
) -> FrictionTransition:
    """Fit the shape near standstill.

    Parameters
    ----------
    rate : ndarray, shape (N,)
        m/s, smoothed as little as the encoders allow; slow samples included.
    friction : ndarray, shape (N,)
        N, rigid-body force subtracted.
    segment : ndarray of int64, shape (N,)
    first_guess : float
        Of the transition rate, m/s.
    redundancy : float
        Samples per independent one.
    """
    # SciPy's optimisers take longer to load than the rest of the test to run
    from scipy.optimize import least_squares as search

    largest = float(np.quantile(np.abs(rate), 0.99))
    low, high = np.log(0.05 * first_guess), np.log(0.5 * largest)
    if low >= high:
        return FrictionTransition()

    def residual(logs: FloatArray) -> FloatArray:
        columns = _build_columns(rate, np.exp(logs))
        solved = np.linalg.lstsq(columns / np.linalg.norm(columns, axis=0), friction, rcond=None)[0]
        return friction - columns / np.linalg.norm(columns, axis=0) @ solved

    def best(starts: list[list[float]]) -> FloatArray:
        minima = [search(residual, np.clip(s, low, high), bounds=(low - 1e-9, high + 1e-9)) for s in starts]
        return np.exp(min(minima, key=lambda f: f.cost).x)

    guess = np.log(first_guess)
    rates = best([[guess]])
    plain = _list_quantities(rate, friction, segment, rates, redundancy)
    transition = plain[-1]
    found = FrictionTransition(transition if transition.std < SHOWN * transition.value else None)
    # a bend of a force that drowns in the residual is none
    if plain[1].value < np.sqrt(np.mean(residual(np.log(rates)) ** 2)):
        return FrictionTransition()
    if not found.transition_rate:
        return found
    rates = best([[np.log(rates[0]), np.log(f * rates[0])] for f in (3.0, 8.0)])
    richer = _list_quantities(rate, friction, segment, rates, redundancy)
    coulomb, excess, transition, stribeck = richer[1], richer[3], richer[4], richer[5]
    if (
        excess.value > EXCESS_SIGMAS * excess.std
        and excess.value > LEAST_EXCESS * coulomb.value
        and stribeck.std < SHOWN * stribeck.value
        and transition.std < SHOWN * transition.value
    ):
        ratio = excess.value / coulomb.value
        spread = ratio * np.hypot(excess.std / excess.value, coulomb.std / coulomb.value)
        return FrictionTransition(transition, Quantity(1.0 + ratio, float(spread)), stribeck)
    return found


def _build_columns(rate: FloatArray, rates: FloatArray) -> FloatArray:
    """Return columns of c_v, F_c, offset and, with two rates, E."""
    found = np.clip(rate / rates[0], -1.0, 1.0)
    columns = [rate, found, np.ones_like(rate)]
    if len(rates) == 2:
        columns.append(found * np.exp(-((rate / rates[1]) ** 2)))
    return np.column_stack(columns)


def _list_quantities(
    rate: FloatArray,
    friction: FloatArray,
    segment: NDArray[np.int64],
    rates: FloatArray,
    redundancy: float,
) -> list[Quantity]:
    """Linear parameters and rates with standard deviations."""
    columns = _build_columns(rate, rates)
    linear = np.linalg.lstsq(columns, friction, rcond=None)[0]
    slopes = []
    for k in range(len(rates)):
        step = STEP * rates[k] * (np.arange(len(rates)) == k)
        slopes.append(
            (_build_columns(rate, rates + step) - _build_columns(rate, rates - step)) @ linear / (2 * step[k])
        )
    own = np.column_stack([columns, *slopes])
    wide = 100.0 * np.concatenate([np.abs(linear) + friction.std(), rates])
    samples = StrutSamples(rate, friction, np.empty((len(rate), 0)), segment, np.ones(len(rate), dtype=bool))
    fit = fit_strut(samples, own, wide, NONE, redundancy)
    units = np.eye(own.shape[1])
    combinations = [combine_parameters(fit, list(unit)) for unit in units]
    offset = [0.0] * columns.shape[1] + list(rates)
    # what the linear fit still moves the rates by is far below their deviations
    return [Quantity(float(q.value + add), q.std) for q, add in zip(combinations, offset, strict=True)]
