# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs of machines with nothing wrong: noise, encoders, rates, in closed and in open loop."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.trajectories import Trajectory, trajectory

from .machines import NAMES, SPREAD, nominal
from .motions import Motion

NOISE = (0.002, 0.05)
STEP = (1e-7, 2e-5)  # m
RATES = (50.0, 100.0, 250.0, 500.0, 1000.0, 2000.0)
DURATION = 20.0  # s
LONGEST_CLOSED = 1000.0  # Hz: beyond, simulating takes as long as ten other logs
DRAWS = 4  # logs of one motion, each with a noise of its own


@dataclass(frozen=True)
class RightLog:
    """One right log: seeded, on a machine, with a noise (relative), an encoder step (m) and a rate (Hz).

    `DRAWS` logs share a `motion`, that is true machine, trajectory, encoders, rate and loop.
    """

    number: int
    motion: int
    machine: str
    noise: float
    step: float
    rate: float
    closed: bool

    @classmethod
    def of(cls, number: int) -> RightLog:
        """The n-th of all right logs."""
        motion = number // DRAWS
        rng = np.random.default_rng([motion, 43])
        rate = float(rng.choice(RATES))
        step = float(np.exp(rng.uniform(*np.log(STEP))))
        closed = bool(rng.random() < 0.5) and rate <= LONGEST_CLOSED
        noise = float(np.exp(np.random.default_rng([number, 44]).uniform(*np.log(NOISE))))
        return cls(number, motion, NAMES[motion % len(NAMES)], noise, step, rate, closed)

    @property
    def key(self) -> str:
        """A file name."""
        return f"right-{self.number:04d}-{self.machine}"

    @property
    def last(self) -> bool:
        """Whether no other log needs its motion any more."""
        return self.number % DRAWS == DRAWS - 1

    def nominal(self) -> Machine:
        """The machine's file, with these encoders at this rate."""
        document = copy.deepcopy(nominal(self.machine).document)
        document["drive"]["sample_rate"] = self.rate
        document["drive"]["encoder"]["counts_per_meter"] = 1.0 / self.step
        return Machine.from_document(document)

    def truth(self) -> Machine:
        """The machine as it is."""
        return perturb_machine(self.nominal(), seed=self.motion, fraction=SPREAD)

    def trajectory(self) -> Trajectory:
        """The motion that is asked for."""
        return trajectory("rich", self.nominal(), DURATION, self.motion)

    def moved(self) -> Motion:
        """The motion that was made."""
        if self.closed:
            return Motion.simulated(self.truth(), self.nominal(), self.trajectory())
        return Motion.followed(self.truth(), self.trajectory(), 1.0 / self.rate)
