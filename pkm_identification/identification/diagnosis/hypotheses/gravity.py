"""Gravity from another direction than the machine file has: a base that does not stand level."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray

from ..situation import Situation
from .hypothesis import Effect, repeated

TILT = 0.03  # rad, a large one
STEP = 1e-3  # rad


def across(gravity: FloatArray) -> FloatArray:
    """Two directions (2, 3) about which gravity can be tilted: unit vectors, at right angles to it."""
    down = gravity / np.linalg.norm(gravity)
    first = np.cross(down, np.eye(3)[int(np.argmin(np.abs(down)))])
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(down, first)])


def turned(machine: Machine, angles: FloatArray) -> Machine:
    """The machine with its gravity turned by two angles in rad, (2,), about the directions `across` it."""
    angle = float(np.linalg.norm(angles))
    if angle == 0.0:
        return machine
    axis = angles @ across(machine.gravity) / angle
    g = machine.gravity
    return replace(machine, gravity=np.cos(angle) * g + np.sin(angle) * np.cross(axis, g))


def tilted(situation: Situation) -> FloatArray:
    """What a radian about each of the two directions would add, N."""
    machine = situation.machine
    return np.stack([situation.of_machine(turned(machine, STEP * row)) / STEP for row in np.eye(2)], axis=2)


def effects(machine: Machine) -> list[Effect]:
    """Of the direction of gravity; none where there is no gravity."""
    if not np.any(machine.gravity):
        return []
    return [
        Effect(
            "gravity_direction",
            "gravity",
            "rad",
            tilted,
            repeated(TILT, 2),
            "Level the base, or set gravity in the machine file",
        )
    ]
