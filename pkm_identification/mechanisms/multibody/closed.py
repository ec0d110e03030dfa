# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Configurations found by closing loops, with a certificate each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pkm_identification.errors import MotionRefused

from .kernels.codes import ANGLE, DEGRADED, OK, STATUS_NAMES
from .mechanism import Mechanism
from .structure.tree import loop_bodies

SHOWN = 6  # digits of what a message tells


@dataclass(frozen=True)
class Closed:
    """Configurations with a certificate each.

    Attributes
    ----------
    configuration : ndarray, shape (N, Q)
        Coordinates of the tree; meaningless where not found.
    status : ndarray of int64, shape (N,)
        OK, DEGRADED (near a singularity), FAILED, SINGULAR or OTHER_MODE; `kernels.codes` names them.
    iterations : ndarray of int64, shape (N,)
        Newton steps of the last segment.
    residual : ndarray, shape (N,)
        Largest gap of a loop or distance from a target: m, rad.
    pivot : ndarray, shape (N,)
        Smallest over largest pivot of the last system: near zero at dead points and change-points.
    gap : ndarray of object, shape (N,)
        What has the largest gap where not found; empty text where found.
    """

    configuration: Any
    status: np.ndarray
    iterations: np.ndarray
    residual: Any
    pivot: Any
    gap: np.ndarray

    def __len__(self) -> int:
        return len(self.status)

    @property
    def found(self) -> np.ndarray:
        """Which samples have a configuration, shape (N,)."""
        return (self.status == OK) | (self.status == DEGRADED)

    def required(self, target: Any, what: str) -> Any:
        """Return the configurations.

        Raises
        ------
        MotionRefused
            If one was not found: names the row, what was asked for, and which joint or part was in the way.
        """
        bad = np.flatnonzero(~self.found)
        if len(bad):
            n = int(bad[0])
            asked = ", ".join(f"{float(value):.{SHOWN}g}" for value in np.ravel(target[n]))
            raise MotionRefused(f"row {n + 1}: {what} ({asked}): {self.reason(n)}")
        return self.configuration

    def reason(self, n: int) -> str:
        """Return why sample n was not found."""
        name = STATUS_NAMES[int(self.status[n])]
        if name == "singular":
            return f"singular: dead point or change-point (smallest over largest pivot {abs(float(self.pivot[n])):.1e})"
        if name == "other assembly mode":
            return "no path from home: only another assembly mode reaches it"
        return f"out of reach: {self.gap[n]}"


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
