# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs of machines that are no hexapods, from exact motions and independent forces, with faults as life makes them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from benchmarks.field import parallel_machines as documents
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.mechanisms.multibody.kinematics import motion_of_drives
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.motion import DriveLog
from pkm_identification.simulation.multibody.motions import generate_motion

PERIOD, DURATION, NOISE = 2e-3, 12.0, 0.01
LAWS = {
    "coulomb": {},
    "asymmetric": {"asymmetry": [0.2, -0.1]},
    "stribeck": {"static_ratio": 1.6, "stribeck_rate": 0.1},
    "smooth": {},
}


@cache
def five_bar(law: str = "coulomb") -> Multibody:
    friction = {
        "law": law,
        "viscous": [0.8, 1.1],
        "coulomb": [1.5, 1.0],
        "transition_rate": 0.02,
        **LAWS[law],
    }
    return Multibody(
        Mechanism.from_document(documents.five_bar() | {"friction": documents.as_text(friction)})
    )


@cache
def exact(law: str = "coulomb", motion: str = "rich", seed: int = 0) -> DriveLog:
    """A log with white noise on forces alone, at even stamps."""
    mechanism, time = five_bar(law).mechanism, np.arange(0.0, DURATION, PERIOD)
    made = generate_motion(motion, mechanism, DURATION)
    return with_noise(
        time, made.drives(time)[0], dynamics.forces(mechanism, made.motion(mechanism, time)), seed
    )


def with_noise(time, coordinate, force, seed: int = 0) -> DriveLog:
    random = np.random.default_rng(seed)
    size = NOISE * np.sqrt(np.mean(force**2, axis=0))
    return DriveLog(time, coordinate, force + size * random.standard_normal(force.shape))


def sampled_at(stamps, law: str = "coulomb") -> DriveLog:
    """The log of the same motion, its samples taken at given stamps."""
    mechanism = five_bar(law).mechanism
    made = generate_motion("rich", mechanism, DURATION)
    moved = motion_of_drives(mechanism, *made.drives(stamps))
    return with_noise(stamps, made.drives(stamps)[0], dynamics.forces(mechanism, moved))


def rows_of(log: DriveLog, rows) -> DriveLog:
    return replace(log, time=log.time[rows], coordinate=log.coordinate[rows], force=log.force[rows])
