# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""How much each cause contributes to the strut forces over a motion (Oh 2003, 2.76-2.88).

With g_k the forces of a group in the six struts at sample k, F_k their sum over all groups and |.| the Euclidean norm
over the struts at that instant, two numbers in %:

    mean norm (2.76-2.81)        100 mean_k |g_k| / mean_k |F_k|
    variation norm (2.82-2.88)   100 (max_k |g_k| - min_k |g_k|) / mean_k |F_k| ,  of F as of a group

A norm has no sign: a group that turns round while it keeps its size does not vary. Strut by strut, which is not in the
source, there are besides

    strut mean     100 mean_k |g_ki| / mean_k |F_ki|
    signed range   100 (max_k g_ki - min_k g_ki) / mean_k |F_ki| .

The samples weigh alike: the motion should be evenly sampled, and hold whole periods if it is periodic. Mean norms do
not add up to 100 %, because groups of opposite sign cancel in F.
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
    force : float
        mean_k |F_k|, N.
    mean, variation : ndarray, shape (G,)
        Mean and variation norm, %.
    total_variation : float
        Variation norm of F (2.82), %.
    strut_force : ndarray, shape (6,)
        mean |F_ki| per strut, N.
    strut_mean, signed_range : ndarray, shape (G, 6)
        % of each strut's mean |F_ki|; NaN for a strut without force. Not the source's norms.
    """

    names: tuple[str, ...]
    force: float
    mean: FloatArray
    variation: FloatArray
    total_variation: float
    strut_force: FloatArray
    strut_mean: FloatArray
    signed_range: FloatArray

    def share(self, name: str) -> float:
        """Mean norm of a group, %."""
        return float(self.mean[self.names.index(name)])

    def varies(self, name: str) -> float:
        """Variation norm of a group, %."""
        return float(self.variation[self.names.index(name)])


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
    size, per_strut = np.abs(force).mean(axis=1), np.abs(groups.total).mean(axis=0)
    if not per_strut.max() > ROUNDING * size.max():
        raise PkmError("no strut carries any force in this motion, so nothing is a share of it")
    carried = np.where(per_strut > ROUNDING * size.max(), per_strut, np.nan)
    norm, total = np.linalg.norm(force, axis=2), np.linalg.norm(groups.total, axis=1)
    return Contributions(
        names=groups.names,
        force=float(total.mean()),
        mean=100.0 * norm.mean(axis=1) / total.mean(),
        variation=100.0 * np.ptp(norm, axis=1) / total.mean(),
        total_variation=float(100.0 * np.ptp(total) / total.mean()),
        strut_force=per_strut,
        strut_mean=100.0 * size / carried,
        signed_range=100.0 * np.ptp(force, axis=1) / carried,
    )


def joined_share(groups: ForceGroups, *names: str) -> float:
    """Mean norm in % of several groups taken as one: of the sum of their forces."""
    joined = sum(getattr(groups, name) for name in names)
    total = np.linalg.norm(groups.total, axis=1).mean()
    return float(100.0 * np.linalg.norm(joined, axis=1).mean() / total)
