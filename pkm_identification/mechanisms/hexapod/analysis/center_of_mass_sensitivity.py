# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What a wrongly placed centre of mass of the platform does to the strut forces (Oh 2003, 2.89).

The source's S_i = (dF_i / F_i) / (dr / r): r is the travel of the motion, dr an error of the platform's centre of mass
of 1 % of it. Read here as

    S_i = (mean_k |dF_ki| / mean_k |F_ki|) / (|dr| / r) ,

with the mean over the motion, since F_ki itself goes through zero; S = 5.5 means 5.5 % of force for an error of 1 % of
the travel. Over all struts numerator and denominator are averaged first. The quotient taken sample by sample is kept
too, as its largest value: where F_ki goes through zero it has no bound and says more of the sampling than of the
machine.

dF is the derivative along dr (exact up to dr^2) with the inertia about the centre of mass held: the platform's first
moments change by m dr and its inertia about the origin by parallel axes. Directions are in platform axes, combined ones
unit vectors, so that |dr| is the same for all.

The travel is the largest distance of the platform joints from where they are in the motion's first sample, root mean
square over the joints: the amplitude of a translation, angle times lever of a rotation.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

from ..dynamics import basis_columns, regressor, strut_forces
from ..machine import Machine
from .contributions import ROUNDING

ERROR = 0.01  # of the travel
SIGNIFICANT = 1.0  # the source's word for an S above it


def _directions() -> dict[str, FloatArray]:
    """Unit vectors x, y, z, xy, xz, yz, xyz in platform axes."""
    units: dict[str, FloatArray] = {}
    for count in (1, 2, 3):
        for axes in combinations("xyz", count):
            units["".join(axes)] = np.array([axis in axes for axis in "xyz"]) / np.sqrt(count)
    return units


DIRECTIONS = _directions()


@dataclass(frozen=True)
class Sensitivity:
    """Sensitivities to the platform's centre of mass; D directions.

    Attributes
    ----------
    directions : tuple of str
        Of the error, in platform axes: x, y, z and their combinations.
    travel : float
        r, m.
    per_strut : ndarray, shape (D, 6)
        S_i; NaN for a strut without force.
    overall : ndarray, shape (D,)
        Over all struts.
    largest_quotient : ndarray, shape (D,)
        Largest |dF_ki / F_ki| / (|dr| / r) of any sample and strut; inf where a force is exactly zero.
    """

    directions: tuple[str, ...]
    travel: float
    per_strut: FloatArray
    overall: FloatArray
    largest_quotient: FloatArray


def travel(machine: Machine, motion: PlatformMotion) -> float:
    """Largest root-mean-square distance in m of the platform joints from where the motion begins."""
    joints = motion.position[:, None] + np.einsum("nij,kj->nki", motion.rotation, machine.platform_joints)
    return float(np.sqrt(np.mean(np.sum((joints - joints[0]) ** 2, axis=2), axis=1)).max())


def center_of_mass_sensitivity(
    machine: Machine, motion: PlatformMotion, reach: float | None = None, friction: bool = True
) -> Sensitivity:
    """Sensitivity of the strut forces to the place of the platform's centre of mass; the module has the formulas.

    Parameters
    ----------
    machine : Machine
    motion : PlatformMotion
        Evenly sampled, in base axes at the platform origin.
    reach : float, optional
        r in m; the motion's own `travel` by default.
    friction : bool
        Whether the machine file's strut friction counts in F.

    Raises
    ------
    PkmError
        If the motion is empty or does not travel, holds a singular or missing pose, or no strut carries any force.
    """
    if len(motion) == 0:
        raise PkmError("the motion has no samples")
    reach = travel(machine, motion) if reach is None else reach
    if not 0 < reach < np.inf:
        raise PkmError(f"travel {reach:g} m: must be positive and finite (a motion at rest has none)")
    force = strut_forces(machine, motion, friction)
    missing = ~np.isfinite(force).all(axis=1)
    if np.any(missing):
        raise PkmError(f"no forces at sample {np.argmax(missing) + 1}: singular or missing pose")
    whole = np.abs(force).mean(axis=0)
    if not whole.max() > 0:
        raise PkmError("no strut carries any force in this motion")
    error = ERROR * reach
    # forces are linear in the parameters: a direction's change of them is a column of the regressor
    change = np.stack([_parameter_change(machine, error * d) for d in DIRECTIONS.values()], axis=1)
    moves = np.abs(regressor(machine, motion, change))
    moved = moves.mean(axis=0).T
    carried = np.where(whole > ROUNDING * whole.max(), whole, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.where(moves > 0, moves / np.abs(force)[:, :, None], 0.0).max(axis=(0, 1))
    return Sensitivity(
        directions=tuple(DIRECTIONS),
        travel=reach,
        per_strut=moved / carried / ERROR,
        overall=moved.mean(axis=1) / whole.mean() / ERROR,
        largest_quotient=quotient / ERROR,
    )


def _parameter_change(machine: Machine, shift: FloatArray) -> FloatArray:
    """Change of the basis parameters with the platform's centre of mass, shape (B,), to first order."""
    mass, center = machine.platform.mass, machine.platform.center_of_mass
    inertia = mass * (2 * center @ shift * np.eye(3) - np.outer(center, shift) - np.outer(shift, center))
    change = np.zeros(basis_columns(machine))
    change[1:4] = mass * shift
    change[4:7] = np.diag(inertia)
    change[7:10] = inertia[0, 1], inertia[0, 2], inertia[1, 2]
    return change
