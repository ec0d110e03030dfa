# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`source`, Oh 2003, 4.5, to the letter: no viscous part inside the transition, hence a jump of c_v v_t at its ends."""

from __future__ import annotations

from pkm_identification.numerics.compiled import kernel

from .law import TRANSITION, FrictionLaw, clip_rate


@kernel
def terms(rate, law):
    """(L' outside the transition, 0 inside; clip(L' / v_t, -1, 1))."""
    return 0.0 if abs(rate) <= law[TRANSITION] else rate, clip_rate(rate, law[TRANSITION])


@kernel
def slopes(rate, law):
    """Their derivatives by the rate; the jump has none."""
    if abs(rate) <= law[TRANSITION]:
        return 0.0, 1.0 / law[TRANSITION]
    return 1.0, 0.0


LAW = FrictionLaw("source", terms, slopes)
