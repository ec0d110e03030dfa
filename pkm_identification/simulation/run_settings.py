# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a simulated run has besides machine and motion: options of `pkm simulate`, parameters of the simulator node."""

from __future__ import annotations

from dataclasses import dataclass

from pkm_identification.declared import Declaration, declarations, declare

from .sensors import SensorSettings

FAULTS = Declaration(
    "faults",
    [""],
    "what is wrong with machine, sensors or log, each NAME=VALUE as force_delay=0.002; names and ranges: pkm simulate "
    "--list-faults",
    option="fault",
)


@dataclass(frozen=True)
class RunSettings:
    """A simulated run; `payload` as `Payload.parse` takes it."""

    duration: float = declare(0.0, "length of the motion; 0: that of the trajectory", "s", 0, 1e6)
    seed: int = declare(0, "of the sensors' noise", low=0)
    perturbation: float = declare(
        0.0, "how far the true parameters are from the machine's", "", 0, 0.9, option="perturb"
    )
    payload: str = declare("", "load taken up on the way: T,MASS or T,MASS,X,Y,Z in s, kg, m; empty: none")
    payload_set_down: float = declare(
        0.0, "when it is set down again; 0: never", "s", 0, 1e6, option="set_down"
    )
    scenario: str = declare("", "file of what happens while it runs (docs/scenarios.md); empty: nothing")


NOISE = declarations(SensorSettings)["current_noise"]
