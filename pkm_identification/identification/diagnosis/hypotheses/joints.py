"""Joints that spin the struts otherwise than the machine file says, or have friction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import axes_across

from ..situation import Situation
from .hypothesis import Effect, repeated

AXIS = 0.1  # rad
STEP = 1e-3  # rad
MOMENT = 0.01  # of weight times size of the platform: large Coulomb friction of a joint
STILL = 0.02  # rad/s: below it, friction of a joint bends


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


def friction(situation: Situation) -> FloatArray:
    """What friction of a newton metre, and of a newton metre second, in all joints would add, N, (K, 6, 2)."""
    inverse = _inverse_transposed(situation)
    turning = situation.rows.thin_motion.twist[:, 3:]
    wrenches = np.zeros((2, len(turning), 6))
    for i in range(STRUTS):
        arm, s, s_dot, length = _strut(situation, i)
        swing = np.cross(s, s_dot)
        for k, shape in enumerate((_coulomb, _viscous)):
            base, platform = shape(swing), shape(turning - swing)
            # moments on the strut as a force at the platform joint
            pull = np.cross(base - platform, s) / length[:, None]
            wrenches[k, :, :3] += pull
            wrenches[k, :, 3:] += np.cross(arm, pull) + platform
    forces = [np.einsum("nij,nj->ni", inverse, wrench) for wrench in wrenches]
    return np.stack([situation.rows.thin_in_band(force) for force in forces], axis=2)


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
        Effect(
            "joint_friction",
            "friction",
            "N m",
            friction,
            np.array([moment, moment]),
            "Joints have friction that no model here has: grease or preload them less",
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


def _strut(situation: Situation, i: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Arm of the platform joint, direction of the strut, its rate of change, and its length, on the thin grid."""
    machine, motion = situation.machine, situation.rows.thin_motion
    arm = motion.rotation @ machine.platform_joints[i]
    along = motion.position + arm - machine.base_joints[i]
    length = np.linalg.norm(along, axis=1)
    s = along / length[:, None]
    speed = motion.twist[:, :3] + np.cross(motion.twist[:, 3:], arm)
    return arm, s, _across(speed, s) / length[:, None], length


def _across(vector: FloatArray, s: FloatArray) -> FloatArray:
    return vector - np.sum(vector * s, axis=1, keepdims=True) * s


def _inverse_transposed(situation: Situation) -> FloatArray:
    """From wrenches on the platform to strut forces, (n, 6, 6)."""
    motion = situation.rows.thin_motion
    return np.linalg.inv(jacobian(situation.machine, motion.position, motion.rotation)).transpose(0, 2, 1)


def _coulomb(rate: FloatArray) -> FloatArray:
    return rate / np.sqrt(np.sum(rate**2, axis=1, keepdims=True) + STILL**2)


def _viscous(rate: FloatArray) -> FloatArray:
    return rate
