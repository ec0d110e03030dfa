# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A hexapod described as a mechanism: a platform on six struts of two bodies each.

Frames are those of `hexapod.dynamics.thirteen_bodies`: the platform's own; body B's at the base joint and body E's
at the platform joint, z along the strut, x along the hinge that is fixed in the base (in the platform, where universal
joints are there) where the second angle is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pkm_identification.errors import MachineError
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_vector_from_matrix, matrix_from_vector

from ...hexapod.dynamics.thirteen_bodies import BODIES, list_body_parameters
from ...hexapod.joint_friction import ENDS
from ...hexapod.joint_limits import interval
from ...hexapod.kinematics.strut_frames import SMALLEST_ANGLE, compute_strut_coordinates, strut_frames
from ...hexapod.machine import Machine
from ..numbers.arithmetic import FLOAT64
from ..numbers.exact import ONE, ZERO, Exact, ExactVector, cross_product, exact
from .parts import across
from .records import JOINT_TRANSITION_RATE, NO_VECTOR, Body, Description, Drive, Home, Joint, Measure

_X, _Y, _Z = (ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE)
_ALIKE, _ACROSS = (_Z, _Z), (_X, _X)  # axes and references of joints whose bodies have the same axes
SLIDES = tuple(f"length_{i + 1}" for i in range(STRUTS))


def build_hexapod_description(
    machine: Machine, bodies: Sequence[str] = BODIES, slides: Sequence[str] = SLIDES
) -> Description:
    """Return the thirteen bodies of a hexapod, their joints, and strut lengths as driven coordinates.

    `bodies` and `slides` name them: the platform, then B and E of each strut; the joints along the struts.

    Raises
    ------
    MachineError
        If its universal joints run along their struts at home, or a slide has the name of another joint.
    """
    parameters = list_body_parameters(machine).reshape(len(BODIES), -1)
    rubbing = machine.joint_friction
    base_end, platform_end = ENDS
    joints, drives = [], []
    guess: dict[str, tuple[Exact, ...]] = {}
    hinged = _hinge_machine(machine)
    hinges = [_read_vector(hinge) for hinge in strut_frames(hinged)[:, :, 0]]
    # where the first angle is zero is free: a direction that needs no root where the hinge is a coordinate axis
    seconds = [cross_product(hinge, across(hinge)) for hinge in hinges]
    zero = np.stack([_compute_axes(hinge, second) for hinge, second in zip(hinges, seconds, strict=True)])
    at_home = compute_strut_coordinates(zero, hinged, machine.home_position, machine.home_rotation)
    for i in range(len(machine.struts)):
        body_b, body_e = bodies[1 + 2 * i : 3 + 2 * i]
        base, platform = _read_vector(machine.base_joints[i]), _read_vector(machine.platform_joints[i])
        slide = slides[i]
        if machine.hinged_platform:
            near, far = platform_end, base_end
            hinged_bodies, hinged_at = (bodies[0], body_e), platform
            ball_bodies, ends = ("ground", body_b), (base, NO_VECTOR)
        else:
            near, far = base_end, platform_end
            hinged_bodies, hinged_at = ("ground", body_b), base
            ball_bodies, ends = (body_e, bodies[0]), (NO_VECTOR, platform)
            if machine.joint_limits.swing is not None:
                # what a ball limits is how far its second body's axis leans: the strut's, as the platform sees it
                ball_bodies, ends = (bodies[0], body_e), (platform, NO_VECTOR)
        swing = f"{near}_{i + 1}"
        joints += [
            Joint(
                swing,
                "universal" if machine.universal else "no_spin",
                hinged_bodies,
                (hinged_at, NO_VECTOR),
                (hinges[i], _Y),
                (seconds[i], _X),
                *_read_joint_friction(machine, near, i),
                _read_hinge_limits(machine, hinges[i], at_home[i, :2], i),
            ),
            Joint(slide, "prismatic", (body_b, body_e), (NO_VECTOR, NO_VECTOR), _ALIKE, _ACROSS),
            Joint(
                f"{far}_{i + 1}",
                "spherical",
                ball_bodies,
                ends,
                _ALIKE,
                _ACROSS,
                *_read_joint_friction(machine, far, i),
                _read_swing_limit(machine),
            ),
        ]
        guess[swing], guess[slide] = _read_vector(at_home[i, :2]), _read_vector(at_home[i, 2:])
        drives.append(
            Drive(
                Measure(SLIDES[i], "combination", "m", {slide: ONE}, numbers=()),
                f"force_{i + 1}",
                (exact(float(machine.length_limits[0])), exact(float(machine.length_limits[1]))),
                exact(machine.turning_mass(i)),
            )
        )
    names = [joint.name for joint in joints]
    if taken := {name for name in names if names.count(name) > 1}:
        raise MachineError(
            f"machine '{machine.name}': joint_names: '{min(taken)}' is another joint of the tree; choose another name"
        )
    if machine.hinged_platform:
        guess["base_1"] = _read_vector(_turn_at_home(machine, zero[0], at_home[0]))
    return Description(
        name=machine.name,
        description=machine.description,
        source=f"machine '{machine.name}'",
        gravity=_read_vector(machine.gravity),
        bodies=tuple(Body(name, _read_vector(row)) for name, row in zip(bodies, parameters, strict=True)),
        joints=tuple(joints),
        drives=tuple(drives),
        outputs=tuple(drive.measure for drive in drives),
        readings=(),
        home=Home(False, tuple(guess[slide][0] for slide in slides), guess),
        friction=machine.friction,
        pose=bodies[0],
        document=machine.document,
        full_document=machine.full_document,
        actuators=machine.actuators,
        control=machine.control,
        joint_transition_rate=JOINT_TRANSITION_RATE if rubbing is None else rubbing.transition_rate,
    )


