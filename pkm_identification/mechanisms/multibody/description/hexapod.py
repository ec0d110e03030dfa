"""A hexapod described as a mechanism: a platform on six struts of two bodies each.

Frames are those of `hexapod.dynamics.thirteen_bodies`: the platform's own; body B's at the base joint and body E's
at the platform joint, z along the strut, x along the hinge that is fixed in the base where the second angle is zero.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.errors import MachineError

from ...hexapod.dynamics.thirteen_bodies import BODIES, body_parameters
from ...hexapod.kinematics.strut_frames import SMALLEST_ANGLE, strut_coordinates, strut_frames
from ...hexapod.machine import Machine
from ..numbers.exact import ONE, ZERO, Exact, ExactVector, cross_product, exact
from .records import NO_VECTOR, Body, Description, Drive, Home, Joint, Measure

_X, _Y, _Z = (ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE)
PLATFORM = BODIES[0]


def hexapod_description(machine: Machine) -> Description:
    """The thirteen bodies of a hexapod, their joints, and strut lengths as driven coordinates.

    Raises
    ------
    MachineError
        If its universal joints are at the platform or run along their struts at home, or its joints have friction.
    """
    parameters = body_parameters(machine).reshape(len(BODIES), -1)
    if machine.platform_joint == "universal":
        raise MachineError(f"machine '{machine.name}': universal joints at the platform are no mechanism yet")
    if machine.joint_friction is not None and machine.joint_friction.acts:
        raise MachineError(f"machine '{machine.name}': friction.joints is not known to a mechanism yet")
    joints, drives = [], []
    guess: dict[str, tuple[Exact, ...]] = {}
    hinged = _hinged(machine)
    zero = strut_frames(hinged)
    at_home = strut_coordinates(zero, hinged, machine.home_position, machine.home_rotation)
    for i in range(len(machine.struts)):
        body_b, body_e = BODIES[1 + 2 * i], BODIES[2 + 2 * i]
        base, platform = _vector(machine.base_joints[i]), _vector(machine.platform_joints[i])
        hinge = _vector(zero[i, :, 0])
        # exactly across the hinge, in every arithmetic
        second = cross_product(_vector(zero[i, :, 2]), hinge)
        swing, slide = f"base_{i + 1}", f"length_{i + 1}"
        joints += [
            Joint(
                swing,
                "universal" if machine.universal else "no_spin",
                ("ground", body_b),
                (base, NO_VECTOR),
                (hinge, _Y),
                (second, _X),
            ),
            Joint(slide, "prismatic", (body_b, body_e), (NO_VECTOR, NO_VECTOR), (_Z, _Z), (_X, _X)),
            Joint(
                f"platform_{i + 1}",
                "spherical",
                (body_e, PLATFORM),
                (NO_VECTOR, platform),
                (_Z, _Z),
                (_X, _X),
            ),
        ]
        guess[swing], guess[slide] = _vector(at_home[i, :2]), _vector(at_home[i, 2:])
        drives.append(
            Drive(
                Measure(slide, "combination", "m", {slide: ONE}, numbers=()),
                f"force_{i + 1}",
                (exact(float(machine.length_limits[0])), exact(float(machine.length_limits[1]))),
                exact(machine.motor_mass),
            )
        )
    return Description(
        name=machine.name,
        description=machine.description,
        source=f"machine '{machine.name}'",
        gravity=_vector(machine.gravity),
        bodies=tuple(Body(name, _vector(row)) for name, row in zip(BODIES, parameters, strict=True)),
        joints=tuple(joints),
        drives=tuple(drives),
        outputs=tuple(drive.measure for drive in drives),
        readings=(),
        home=Home(False, tuple(guess[drive.name][0] for drive in drives), guess),
        friction=machine.friction,
        pose=PLATFORM,
        document=machine.document,
    )


def _hinged(machine: Machine) -> Machine:
    """The machine with universal joints that have the hinges of its body frames.

    Without spin any hinge does, and a strut may run along the one of the machine's: it gets another.
    """
    if machine.universal:
        return machine
    frames = strut_frames(machine)
    along = np.linalg.norm(np.cross(machine.first_axes, frames[:, :, 2]), axis=1) < SMALLEST_ANGLE
    hinges = np.where(along[:, None], frames[:, :, 0], machine.first_axes)
    return replace(machine, base_joint="universal", first_axes=hinges)


def _vector(values: np.ndarray) -> ExactVector:
    return tuple(exact(float(value)) for value in values)
