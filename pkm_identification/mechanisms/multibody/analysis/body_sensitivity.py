# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What a wrongly placed centre of mass of a body does to the driven forces: as of a hexapod's platform (Oh 2003, 2.89).

The formulas are those of `hexapod.analysis.center_of_mass_sensitivity`; the travel is that of the body's joints.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import PkmError, SettingsError
from pkm_identification.numerics.arrays import FloatArray

from ...hexapod.analysis.center_of_mass_sensitivity import DIRECTIONS, ERROR, Sensitivity
from ...hexapod.analysis.contributions import ROUNDING
from ..description.records import GROUND
from ..dynamics import forces, regressor
from ..kinematics import MechanismMotion, frames
from ..mechanism import Mechanism
from ..numbers.arithmetic import FLOAT64


def find_output_body(mechanism: Mechanism) -> str | None:
    """Return the body whose pose or outputs the file names; None where it names none."""
    described = mechanism.description
    if described.pose:
        return described.pose
    moved = [one.bodies[1] for one in described.outputs if one.kind in ("position", "angle")]
    return next((body for body in moved if body != GROUND), None)


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
    reach = _travel(mechanism, motion, body) if reach is None else reach
    if not 0 < reach < np.inf:
        raise PkmError(f"travel {reach:g} m: must be positive and finite (a motion at rest has none)")
    force = forces(mechanism, motion, friction=friction)
    whole = np.abs(force).mean(axis=0)
    if not whole.max() > 0:
        raise PkmError("no drive carries any force in this motion")
    place = 10 * names.index(body)
    own = FLOAT64.array(mechanism.description.bodies[names.index(body)].parameters)
    columns = regressor(mechanism, motion)[:, :, place : place + 10]
    change = np.stack([_change(own, ERROR * reach * direction) for direction in DIRECTIONS.values()], axis=1)
    moves = np.abs(columns @ change)
    moved = moves.mean(axis=0).T
    carried = np.where(whole > ROUNDING * whole.max(), whole, np.nan)
    alike = len({drive.force_unit for drive in mechanism.description.drives}) == 1
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.where(moves > 0, moves / np.abs(force)[:, :, None], 0.0).max(axis=(0, 1))
    return Sensitivity(
        directions=tuple(DIRECTIONS),
        travel=reach,
        per_strut=moved / carried / ERROR,
        overall=moved.mean(axis=1) / whole.mean() / ERROR if alike else np.full(len(moved), np.nan),
        largest_quotient=quotient / ERROR,
    )


def _travel(mechanism: Mechanism, motion: MechanismMotion, body: str) -> float:
    """Largest root-mean-square distance (m) of a body's joints from where the motion begins."""
    places = [
        FLOAT64.array(place)
        for joint in mechanism.description.joints
        for name, place in zip(joint.bodies, joint.place, strict=True)
        if name == body
    ]
    rotation, position = frames(mechanism, motion.configuration)
    f = mechanism.tree.body_frames[body]
    points = position[:, f, None] + np.einsum("nij,kj->nki", rotation[:, f], np.array(places, dtype=float))
    return float(np.sqrt(np.mean(np.sum((points - points[0]) ** 2, axis=2), axis=1)).max())


def _change(own: FloatArray, shift: FloatArray) -> FloatArray:
    """Change (10,) of a body's parameters with its centre of mass, the inertia about it held, to first order."""
    mass, first = own[0], own[1:4]
    inertia = 2 * first @ shift * np.eye(3) - np.outer(first, shift) - np.outer(shift, first)
    products = inertia[0, 1], inertia[0, 2], inertia[1, 2]
    return np.array([0.0, *(mass * shift), *np.diag(inertia), *products])
