# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Driven forces by what causes them, whatever the mechanism: the split of Machielsen (1983, 8.2.4).

M s'' + h(s, s') = force - friction + wrenches. h without gravity is quadratic in the rates, sum_jk C_jk s_j' s_k', and

acceleration   M_ii s_i'': a drive's own.
coupling       sum of M_ij s_j'' of the other drives.
centripetal    sum of C_jj s_j'^2: what is left when every drive moves alone, one after the other.
coriolis       the products of two different rates.
gravity        h at rest.
friction       of drives and passive joints.
external       wrenches on bodies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .dynamics import forces, mass_matrix
from .kinematics import MechanismMotion, at_rest, moving
from .mechanism import Mechanism


@dataclass(frozen=True)
class DriveGroups:
    """Driven forces by cause, each of shape (N, n) in N or N m; the module says which term is where."""

    acceleration: FloatArray
    coupling: FloatArray
    centripetal: FloatArray
    coriolis: FloatArray
    gravity: FloatArray
    friction: FloatArray
    external: FloatArray

    @property
    def names(self) -> tuple[str, ...]:
        """The groups in the order above."""
        return tuple(field.name for field in fields(self))

    @property
    def total(self) -> FloatArray:
        """Their sum, shape (N, n): `dynamics.forces` with the same wrenches, to rounding."""
        return sum((getattr(self, name) for name in self.names[1:]), start=self.acceleration)


def drive_groups(
    mechanism: Mechanism,
    motion: MechanismMotion,
    friction: bool = True,
    wrench: Mapping[str, Any] | None = None,
) -> DriveGroups:
    """Driven forces a motion needs, by cause.

    Parameters
    ----------
    mechanism : Mechanism
        In float64.
    motion : MechanismMotion
    friction : bool
        Whether friction of drives and passive joints is included.
    wrench : mapping of str to ndarray, shape (6,) or (N, 6), optional
        As of `dynamics.forces`.

    Raises
    ------
    MotionRefused
        If a configuration is singular: names the row.
    """
    q, rate, second = motion.configuration, motion.drive_rate, motion.drive_acceleration
    still = np.zeros_like(rate)
    mass = mass_matrix(mechanism, q)
    own = np.einsum("nii->ni", mass) * second
    whole = np.einsum("nij,nj->ni", mass, second)
    gravity = forces(mechanism, at_rest(mechanism, q), friction=False)
    quadratic = forces(mechanism, moving(mechanism, q, rate, still), friction=False) - gravity
    centripetal = np.zeros_like(rate)
    for j in range(rate.shape[1]):
        alone = still.copy()
        alone[:, j] = rate[:, j]
        centripetal += forces(mechanism, moving(mechanism, q, alone, still), friction=False) - gravity
    total = forces(mechanism, motion, friction=False)
    rubbing = forces(mechanism, motion, friction=True) - total if friction else np.zeros_like(total)
    external = (
        forces(mechanism, motion, friction=False, wrench=wrench) - total if wrench else np.zeros_like(total)
    )
    return DriveGroups(own, whole - own, centripetal, quadratic - centripetal, gravity, rubbing, external)