def _read_joint_friction(machine: Machine, end: str, strut: int) -> tuple[Exact, Exact]:
    """Viscous and Coulomb coefficient of a strut's joint at either end."""
    if machine.joint_friction is None:
        return ZERO, ZERO
    coulomb, viscous = machine.joint_friction.coefficients.reshape(len(ENDS), 2, -1)[
        ENDS.index(end), :, strut
    ]
    return exact(float(viscous)), exact(float(coulomb))


def _read_hinge_limits(
    machine: Machine, hinge: ExactVector, at_home: FloatArray, strut: int
) -> tuple[tuple[Exact, Exact], ...]:
    """Least and greatest angles of a strut's two hinges; a machine file counts from home.

    Raises
    ------
    MachineError
        If the strut runs along the hinge that the limits count about.
    """
    limits = machine.joint_limits
    if (limits.first, limits.second) == (None, None):
        return ()
    if np.linalg.norm(np.cross(FLOAT64.array(hinge), machine.first_axes[strut])) > SMALLEST_ANGLE:
        raise MachineError(
            f"machine '{machine.name}': angle_limits: strut {strut + 1} runs along the first axis of its joint"
        )
    intervals = []
    # a file's second angle grows away from the hinge, the joint's towards it
    for angle, sign, limit in zip(at_home, (1.0, -1.0), limits.hinges, strict=True):
        ends = (-np.pi, np.pi) if limit is None else sorted(angle + sign * np.array(interval(limit)))
        intervals.append((exact(float(ends[0])), exact(float(ends[1]))))
    return tuple(intervals)


def _read_swing_limit(machine: Machine) -> tuple[tuple[Exact, Exact], ...]:
    swing = machine.joint_limits.swing
    return () if swing is None else ((ZERO, exact(float(swing))),)


def _hinge_machine(machine: Machine) -> Machine:
    """Return the machine with universal joints that have the hinges of its body frames.

    Without spin any hinge does, and a strut may run along the one of the machine's: it gets another.
    """
    if machine.universal:
        return machine
    frames = strut_frames(machine)
    along = np.linalg.norm(np.cross(machine.first_axes, frames[:, :, 2]), axis=1) < SMALLEST_ANGLE
    hinges = np.where(along[:, None], frames[:, :, 0], machine.first_axes)
    return replace(machine, base_joint="universal", first_axes=hinges)


def _compute_axes(hinge: ExactVector, second: ExactVector) -> FloatArray:
    """Axes as columns (3, 3) of a joint whose angles are zero."""
    x, y = FLOAT64.array(hinge), FLOAT64.array(second)
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def _turn_at_home(machine: Machine, zero: FloatArray, coordinates: FloatArray) -> FloatArray:
    """Rotation vector (3,) at home of a strut's body that hangs on hinges of the platform."""
    first, second = (
        matrix_from_vector(angle * axis) for angle, axis in zip(coordinates[:2], np.eye(3)[:2], strict=True)
    )
    return build_vector_from_matrix(machine.home_rotation @ zero @ first @ second)


def _read_vector(values: np.ndarray) -> ExactVector:
    return tuple(exact(float(value)) for value in values)
