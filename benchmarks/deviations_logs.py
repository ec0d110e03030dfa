# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs for `benchmarks.deviations`: simulated once, kept in a folder, noise added when they are read."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.builder import force_scale
from pkm_identification.motion import STRUTS, DriveLog
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate

BASES = ("uf", "hexel", "ford")
MOTIONS = ("rich", "rich2", "slow")
DURATION = 30.0  # s
DIFFERENCE = 0.2  # of masses and moments of inertia from the file
# Friction of a strut, of the typical force: in N, and in N over m/s. The file says that it is not known.
COULOMB, VISCOUS = (0.1, 0.5), (0.3, 1.2)
FORCE_BITS = 16  # over the range of plus and minus the force limit


def machine_pair(number: int) -> tuple[Machine, Machine]:
    """What the owner believes of machine `number`, and the machine itself."""
    nominal = Machine.load(BASES[number % len(BASES)])
    document = copy.deepcopy(perturb_machine(nominal, 1000 + number, DIFFERENCE).document)
    rng = np.random.default_rng([number, 1])
    scale = force_scale(nominal)
    document["friction"] |= {
        "coulomb": (scale * rng.uniform(*COULOMB, STRUTS)).tolist(),
        "viscous": (scale * rng.uniform(*VISCOUS, STRUTS)).tolist(),
    }
    believed = copy.deepcopy(nominal.document)
    believed["friction"] |= {"coulomb": [0.0] * STRUTS, "viscous": [0.0] * STRUTS}
    return Machine.from_document(believed), Machine.from_document(document)


def simulated(folder: Path, number: int, motion: str) -> DriveLog:
    """Log of machine `number`, without noise of the forces; from the folder if it is there.

    The file appears whole or not at all, so that a run that was cut off can go on.
    """
    path = folder / f"{number:02d}_{motion}.npz"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        nominal, truth = machine_pair(number)
        sensors = SensorSettings(current_noise=0.0, current_bits=None)
        record = simulate(
            truth, motion, DURATION, nominal=nominal, sensors=sensors, seed=number, motion_seed=number
        )
        unfinished = path.with_suffix(".part")
        with unfinished.open("wb") as file:
            np.savez_compressed(file, time=record.time, length=record.length, force=record.force)
        unfinished.replace(path)
    with np.load(path) as kept:
        return DriveLog(kept["time"], kept["length"], kept["force"], path.name)


def noisy(log: DriveLog, machine: Machine, noise: float, seed: int) -> DriveLog:
    """The log with noise of the forces, relative to each strut's rms force, and their resolution."""
    force, drive = log.force, machine.drive
    assert force is not None
    assert drive is not None
    rng = np.random.default_rng([seed, round(1e6 * noise)])
    deviation = noise * np.sqrt(np.mean(force**2, axis=0))
    step = 2.0 * drive.force_limit / 2**FORCE_BITS
    measured = step * np.rint((force + deviation * rng.standard_normal(force.shape)) / step)
    return DriveLog(log.time, log.length, measured, log.source)
