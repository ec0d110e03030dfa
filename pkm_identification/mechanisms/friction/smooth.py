# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`smooth`: F = c_v L' + F_c tanh(L' / v_t), with derivatives of every order."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.compiled import kernel

from .law import TRANSITION, FrictionLaw


@kernel
def terms(rate, law):
    """(L', tanh(L' / v_t))."""
    return rate, np.tanh(rate / law[TRANSITION])


@kernel
def slopes(rate, law):
    """Their derivatives by the rate."""
    sign = np.tanh(rate / law[TRANSITION])
    return 1.0, (1.0 - sign * sign) / law[TRANSITION]


LAW = FrictionLaw("smooth", terms, slopes)
