# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The friction laws: terms by the rate L' in m/s, one for each coefficient, and their derivatives by the rate.

Terms are in m/s (viscous) and without unit; v_t is the transition rate, b = clip(L' / v_t, -1, 1). `coulomb`, the
default, is (4.5) of Oh 2003, closed.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.compiled import kernel

from .law import (
    COULOMB,
    TRANSITION,
    TRANSITION_RATE,
    VISCOUS,
    Coefficient,
    FrictionLaw,
    LawParameter,
    clip_rate,
)

_RATIO, _STRIBECK = 2, 3  # places in `law`


@kernel
def coulomb_terms(rate, law):
    """(L', b)."""
    return rate, clip_rate(rate, law[TRANSITION])


@kernel
def coulomb_slopes(rate, law):
    """Their derivatives."""
    return 1.0, 1.0 / law[TRANSITION] if abs(rate) <= law[TRANSITION] else 0.0


@kernel
def source_terms(rate, law):
    """(L' outside the transition, 0 inside; b): (4.5) of Oh 2003 to the letter, with a jump of c_v v_t at its ends."""
    return 0.0 if abs(rate) <= law[TRANSITION] else rate, clip_rate(rate, law[TRANSITION])


@kernel
def source_slopes(rate, law):
    """Their derivatives; the jump has none."""
    if abs(rate) <= law[TRANSITION]:
        return 0.0, 1.0 / law[TRANSITION]
    return 1.0, 0.0


@kernel
def stribeck_terms(rate, law):
    """(L', b (1 + (k - 1) exp(-(L' / v_s)^2))), k the static ratio, v_s the rate where the excess has fallen to 1/e."""
    excess = (law[_RATIO] - 1.0) * np.exp(-((rate / law[_STRIBECK]) ** 2))
    return rate, clip_rate(rate, law[TRANSITION]) * (1.0 + excess)


@kernel
def stribeck_slopes(rate, law):
    """Their derivatives."""
    slope = 1.0 / law[TRANSITION] if abs(rate) <= law[TRANSITION] else 0.0
    excess = (law[_RATIO] - 1.0) * np.exp(-((rate / law[_STRIBECK]) ** 2))
    falling = clip_rate(rate, law[TRANSITION]) * excess * 2.0 * rate / law[_STRIBECK] ** 2
    return 1.0, slope * (1.0 + excess) - falling


@kernel
def smooth_terms(rate, law):
    """(L', tanh(L' / v_t)), with derivatives of every order."""
    return rate, np.tanh(rate / law[TRANSITION])


@kernel
def smooth_slopes(rate, law):
    """Their derivatives."""
    sign = np.tanh(rate / law[TRANSITION])
    return 1.0, (1.0 - sign * sign) / law[TRANSITION]


@kernel
def asymmetric_terms(rate, law):
    """(L', b, |b|): Coulomb friction that differs by direction.

    Beyond the transition rate an axis feels F_c + F_a when it moves out and F_c - F_a when it moves in: screws and
    seals preloaded on one side do this. F_a may have either sign; larger than F_c, friction would drive the axis.
    """
    sign = clip_rate(rate, law[TRANSITION])
    return rate, sign, abs(sign)


@kernel
def asymmetric_slopes(rate, law):
    """Their derivatives; at rest, where |b| has a corner, zero for the last."""
    if abs(rate) > law[TRANSITION]:
        return 1.0, 0.0, 0.0
    slope = 1.0 / law[TRANSITION]
    if rate == 0.0:
        return 1.0, slope, 0.0
    return 1.0, slope, slope if rate > 0.0 else -slope


# Kernels know a law by its place here.
LAWS: tuple[FrictionLaw, ...] = (
    FrictionLaw("coulomb", coulomb_terms, coulomb_slopes),
    FrictionLaw("source", source_terms, source_slopes),
    FrictionLaw(
        "stribeck",
        stribeck_terms,
        stribeck_slopes,
        parameters=(
            TRANSITION_RATE,
            LawParameter("static_ratio", "", "breakaway by Coulomb friction", at_least=1.0),
            LawParameter("stribeck_rate", "m/s", "where the excess has fallen to 1/e"),
        ),
    ),
    FrictionLaw("smooth", smooth_terms, smooth_slopes),
    FrictionLaw(
        "asymmetric",
        asymmetric_terms,
        asymmetric_slopes,
        coefficients=(
            VISCOUS,
            COULOMB,
            Coefficient("asymmetry", "N", prior_scale=1.0, default=None, within="coulomb"),
        ),
    ),
)
