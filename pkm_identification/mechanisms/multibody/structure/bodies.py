# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What bodies may weigh, and how: inertias that some body has, or of which the joints leave nothing to feel."""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import MachineError
from pkm_identification.numerics.arrays import FloatArray

from ..description.parts import compute_central_moments
from ..description.records import Description
from ..kernels.dynamics import read_unit_motions
from .mobility import Mobility, closed_nearby, free_directions
from .model import Model

_ROUNDING = 1e-9
_FELT = 1e-9  # rad/s or m/s per unit of a motion: less is rounding


def check_bodies(description: Description, model: Model, freedom: Mobility) -> None:
    """Refuse inertias of no body where the mechanism would feel it, and planar bodies that leave their plane.

    Raises
    ------
    MachineError
        Names the body.
    """
    turns, shifts = compute_body_velocities(model, freedom)
    for b, body in enumerate(description.bodies):
        where = f"{description.source}: bodies.{body.name}:"
        if body.planar and max(_find_most(turns[b, :2]), _find_most(shifts[b, 2])) > _FELT:
            raise MachineError(f"{where} is planar, but its joints let it leave the x-y plane of its frame")
        mass, first, inertia = compute_central_moments(body)
        if mass == 0 and np.any(first):
            raise MachineError(f"{where} has first moments but no mass")
        axis = turning_axis(turns[b])
        if is_possible(inertia) or (axis is not None and axis @ inertia @ axis >= 0):
            continue
        principal = np.linalg.eigvalsh(inertia)
        raise MachineError(
            f"{where} no body has its inertia (principal moments about the centre of mass "
            f"{np.round(principal, 9).tolist()} kg m^2: each must be positive and at most the sum of the other two)"
        )


def _find_most(values: FloatArray) -> float:
    return float(np.abs(values).max(initial=0.0))


def is_possible(inertia: FloatArray) -> bool:
    """Return whether some body has this inertia (3, 3) about its centre of mass."""
    least, middle, most = np.linalg.eigvalsh(inertia)
    rounding = _ROUNDING * max(abs(least), abs(most))
    return bool(least >= -rounding and least + middle >= most - rounding)


def turning_axis(turns: FloatArray) -> FloatArray | None:
    """Return the axis (3,) of its own about which a body with these angular velocities (3, k) always turns.

    Zero where it does not turn; None where it turns about more than one.
    """
    axes, sizes, _ = np.linalg.svd(turns)
    if len(sizes) > 1 and sizes[1] > 1e3 * _FELT * max(sizes[0], 1.0):
        return None
    return axes[:, 0] if sizes[0] > _FELT else np.zeros(3)


def compute_body_velocities(model: Model, freedom: Mobility) -> tuple[FloatArray, FloatArray]:
    """Angular velocities and velocities (B, 3, k) of the bodies, own axes, per unit motion, at and near home."""
    turns, shifts = [], []
    for q in closed_nearby(model, freedom):
        gain = free_directions(model, freedom, q)
        turn = np.zeros((len(model.body), 3, gain.shape[1]))
        shift = np.zeros_like(turn)
        read_unit_motions(model, q, np.ascontiguousarray(gain), turn, shift)
        turns.append(turn)
        shifts.append(shift)
    return np.concatenate(turns, axis=2), np.concatenate(shifts, axis=2)
