# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How much each cause contributes to the driven forces over a motion, drive by drive.

With g_ki the force of a group at drive i and sample k, and F_ki their sum over all groups, in %:

    mean           100 mean_k |g_ki| / mean_k |F_ki|
    signed range   100 (max_k g_ki - min_k g_ki) / mean_k |F_ki| .

Where all drives are in one unit, they are taken together as well: |.| is then the Euclidean norm over the drives at an
instant (Oh 2003, 2.76-2.88), and a variation norm is the range of |g_k| or |F_k|. Samples weigh alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.numerics.arrays import FloatArray

# Below this part of the largest force of a group, a drive's force is rounding and nothing is a share of it.
ROUNDING = 1e-9


class ForceGroups(Protocol):
    """Forces of the drives by their causes: attributes (N, n) by the `names`, and their sum."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def total(self) -> FloatArray: ...


@dataclass(frozen=True)
class DriveShares:
    """Shares of G groups in the forces of n drives.

    Attributes
    ----------
    names : tuple of str
        The groups.
    force : ndarray, shape (n,)
        mean |F| of each drive, N or N m.
    mean, signed_range : ndarray, shape (G, n)
        %; NaN for a drive without force.
    """

    names: tuple[str, ...]
    force: FloatArray
    mean: FloatArray
    signed_range: FloatArray


def drive_shares(groups: ForceGroups) -> DriveShares:
    """Return the shares of force groups.

    Raises
    ------
    PkmError
        If the motion is empty, holds a singular or missing pose, or no drive carries any force.
    """
    force = stack_groups(groups)
    size, total = np.abs(force).mean(axis=1), np.abs(groups.total).mean(axis=0)
    if not total.max() > ROUNDING * size.max():
        raise PkmError("no drive carries any force in this motion, so it has no components")
    carried = np.where(total > ROUNDING * size.max(), total, np.nan)
    return DriveShares(groups.names, total, 100.0 * size / carried, 100.0 * np.ptp(force, axis=1) / carried)


def stack_groups(groups: ForceGroups) -> FloatArray:
    """Return the forces of all groups, (G, N, n); raises PkmError where there are none."""
    force = np.stack([getattr(groups, name) for name in groups.names])
    if force.shape[1] == 0:
        raise PkmError("the motion has no samples")
    missing = ~np.isfinite(force).all(axis=(0, 2))
    if np.any(missing):
        raise PkmError(f"no forces at sample {np.argmax(missing) + 1}: singular or missing pose")
    return force


@dataclass(frozen=True)
class Contributions:
    """Shares of the groups in the norm over all drives, whose forces are in one unit; G groups.

    Attributes
    ----------
    names : tuple of str
        The groups.
    force : float
        mean_k |F_k|, N or N m.
    mean, variation : ndarray, shape (G,)
        Mean and variation norm (2.76-2.88), %.
    total_variation : float
        Variation norm of F (2.82), %.
    struts : DriveShares
        Drive by drive; not the source's norms.
    """

    names: tuple[str, ...]
    force: float
    mean: FloatArray
    variation: FloatArray
    total_variation: float
    struts: DriveShares

    def share(self, name: str) -> float:
        """Return mean norm of a group, %."""
        return float(self.mean[self.names.index(name)])

    def varies(self, name: str) -> float:
        """Variation norm of a group, %."""
        return float(self.variation[self.names.index(name)])


def shares(groups: ForceGroups) -> Contributions:
    """Return the shares of force groups in the norm over the drives; raises as `drive_shares`."""
    force, struts = stack_groups(groups), drive_shares(groups)
    norm, total = np.linalg.norm(force, axis=2), np.linalg.norm(groups.total, axis=1)
    return Contributions(
        names=groups.names,
        force=float(total.mean()),
        mean=100.0 * norm.mean(axis=1) / total.mean(),
        variation=100.0 * np.ptp(norm, axis=1) / total.mean(),
        total_variation=float(100.0 * np.ptp(total) / total.mean()),
        struts=struts,
    )


def compute_joined_share(groups: ForceGroups, *names: str) -> float:
    """Return mean norm in % of several groups taken as one: of the sum of their forces."""
    joined = sum(getattr(groups, name) for name in names)
    total = np.linalg.norm(groups.total, axis=1).mean()
    return float(100.0 * np.linalg.norm(joined, axis=1).mean() / total)
