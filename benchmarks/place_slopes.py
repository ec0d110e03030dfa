# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.place_slopes [MACHINE ...]`: what joints elsewhere do to forces, and how long that takes.

By machines that are changed and closed anew, and by the factors of the known one; processor time in s, and the largest
difference over the largest slope. Machines are those of `benchmarks.rows`, or files.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from pkm_identification.machines.contract import OK
from pkm_identification.machines.load import read_machine
from pkm_identification.machines.place_slopes import compute_place_slopes, differentiate_by_places
from pkm_identification.numerics.arrays import FloatArray

from .rows.subjects import read_subject

ROWS, SECONDS = 400, 8.0
PART = 0.2  # of a large change of each drive


def _measure(compute: Callable[[], FloatArray]) -> tuple[FloatArray, float]:
    started = time.process_time()
    return compute(), time.process_time() - started


def main(names: list[str]) -> None:
    """Print a row of a table for each machine."""
    print(
        "| machine | places | rows | closed anew, s | by factors, s | difference |\n|---|---|---|---|---|---|"
    )
    for name in names:
        machine = read_machine(read_subject(name))
        size = PART * np.array([drive.size for drive in machine.drives])
        pace = np.linspace(3.0, 6.0, len(size))
        angle = pace * np.linspace(0.0, SECONDS, ROWS)[:, None]
        drives = size * np.sin(angle), size * pace * np.cos(angle), -size * pace**2 * np.sin(angle)
        motion = machine.compute_motion(machine.home + drives[0], *drives[1:])
        motion = motion[motion.status == OK]
        values, paths = (
            machine.basis.nominal,
            [path for places in machine.joint_places.values() for path in places],
        )
        differentiate_by_places(machine, motion[:1], values, paths[:1])  # compiles
        compute_place_slopes(machine, motion[:1], values, paths[:1])
        old, anew = _measure(lambda: differentiate_by_places(machine, motion, values, paths))  # noqa: B023
        new, factors = _measure(lambda: compute_place_slopes(machine, motion, values, paths))  # noqa: B023
        off = np.abs(new - old).max() / np.abs(old).max()
        print(
            f"| {name} | {len(paths)} | {len(motion)} | {anew:.2f} | {factors:.2f} | {off:.1e} |", flush=True
        )


if __name__ == "__main__":
    main(sys.argv[1:] or ["6-RSS", "6-PUS", "mast", "delta", "five-bar", "panda"])
