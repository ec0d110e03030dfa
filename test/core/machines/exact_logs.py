# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rich motions of any machine by inverse dynamics, which take hundredths of a simulation's time."""

from __future__ import annotations

import numpy as np

from pkm_identification.control.inverse_dynamics import InverseDynamics
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import as_machine, load_machine
from pkm_identification.motion import DriveLog
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.physics.load import build_physics


def rich_motion(machine: Machine, seconds: float, rate: float):
    """Return times (N,), coordinates and forces (N, n) of the motion `rich`."""
    physics = build_physics(machine)
    time = np.arange(round(seconds * rate)) / rate
    moved = physics.compute_motion(physics.build_motion("rich", None, 0), time)
    return time, moved.coordinate, InverseDynamics(machine).compute(moved, np.array(machine.basis.nominal))


def noisy_log(name: str, seconds: float, rate: float, seed: int = 3, share: float = 0.005) -> DriveLog:
    """Return a log of a machine up to a tenth off its file, with white noise of a share of each drive's rms force."""
    truth = as_machine(perturb_machine(load_machine(name), seed, 0.1))
    time, coordinate, force = rich_motion(truth, seconds, rate)
    noise = np.random.default_rng(seed).standard_normal(force.shape)
    return DriveLog(time, coordinate, force + share * np.sqrt(np.mean(force**2, axis=0)) * noise, truth.name)
