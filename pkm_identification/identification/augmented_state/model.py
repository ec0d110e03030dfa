# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What joint and dual estimation know of a machine and its log: unknowns, noise, sensors, samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.mechanisms.hexapod.dynamics.records import packed_geometry
from pkm_identification.mechanisms.hexapod.kinematics.records import Pose
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.signals.guard import GuardedLog

from .prediction import READINGS
from .records import FilteredMachine, Samples, SensorPlaces, StateEquations

# m: rounding, and what the integration of a period leaves (a few nanometres for a fast machine)
LENGTH_FLOOR = 1e-8


@dataclass(frozen=True)
class JointNoise:
    """Standard deviations of what drives and sensors report, per sample.

    Attributes
    ----------
    length : float
        m.
    force : ndarray, shape (6,)
        Drive force and everything the model leaves out that acts like it, N.
    readings : ndarray, shape (12,)
        Specific force in m/s^2, angular rate in rad/s, strut force sensors in N.
    """

    length: float
    force: FloatArray
    readings: FloatArray

    @classmethod
    def of(cls, machine: Machine, length: FloatArray, force: FloatArray) -> JointNoise:
        """A first guess from a log's lengths and forces, (N, 6); smoothing refines the forces' (`iterated`)."""
        return cls(length_noise(machine, length), white_noise(force), machine.sensors.noise)


def length_noise(machine: Machine, length: FloatArray) -> float:
    """Standard deviation in m of lengths that come in steps: of the drive's counts, or of those seen in a log."""
    if (
        machine.drive is not None
        and machine.drive.has_encoder
        and _in_steps(length, 1.0 / machine.drive.counts_per_meter)
    ):
        step = 1.0 / machine.drive.counts_per_meter
    else:
        changes = np.abs(np.diff(length, axis=0))
        changes = changes[changes > LENGTH_FLOOR]
        step = float(changes.min()) if changes.size else 0.0
        if not _in_steps(length, step):
            step = 0.0
    return float(np.hypot(step / np.sqrt(12.0), LENGTH_FLOOR))


def _in_steps(length: FloatArray, step: float) -> bool:
    """Whether differences of successive lengths are whole steps."""
    if step <= LENGTH_FLOOR:
        return False
    steps = np.diff(length[:2000], axis=0) / step
    return bool(np.median(np.abs(steps - np.round(steps))) < 0.05)


def white_noise(signal: FloatArray) -> FloatArray:
    """Standard deviation of white noise on smooth signals (N, 6), from their third differences (robustly)."""
    third = np.diff(signal, n=3, axis=0)
    size = np.median(np.abs(third - np.median(third, axis=0)), axis=0) / 0.6745 / np.sqrt(20.0)
    # forces are known to about 1e-6 of their size at best
    return np.maximum(size, 1e-6 * max(float(np.sqrt(np.mean(signal**2))), 1e-6))


@dataclass(frozen=True)
class JointSamples:
    """A guarded log with its additional sensors, on the regular clock.

    Attributes
    ----------
    time : ndarray, shape (N,)
    length, force : ndarray, shape (N, 6)
    readings : ndarray, shape (N, 12)
        Specific force, angular rate, strut force sensors; NaN where there is none.
    measured : ndarray of bool, shape (N,)
        Where the lengths are samples, not filled in by the guard.
    segment : ndarray of int64, shape (N,)
    """

    time: FloatArray
    length: FloatArray
    force: FloatArray
    readings: FloatArray
    measured: NDArray[np.bool_]
    segment: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.time)

    @classmethod
    def of(cls, guarded: GuardedLog, machine: Machine) -> JointSamples:
        """From a guarded log that holds forces; additional sensors count when the machine file describes them."""
        count = len(guarded.time)
        readings = np.full((count, READINGS), np.nan)
        if guarded.imu is not None and machine.sensors.imu is not None:
            readings[:, :6] = guarded.imu
        if guarded.sensor is not None and machine.sensors.force is not None:
            readings[:, 6:] = guarded.sensor
        return cls(
            guarded.time,
            np.ascontiguousarray(guarded.length),
            np.ascontiguousarray(guarded.force),
            readings,
            ~guarded.filled,
            guarded.segment,
        )

    @classmethod
    def joined(cls, parts: Sequence[JointSamples]) -> JointSamples:
        """Logs one after the other; nothing passes from one to the next."""
        segments, last = [], 0
        for part in parts:
            segments.append(part.segment - part.segment.min() + last)
            last = int(segments[-1].max()) + 1

        def together(name: str) -> NDArray:
            return np.concatenate([getattr(part, name) for part in parts])

        return cls(
            time=together("time"),
            length=together("length"),
            force=together("force"),
            readings=together("readings"),
            measured=together("measured"),
            segment=np.concatenate(segments),
        )

    def arrays(self) -> Samples:
        """The samples as the kernels take them."""
        return Samples(self.length, self.force, self.readings, self.measured, self.segment)

    def lengths_only(self) -> JointSamples:
        """The same samples as if there were no additional sensors."""
        return replace(self, readings=np.full_like(self.readings, np.nan))

    def first(self, count: int) -> JointSamples:
        """The first samples alone."""
        return JointSamples(*(getattr(self, name)[:count] for name in JointSamples.__dataclass_fields__))


@dataclass(frozen=True)
class JointModel:
    """Unknowns and known geometry, as the kernels take them.

    Unknowns are the parameters of a set, in units of the prior's standard deviations from its mean, and the six biases
    of the IMU when there is one.
    """

    machine: Machine
    parameters: ParameterSet
    prior: Prior
    arguments: StateEquations
    sensors: SensorPlaces
    known: FloatArray
    mapping: FloatArray
    offset: FloatArray

    @classmethod
    def of(
        cls, machine: Machine, parameters: ParameterSet, prior: Prior, samples: JointSamples, period: float
    ) -> JointModel:
        """Model of a machine with the sensors its log has."""
        with_imu = bool(np.isfinite(samples.readings[:, :6]).any())
        with_force = bool(np.isfinite(samples.readings[:, 6:]).any())
        count, extra = len(parameters.names), 6 if with_imu else 0
        mapping = np.zeros((len(parameters.known), count + extra))
        mapping[:, :count] = parameters.mapping * prior.std
        offset = np.zeros((READINGS, count + extra))
        offset[range(extra), range(count, count + extra)] = machine.sensors.bias[:extra]
        sensors = machine.sensors
        return cls(
            machine,
            parameters,
            prior,
            StateEquations(packed_geometry(machine), period, 1),
            SensorPlaces(sensors.place, sensors.axes, with_imu, with_force, sensors.force_at == "platform"),
            parameters.known + parameters.mapping @ prior.mean,
            mapping,
            offset,
        )

    def fixed(self, mean: FloatArray) -> JointModel:
        """The model with known parameters (SI units) and without additional sensors: only the state is unknown."""
        return replace(
            self,
            prior=Prior(np.zeros(0), np.zeros(0)),
            sensors=self.sensors._replace(with_imu=False, with_force=False),
            known=self.parameters.known + self.parameters.mapping @ mean,
            mapping=np.zeros((len(self.known), 0)),
            offset=np.zeros((READINGS, 0)),
        )

    @property
    def filtered_machine(self) -> FilteredMachine:
        """The machine as the kernels take it."""
        home = Pose(self.machine.home_position, self.machine.home_rotation)
        return FilteredMachine(self.arguments, self.sensors, home)

    @property
    def unknowns(self) -> int:
        """Parameters and biases."""
        return self.mapping.shape[1]
