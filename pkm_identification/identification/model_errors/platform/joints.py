# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Joints that spin the struts otherwise than the machine file says, or have friction."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.machines.hexapod import Hexapod, description_of
from pkm_identification.mechanisms.hexapod.dynamics.basis import basis_parameters, strut_column
from pkm_identification.mechanisms.hexapod.dynamics.joint_friction import joint_friction_columns
from pkm_identification.mechanisms.hexapod.dynamics.strut import I_A
from pkm_identification.mechanisms.hexapod.joint_friction import COEFFICIENTS, ENDS, TRANSITION_RATE, UNITS
from pkm_identification.mechanisms.hexapod.joints import DIRECTIONS, hinges_by_name, plane_of_joints
from pkm_identification.mechanisms.hexapod.machine import Machine as Description
from pkm_identification.motion import STRUTS, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_vector

from ..effect import Effect, repeat_prior
from ..situation import Situation

AXIS = 0.1  # rad
STEP = 1e-3  # rad
UPRIGHT = 0.99  # cosine from which on a hinge has no direction in the plane of the joints
# rad, of hinges far from where the file has them; a hinge that points the other way is the same
TURNS = tuple(np.pi * k / 8 for k in (-3, -2, -1, 1, 2, 3, 4))
# Of hinges at the platform: by name, or turned from those of the file.
AT_PLATFORM: tuple[str | float, ...] = (*DIRECTIONS, 0.0, *TURNS)
MOMENT = 0.01  # of weight times size of the platform: large Coulomb friction of a joint


def other_axis(situation: Situation) -> FloatArray:
    """What a radian of turning fixed hinges in the plane of their joints, and out of it, would add, N, (K, 6, 2)."""
    machine = _change_description(situation)
    plane = plane_of_joints(_list_hinges(machine))
    upright = np.max(np.abs(machine.first_axes @ plane[2])) > UPRIGHT
    sideways = np.cross(plane[0 if upright else 2], machine.first_axes)
    sideways /= np.linalg.norm(sideways, axis=1, keepdims=True)
    columns = []
    for directions in (sideways, np.cross(machine.first_axes, sideways)):
        turned = machine.first_axes + STEP * directions
        changed = replace(machine, first_axes=turned / np.linalg.norm(turned, axis=1, keepdims=True))
        columns.append(_change_spin(situation, changed) / STEP)
    return np.stack(columns, axis=2)


def _change_description(situation: Situation) -> Description:
    description = description_of(situation.machine)
    if description is None:
        raise ValueError(f"'{situation.machine.name}' has no platform on struts with hinges")
    return description


def _change_spin(situation: Situation, changed: Description) -> FloatArray:
    """Return what other hinges change, (K, 6), by the machine file's axial inertias alone.

    An estimate of a model that spins otherwise has them wrong.
    """
    places = [strut_column(i, I_A) for i in range(STRUTS)]
    only = np.zeros_like(situation.parameters)
    only[places] = basis_parameters(_change_description(situation))[places]
    return replace(situation, parameters=only).of_machine(Hexapod(changed), moved=False)


def turned_hinges(situation: Situation, angle: float) -> FloatArray:
    """Return what fixed hinges turned by an angle in rad in the plane of their joints would change, N, (K, 6, 1)."""
    machine = _change_description(situation)
    axes = _turn_vectors(machine.first_axes, _list_hinges(machine), angle)
    return _change_spin(situation, replace(machine, first_axes=axes))[:, :, None]


def other_base_joint(situation: Situation) -> FloatArray:
    """Return what struts that spin would change, or struts that do not, N, (K, 6, 1)."""
    machine = _change_description(situation)
    other = machine.without_spin() if machine.universal else replace(machine, base_joint="universal")
    return _change_spin(situation, other)[:, :, None]


def hinge_at_platform(situation: Situation, direction: str | float) -> FloatArray:
    """Return what universal joints at the platform, free to turn at the base, would change, N, (K, 6, 1).

    Their hinges are radial or tangential, or the file's turned by an angle in rad in the plane of the joints.
    """
    machine = _change_description(situation)
    if isinstance(direction, str):
        axes = hinges_by_name(direction, machine.platform_joints)
    else:
        axes = _turn_vectors(machine.first_axes @ machine.home_rotation, machine.platform_joints, direction)
    moved = replace(machine, base_joint="spherical", platform_joint="universal", first_axes=axes)
    return _change_spin(situation, moved)[:, :, None]


