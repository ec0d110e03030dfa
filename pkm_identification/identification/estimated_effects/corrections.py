# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""A machine and its logs with effects undone: what is left has none of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from pkm_identification.mechanisms.hexapod.drive import KnownForces
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.forces.known import aligned
from pkm_identification.signals.guard import GuardedLog


@dataclass(frozen=True)
class Corrections:
    """What is taken for true instead of the machine file and the measurement.

    measured(t) = gain true(t - delay) + offset; of lengths, from the encoder's zero, measured = scale true + length.

    Attributes
    ----------
    machine : Machine
    delay, gain, offset, length, scale : ndarray, shape (6,)
        s, without unit, N, m, without unit.
    """

    machine: Machine
    delay: FloatArray = field(default_factory=lambda: np.zeros(STRUTS))
    gain: FloatArray = field(default_factory=lambda: np.ones(STRUTS))
    offset: FloatArray = field(default_factory=lambda: np.zeros(STRUTS))
    length: FloatArray = field(default_factory=lambda: np.zeros(STRUTS))
    scale: FloatArray = field(default_factory=lambda: np.ones(STRUTS))

    def log(self, log: GuardedLog) -> GuardedLog:
        """A guarded log with true lengths and forces; samples without a force in time are left out."""
        if np.any(self.length) or np.any(self.scale != 1.0):
            drive = self.machine.drive
            zero = np.zeros(STRUTS) if drive is None else drive.length_at_zero
            log = replace(log, length=(log.length - self.length - zero) / self.scale + zero)
        if log.force is None:
            return log
        rows = np.arange(len(log.time), dtype=float)
        kept = np.ones(len(rows), dtype=bool)
        force = np.zeros_like(log.force)
        for delay in np.unique(self.delay):
            known = KnownForces(float(delay), tuple(self.gain), tuple(self.offset))
            # rows in place of stamps tell which of them are left
            moved = aligned(replace(log, time=rows, imu=None, sensor=None), known)
            own = moved.time.astype(np.int64)
            struts = self.delay == delay
            if moved.force is not None:
                force[np.ix_(own, struts)] = moved.force[:, struts]
            kept &= np.isin(np.arange(len(rows)), own)
        return replace(
            log,
            time=log.time[kept],
            length=log.length[kept],
            force=force[kept],
            segment=log.segment[kept],
            filled=log.filled[kept],
            imu=None if log.imu is None else log.imu[kept],
            sensor=None if log.sensor is None else log.sensor[kept],
        )
