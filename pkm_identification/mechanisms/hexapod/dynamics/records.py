# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the kernels know of a machine and of one sample of its motion, by name.

A call from Python costs 0.1 us for an array and 0.35 us for an array in a named tuple. Hence Python hands a machine
over as one packed array, and the compiled entries unpack it: a call with one argument instead of six is faster, and
nothing inside is identified by its place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pkm_identification.mechanisms.friction import padded_coefficients
from pkm_identification.mechanisms.friction.law import law_tuple
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import compile_inline, kernel
from pkm_identification.numerics.vector3 import at, rotate, three

from ..machine import Machine
from .basis import INERTIAL_COLUMNS, basis_parameters, joint_rows
from .strut import BASE_HINGES, NO_SPIN, PLATFORM_HINGES

Vector = tuple[float, float, float]
# Where a machine keeps its packed geometry, as a cached property would, and with it its parameters.
_KEPT = "packed geometry"
_MODELS = ("model without friction", "model")
_HINGES, _GRAVITY, _SPIN, _REVERSING, _JOINTS, _LAW = 36, 54, 57, 58, 59, 61


class KernelGeometry(NamedTuple):
    """Joints, gravity and friction law of a machine.

    Attributes
    ----------
    base, platform : ndarray, shape (6, 3)
        Joint centres in the base and in the platform frame, m.
    hinges : ndarray, shape (6, 3)
        Directions of the hinges fixed in base or platform, in its frame.
    gravity : tuple of float
        m/s^2, base frame.
    spin : int
        NO_SPIN, BASE_HINGES or PLATFORM_HINGES of `strut`.
    reversing : int
        Which term of the friction law changes sign as a strut turns back (-1: none).
    joint_rows : int
        Where the coefficients of the joints' friction are in the basis, behind those of the struts'.
    joint_transition : float
        Rate in rad/s at which the joints' friction has its transition; 0: they have none.
    law : tuple of float
        `Friction.law_parameters`.
    """

    base: FloatArray
    platform: FloatArray
    hinges: FloatArray
    gravity: Vector
    spin: int
    reversing: int
    joint_rows: int
    joint_transition: float
    law: tuple[float, ...]


class MotionSample(NamedTuple):
    """One sample of the platform's motion at its origin, base axes.

    Attributes
    ----------
    position, rotation : ndarray, shapes (3,) and (3, 3)
    twist, acceleration : ndarray, shape (6,)
        (v, w) and (a, alpha).
    """

    position: FloatArray
    rotation: FloatArray
    twist: FloatArray
    acceleration: FloatArray


def packed_geometry(machine: Machine, joint_transition: float | None = None) -> FloatArray:
    """Return what the compiled entries take for a machine, shape (65,); made once.

    With another `joint_transition` (rad/s), that of a machine whose joints' friction has its transition there.
    """
    if joint_transition is not None:
        packed = packed_geometry(machine).copy()
        packed[_JOINTS + 1] = joint_transition
        return packed
    kept = vars(machine)
    if _KEPT not in kept:
        law, joints = machine.friction.law, machine.joint_friction
        transition = 0.0 if joints is None else joints.transition_rate
        parts = (
            machine.base_joints.ravel(),
            machine.platform_joints.ravel(),
            machine.first_axes.ravel(),
            machine.gravity,
            np.array([spin_of(machine), law.reversing_term, joint_rows(machine), transition], dtype=float),
            machine.friction.law_parameters,
        )
        kept[_KEPT] = np.concatenate(parts)
    return kept[_KEPT]


def build_kernel_model(machine: Machine, friction: bool = True) -> tuple[FloatArray, FloatArray]:
    """Packed geometry and basis parameters of a machine, the latter without friction if not asked for.

    Made once, and handed on without a copy, which takes as long as a tenth of a sample's forces: never to be written.
    """
    kept = vars(machine)
    name = _MODELS[bool(friction)]
    if name not in kept:
        phi = basis_parameters(machine)
        if not friction:
            phi[INERTIAL_COLUMNS:] = 0.0
        kept[name] = packed_geometry(machine), phi
    return kept[name]


def spin_of(machine: Machine) -> int:
    """Return what makes the struts spin: NO_SPIN, BASE_HINGES or PLATFORM_HINGES of `strut`."""
    if not machine.universal:
        return NO_SPIN
    return PLATFORM_HINGES if machine.hinged_platform else BASE_HINGES


@kernel
def unpack_geometry(packed):
    """Return the `KernelGeometry` in a packed array."""
    return KernelGeometry(
        packed[:18].reshape((6, 3)),
        packed[18:36].reshape((6, 3)),
        packed[_HINGES:_GRAVITY].reshape((6, 3)),
        three(packed, _GRAVITY),
        int(packed[_SPIN]),
        int(packed[_REVERSING]),
        int(packed[_JOINTS]),
        packed[_JOINTS + 1],
        law_tuple(packed, _LAW),
    )


@compile_inline
def hinge_of(geometry, rotation, i):
    """The hinge of strut i that is fixed in base or platform, base axes."""
    if geometry.spin == PLATFORM_HINGES:
        return rotate(rotation, at(geometry.hinges, i))
    return at(geometry.hinges, i)


@kernel
def compute_friction_coefficients(geometry, phi):
    """Return the struts' friction coefficients in basis parameters as friction's kernels take them, (TERMS, 6)."""
    return padded_coefficients(phi[INERTIAL_COLUMNS : geometry.joint_rows], 6)
