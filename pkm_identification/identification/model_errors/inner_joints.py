# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of the joints that no drive moves, where the file has none: Coulomb and viscous, of each joint."""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.capabilities import BodiesFile, has
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray

from .effect import Effect, find_passive_friction
from .situation import Situation

NAME = "joint_friction"


def _find_rows(machine: Machine, rubbing: Machine) -> list[int]:
    """Return which entries of the basis of a machine with friction of passive joints the file's machine has not."""
    own = set(machine.basis.names)
    return [k for k, name in enumerate(rubbing.basis.names) if name not in own]


def compute_columns(situation: Situation) -> FloatArray:
    """Return what a unit of each coefficient would add, (K, n, q)."""
    rubbing = situation.machine.with_joint_friction()
    assert rubbing is not None  # or there is no such effect
    mapping = np.eye(len(rubbing.basis))[:, _find_rows(situation.machine, rubbing)]
    rows = situation.rows  # a joint reverses within a sample, as a drive does
    return rows.in_band(rubbing.compute_regressor(rows.motion, mapping))


def effects(machine: Machine) -> list[Effect]:
    """Return that of a file of bodies and joints; nothing where it has no passive joint, or states their friction."""
    rubbing = machine.with_joint_friction() if has(machine, BodiesFile) else None
    rows = [] if rubbing is None else _find_rows(machine, rubbing)
    if rubbing is None or not rows:
        return []
    entries = [rubbing.basis.entries[k] for k in rows]
    return [
        Effect(
            NAME, "friction", "", compute_columns, np.ones(len(rows)),
            "State friction of the joints in the machine file, or estimate it with --also {name}", linear=True,
            parts=tuple(f"{NAME}_{one.name}" for one in entries), units=tuple(one.unit for one in entries),
            of_motion=find_passive_friction(machine), least=0.0,
        )
    ]  # fmt: skip
