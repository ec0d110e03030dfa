# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""How much of a machine's travel, rates and forces a motion used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import vector_from_matrix
from pkm_identification.signals.guard import GuardedLog

from ..samples import Samples


@dataclass(frozen=True)
class Travel:
    """What was used, beside what is allowed.

    Attributes
    ----------
    length : ndarray, shape (6, 2)
        Shortest and longest of each strut, m.
    length_limits : ndarray, shape (2,)
    rate, force : ndarray, shape (6,)
        Largest magnitudes, m/s and N.
    rate_limit, force_limit : float or None
        None where the machine file states none.
    position : ndarray, shape (3, 2)
        Least and largest of the platform frame's origin in the base frame, m.
    turning : ndarray, shape (3, 2)
        Least and largest of the rotation vector from home, in base axes, rad.
    """

    length: FloatArray
    length_limits: FloatArray
    rate: FloatArray
    force: FloatArray
    rate_limit: float | None
    force_limit: float | None
    position: FloatArray
    turning: FloatArray

    @property
    def stroke_used(self) -> FloatArray:
        """Part of each strut's stroke that was travelled, (6,)."""
        low, high = self.length_limits
        return (self.length[:, 1] - self.length[:, 0]) / (high - low)


def travel(machine: Machine, logs: Sequence[GuardedLog], samples: Sequence[Samples]) -> Travel:
    """What logs and their filtered samples used of a machine's limits; samples without a pose are left out."""
    length = np.concatenate([one.struts.length for one in samples])
    rate = np.concatenate([one.struts.rate for one in samples])
    force = np.concatenate([log.force for log in logs if log.force is not None])
    position = np.concatenate([one.platform.position for one in samples])
    rotation = np.concatenate([one.platform.rotation for one in samples])
    turning = vector_from_matrix(rotation @ machine.home_rotation.T)
    drive_limit = np.inf if machine.drive is None else machine.drive.force_limit
    return Travel(
        length=_range(length),
        length_limits=machine.length_limits,
        rate=np.abs(rate).max(axis=0),
        force=np.nanmax(np.abs(force), axis=0),
        rate_limit=machine.rate_limit,
        force_limit=float(drive_limit) if np.isfinite(drive_limit) else None,
        position=_range(position),
        turning=_range(turning),
    )


def _range(values: FloatArray) -> FloatArray:
    return np.stack([values.min(axis=0), values.max(axis=0)], axis=1)
