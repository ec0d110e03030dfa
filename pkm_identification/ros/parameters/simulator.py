# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters of the simulator node, and the simulator they make."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pkm_identification.declared import declarations
from pkm_identification.machines.contract import Machine
from pkm_identification.motion import TRAJECTORIES
from pkm_identification.simulation.faults import parse_fault
from pkm_identification.simulation.payload import Payload
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.physics.load import build_physics
from pkm_identification.simulation.run_settings import FAULTS, NOISE, RunSettings
from pkm_identification.simulation.scenario import Scenario
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import Simulator

from .declarations import JOINT_NAMES, MACHINE, WAIT_FOR, LiveParameter, ParameterSpec

NO_TRAJECTORY, STATED = "none", "motion"  # the latter: what the machine file states
MOTIONS = (NO_TRAJECTORY, *TRAJECTORIES, STATED)
RUN = declarations(RunSettings)
FORMS = POSITION, _, CONTROLLER = "position", "effort", "controller"

PARAMETERS = (
    MACHINE,
    JOINT_NAMES,
    ParameterSpec("trajectory", "rich", "motion to follow, where commands are position", choices=MOTIONS,
                  ending=".yaml"),
    ParameterSpec("commands", POSITION, "strut_commands: lengths the drives go to, their forces, or "
                  "what `controller` gives: lengths to drives that go there by themselves, forces to others",
                  choices=FORMS),
    ParameterSpec("lockstep", False, "of commands but position: make a sample only when the one before is answered"),
    ParameterSpec("longest_delay", 0.02, "of commands but position, without lockstep: the simulated time waits for the "
                  "forces of the newest sample; 0: never waits", "s", 0, 10),
    ParameterSpec("command_timeout", 0.1, "without a command for so long the drives hold", "s", 0.001, 60),
    ParameterSpec.of(RUN["duration"]),
    ParameterSpec("motion_seed", 0, "of the tones and phases of rich motions", low=0),
    ParameterSpec.of(RUN["seed"]),
    ParameterSpec.of(RUN["perturbation"]),
    ParameterSpec("perturbation_seed", 1, "of the true parameters", low=0),
    *(ParameterSpec.of(one, live=one.name == NOISE.name) for one in declarations(SensorSettings).values()),
    LiveParameter("friction", 1.0, "friction over what the machine has", "", 0, 100),
    ParameterSpec.of(FAULTS),
    ParameterSpec.of(RUN["scenario"]),
    ParameterSpec.of(RUN["payload"]),
    ParameterSpec.of(RUN["payload_set_down"]),
    ParameterSpec("base_frame", "base", "frame that platform_truth is given in"),
    ParameterSpec("platform_frame", "platform", "frame of platform_wrench"),
    ParameterSpec("imu_frame", "imu", "frame of imu: the machine file's `sensors.imu`, fixed to the platform"),
    ParameterSpec("real_time_factor", 1.0, "speed of the simulation", "", 0.01, 10.0),
    ParameterSpec("clock", False, "publish /clock"),
    ParameterSpec("start_time", 0.0, "stamp of the first sample; 0: the system's time", "s", 0, 2e9),
    ParameterSpec("truth_rate", 0.0, "rate of platform_truth; 0: not published", "Hz", 0, 1e4),
    ParameterSpec("wait", 0.0, "longest time to wait for subscribers of strut_states", "s", 0, 1e6),
    ParameterSpec("subscribers", 1, "how many subscribers to wait for", low=1, high=100),
    WAIT_FOR,
    ParameterSpec("shutdown_at_end", False, "end the process when the trajectory is over"),
)  # fmt: skip


def simulator_of(machine: Machine, values: Mapping[str, Any]) -> Simulator:
    """Return the simulator of a node's parameters.

    Raises
    ------
    SettingsError
        If they do not go together, or a fault is none.
    """
    truth = machine
    if values["perturbation"] > 0:
        truth = perturb_machine(machine, values["perturbation_seed"], values["perturbation"])
    motion = None
    if values["trajectory"] != NO_TRAJECTORY and values["commands"] == POSITION:
        name = None if values["trajectory"] == STATED else values["trajectory"]
        motion = build_physics(machine).build_motion(name, values["duration"] or None, values["motion_seed"])
    sensors = SensorSettings(
        current_noise=values["current_noise"],
        current_bits=values["current_bits"] or None,
        quantised_encoders=values["quantised_encoders"],
        stamp_jitter=values["stamp_jitter"],
    )
    payload = None
    if values["payload"]:
        payload = Payload.parse(values["payload"], values["payload_set_down"] or math.inf)
    faults = [parse_fault(text) for text in values["faults"] if text]
    return Simulator(
        truth,
        motion,
        nominal=machine,
        sensors=sensors,
        seed=values["seed"],
        payload=payload,
        faults=faults,
        scenario=Scenario.read(values["scenario"]) if values["scenario"] else None,
    )
