# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`coulomb`, the default: F = c_v L' + F_c clip(L' / v_t, -1, 1), v_t the transition rate (Oh 2003, 4.5, closed)."""

from __future__ import annotations

from pkm_identification.numerics.compiled import kernel

from .law import TRANSITION, FrictionLaw, clip_rate


@kernel
def terms(rate, law):
    """(L', b): m/s, and without unit."""
    return rate, clip_rate(rate, law[TRANSITION])


@kernel
def slopes(rate, law):
    """Their derivatives by the rate."""
    return 1.0, 1.0 / law[TRANSITION] if abs(rate) <= law[TRANSITION] else 0.0


LAW = FrictionLaw("coulomb", terms, slopes)
