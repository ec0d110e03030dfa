# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a simulated machine did, kept, so that other sensors can measure it again: one simulation for many logs.

Only what leaves the loop as it is can be had this way: noise of the currents, late forces, and all that a log makes of
its columns. Wrong gains and encoders change what the controller does, and are simulated each for itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.atomic import replacing
from pkm_identification.simulation.actuators import completed_drive
from pkm_identification.simulation.faults import Fault, with_faults
from pkm_identification.simulation.faults.kind import LOG
from pkm_identification.simulation.imperfections.setup import Setup
from pkm_identification.simulation.measurement import Measurement
from pkm_identification.simulation.physics.load import build_physics
from pkm_identification.simulation.plant import Plant
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import Simulator
from pkm_identification.simulation.trajectories import Trajectory


def measured_only(fault: Fault) -> bool:
    """Whether a fault leaves the motion as it is."""
    return fault.kind.changes == LOG or fault.kind.name == "force_delay"


@dataclass
class _KeptPlant:
    """A plant (`measurement.MeasuredPlant`) at one instant of what was kept."""

    time: float
    encoder: FloatArray
    reported_force: FloatArray
    state: SimpleNamespace
    actuated: None = None


@dataclass(frozen=True)
class Motion:
    """Lengths (m), rates (m/s) and forces (N) of the struts, each (N, 6), at the instants `time` (N,) in s."""

    time: FloatArray
    length: FloatArray
    rate: FloatArray
    force: FloatArray

    @classmethod
    def simulated(cls, truth: Machine, nominal: Machine, motion: Trajectory) -> Motion:
        """Of a machine in the loop of its drives and encoders."""
        simulator = Simulator(truth, motion, nominal=nominal)
        plant, rows = simulator.plant, []
        for _ in range(round(motion.duration / simulator.period) + 1):
            simulator.measure()
            rows.append((plant.time, plant.encoder, plant.state.rate, plant.reported_force))
            simulator.advance()
        time, length, rate, force = (np.array(column) for column in zip(*rows, strict=True))
        return cls(time, length, rate, force)

    @classmethod
    def followed(cls, truth: Machine, motion: Trajectory, period: float) -> Motion:
        """Of a machine that is where its trajectory is: no controller that answers its encoders."""
        time = np.arange(0.0, motion.duration, period)
        moved = motion.motion(time)
        length = strut_lengths(truth, moved.position, moved.rotation)
        return cls(time, length, np.gradient(length, period, axis=0), strut_forces(truth, moved))

    def measure(
        self,
        truth: Machine,
        nominal: Machine,
        motion: Trajectory,
        sensors: SensorSettings,
        seed: int,
        faults: tuple[Fault, ...] = (),
    ) -> DriveLog:
        """The log that a simulator with these sensors and faults writes of it."""
        setup = with_faults(Setup.of(truth, seed), faults)
        drive = completed_drive(truth, Plant(truth).holding_force())
        half = 0.5 * motion.duration
        plant = _KeptPlant(0.0, self.length[0], self.force[0], SimpleNamespace())
        physics = build_physics(setup.machine)
        measurement = Measurement(
            plant,
            physics,
            drive,
            sensors,
            setup,
            given=truth,
            faults=faults,
            half_time=half,
        )
        measurement.reset()
        early = np.arange(0.0, min(motion.duration, 20.0), 0.01)
        measurement.begin(np.sqrt(np.mean(strut_forces(nominal, motion.motion(early)) ** 2, axis=0)))
        period = 1.0 / drive.sample_rate
        samples = []
        for k, time in enumerate(self.time):
            plant.time, plant.encoder, plant.reported_force = time, self.length[k], self.force[k]
            plant.state = SimpleNamespace(coordinate=self.length[k], rate=self.rate[k])
            measurement.note()
            samples.append(measurement.report(measurement.observe(k * period, period)))
        time, length, force = (
            np.array([getattr(one, name) for one in samples]) for name in ("time", "length", "force")
        )
        return DriveLog(time, length, force, f"{nominal.name} measured again")

    def write(self, path: Path) -> None:
        """Keep it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary, temporary.open("wb") as file:
            np.savez(file, time=self.time, length=self.length, rate=self.rate, force=self.force)

    @classmethod
    def read(cls, path: Path) -> Motion:
        """One that was kept."""
        with np.load(path) as kept:
            return cls(kept["time"], kept["length"], kept["rate"], kept["force"])
