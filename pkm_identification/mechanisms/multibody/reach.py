# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is in the way of a configuration that was not found: the loop that stays open, or the task that is missed."""

from __future__ import annotations

from typing import Any

import numpy as np

from .kernels.codes import ANGLE
from .mechanism import Mechanism
from .structure.tree import loop_bodies


def in_the_way(mechanism: Mechanism, task: str, values: Any, target: Any) -> str:
    """Return the largest gap at the nearest configuration, in words.

    Parameters
    ----------
    mechanism : Mechanism
    task : str
        `drives`, `outputs` or `pose`.
    values : ndarray, shape (V,)
        Of the task's rows (`Mechanism.task_rows`) there.
    target : ndarray, shape (n,)
        What the last of them should be; not used of a pose.
    """
    rows = [mechanism.rows[r] for r in mechanism.task_rows(task)]
    gaps = np.array(values, dtype=float)
    first = len(rows) - len(mechanism.places[task])
    gaps[first:] = 0.0 if task == "pose" else gaps[first:] - np.array(target, dtype=float)
    turns = np.array([row.kind == ANGLE for row in rows])
    gaps[turns] = (gaps[turns] + np.pi) % (2 * np.pi) - np.pi
    gaps = np.abs(gaps)
    worst = int(np.argmax(np.where(np.isfinite(gaps), gaps, np.inf)))
    row = rows[worst]
    if not row.joint:
        return f"the nearest configuration misses {row.label} by {gaps[worst]:.4g} {row.unit}"
    joint = next(joint for joint in mechanism.tree.cut if joint.name == row.joint)
    chain = ", ".join(loop_bodies(mechanism.tree, joint))
    size = f"{gaps[worst]:.4g} m" if row.unit == "m" else f"{gaps[worst]:.4g} rad"
    return f"the loop {chain} stays open by {size} at {row.label}"
