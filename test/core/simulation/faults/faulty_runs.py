# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Simulated runs with faults, by perfect sensors; each is made once."""

from __future__ import annotations

from functools import cache

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.faults import parse_fault
from pkm_identification.simulation.recording import Recording
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import Simulator
from pkm_identification.simulation.trajectories import trajectory


@cache
def faulty_run(*faults: str, name: str = "rich", duration: float = 2.0) -> Recording:
    """A run of machine `uf` whose sensors have no noise and no steps."""
    return faulty_simulator(*faults, name=name, duration=duration).run()


def faulty_simulator(*faults: str, name: str = "rich", duration: float = 2.0) -> Simulator:
    machine = Machine.load("uf")
    return Simulator(
        machine,
        trajectory(name, machine, duration),
        sensors=SensorSettings.perfect(),
        faults=[parse_fault(text) for text in faults],
        seed=5,
    )
