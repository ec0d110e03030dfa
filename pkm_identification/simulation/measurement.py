# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What is measured of a simulated machine: its sensors and its log, with faults that begin and end at run time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.hexapod.drive import Drive
from pkm_identification.mechanisms.hexapod.kinematics import forward_kinematics, strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray

from .additional_sensors import AdditionalSensors
from .faults import Fault, with_faults
from .faults.kind import PLANT
from .imperfections.reports import Currents, Encoders, Record
from .imperfections.setup import Setup
from .plant import Plant, PlantState
from .sensors import Sample, Sensors, SensorSettings


class Measurement:
    """Encoders, currents, additional sensors and the log of a plant, as wrong as faults make them.

    Before the first sample: `reset`, `start`, and `begin` with the plant at that start.

    Parameters
    ----------
    plant : Plant
    drive : Drive
        With the encoders' and motors' constants.
    settings : SensorSettings
    setup : Setup
        How it is at the start, with all faults. Its seed is that of the noise as well.
    given : Machine
        The truth before faults touch it.
    faults : sequence of Fault
        Of plant, sensors and log, which made the setup.
    half_time : float or None
        s, of the motion, for faults that come then.

    Attributes
    ----------
    length : ndarray, shape (6,)
        m, what the controller knows of the struts: `refresh` and `sample` write it.
    """

    length: FloatArray

    def __init__(
        self,
        plant: Plant,
        drive: Drive,
        settings: SensorSettings,
        setup: Setup,
        *,
        given: Machine,
        faults: Sequence[Fault],
        half_time: float | None,
    ) -> None:
        self._plant, self._drive, self._settings = plant, drive, settings
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
        self._state: PlantState | None = None
        self._use(self._setup)

    def begin(self, typical_force: FloatArray) -> None:
        """Begin the noise anew, relative to these forces (6,) in N."""
        self._sensors = Sensors(self._drive, self._settings, typical_force, self._setup.seed)
        self._additional = AdditionalSensors(self._setup.machine, self._settings.additional, self._setup.seed)

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
        begun = Setup.of(self._given, self._setup.seed)
        self._use(with_faults(begun, (*self._in_plant, *faults.values())))
        self._faults = faults
        self.note()

    def set_noise(self, share: float) -> None:
        """Let the currents have noise of this share of their rms, from the next sample on."""
        self._sensors.set_noise(share)

    def start(self, nominal: Machine) -> tuple[FloatArray, FloatArray] | tuple[()]:
        """Pose in which the encoders show the nominal machine's lengths at home; nothing where that is home itself."""
        machine = self._setup.machine
        home = nominal.home_position[None], nominal.home_rotation[None]
        wanted = strut_lengths(nominal, *home)[0]
        true = self._encoders.true(wanted)
        if self._encoders.right and np.array_equal(strut_lengths(machine, *home)[0], wanted):
            return ()
        poses = forward_kinematics(machine, true[None])
        if not poses.found[0]:
            raise SettingsError("faults: there is no pose in which the encoders show the lengths at home")
        return poses.position[0], poses.rotation[0]

    def shown(self) -> FloatArray:
        """Lengths (6,) in m that the encoders show now, before rounding."""
        return self._encoders.shown(self._plant.encoder_length, self._plant.time)

    def read(self) -> FloatArray:
        """Lengths (6,) in m that the encoders' counts stand for now."""
        return self._sensors.length(self._sensors.counts(self.shown()))

    def refresh(self) -> None:
        """Let `length` be that of now."""
        self.length = self.read()

    def measured_force(self, force: FloatArray) -> FloatArray:
        """What a true force (6,) in N is measured as, delays apart."""
        return self._currents.measured(force)

    def true_force(self, measured: FloatArray) -> FloatArray:
        """The true force (6,) in N where the drives see `measured`."""
        return self._currents.true(measured)

    def note(self) -> None:
        """Keep what is true now, if anything is reported late; to be called whenever the plant has moved on."""
        if self._currents.late:
            state = self._plant.state
            reported = self._plant.reported_force
            self._currents.note(self._plant.time, reported, self._plant.encoder_length, state.rate)

    @property
    def truth(self) -> PlantState:
        """The true state at the instant of the last sample (of the start, before the first)."""
        return self._plant.state if self._state is None else self._state

    def sample(self, time: float, period: float) -> Sample:
        """What the drives report now, at `time`, a `period` after the last sample, both in s."""
        self._state = self._plant.state
        counts = self._sensors.counts(self.shown())
        self.length = self._sensors.length(counts)
        if self._currents.lengths_late:
            late = self._currents.length(time, self._state.length)
            counts = self._sensors.counts(self._encoders.shown(late, time))
        force = self._currents.force(time, self._plant.reported_force)
        imu, sensor = self._additional.imu(self._state), self._additional.force(self._state)
        sample = self._record.of(self._sensors.sample(time, period, counts, force, imu, sensor))
        motor = None if self._plant.actuated is None else self._plant.actuated.motor_side
        if motor is None:
            return sample
        return replace(sample, motor_length=self._sensors.length(self._sensors.counts(motor)))
