# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Simulated runs shared by the simulator's tests; each is made once."""

from __future__ import annotations

from functools import cache

import numpy as np
from core.mechanisms.hexapod.machine_variants import machine, rubbing, untidy, with_joint

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.recording import Recording
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import Simulator
from pkm_identification.simulation.trajectories import trajectory

# the built-in machines, one with every asymmetry the schema allows, the source's idealised joint, universal joints
# at the platform, and joints with friction
VARIANTS = ("uf", "hexel", "ford", "untidy", "no_spin", "platform", "rubbing")


@cache
def variant(name: str) -> Machine:
    """A machine by its test name."""
    if name == "untidy":
        return machine(untidy("uf", seed=3))
    if name == "no_spin":
        return machine(with_joint(untidy("hexel", seed=4), "no_spin"))
    if name == "platform":
        return machine(with_joint(untidy("uf", seed=5), "platform", "tangential"))
    if name == "rubbing":
        return machine(rubbing(untidy("uf", seed=6)))
    return machine(name)


@cache
def rich_run(name: str) -> Recording:
    """Four seconds of the exciting motion, perfect sensors."""
    made = variant(name)
    simulator = Simulator(made, trajectory("rich", made, 4.0), sensors=SensorSettings.perfect())
    return simulator.run()


def relative_rms(error: np.ndarray, size: np.ndarray) -> float:
    """Root mean square of an error over that of what it belongs to."""
    return float(np.sqrt(np.mean(error**2) / np.mean(size**2)))
