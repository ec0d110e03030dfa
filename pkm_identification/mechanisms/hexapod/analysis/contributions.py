"""How much each cause contributes to the strut forces over a motion (Oh 2003, 2.76-2.88).

With g_ki the force of a group in strut i at sample k, and F its sum over all groups, two numbers in %:

    mean    100 mean_k |g_ki| / mean_k |F_ki|
    range   100 (max_k g_ki - min_k g_ki) / mean_k |F_ki|

Over all struts the numerators and the denominator are averaged over the struts before they are divided, so that a strut
that carries almost nothing does not decide. The samples weigh alike: the motion should be evenly sampled, and hold
whole periods if it is periodic. The mean shares do not add up to 100 %, because groups of opposite sign cancel in F.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

from ..dynamics import ForceGroups, force_groups
from ..machine import Machine

# Below this part of the largest force of a group, a strut's force is rounding and nothing is a share of it.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Contributions:
    """Shares of the groups in the strut forces; G groups.

    Attributes
    ----------
    names : tuple of str
        The groups as in `dynamics.ForceGroups`: pm, sm, cor, cen, grp, grs, frict, ext, mh, umd.
    force : ndarray, shape (6,)
        mean |F_a| per strut, N.
    mean, range : ndarray, shape (G, 6)
        % of each strut's mean |F_a|; NaN for a strut without force.
    mean_all, range_all : ndarray, shape (G,)
        % over all struts.
    """

    names: tuple[str, ...]
    force: FloatArray
    mean: FloatArray
    range: FloatArray
    mean_all: FloatArray
    range_all: FloatArray

    def share(self, name: str) -> float:
        """Mean share of a group over all struts, %."""
        return float(self.mean_all[self.names.index(name)])


def contributions(machine: Machine, motion: PlatformMotion, friction: bool = True) -> Contributions:
    """Shares of the force groups over a motion; the module has the formulas.

    Parameters
    ----------
    machine : Machine
    motion : PlatformMotion
        Evenly sampled, in base axes at the platform origin.
    friction : bool
        Whether the machine file's strut friction counts.

    Raises
    ------
    PkmError
        If the motion is empty, holds a singular or missing pose, or no strut carries any force.
    """
    return shares(force_groups(machine, motion, friction))


def shares(groups: ForceGroups) -> Contributions:
    """Shares of force groups that are already worked out; see `contributions`."""
    force = np.stack([getattr(groups, name) for name in groups.names])
    if force.shape[1] == 0:
        raise PkmError("the motion has no samples")
    missing = ~np.isfinite(force).all(axis=(0, 2))
    if np.any(missing):
        raise PkmError(f"no forces at sample {np.argmax(missing) + 1}: singular or missing pose")
    size, spread = np.abs(force).mean(axis=1), np.ptp(force, axis=1)
    whole = np.abs(groups.total).mean(axis=0)
    if not whole.max() > ROUNDING * size.max():
        raise PkmError("no strut carries any force in this motion, so nothing is a share of it")
    carried = np.where(whole > ROUNDING * size.max(), whole, np.nan)
    return Contributions(
        names=groups.names,
        force=whole,
        mean=100.0 * size / carried,
        range=100.0 * spread / carried,
        mean_all=100.0 * size.mean(axis=1) / whole.mean(),
        range_all=100.0 * spread.mean(axis=1) / whole.mean(),
    )
