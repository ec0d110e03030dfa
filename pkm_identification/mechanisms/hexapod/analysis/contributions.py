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
source, there is `mechanisms.contributions` besides.

The samples weigh alike: the motion should be evenly sampled, and hold whole periods if it is periodic. Mean norms do
not add up to 100 %, because groups of opposite sign cancel in F.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.mechanisms.contributions import DriveShares, drive_shares, stack_groups
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

from ..dynamics import ForceGroups, force_groups
from ..machine import Machine


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
    struts : DriveShares
        Strut by strut; not the source's norms.
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
