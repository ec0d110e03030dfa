# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a wrongly placed centre of mass of a body does to the drives' forces (Oh 2003, 2.89, of a hexapod's platform).

The source's S_i = (dF_i / F_i) / (dr / r): r is the travel of the motion, dr an error of the centre of mass
of 1 % of it. Read here as

    S_i = (mean_k |dF_ki| / mean_k |F_ki|) / (|dr| / r) ,

with the mean over the motion, since F_ki itself goes through zero; S = 5.5 means 5.5 % of force for an error of 1 % of
the travel. Over all drives numerator and denominator are averaged first. The quotient taken sample by sample is kept
too, as its largest value: where F_ki goes through zero it has no bound and says more of the sampling than of the
machine.

dF is the derivative along dr (exact up to dr^2) with the inertia about the centre of mass held: first moments change by
m dr and the inertia about the origin by parallel axes. Directions are in the body's axes, combined ones unit vectors,
so that |dr| is the same for all.

The travel is the largest distance of the body's joints from where they are in the motion's first sample, root mean
square over the joints: the amplitude of a translation, angle times lever of a rotation.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.numerics.arrays import FloatArray

from .contributions import ROUNDING

ERROR = 0.01  # of the travel
SIGNIFICANT = 1.0  # the source's word for an S above it


def _list_directions() -> dict[str, FloatArray]:
    """Unit vectors x, y, z, xy, xz, yz, xyz in platform axes."""
    units: dict[str, FloatArray] = {}
    for count in (1, 2, 3):
        for axes in combinations("xyz", count):
            units["".join(axes)] = np.array([axis in axes for axis in "xyz"]) / np.sqrt(count)
    return units


DIRECTIONS = _list_directions()


@dataclass(frozen=True)
class Sensitivity:
    """Sensitivities to a body's centre of mass; D directions.

    Attributes
    ----------
    directions : tuple of str
        Of the error, in the body's axes: x, y, z and their combinations.
    travel : float
        r, m.
    per_strut : ndarray, shape (D, n)
        S_i of each drive; NaN for one without force.
    overall : ndarray, shape (D,)
        Over all drives; NaN where some are in N and some in N m.
    largest_quotient : ndarray, shape (D,)
        Largest |dF_ki / F_ki| / (|dr| / r) of any sample and drive; inf where a force is exactly zero.
    """

    directions: tuple[str, ...]
    travel: float
    per_strut: FloatArray
    overall: FloatArray
    largest_quotient: FloatArray


def find_travel(points: FloatArray) -> float:
    """Return the largest root-mean-square distance in m of a body's points (N, k, 3) from where they begin."""
    return float(np.sqrt(np.mean(np.sum((points - points[0]) ** 2, axis=2), axis=1)).max())


def find_sensitivity(
    force: FloatArray, columns: FloatArray, own: FloatArray, reach: float, alike: bool = True
) -> Sensitivity:
    """Return the sensitivity of forces to the position of a body's centre of mass; the module has the formulas.

    Parameters
    ----------
    force : ndarray, shape (N, n)
        Of the drives.
    columns : ndarray, shape (N, n, 10)
        Regressor of the body's ten parameters about its origin.
    own : ndarray, shape (10,)
        These parameters.
    reach : float
        r, m.
    alike : bool
        Whether all forces are in one unit.

    Raises
    ------
    PkmError
        If the motion does not travel or holds a singular or missing pose, or no drive carries any force.
    """
    if not 0 < reach < np.inf:
        raise PkmError(f"travel {reach:g} m: must be positive and finite (a motion at rest has none)")
    missing = ~np.isfinite(force).all(axis=1)
    if np.any(missing):
        raise PkmError(f"no forces at sample {np.argmax(missing) + 1}: singular or missing pose")
    whole = np.abs(force).mean(axis=0)
    if not whole.max() > 0:
        raise PkmError("no drive carries any force in this motion")
    # forces are linear in the parameters: a direction's change of them is a column of the regressor
    change = np.stack([_change(own, ERROR * reach * d) for d in DIRECTIONS.values()], axis=1)
    moves = np.abs(columns @ change)
    moved = moves.mean(axis=0).T
    carried = np.where(whole > ROUNDING * whole.max(), whole, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.where(moves > 0, moves / np.abs(force)[:, :, None], 0.0).max(axis=(0, 1))
    return Sensitivity(
        directions=tuple(DIRECTIONS),
        travel=reach,
        per_strut=moved / carried / ERROR,
        overall=moved.mean(axis=1) / whole.mean() / ERROR if alike else np.full(len(moved), np.nan),
        largest_quotient=quotient / ERROR,
    )


def _change(own: FloatArray, shift: FloatArray) -> FloatArray:
    """Return the change (10,) of a body's parameters with its centre of mass, to first order."""
    mass, first = own[0], own[1:4]
    inertia = 2 * first @ shift * np.eye(3) - np.outer(first, shift) - np.outer(shift, first)
    products = inertia[0, 1], inertia[0, 2], inertia[1, 2]
    return np.array([0.0, *(mass * shift), *np.diag(inertia), *products])
