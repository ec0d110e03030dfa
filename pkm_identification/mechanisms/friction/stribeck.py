# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`stribeck`: F = c_v L' + F_c clip(L' / v_t, -1, 1) (1 + (k - 1) exp(-(L' / v_s)^2)).

k is the static ratio (breakaway by Coulomb friction), v_s the Stribeck rate, where the excess has fallen to 1/e.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.compiled import kernel

from .law import TRANSITION, TRANSITION_RATE, FrictionLaw, LawParameter, clip_rate

_RATIO, _STRIBECK = 2, 3  # places in `law`


@kernel
def terms(rate, law):
    """(L', b with its excess): m/s, and without unit."""
    excess = (law[_RATIO] - 1.0) * np.exp(-((rate / law[_STRIBECK]) ** 2))
    return rate, clip_rate(rate, law[TRANSITION]) * (1.0 + excess)


@kernel
def slopes(rate, law):
    """Their derivatives by the rate."""
    slope = 1.0 / law[TRANSITION] if abs(rate) <= law[TRANSITION] else 0.0
    excess = (law[_RATIO] - 1.0) * np.exp(-((rate / law[_STRIBECK]) ** 2))
    falling = clip_rate(rate, law[TRANSITION]) * excess * 2.0 * rate / law[_STRIBECK] ** 2
    return 1.0, slope * (1.0 + excess) - falling


LAW = FrictionLaw(
    "stribeck",
    terms,
    slopes,
    parameters=(
        TRANSITION_RATE,
        LawParameter("static_ratio", "", "breakaway by Coulomb friction", at_least=1.0),
        LawParameter("stribeck_rate", "m/s", "where the excess has fallen to 1/e"),
    ),
)
