# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward dynamics beside MuJoCo's and pinocchio's closed loops."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics import forward_dynamics
from pkm_identification.mechanisms.hexapod.machine import Machine

from .peers import MujocoLoops, PinocchioTree
from .results import Effort, Findings, Item, Peer, agree
from .states import scattered
from .timing import Case, interleaved

SAMPLES = 100
BATCH = 1000


def measure(machine: Machine, effort: Effort, findings: Findings) -> None:
    many, few = scattered(machine, BATCH, 5), scattered(machine, SAMPLES, 6)
    rng = np.random.default_rng(7)
    many_forces, forces = rng.normal(0.0, 100.0, (BATCH, 6)), rng.normal(0.0, 100.0, (SAMPLES, 6))
    states = [
        (few.position[n : n + 1], few.rotation[n : n + 1], few.twist[n : n + 1], forces[n : n + 1])
        for n in range(SAMPLES)
    ]
    expected = forward_dynamics(machine, few.position, few.rotation, few.twist, forces, friction=False)
    loops, tree = MujocoLoops(machine, few), PinocchioTree(machine, few)
    tree.close()
    found = tree.platform_accelerations(tree.accelerations(forces), few)
    agreement = [agree("pinocchio", found, expected, 1e-7)]
    found = loops.platform_accelerations(loops.accelerations(forces), few)
    # its constraints are soft by design
    agreement.append(agree("MuJoCo", found, expected, 1e-2))

    def batch() -> None:
        forward_dynamics(machine, many.position, many.rotation, many.twist, many_forces, friction=False)

    def one_by_one() -> None:
        for state in states:
            forward_dynamics(machine, *state, friction=False)

    cases = [
        Case("batch", batch, BATCH),
        Case("one call", one_by_one, SAMPLES),
        Case("MuJoCo", lambda: loops.accelerations(forces), SAMPLES),
        Case("pinocchio", lambda: tree.accelerations(forces), SAMPLES),
    ]
    timings = interleaved(cases, effort.rounds)
    peers = (
        Peer("MuJoCo mj_forward", timings["MuJoCo"], "state in, acceleration out; our MJCF, its soft loops"),
        Peer("pinocchio constraintDynamics", timings["pinocchio"], "24-dof tree, six point constraints"),
    )
    text = ", ".join(agreement)
    findings.items += [
        Item("forward dynamics, per step in a batch", timings["batch"], 12e-6, peers, text),
        Item("forward dynamics, one call", timings["one call"], 12e-6, peers, text),
    ]
