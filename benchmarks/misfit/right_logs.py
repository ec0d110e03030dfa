"""Logs of machines with nothing wrong: noise, encoders, rates, in closed and in open loop."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import StrutLog
from pkm_identification.simulation import SensorSettings, Simulator, perturbed, trajectory

from .machines import NAMES, SPREAD, nominal

NOISE = (0.002, 0.05)
STEP = (1e-7, 2e-5)  # m
RATES = (50.0, 100.0, 250.0, 500.0, 1000.0, 2000.0)
DURATION = 20.0  # s
LONGEST_CLOSED = 1000.0  # Hz: beyond, simulating takes as long as ten other logs


@dataclass(frozen=True)
class RightLog:
    """One right log: seeded, on a machine, with a noise (relative), an encoder step (m) and a rate (Hz)."""

    number: int
    machine: str
    noise: float
    step: float
    rate: float
    closed: bool

    @classmethod
    def of(cls, number: int) -> RightLog:
        """The n-th of all right logs."""
        rng = np.random.default_rng([number, 43])
        rate = float(rng.choice(RATES))
        return cls(
            number,
            NAMES[number % len(NAMES)],
            float(np.exp(rng.uniform(*np.log(NOISE)))),
            float(np.exp(rng.uniform(*np.log(STEP)))),
            rate,
            bool(rng.random() < 0.5) and rate <= LONGEST_CLOSED,
        )

    @property
    def key(self) -> str:
        """A file name."""
        return f"right-{self.number:04d}-{self.machine}"

    def nominal(self) -> Machine:
        """The machine's file, with these encoders at this rate."""
        document = copy.deepcopy(nominal(self.machine).document)
        document["drive"]["sample_rate"] = self.rate
        document["drive"]["encoder"]["counts_per_meter"] = 1.0 / self.step
        return Machine.from_document(document)

    def log(self) -> StrutLog:
        """Make it."""
        file = self.nominal()
        truth = perturbed(file, seed=self.number, fraction=SPREAD)
        motion = trajectory("rich", file, DURATION, self.number)
        if self.closed:
            sensors = SensorSettings(current_noise=self.noise)
            return Simulator(truth, motion, nominal=file, sensors=sensors, seed=self.number).run().log()
        time = np.arange(0.0, DURATION, 1.0 / self.rate)
        moved = motion.motion(time)
        rng = np.random.default_rng([self.number, 44])
        force = strut_forces(truth, moved)
        force += self.noise * np.sqrt(np.mean(force**2, axis=0)) * rng.standard_normal(force.shape)
        length = strut_lengths(truth, moved.position, moved.rotation)
        return StrutLog(time, self.step * np.rint(length / self.step), force, self.key)
