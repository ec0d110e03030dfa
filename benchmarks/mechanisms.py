# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mechanisms by the general way: the 3PRS table and the hexapod, beside pinocchio and the hexapod's own kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.dynamics.thirteen_bodies import compute_body_regressor
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.kinematics import MechanismMotion
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

from .mechanism_peers import PinocchioMechanism
from .results import Effort, Findings, Item, Peer, agree
from .states import scattered
from .timing import Case, interleaved

BATCH = 10_000
FEW = 100
WHOLE = "from outputs (a pose), rates and accelerations: loops closed from home, then forces"
TREE = (
    "rnea of the tree and one solve with constraints and drives; tree coordinates made beforehand, not timed"
)


def measure(machine: Machine, effort: Effort, findings: Findings) -> None:
    _table(effort, findings)
    _hexapod(machine, effort, findings)


def _table(effort: Effort, findings: Findings) -> None:
    table = Mechanism.load("mast")
    rng = np.random.default_rng(8)
    poses = np.column_stack([rng.uniform(0.35, 0.45, BATCH), rng.uniform(-0.3, 0.3, (BATCH, 2))])
    rates, accelerations = rng.normal(0.0, 0.5, (2, BATCH, 3))

    def moved() -> MechanismMotion:
        return kinematics.motion_of_outputs(table, poses, rates, accelerations)

    _measured("3PRS table", 20e-6, table, moved, {}, {}, "", effort, findings)


def _hexapod(machine: Machine, effort: Effort, findings: Findings) -> None:
    general, motion = Mechanism.from_machine(machine), scattered(machine, BATCH, 9)

    def moved() -> MechanismMotion:
        return kinematics.motion_of_pose(
            general, motion.position, motion.rotation, motion.twist, motion.acceleration
        )

    expected = strut_forces(machine, motion, friction=False)
    same = agree("hexapod kernels", dynamics.forces(general, moved(), friction=False), expected, 1e-9)
    own = {"the hexapod's own kernels": lambda: strut_forces(machine, motion)}
    columns = {"the hexapod's 130 columns, NumPy": lambda: compute_body_regressor(machine, motion)}
    _measured("hexapod as mechanism", 60e-6, general, moved, own, columns, same, effort, findings)


def _measured(
    name: str,
    budget: float,
    mechanism: Mechanism,
    moved: Callable[[], MechanismMotion],
    own_forces: Mapping[str, Callable[[], object]],
    own_columns: Mapping[str, Callable[[], object]],
    agreement: str,
    effort: Effort,
    findings: Findings,
) -> None:
    """Forces with and without kinematics, and the regressor; `own_...` are our special kernels by name."""
    motion, tree = moved(), PinocchioMechanism(mechanism)
    states = list(zip(motion.configuration[:FEW], motion.velocity[:FEW], motion.acceleration[:FEW]))

    def by_tree() -> np.ndarray:
        return np.array([tree.regular_forces(*state) for state in states])

    turning = dynamics.drive_inertia(mechanism) * motion.drive_acceleration
    expected = dynamics.forces(mechanism, motion, friction=False) - turning
    agreement = ", ".join(filter(None, [agreement, agree("pinocchio", by_tree(), expected[:FEW], 1e-8)]))
    cases = [
        Case("whole", lambda: dynamics.forces(mechanism, moved()), BATCH),
        Case("forces", lambda: dynamics.forces(mechanism, motion), BATCH),
        Case("regressor", lambda: dynamics.regressor(mechanism, motion), BATCH),
        Case("pinocchio", by_tree, FEW),
        *(Case(title, run, BATCH) for title, run in ({**own_forces, **own_columns}).items()),
    ]
    timings = interleaved(cases, max(effort.rounds // 4, 3))
    peers = (
        Peer("pinocchio, tree and projection", timings["pinocchio"], TREE),
        *(Peer(title, timings[title]) for title in own_forces),
    )
    columns = tuple(Peer(title, timings[title]) for title in own_columns)
    width = 10 * len(mechanism.description.bodies)
    shape = f"{mechanism.degrees_of_freedom} x {width}"
    findings.items += [
        Item(f"{name}: forces, per sample in a batch", timings["whole"], budget, peers, agreement, WHOLE),
        Item(f"{name}: forces of a closed motion, per sample", timings["forces"], budget, peers, agreement),
        Item(f"{name}: regressor {shape}, per sample", timings["regressor"], None, columns, ""),
    ]
