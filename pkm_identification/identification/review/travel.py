# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How much of a machine's travel, rates and forces a motion used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.machines.capabilities import PlatformPose, has, require
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_vector_from_matrix
from pkm_identification.signals.input_validation import ValidatedLog

from ..samples import Samples


@dataclass(frozen=True)
class Travel:
    """What was used, beside what is allowed.

    Attributes
    ----------
    length : ndarray, shape (n, 2)
        Least and largest coordinate of each drive, m or rad.
    length_limits : ndarray, shape (2,) or (n, 2)
        Infinite where the file states none.
    rate, force : ndarray, shape (n,)
        Largest magnitudes, m/s and N or rad/s and N m.
    rate_limit, force_limit : ndarray, shape (n,)
        None where the machine file states none.
    position : ndarray, shape (3, 2), or None
        Least and largest of the platform frame's origin in the base frame, m.
    turning : ndarray, shape (3, 2), or None
        Least and largest of the rotation vector from home, in base axes, rad; None, both, without a platform's pose.
    """

    length: FloatArray
    length_limits: FloatArray
    rate: FloatArray
    force: FloatArray
    rate_limit: FloatArray
    force_limit: FloatArray
    position: FloatArray | None = None
    turning: FloatArray | None = None

    @property
    def stroke_used(self) -> FloatArray:
        """Part of each drive's stroke that was travelled, (n,); 0 where none is stated."""
        limits = np.broadcast_to(self.length_limits, self.length.shape)
        return (self.length[:, 1] - self.length[:, 0]) / (limits[:, 1] - limits[:, 0])


def travel(machine: Machine, logs: Sequence[ValidatedLog], samples: Sequence[Samples]) -> Travel:
    """Return what logs and their filtered samples used of a machine's limits; samples without a motion are left out."""
    coordinate = np.concatenate([one.motion.coordinate for one in samples])
    rate = np.concatenate([one.motion.rate for one in samples])
    force = np.concatenate([log.force for log in logs if log.force is not None])
    position = turning = None
    if has(machine, PlatformPose):
        platform = require(machine, PlatformPose, "travel")
        poses = [platform.compute_pose(one.motion) for one in samples]
        position = _compute_range(np.concatenate([one for one, _ in poses]))
        rotation = np.concatenate([one for _, one in poses])
        turning = _compute_range(build_vector_from_matrix(rotation @ platform.home_pose[1].T))
    return Travel(
        length=_compute_range(coordinate),
        length_limits=np.array([[drive.lowest, drive.highest] for drive in machine.drives]),
        rate=np.abs(rate).max(axis=0),
        force=np.nanmax(np.abs(force), axis=0),
        rate_limit=np.array([drive.rated_rate for drive in machine.drives]),
        force_limit=np.array([drive.rated_force for drive in machine.drives]),
        position=position,
        turning=turning,
    )


def _compute_range(values: FloatArray) -> FloatArray:
    return np.stack([values.min(axis=0), values.max(axis=0)], axis=1)
