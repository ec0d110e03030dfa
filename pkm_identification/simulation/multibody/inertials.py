# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What MuJoCo is told a body weighs: its own inertia, or one that feels alike and that some body could have."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.multibody.description.parts import compute_central_moments
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.structure.bodies import (
    compute_body_velocities,
    is_possible,
    turning_axis,
)
from pkm_identification.numerics.arrays import FloatArray

from .tree_model import Inertial


def inertials(mechanism: Mechanism) -> dict[str, Inertial]:
    """Masses, centres and inertias of the bodies by name.

    A body that always turns about one axis of its own may have an inertia about that axis alone, which no body has:
    it gets the least of a body with the same moment there. Nothing of the rest is felt once the loops are closed.
    """
    turns, _ = compute_body_velocities(mechanism.model, mechanism.mobility)
    bodies = {}
    for body, turn in zip(mechanism.description.bodies, turns, strict=True):
        mass, first, inertia = compute_central_moments(body)
        axis = turning_axis(turn)
        if not is_possible(inertia) and axis is not None:
            inertia = _compute_least_inertia(axis, inertia)
        bodies[body.name] = Inertial(mass, first / mass if mass > 0 else np.zeros(3), inertia)
    return bodies


def _compute_least_inertia(axis: FloatArray, inertia: FloatArray) -> FloatArray:
    """Return the least inertia of a body with the same moment about an axis; none about none."""
    moment = axis @ inertia @ axis
    return 0.5 * moment * (np.eye(3) + np.outer(axis, axis))
