# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How well the numbers of a file of bodies with joints and loops are known."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pkm_identification.mechanisms.multibody.description.known_constants import spread_constants
from pkm_identification.mechanisms.multibody.description.parts import compute_central_moments
from pkm_identification.mechanisms.multibody.extents import compute_body_sizes
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

from ..contract import Machine
from .bodies import SMALLEST, BodyValues
from .build import build_knowledge
from .records import Knowledge

# Entries of the key `parameters`, first moments and inertia about the frame's origin
_SPATIAL = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
_PLANAR = (0, 1, 2, 3)
STANDARD_GRAVITY = 9.80665  # m/s^2


def knowledge_of_mechanism(machine: Machine, mechanism: Mechanism) -> Knowledge:
    """Return how well the numbers of a mechanism's file are known."""
    description = mechanism.description
    still = machine.home[None]
    motion = machine.compute_motion(still, np.zeros_like(still), np.zeros_like(still))
    mass, _ = machine.compute_mass_and_bias(motion, machine.basis.nominal)
    moved = np.abs(np.diagonal(mass[0]))
    lever = np.array([1.0 if one.unit == "m" else 0.5 * machine.size for one in machine.drives])
    moved = np.where(moved > 0.0, moved, machine.force_size * lever / STANDARD_GRAVITY)
    keys = {"motor_inertia": "drives.@.inertia"}
    if "torque_constant" in (machine.document.get("actuator") or {}):
        keys["common_force_gain"] = "actuator.torque_constant"
    statements, shared = spread_constants(machine.document, description.known)
    bodies = list(list_body_values(mechanism))
    return build_knowledge(machine, bodies, statements, description.tolerances, moved, keys, shared)


def list_body_values(mechanism: Mechanism) -> Iterator[BodyValues]:
    """Yield the bodies in the order of the file."""
    description = mechanism.description
    sections = description.document.get("bodies", {})
    for body, size in zip(description.bodies, compute_body_sizes(mechanism)[1], strict=True):
        mass, first, inertia = compute_central_moments(body)
        center = first / mass if mass > 0.0 else np.zeros(3)
        moments, products = np.diagonal(inertia), inertia[[0, 0, 1], [1, 2, 2]]
        if body.planar:
            center, moments, products = center[:2], moments[2:], products[:0]
        section = f"bodies.{body.name}"
        given = "parameters" in sections.get(body.name, {})
        keys = [f"parameters.{k}" for k in (_PLANAR if body.planar else _SPATIAL)]
        if not given:
            keys = ["mass", *(f"center_of_mass.{k}" for k in range(len(center)))]
            keys += [f"inertia.{k}" for k in range(len(moments) + len(products))]
        yield BodyValues(
            body.name, section, float(size) or SMALLEST, mass, center, moments, products,
            tuple(f"{section}.{key}" for key in keys), given,
        )  # fmt: skip
