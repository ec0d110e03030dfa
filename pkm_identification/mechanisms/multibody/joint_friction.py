# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of a mechanism's passive joints as forces along its driven coordinates.

With r = R v the rates of the joints' axes and v = B s' the tree's velocities, what the axes resist with, tau(r), takes
the driven forces B^T R^T tau by virtual power. In float64 alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .kernels.closing import read_rows
from .kernels.passive import fill_passive_columns
from .kinematics import MechanismMotion, require_regular
from .mechanism import Mechanism


def compute_rubbing_rates(mechanism: Mechanism, configuration: Any) -> FloatArray:
    """Rates of the passive joints' axes per velocity of the tree, shape (N, V + R, V).

    The first V are the tree's own velocities, the others those of the `rubbing` rows: of joints that close loops, and
    of those without spin, whose velocities are along no axes at right angles.
    """
    q = np.atleast_2d(configuration)
    rows, velocities = mechanism.row_numbers("rubbing"), mechanism.tree.velocities
    rates = np.zeros((len(q), len(rows), velocities))
    read_rows(mechanism.model, rows, q, np.zeros((len(q), len(rows))), rates)
    own = np.broadcast_to(np.eye(velocities), (len(q), velocities, velocities))
    return np.concatenate([own, rates], axis=1)


def _compute_rates(mechanism: Mechanism, motion: MechanismMotion) -> tuple[FloatArray, FloatArray]:
    """Those rates per velocity of the tree, and in a motion, (N, V + R)."""
    per_velocity = compute_rubbing_rates(mechanism, motion.configuration)
    return per_velocity, np.einsum("nrv,nv->nr", per_velocity, motion.velocity)


def compute_passive_forces(mechanism: Mechanism, motion: MechanismMotion) -> FloatArray:
    """What friction of passive joints needs along the tree's velocities, (N, V); (1, V) zeros where there is none."""
    passive = mechanism.passive_friction
    if passive is None:
        return np.zeros((1, mechanism.tree.velocities))
    per_velocity, rates = _compute_rates(mechanism, motion)
    return np.einsum("nrv,nr->nv", per_velocity, passive.force(rates))


def list_joint_friction_names(mechanism: Mechanism) -> tuple[str, ...]:
    """Return names of the columns of `joint_friction_columns`."""
    passive = mechanism.passive_friction
    names = () if passive is None else passive.names
    return tuple(f"{kind}_{name}" for kind in ("coulomb", "viscous") for name in names)


def joint_friction_columns(mechanism: Mechanism, motion: MechanismMotion) -> FloatArray:
    """Driven forces per unit of the Coulomb and the viscous coefficient of every passive joint that rubs.

    Parameters
    ----------
    mechanism : Mechanism
        In float64.
    motion : MechanismMotion
        Its accelerations are not used.

    Returns
    -------
    ndarray, shape (N, n, 2 J)
        All Coulomb columns, then all viscous ones, in the order of `list_joint_friction_names`.

    Raises
    ------
    MotionRefused
        If a configuration is singular: names the row.
    """
    count, drives = len(motion), mechanism.degrees_of_freedom
    passive = mechanism.passive_friction
    if passive is None or not count:
        return np.zeros((count, drives, len(list_joint_friction_names(mechanism))))
    columns, pivot = np.empty((count, drives, 2 * len(passive.names))), np.zeros(count)
    fill_passive_columns(
        mechanism.model, mechanism.task_rows("drives"), drives, mechanism.row_numbers("rubbing"),
        (np.ascontiguousarray(motion.configuration), np.ascontiguousarray(motion.velocity)),
        (passive.owner, passive.triples, passive.friction.transition_rate), columns, pivot,
    )  # fmt: skip
    require_regular(motion.configuration, pivot, "drives")
    return columns
