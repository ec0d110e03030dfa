# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Simulated runs with faults, by perfect sensors; each is made once."""

from __future__ import annotations

from functools import cache

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation import Recording, SensorSettings, Simulator, trajectory
from pkm_identification.simulation.faults import parse_fault


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
