# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What each rigid body of a machine does to its basis.

A body has the ten parameters `BODY_PARAMETERS` about its frame's origin; those of a strut's body are along z.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics.basis import basis_columns, strut_column
from pkm_identification.mechanisms.hexapod.dynamics.strut import H_B, H_E, I_A, I_X, I_Z, M_E
from pkm_identification.mechanisms.hexapod.machine import Machine as HexapodDescription
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.parameters import build_rigid_columns
from pkm_identification.mechanisms.rigid_bodies import BODY_PARAMETERS
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

WIDTH = len(BODY_PARAMETERS)
_M, _MZ, _IXX, _IYY, _IZZ = (BODY_PARAMETERS.index(name) for name in ("m", "mz", "Ixx", "Iyy", "Izz"))
_ROD = ((I_X, _IXX), (I_Z, _IYY), (I_A, _IZZ))


def list_rows_of_hexapod(machine: HexapodDescription) -> tuple[FloatArray, ...]:
    """Return rows (B, 10) of the platform, then of bodies B and E of each strut."""
    count = basis_columns(machine)
    platform = np.zeros((count, WIDTH))
    platform[:WIDTH] = np.eye(WIDTH)
    found = [platform]
    for i in range(STRUTS):
        for kinds in (((H_B, _MZ), *_ROD), ((H_E, _MZ), (M_E, _M), *_ROD)):
            rows = np.zeros((count, WIDTH))
            for kind, parameter in kinds:
                rows[strut_column(i, kind), parameter] = 1.0
            found.append(rows)
    return tuple(found)


def list_rows_of_mechanism(mechanism: Mechanism, count: int) -> tuple[FloatArray, ...]:
    """Return rows (B, 10) of each body; the basis has `count` entries and begins with the bodies'."""
    kept = build_rigid_columns(mechanism)
    found = []
    for number in range(len(mechanism.description.bodies)):
        own = np.flatnonzero(kept // WIDTH == number)
        rows = np.zeros((count, WIDTH))
        rows[own, kept[own] % WIDTH] = 1.0
        found.append(rows)
    return tuple(found)
