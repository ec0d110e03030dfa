# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward kinematics beside SciPy's solvers and a Newton iteration in NumPy."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from pkm_identification.mechanisms.hexapod.kinematics.forward import FAILED, forward_kinematics
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine

from .peers import NumpyKinematics
from .results import Effort, Findings, Item, Peer, agree
from .states import along_path, scattered
from .timing import Case, interleaved

SAMPLES = 60
BATCH = 4000


def measure(machine: Machine, effort: Effort, findings: Findings) -> None:
    path = along_path(machine, BATCH)
    lengths = strut_lengths(machine, path.position, path.rotation)
    # each pose is searched from the one a millisecond before it
    chosen = np.linspace(1, BATCH - 1, SAMPLES).astype(int)
    starts = [(path.position[n - 1].copy(), path.rotation[n - 1].copy()) for n in chosen]
    targets = [lengths[n].copy() for n in chosen]
    batch_targets = [target[None].copy() for target in targets]
    plain = NumpyKinematics(machine)
    solvers = {
        "scipy fsolve": plain.fsolve,
        "scipy least_squares": plain.least_squares,
        "NumPy Newton": plain.newton,
    }
    expected = forward_kinematics(machine, lengths).position[chosen]
    agree("the pose itself", expected, path.position[chosen], 1e-9)
    agreement = []
    for name, solver in solvers.items():
        found = np.array([solver(target, *start) for target, start in zip(targets, starts)])
        agreement.append(agree(name, found, expected, 1e-8))

    def one_by_one() -> None:
        for target, start in zip(batch_targets, starts):
            forward_kinematics(machine, target, start)

    def loop(solver):
        return lambda: [solver(target, *start) for target, start in zip(targets, starts)]

    cases = [
        Case("batch", lambda: forward_kinematics(machine, lengths), BATCH),
        Case("one call", one_by_one, SAMPLES),
        *(Case(name, loop(solver), SAMPLES) for name, solver in solvers.items()),
    ]
    timings = interleaved(cases, effort.rounds)
    peers = tuple(Peer(name, timings[name], "from the pose 1 ms before") for name in solvers)
    text = ", ".join(agreement)
    findings.items += [
        Item("forward kinematics, per pose in a batch", timings["batch"], 2e-6, peers, text, "1 kHz path"),
        Item("forward kinematics, one call", timings["one call"], 20e-6, peers, text, "condition included"),
    ]
    _failures(machine, effort, findings)


def _failures(machine: Machine, effort: Effort, findings: Findings) -> None:
    poses = scattered(machine, effort.poses)
    lengths = strut_lengths(machine, poses.position, poses.rotation)
    start = perf_counter()
    found = forward_kinematics(machine, lengths)
    seconds = perf_counter() - start
    failed = int(np.sum(found.status == FAILED))
    wrong = np.linalg.norm(found.position - poses.position, axis=1) > 1e-6
    unproved = int(np.sum(wrong & found.joined & (found.status != FAILED)))
    findings.remarks.append(
        f"Forward kinematics of {effort.poses} random poses of the workspace, each searched from the one before: "
        f"{failed} failed, {int(wrong.sum())} in another assembly mode (of those wrongly called proved: {unproved}); "
        f"{1e6 * seconds / effort.poses:.1f} µs per pose."
    )
