"""Joints that spin the struts otherwise than the machine file says, or have friction."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics.joint_friction import joint_friction_columns
from pkm_identification.mechanisms.hexapod.joint_friction import COEFFICIENTS, ENDS, TRANSITION_RATE, UNITS
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import axes_across

from ..situation import Situation
from .hypothesis import Effect, repeated

AXIS = 0.1  # rad
STEP = 1e-3  # rad
MOMENT = 0.01  # of weight times size of the platform: large Coulomb friction of a joint


def other_axis(situation: Situation) -> FloatArray:
    """What a radian of each of the two ways to turn the fixed hinges would add, N, (K, 6, 2)."""
    machine = situation.machine
    columns = []
    for directions in zip(*(axes_across(axis) for axis in machine.first_axes), strict=True):
        turned = machine.first_axes + STEP * np.array(directions)
        changed = replace(machine, first_axes=turned / np.linalg.norm(turned, axis=1, keepdims=True))
        columns.append(situation.of_machine(changed) / STEP)
    return np.stack(columns, axis=2)


def other_base_joint(situation: Situation) -> FloatArray:
    """What struts that spin would change, or struts that do not, N, (K, 6, 1)."""
    machine = situation.machine
    other = machine.without_spin() if machine.universal else replace(machine, base_joint="universal")
    return situation.of_machine(other)[:, :, None]


def hinge_at_platform(situation: Situation) -> FloatArray:
    """What universal joints at the platform, free to turn at the base, would change, N, (K, 6, 1)."""
    machine = situation.machine
    axes = machine.first_axes @ machine.home_rotation
    moved = replace(machine, base_joint="spherical", platform_joint="universal", first_axes=axes)
    return situation.of_machine(moved)[:, :, None]


def friction(situation: Situation, coefficient: str) -> FloatArray:
    """What a unit of the Coulomb or viscous friction of all joints would add, N per N m or N m s, (K, 6, 1)."""
    columns = joint_friction_columns(situation.machine, situation.rows.thin_motion, TRANSITION_RATE)
    by_joint = columns.reshape(len(columns), STRUTS, len(ENDS), len(COEFFICIENTS), STRUTS)
    force = by_joint[:, :, :, COEFFICIENTS.index(coefficient)].sum(axis=(2, 3))
    return situation.rows.thin_in_band(force)[:, :, None]


def effects(machine: Machine) -> list[Effect]:
    """Of the joints."""
    weight = machine.platform.mass * max(float(np.linalg.norm(machine.gravity)), 1.0)
    moment = MOMENT * weight * machine.length_scale
    found = [
        Effect(
            "no_spin" if machine.universal else "hinge_axis",
            "spin",
            "",
            other_base_joint,
            repeated(1.0, 1),
            "Set geometry.base_joint.type: no_spin in the machine file"
            if machine.universal
            else "Set geometry.base_joint: {type: universal, first_axis: ...} in the machine file",
        ),
        *(
            Effect(
                "joint_friction",
                "friction",
                UNITS[coefficient],
                partial(friction, coefficient=coefficient),
                repeated(moment, 1),
                "State friction.joints in the machine file: the parameter set then has it; or grease or preload the "
                "joints less",
            )
            for coefficient in COEFFICIENTS
        ),
    ]
    if machine.universal:
        end = "platform" if machine.hinged_platform else "base"
        found.append(
            Effect(
                "hinge_axis",
                "spin",
                "rad",
                other_axis,
                repeated(AXIS, 2),
                f"Set geometry.{end}_joint.first_axis in the machine file",
            )
        )
    if machine.base_joint == "universal":
        found.append(
            Effect(
                "hinge_at_platform",
                "spin",
                "",
                hinge_at_platform,
                repeated(1.0, 1),
                "The struts' universal joints are at the platform: set geometry.platform_joint: {type: universal, "
                "first_axis: ...} and geometry.base_joint: {type: spherical} in the machine file",
            )
        )
    return found
