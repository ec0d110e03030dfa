# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Batches shared out among threads beside the same on one, in turns."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics import forward_dynamics, regressor, strut_forces
from pkm_identification.mechanisms.hexapod.dynamics.regressor import SparseMapping
from pkm_identification.mechanisms.hexapod.kinematics.forward import forward_kinematics
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters

from .results import Effort, Findings, Shared
from .states import along_path
from .timing import Case, interleaved

SAMPLES = 100_000
LENGTHS = 10  # times as many for inverse kinematics, of which so few take no longer than starting a thread
THREADS = 2


def measure(machine: Machine, effort: Effort, findings: Findings) -> None:
    motion = along_path(machine, SAMPLES)
    length = strut_lengths(machine, motion.position, motion.rotation)
    mapping = SparseMapping.of(machine, list_hexapod_parameters(machine, "identifiable").mapping)
    state = motion.position, motion.rotation, motion.twist
    pushing = np.random.default_rng(7).normal(0.0, 100.0, (SAMPLES, 6))
    poses = np.tile(motion.position, (LENGTHS, 1)), np.tile(motion.rotation, (LENGTHS, 1, 1))
    batches = {
        "inverse kinematics": lambda n: strut_lengths(machine, *poses, threads=n),
        "forward kinematics": lambda n: forward_kinematics(machine, length, threads=n).position,
        "strut forces": lambda n: strut_forces(machine, motion, threads=n),
        "regressor 6 x 20": lambda n: regressor(machine, motion, mapping, threads=n),
        "forward dynamics": lambda n: forward_dynamics(machine, *state, pushing, threads=n),
    }
    for name, batch in batches.items():
        if not np.array_equal(batch(THREADS), batch(1)):
            raise AssertionError(f"{name}: other numbers on {THREADS} threads")
        samples = len(batch(1))
        cases = [
            Case(f"{threads}", lambda batch=batch, threads=threads: batch(threads), samples)
            for threads in (1, THREADS)
        ]
        timings = interleaved(cases, effort.rounds)
        findings.shared.append(Shared(name, samples, THREADS, timings["1"], timings[f"{THREADS}"]))
