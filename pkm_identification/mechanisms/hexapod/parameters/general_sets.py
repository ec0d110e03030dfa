# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""General parameter sets: nothing of the bodies known but that the struts are symmetric about their axes.

The sets of `parameter_set` place every strut body's centre of mass where the machine file has it. Here it lies
somewhere on the strut's axis: its first moment is an unknown, as are mass and inertia of the platform (ten numbers).

=================  =========================================================================  ==========
set                parameters                                                                 how many
=================  =========================================================================  ==========
general            platform's ten; m_e, h_e, h_b, Jt, Ja of each strut; friction              52
general_motor      the same, and the mass m_m of each turning motor                           58
alike              platform's ten; m_e, h_e, h_b, Jt, Ja of all struts; friction of each      27
alike_motor        the same, and m_m of all motors                                            28
=================  =========================================================================  ==========

h_e = m_e d and h_b = m_b L_B are the first moments of bodies E and B (back from the platform joint, out from the base
joint), Jt = It_b + m_b L_B^2 + It_e + m_e d^2 and Ja = Ia_b + Ia_e the moments of the rod (`dynamics.strut`). The mass
of body B never appears alone. m_e can always be moved into the platform, as point masses at its joints: an estimator
shows it only in combination, and so says; `identifiability.base_parameters` has the sums.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from pkm_identification.motion import STRUTS
from pkm_identification.parameters.parameter import Kind

from ..dynamics.basis import strut_column
from ..dynamics.strut import (
    H_B,
    H_E,
    I_A,
    I_X,
    I_Z,
    M_E,
    M_M,
)
from .builder import BODY_B, BODY_E, STRUT, SetBuilder

_STRUT = (
    ("m_e", "kg", Kind.MASS, BODY_E, (M_E,)),
    ("h_e", "kg m", Kind.FIRST_MOMENT, BODY_E, (H_E,)),
    ("h_b", "kg m", Kind.FIRST_MOMENT, BODY_B, (H_B,)),
    ("Jt", "kg m^2", Kind.INERTIA, STRUT, (I_X, I_Z)),
    ("Ja", "kg m^2", Kind.INERTIA, STRUT, (I_A,)),
)
_MOTOR = ("m_m", "kg", Kind.MASS, "motor", (M_M,))


def _collect(builder: SetBuilder, alike: bool, motor: bool) -> None:
    """Add the parameters; where struts differ, nominal values of struts taken as alike are their means."""
    builder.platform_mass(moments_follow=False)
    builder.platform_first_moments()
    builder.platform_moments("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    rows_of = (*_STRUT, _MOTOR) if motor else _STRUT
    groups = [range(STRUTS)] if alike else [range(i, i + 1) for i in range(STRUTS)]
    for struts in groups:
        for symbol, unit, kind, body, rows in rows_of:
            column = np.zeros(len(builder.basis))
            for i in struts:
                column[[strut_column(i, row) for row in rows]] = 1.0
            nominal = float(np.mean([builder.basis[strut_column(i, rows[0])] for i in struts]))
            strut = None if alike else struts[0]
            builder.add(symbol, unit, kind, body, nominal, _scale(builder, symbol, nominal), column, strut)
    builder.friction(joints="alike" if alike else "each")


GENERAL_SETS: dict[str, Callable[[SetBuilder], None]] = {
    "general": partial(_collect, alike=False, motor=False),
    "general_motor": partial(_collect, alike=False, motor=True),
    "alike": partial(_collect, alike=True, motor=False),
    "alike_motor": partial(_collect, alike=True, motor=True),
}


def _scale(builder: SetBuilder, symbol: str, nominal: float) -> float:
    """Return a large error: the value itself, or what a strut body as large as the strut could have."""
    machine = builder.machine
    mass = float(np.mean([strut.body_b.mass + strut.body_e.mass for strut in machine.struts]))
    length = 0.1 * float(machine.length_limits.mean())
    least = {"m_e": mass, "h_e": mass * length, "h_b": mass * length, "Jt": mass * length**2, "m_m": mass}
    if symbol == "Ja":
        return max(nominal, 1e-3 * float(builder.basis[strut_column(0, I_X)]))
    return max(abs(nominal), least[symbol])
