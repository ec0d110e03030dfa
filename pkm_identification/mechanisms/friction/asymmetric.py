# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`asymmetric`, Coulomb friction that differs by direction: F = c_v L' + F_c b + F_a |b|, b = clip(L' / v_t, -1, 1).

Beyond the transition rate v_t an axis feels F_c + F_a when it moves out and F_c - F_a when it moves in: screws and
seals preloaded on one side do this. F_a may have either sign; larger than F_c, friction would drive the axis.
"""

from __future__ import annotations

from pkm_identification.numerics.compiled import kernel

from .law import COULOMB, TRANSITION, VISCOUS, Coefficient, FrictionLaw, clip_rate


@kernel
def terms(rate, law):
    """(L', b, |b|): m/s, and without unit."""
    sign = clip_rate(rate, law[TRANSITION])
    return rate, sign, abs(sign)


@kernel
def slopes(rate, law):
    """Their derivatives by the rate; at rest, where |b| has a corner, zero for the last."""
    if abs(rate) > law[TRANSITION]:
        return 1.0, 0.0, 0.0
    slope = 1.0 / law[TRANSITION]
    if rate == 0.0:
        return 1.0, slope, 0.0
    return 1.0, slope, slope if rate > 0.0 else -slope


ASYMMETRY = Coefficient("asymmetry", "N", prior_scale=1.0, default=None, within="coulomb")

LAW = FrictionLaw("asymmetric", terms, slopes, coefficients=(VISCOUS, COULOMB, ASYMMETRY))
