# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is measured of a simulated machine: its sensors and its log, with faults that begin and end at run time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray

from .actuated.drives import ActuatorDrives
from .actuators import DriveConstants
from .faults import Fault, with_faults
from .faults.kind import PLANT
from .imperfections.reports import Currents, Encoders, Record
from .imperfections.setup import Setup
from .physics.contract import Physics
from .sensors import Sample, Sensors, SensorSettings


class MeasuredPlant(Protocol):
    """What sensors are on: `ActuatedPlant`, or what was kept of one."""

    @property
    def time(self) -> float:
        """s since the start."""

    @property
    def actuated(self) -> ActuatorDrives | None:
        """Drives with states."""

    @property
    def encoder(self) -> FloatArray:
        """Coordinates (n,) the encoders are on, m or rad."""

    @property
    def reported_force(self) -> FloatArray:
        """Forces (n,) that the drives are asked for, N (N m)."""

    @property
    def state(self) -> Any:
        """Everything about this instant; with `coordinate` and `rate` of the drives."""


@dataclass(frozen=True)
class Observation:
    """What sensors see at one instant, before noise, stamps and what the log makes of it.

    Attributes
    ----------
    time, period : float
        s.
    counts, force : ndarray, shape (n,)
        Encoder counts, and forces as measured.
    imu, sensor : ndarray or None
        Of additional sensors.
    motor_counts : ndarray, shape (n,), or None
        Of encoders on the motors, of drives with one on either side.
    noise : float
        Of the currents, relative to their typical size.
    record : Record
    """

    time: float
    period: float
    counts: FloatArray
    force: FloatArray
    imu: FloatArray | None
    sensor: FloatArray | None
    motor_counts: FloatArray | None
    noise: float
    record: Record


