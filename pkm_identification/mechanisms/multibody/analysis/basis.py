# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One choice of base parameters for a mechanism: whoever names them takes it from here, so that a name is one sum."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pkm_identification.estimation.identifiability.base_parameters import BaseParameters, base_parameters
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind

from ..dynamics import regressor
from ..kinematics import MechanismMotion
from ..mechanism import Mechanism
from ..parameters import build_rigid_basis, build_rigid_columns
from .states import compute_structure_motion

_ORDER = {Kind.MASS: 0, Kind.FIRST_MOMENT: 1, Kind.INERTIA: 2}  # moments of mass
_STATES = 60  # at least: more than the rank needs, so that the choice does not hang on one state
_SPARE_STATES = (
    4  # above one equation per parameter, for two coefficients of friction of each drive and some more
)


def read_structure_rows(mechanism: Mechanism, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """Return the regressor (N, n, P) in which base parameters are chosen, double precision, and the drives' rates.

    The states are the description's motion, or random ones around home.

    Raises
    ------
    MotionRefused
        If a state is out of reach or singular, or the stated motion rests.
    """
    rows, motion = compute_structure_rows(mechanism, seed)
    return rows, motion.drive_rate


def compute_structure_rows(mechanism: Mechanism, seed: int = 0) -> tuple[FloatArray, MechanismMotion]:
    """Return the same regressor with the whole motion."""
    chosen = build_rigid_columns(mechanism)
    count = max(_STATES, -(-len(chosen) // mechanism.degrees_of_freedom) + _SPARE_STATES)
    mechanism, motion = compute_structure_motion(mechanism, count, seed=seed)
    return regressor(mechanism, motion)[:, :, chosen], motion


def choose_basis(mechanism: Mechanism) -> BaseParameters:
    """Return the base parameters of a mechanism: which parameters stand for them, and of what they are sums.

    `pkm base-parameters` prints this choice, `pkm identify`, `identifiability` and `excite` estimate in it.

    Raises
    ------
    MotionRefused
        As `read_structure_rows`.
    ValueError
        If the stated motion has fewer rows than there are parameters.
    """
    rows, _ = read_structure_rows(mechanism)
    basis = build_rigid_basis(mechanism)
    found = base_parameters(rows, basis.names)
    named = name_by_highest_moment(found, [_ORDER[entry.kind] for entry in basis])
    return (
        found
        if named == found.independent.tolist()
        else base_parameters(rows, basis.names, keep=[basis.names[k] for k in named])
    )


def name_by_highest_moment(base: BaseParameters, order: Sequence[int]) -> list[int]:
    """Return which parameters (r) stand for the sums so that a sum with a moment of inertia is called by one.

    m + I/L^2 and I + m L^2 are one sum; by its highest moment its coefficients are lengths and its unit is that of what
    it resists with. Only a parameter that occurs in no other sum can stand for one.

    Parameters
    ----------
    base : BaseParameters
    order : sequence of int, length P
        Of each parameter as a moment of mass: 0, 1 or 2.
    """
    alone = np.count_nonzero(base.coefficients, axis=0) == 1
    named = []
    for row, own in zip(base.coefficients, base.independent.tolist(), strict=True):
        others = [int(k) for k in base.grouped[(row != 0.0) & alone] if order[k] > order[own]]
        named.append(max(others, key=lambda k: (order[k], -k), default=own))
    return named
