# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a wrongly placed centre of mass of the platform does to the strut forces (Oh 2003, 2.89)."""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.mechanisms.center_of_mass_sensitivity import (
    Sensitivity,
    find_sensitivity,
    find_travel,
)
from pkm_identification.motion import PlatformMotion

from ..dynamics import basis_columns, regressor, strut_forces
from ..dynamics.basis import PLATFORM_COLUMNS, basis_parameters
from ..machine import Machine


def center_of_mass_sensitivity(
    machine: Machine, motion: PlatformMotion, reach: float | None = None, friction: bool = True
) -> Sensitivity:
    """Return the sensitivity of the strut forces to the position of the platform's centre of mass.

    Parameters
    ----------
    machine : Machine
    motion : PlatformMotion
        Evenly sampled, in base axes at the platform origin.
    reach : float, optional
        Travel in m; the motion's own by default.
    friction : bool
        Whether the machine file's strut friction counts.

    Raises
    ------
    PkmError
        If the motion is empty or does not travel, holds a singular or missing pose, or no strut carries any force.
    """
    if len(motion) == 0:
        raise PkmError("the motion has no samples")
    joints = motion.position[:, None] + np.einsum("nij,kj->nki", motion.rotation, machine.platform_joints)
    columns = regressor(machine, motion, np.eye(basis_columns(machine))[:, :PLATFORM_COLUMNS])
    return find_sensitivity(
        strut_forces(machine, motion, friction),
        columns,
        basis_parameters(machine)[:PLATFORM_COLUMNS],
        find_travel(joints) if reach is None else reach,
    )
