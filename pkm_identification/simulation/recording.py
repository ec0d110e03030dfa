# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What a simulation leaves behind: the log of the drives and the truth behind it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.motion import STRUTS, PlatformMotion, StrutLog
from pkm_identification.numerics.arrays import FloatArray

from .plant import PlantState
from .sensors import Sample

RAW_COLUMNS = (
    "t",
    *(f"enc_{i}" for i in range(1, STRUTS + 1)),
    *(f"cur_{i}" for i in range(1, STRUTS + 1)),
)


@dataclass(frozen=True)
class Truth:
    """True motion and forces at the sampling instants.

    Attributes
    ----------
    motion : PlatformMotion
        On the machine's own clock, without the stamps' jitter.
    length, rate : ndarray, shape (N, 6)
        m and m/s.
    force : ndarray, shape (N, 6)
        Applied drive forces, N.
    resistance : ndarray, shape (N, 6)
        Friction, and end-stop forces where a strut is in one, N.
    """

    motion: PlatformMotion
    length: FloatArray
    rate: FloatArray
    force: FloatArray
    resistance: FloatArray


@dataclass(frozen=True)
class Recording:
    """Samples of one simulated motion.

    Attributes
    ----------
    time : ndarray, shape (N,)
        Stamps, s.
    counts, current : ndarray, shape (N, 6)
        Encoder counts and currents in A.
    length, force : ndarray, shape (N, 6)
        The same in m and N.
    truth : Truth
    loop_gap : float
        Largest distance in m between a strut's tip and its platform joint at any sample.
    source : str
    imu, sensor : ndarray, shape (N, 6), or None
        Additional sensors, as in `StrutLog`.
    motor_length : ndarray, shape (N, 6), or None
        As in `Sample`.
    """

    time: FloatArray
    counts: FloatArray
    current: FloatArray
    length: FloatArray
    force: FloatArray
    truth: Truth
    loop_gap: float
    source: str
    imu: FloatArray | None = None
    sensor: FloatArray | None = None
    motor_length: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.time)

    def log(self) -> StrutLog:
        """The log as the stages of this package take it, in SI units."""
        return StrutLog(self.time, self.length, self.force, self.source, self.imu, self.sensor)

    def raw(self) -> FloatArray:
        """The raw log, shape (N, 13), columns `RAW_COLUMNS`: s, counts, A."""
        return np.column_stack([self.time, self.counts, self.current])


def recording(samples: list[Sample], states: list[PlantState], loop_gap: float, source: str) -> Recording:
    """Collect samples and the true states at the same instants."""

    def column(records: list, name: str, *shape: int) -> FloatArray:
        return np.array([getattr(record, name) for record in records], dtype=float).reshape(-1, *shape)

    def given(name: str) -> FloatArray | None:
        there = samples and getattr(samples[0], name) is not None
        return column(samples, name, STRUTS) if there else None

    motion = PlatformMotion(
        time=column(states, "time"),
        position=column(states, "position", 3),
        rotation=column(states, "rotation", 3, 3),
        twist=column(states, "twist", 6),
        acceleration=column(states, "acceleration", 6),
    )
    length, rate, force, resistance = (
        column(states, name, STRUTS) for name in ("length", "rate", "force", "resistance")
    )
    truth = Truth(motion, length, rate, force, resistance)
    return Recording(
        time=column(samples, "time"),
        counts=column(samples, "counts", STRUTS),
        current=column(samples, "current", STRUTS),
        length=column(samples, "length", STRUTS),
        force=column(samples, "force", STRUTS),
        truth=truth,
        loop_gap=loop_gap,
        source=source,
        imu=given("imu"),
        sensor=given("sensor"),
        motor_length=given("motor_length"),
    )
