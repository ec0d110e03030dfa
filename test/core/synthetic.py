# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Strut logs of a machine that moves smoothly: exact, or as drives would report them."""

from __future__ import annotations

import copy

import numpy as np
from core.mechanisms.hexapod.machine_variants import document
from core.platform_motions import Harmonics, lengths, six_axes

from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog

PERIOD = 1e-3
ENCODER = 1.25e-6  # m


def nominal(friction: bool = True) -> Machine:
    """What the owner believes of the machine: the uf with moderate friction, or none."""
    return Machine.from_document(_with_friction(document("uf"), friction, 1.0))


def truth(friction: bool = True) -> Machine:
    """The machine itself: 5 to 25 % away from what its owner believes."""
    made = copy.deepcopy(document("uf"))
    made["platform"]["mass"] *= 1.18
    made["platform"]["inertia"] = [0.078, 0.094, 0.16, 0.0, 0.0, 0.0]
    b, e = made["strut"]["body_b"], made["strut"]["body_e"]
    b["mass"] *= 0.92
    e["mass"] *= 1.12
    b["inertia"] = [0.60, 0.0580]
    e["inertia"] = [0.0201, 0.0001]
    return Machine.from_document(_with_friction(made, friction, 1.25))


def _with_friction(made: dict, friction: bool, factor: float) -> dict:
    if friction:
        made["friction"]["viscous"] = [factor * x for x in (260.0, 300.0, 210.0, 400.0, 350.0, 180.0)]
        made["friction"]["coulomb"] = [factor * x for x in (30.0, 24.0, 41.0, 36.0, 20.0, 28.0)]
    else:
        made["friction"]["viscous"] = made["friction"]["coulomb"] = [0.0] * 6
    return made


def log(
    machine: Machine,
    seconds: float,
    seed: int = 0,
    path: Harmonics | None = None,
    real: bool = False,
    start: float = 0.0,
) -> DriveLog:
    """Lengths and forces at 1 kHz.

    `real` adds what sensors do: encoder steps of 1.25 um, force noise of 1 N (about 1 % of its range), and stamps that
    jitter by 20 us around the instants sampled.
    """
    rng = np.random.default_rng(seed + 100)
    time = np.arange(round(seconds / PERIOD)) * PERIOD
    motion = (path or six_axes(machine, seed)).at(time)
    length = lengths(machine, motion.position, motion.rotation)
    force = strut_forces(machine, motion)
    stamps = start + time
    if real:
        length = ENCODER * np.round(length / ENCODER)
        force = force + rng.normal(0, 1.0, force.shape)
        stamps = stamps + rng.normal(0, 2e-5, len(stamps))
    return DriveLog(stamps, length, force, "synthetic")