def _list_hinges(machine: Description) -> FloatArray:
    return machine.platform_joints if machine.hinged_platform else machine.base_joints


def _turn_vectors(axes: FloatArray, places: FloatArray, angle: float) -> FloatArray:
    """Vectors (6, 3) turned in the plane that is nearest to the joints."""
    return axes @ matrix_from_vector(angle * plane_of_joints(places)[2]).T


def friction(situation: Situation, coefficient: str) -> FloatArray:
    """Return what a unit of the Coulomb or viscous friction of all joints would add, N per N m or N m s, (K, 6, 1)."""
    motion = situation.rows.motion  # a joint reverses within a sample, as a drive does
    platform = PlatformMotion(np.zeros(len(motion)), *motion.state)
    columns = joint_friction_columns(_change_description(situation), platform, TRANSITION_RATE)
    by_joint = columns.reshape(len(columns), STRUTS, len(ENDS), len(COEFFICIENTS), STRUTS)
    force = by_joint[:, :, :, COEFFICIENTS.index(coefficient)].sum(axis=(2, 3))
    return situation.rows.in_band(force)[:, :, None]


def effects(machine: Machine) -> list[Effect]:
    """Return those of the joints; none of a machine that is no platform on six struts."""
    description = description_of(machine)
    return [] if description is None else _find_platform_joint(description)


def _find_platform_joint(machine: Description) -> list[Effect]:
    weight = machine.platform.mass * max(float(np.linalg.norm(machine.gravity)), 1.0)
    moment = MOMENT * weight * machine.length_scale
    effects = [
        Effect(
            "no_spin" if machine.universal else "hinge_axis",
            "spin",
            "",
            other_base_joint,
            repeat_prior(1.0, 1),
            "Set geometry.base_joint.type: no_spin in the machine file"
            if machine.universal
            else "Set geometry.base_joint: {type: universal, first_axis: ...} in the machine file",
        ),
    ]
    if machine.joint_friction is None:
        effects += [
            Effect(
                "joint_friction",
                "friction",
                UNITS[coefficient],
                partial(friction, coefficient=coefficient),
                repeat_prior(moment, 1),
                "State friction.joints in the machine file: the parameter set then has it; or estimate it with --also "
                "{name}, or grease or preload the joints less",
                positive=True,
            )
            for coefficient in COEFFICIENTS
        ]
    if machine.universal:
        end = "platform" if machine.hinged_platform else "base"
        effects.append(
            Effect(
                "hinge_axis",
                "spin",
                "rad",
                other_axis,
                repeat_prior(AXIS, 2),
                f"Set geometry.{end}_joint.first_axis in the machine file",
            )
        )
        effects += [
            Effect(
                "hinge_axis",
                "spin",
                "rad",
                partial(turned_hinges, angle=angle),
                repeat_prior(1.0, 1),
                f"Set geometry.{end}_joint.first_axis in the machine file: turned by about {np.degrees(angle):.0f} "
                "degrees in the plane of the joints, counterclockwise about the frame's positive axis",
                reading=partial(_turn, angle),
            )
            for angle in TURNS
        ]
    if machine.base_joint == "universal":
        effects += [
            Effect(
                "hinge_at_platform",
                "spin",
                "",
                partial(hinge_at_platform, direction=direction),
                repeat_prior(1.0, 1),
                "The struts' universal joints are at the platform: set geometry.platform_joint: {type: universal, "
                f"{_format_direction(direction)}}} and geometry.base_joint: {{type: spherical}} in the machine file",
            )
            for direction in AT_PLATFORM
        ]
    return effects


def _turn(angle: float, value: float, std: float) -> tuple[float, float]:
    """The angle of which the whole effect was found; its deviation is the grid's."""
    return angle, 0.5 * (TURNS[1] - TURNS[0])


def _format_direction(direction: str | float) -> str:
    """Return a direction of hinges as a machine file's section has it."""
    return f"first_axes: {direction}" if isinstance(direction, str) else "first_axis: ..."
