# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a wrongly placed centre of mass of a body does to the driven forces of a mechanism."""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.center_of_mass_sensitivity import (
    Sensitivity,
    find_sensitivity,
    find_travel,
)
from pkm_identification.numerics.arrays import FloatArray

from ..dynamics import forces, regressor
from ..kinematics import MechanismMotion, frames
from ..mechanism import Mechanism
from ..numbers.arithmetic import FLOAT64


def body_sensitivity(
    mechanism: Mechanism,
    motion: MechanismMotion,
    body: str,
    reach: float | None = None,
    friction: bool = True,
) -> Sensitivity:
    """Return sensitivities of the driven forces to the place of a body's centre of mass.

    Parameters
    ----------
    mechanism : Mechanism
    motion : MechanismMotion
        Evenly sampled.
    body : str
    reach : float, optional
        Travel, m; the motion's own by default.
    friction : bool
        Whether friction counts in the forces.

    Raises
    ------
    SettingsError
        If there is no such body.
    PkmError
        If the motion does not travel or no drive carries any force.
    """
    names = [one.name for one in mechanism.description.bodies]
    if body not in names:
        raise SettingsError(f"--body {body}: '{mechanism.name}' has {', '.join(names)}")
    first = 10 * names.index(body)
    return find_sensitivity(
        forces(mechanism, motion, friction=friction),
        regressor(mechanism, motion)[:, :, first : first + 10],
        FLOAT64.array(mechanism.description.bodies[names.index(body)].parameters),
        find_travel(_locate_joints(mechanism, motion, body)) if reach is None else reach,
        alike=len({drive.force_unit for drive in mechanism.description.drives}) == 1,
    )


def _locate_joints(mechanism: Mechanism, motion: MechanismMotion, body: str) -> FloatArray:
    """Return the positions (N, k, 3) of a body's joints, m."""
    positions = [
        FLOAT64.array(position)
        for joint in mechanism.description.joints
        for name, position in zip(joint.bodies, joint.place, strict=True)
        if name == body
    ]
    rotation, origin = frames(mechanism, motion.configuration)
    f = mechanism.tree.body_frames[body]
    return origin[:, f, None] + np.einsum("nij,kj->nki", rotation[:, f], np.array(positions, dtype=float))
