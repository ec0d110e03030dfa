# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The online pipeline: time of a step, of one that completes an equation, of the estimate, memory over a long run."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from time import perf_counter

import numpy as np

from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine

from .results import Effort, Findings, Item, Memory
from .states import PERIOD, along_path
from .timing import Timing

PATH = 20_000  # samples: the motion's own period, fed again and again
PIECE = 1000
MARKS = 10
SINGLE = 5000  # steps timed one by one


def resident() -> float:
    """Memory of this process in MB; NaN where there is no /proc."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return float("nan")
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(machine: Machine, effort: Effort, findings: Findings) -> None:
    motion = along_path(machine, PATH)
    rng = np.random.default_rng(9)
    count = 1.0 / machine.drive.counts_per_meter
    length = count * np.round(strut_lengths(machine, motion.position, motion.rotation) / count)
    force = strut_forces(machine, motion) + rng.normal(0.0, 1.0, (PATH, 6))
    pipeline = OnlinePipeline(machine)
    pipeline.warm_up()
    samples = list(zip(length, force))
    piece_means, single, learning, published = [], [], [], []
    marks, memory, around = [], [], []
    collecting = gc.isenabled()
    gc.collect()
    tenth = effort.online_steps // PIECE // MARKS
    for first in range(0, effort.online_steps, PIECE):
        start = perf_counter()
        for n in range(first, first + PIECE):
            pipeline.step(n * PERIOD, *samples[n % PATH])
        piece_means.append((perf_counter() - start) / PIECE)
        if len(piece_means) % tenth == 0:
            marks.append(first + PIECE)
            memory.append(resident())
            around.append(float(np.median(piece_means[-tenth:])))
    # one by one, to see the expensive ones
    gc.disable()
    try:
        for n in range(effort.online_steps, effort.online_steps + SINGLE):
            start = perf_counter()
            learned = pipeline.step(n * PERIOD, *samples[n % PATH])
            single.append(perf_counter() - start)
            if learned:
                learning.append(single[-1])
                # what a node does when it is time to publish
                _ = pipeline.estimate
                published.append(perf_counter() - start)
    finally:
        if collecting:
            gc.enable()
    counts, made = pipeline.filter_stage.counts, pipeline.estimate.count
    findings.memory.append(Memory(tuple(marks), tuple(memory), tuple(around)))
    p50, p99 = (1e6 * q for q in np.percentile(single, [50.0, 99.0]))
    note = f"every step, UKF included when due ({effort.online_steps} samples, {made} estimates)"
    findings.items += [
        Item("online step, mean per sample", Timing.of(piece_means), 150e-6, note=note),
        Item(
            "online step that completes an equation",
            Timing.of(learning),
            80e-6,
            note="UKF step and the watch for payloads and drift included; sums for the deviations, and the fit's "
            "judgement, are worked on with the sample after",
        ),
        Item(
            "sample in, estimate out",
            Timing.of(published),
            100e-6,
            note="such a step and the estimate asked for after it, with deviations and statuses, as to publish it",
        ),
    ]
    findings.remarks.append(
        f"Online steps one by one: median {p50:.0f} µs, 99th percentile {p99:.0f} µs, slowest {1e6 * max(single):.0f} "
        f"µs; {counts['accepted']} samples accepted of {effort.online_steps + SINGLE}."
    )
    half = MARKS // 2 - 1
    growth = memory[-1] - memory[half]
    findings.remarks.append(
        f"Memory of the online pipeline: {memory[half]:.2f} MB resident after {marks[half]} steps, {memory[-1]:.2f} MB "
        f"after {marks[-1]} ({1e6 * growth / (marks[-1] - marks[half]):.2f} bytes per step; the process with all that "
        f"this run has loaded); {1e6 * around[0]:.0f} µs per step in the first tenth, {1e6 * around[-1]:.0f} µs in "
        "the last."
    )
