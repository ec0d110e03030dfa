# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction along the axes of a mechanism: a family of laws, linear in their coefficients.

=========  ============================  =====================================================
law        per viscous coefficient c_v   per Coulomb coefficient F_c
=========  ============================  =====================================================
coulomb    L'                            clip(L' / v_t, -1, 1)
source     L' where |L'| > v_t, else 0   clip(L' / v_t, -1, 1)
stribeck   L'                            clip(L' / v_t, -1, 1) (1 + (k - 1) exp(-(L' / v_s)^2))
smooth     L'                            tanh(L' / v_t)
=========  ============================  =====================================================

`asymmetric` is `coulomb` with a third coefficient per axis, F_a times |clip(L' / v_t, -1, 1)|: Coulomb friction that
differs by direction. v_t is the transition rate. `laws` says the rest of each.
"""

from .friction import Friction, friction_columns, friction_force, read_friction
from .law import Coefficient, FrictionLaw, LawParameter
from .registry import (
    LAW_NAMES,
    LAWS,
    TERMS,
    friction_along,
    friction_slope,
    friction_slopes,
    friction_terms,
    law_named,
    less_friction,
    padded_coefficients,
    plus_friction,
)

__all__ = [
    "LAWS",
    "LAW_NAMES",
    "TERMS",
    "Coefficient",
    "Friction",
    "FrictionLaw",
    "LawParameter",
    "friction_along",
    "friction_columns",
    "friction_force",
    "friction_slope",
    "friction_slopes",
    "friction_terms",
    "law_named",
    "less_friction",
    "padded_coefficients",
    "plus_friction",
    "read_friction",
]