class Measurement:
    """Encoders, currents, additional sensors and the log of a plant, as wrong as faults make them.

    Before the first sample: `reset`, `start`, and `begin` with the plant at that start.

    Parameters
    ----------
    plant : MeasuredPlant
    physics : Physics
        Of the machine at the start, with all faults.
    drive : DriveConstants
        With the encoders' and motors' constants.
    settings : SensorSettings
    setup : Setup
        How it is at the start, with all faults. Its seed is that of the noise as well.
    given : Machine or Mechanism
        The truth before faults touch it.
    faults : sequence of Fault
        Of plant, sensors and log, which made the setup.
    half_time : float or None
        s, of the motion, for faults that come then.

    Attributes
    ----------
    length : ndarray, shape (n,)
        What the controller knows of the drives' coordinates: `refresh` and `sample` write it.
    """

    length: FloatArray

    def __init__(
        self,
        plant: MeasuredPlant,
        physics: Physics,
        drive: DriveConstants,
        settings: SensorSettings,
        setup: Setup,
        *,
        given: Any,
        faults: Sequence[Fault],
        half_time: float | None,
    ) -> None:
        self._plant, self._physics, self._drive, self._settings = plant, physics, drive, settings
        self._setup, self._given, self._half_time = setup, given, half_time
        self._in_plant = tuple(fault for fault in faults if fault.kind.changes == PLANT)
        self._at_start = {fault.name: fault for fault in faults if fault.kind.changes != PLANT}

    def reset(self) -> None:
        """Back to the faults of the start.

        Raises
        ------
        SettingsError
            If one comes at half time and there is no trajectory.
        """
        self._faults = dict(self._at_start)
        self._state: Any = None
        self._use(self._setup)

    def begin(self, typical_force: FloatArray) -> None:
        """Begin the noise anew, relative to these forces (n,) in N (N m)."""
        seed, physics = self._setup.seed, self._physics
        noise = physics.build_noise(seed)
        self._sensors = Sensors(self._drive, self._settings, typical_force, seed, noise)
        self._additional = physics.build_additional(self._settings.additional, seed)

    def _use(self, setup: Setup) -> None:
        """Let sensors and log err as in this setup."""
        if (
            any(lost.time is None for lost in setup.encoder.lost) or setup.change.acts
        ) and self._half_time is None:
            raise SettingsError("faults at half time need a trajectory, which has one")
        self._encoders = Encoders(setup.encoder, self._drive, self._half_time)
        self._currents = Currents(setup.force)
        self._record = Record(setup.record, self._drive)

    @property
    def faults(self) -> tuple[str, ...]:
        """Names of the faults that sensors and log have now."""
        return tuple(self._faults)

    def set_fault(self, fault: Fault) -> None:
        """Let sensors or log have a fault; as `Simulator.set_fault`."""
        fault.refuse_in_plant()
        self._exchange_faults(self._faults | {fault.name: fault})

    def clear_fault(self, name: str) -> None:
        """Take a fault away, all where the name is empty; as `Simulator.clear_fault`."""
        if name and name not in self._faults:
            there = ", ".join(self._faults) or "none"
            raise SettingsError(f"fault '{name}': sensors and log do not have it; they have {there}")
        kept = {} if not name else {key: one for key, one in self._faults.items() if key != name}
        self._exchange_faults(kept)

    def _exchange_faults(self, faults: dict[str, Fault]) -> None:
        started = Setup.of(self._given, self._setup.seed)
        self._use(with_faults(started, (*self._in_plant, *faults.values())))
        self._faults = faults
        self.note()

    def set_noise(self, share: float) -> None:
        """Let the currents have noise of this share of their rms, from the next sample on."""
        self._sensors.set_noise(share)

    def start(self, nominal: Physics, motion: Any) -> tuple[Any, ...]:
        """Return where the plant begins: encoders show where the nominal machine's motion, or its home, does."""
        return self._physics.find_start(nominal, motion, self._encoders.true, self._encoders.right)

    def shown(self) -> FloatArray:
        """Lengths (n,) that the encoders show now, before rounding."""
        return self._encoders.shown(self._plant.encoder, self._plant.time)

    def read(self) -> FloatArray:
        """Lengths (n,) that the encoders' counts stand for now."""
        return self._sensors.length(self._sensors.counts(self.shown()))

    def refresh(self) -> None:
        """Let `length` be that of now."""
        self.length = self.read()

    def measured_force(self, force: FloatArray) -> FloatArray:
        """Return what a true force (n,) is measured as, delays apart."""
        return self._currents.measure(force)

    def true_force(self, measured: FloatArray) -> FloatArray:
        """Return the true force (n,) where the drives see `measured`."""
        return self._currents.true(measured)

    def note(self) -> None:
        """Keep what is true now, if anything is reported late; to be called whenever the plant has moved on."""
        if self._currents.late:
            state = self._plant.state
            reported = self._plant.reported_force
            self._currents.note(self._plant.time, reported, self._plant.encoder, state.rate)

    @property
    def truth(self) -> Any:
        """The true state at the instant of the last sample (of the start, before the first)."""
        return self._plant.state if self._state is None else self._state

    def observe(self, time: float, period: float) -> Observation:
        """Return what sensors see now, at `time`, a `period` after the last sample, both in s."""
        self._state = self._plant.state
        counts = self._sensors.counts(self.shown())
        self.length = self._sensors.length(counts)
        if self._currents.lengths_late:
            late = self._currents.length(time, self._state.coordinate)
            counts = self._sensors.counts(self._encoders.shown(late, time))
        force = self._currents.force(time, self._plant.reported_force)
        imu, sensor = self._additional.imu(self._state), self._additional.force(self._state)
        motor = None if self._plant.actuated is None else self._plant.actuated.motor_side
        motor_counts = None if motor is None else self._sensors.counts(motor)
        noise = self._sensors.noise
        return Observation(time, period, counts, force, imu, sensor, motor_counts, noise, self._record)

    def report(self, seen: Observation) -> Sample:
        """Return what the drives report of an observation; observations come in their order."""
        sensors = self._sensors
        sample = seen.record.of(
            sensors.sample(seen.time, seen.period, seen.counts, seen.force, seen.imu, seen.sensor)
        )
        if seen.motor_counts is None:
            return sample
        return replace(sample, motor_length=sensors.length(seen.motor_counts))

    def report_log(self, seen: Sequence[Observation]) -> list[Sample]:
        """Return what the drives report of the observations of a whole log."""
        sensors, last = self._sensors, self._sensors.noise
        if self._physics.noise_follows_log and seen:
            sensors.set_typical_force(np.sqrt(np.mean([one.force**2 for one in seen], axis=0)))
        samples, share = [], None
        for one in seen:
            if one.noise != share:
                share = one.noise
                sensors.set_noise(share)
            samples.append(self.report(one))
        sensors.set_noise(last)
        return samples
