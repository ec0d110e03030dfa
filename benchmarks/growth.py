# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How the cost of one call grows with the number of samples."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.forward import forward_kinematics
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion

from .results import Effort, Findings, Growth
from .states import along_path
from .timing import Case, interleaved

PATH = 20_000  # samples: the motion's own period


def measure(machine: Machine, effort: Effort, findings: Findings) -> None:
    counts = [10**k for k in range(len(str(effort.largest)))]
    motion = along_path(machine, PATH)
    lengths = strut_lengths(machine, motion.position, motion.rotation)
    seconds: dict[str, list[float]] = {"forward kinematics": [], "strut forces": []}
    for count in counts:
        turns = np.arange(count) % PATH
        part = PlatformMotion(
            turns * 1e-3,
            motion.position[turns],
            motion.rotation[turns],
            motion.twist[turns],
            motion.acceleration[turns],
        )
        own = lengths[turns]
        # short calls often enough that the clock does not matter
        calls = max(1, 1000 // count)
        cases = [
            Case(
                "forward kinematics",
                lambda own=own, calls=calls: [forward_kinematics(machine, own) for _ in range(calls)],
                calls,
            ),
            Case(
                "strut forces",
                lambda part=part, calls=calls: [strut_forces(machine, part) for _ in range(calls)],
                calls,
            ),
        ]
        timings = interleaved(cases, max(3, min(effort.rounds, 300_000 // count)))
        for name, timing in timings.items():
            seconds[name].append(timing.median)
    findings.growth += [Growth(name, tuple(counts), tuple(values)) for name, values in seconds.items()]
