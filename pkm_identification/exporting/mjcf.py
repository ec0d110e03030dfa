# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""MJCF of a hexapod for other MuJoCo programs: it starts at home, is drawn, has motors and friction."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.joint_friction import COEFFICIENTS
from pkm_identification.mechanisms.hexapod.kinematics.strut_frames import (
    compute_strut_coordinates,
    strut_frames,
)
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_vector
from pkm_identification.simulation.model import compute_home_coordinates, hexapod_mjcf
from pkm_identification.simulation.multibody.tree_model import numbers
from pkm_identification.version import __version__

# What is drawn, relative to the machine's size, and its colours.
_TUBE, _ROD, _PLATE, _BALL = 0.025, 0.015, 0.02, 0.03
_STEEL, _BRIGHT, _MOVING = "0.45 0.48 0.52 1", "0.75 0.77 0.80 1", "0.16 0.45 0.72 1"


def build_complete_mjcf(machine: Machine) -> str:
    """MJCF text of a machine with closed loops.

    To `simulation.model.hexapod_mjcf` it adds: joints whose reference is home, so that also `qpos0` is an assembled
    machine; the keyframe `home` with the forces that hold it there; shapes without contact; a motor for each strut
    (N, positive when it pushes the platform joint away) with the drive's limit; limits of the lengths; viscous and
    Coulomb friction of struts and of the hinges of universal joints as `damping` and `frictionloss`.

    Parameters
    ----------
    machine : Machine
    """
    root = ElementTree.fromstring(hexapod_mjcf(machine))
    root.insert(0, ElementTree.Comment(_write_remark(machine)))
    world = _find_element(root, "worldbody")
    home = compute_strut_coordinates(
        strut_frames(machine), machine, machine.home_position, machine.home_rotation
    )
    for i, frame in enumerate(strut_frames(machine)):
        _add_strut(world, machine, i, frame, home[i])
    size = machine.length_scale
    _add_plate(world, machine.base_joints, size, _STEEL)
    _add_plate(_add_body(world, "platform"), machine.platform_joints, size, _MOVING)
    _add_actuators(root, machine)
    keys = ElementTree.SubElement(root, "keyframe")
    hold = strut_forces(machine, _rest(machine), friction=False)[0]
    ElementTree.SubElement(
        keys, "key", name="home", qpos=numbers(compute_home_coordinates(machine)), ctrl=numbers(hold)
    )
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _rest(machine: Machine) -> PlatformMotion:
    still = np.zeros((1, 6))
    return PlatformMotion(np.zeros(1), machine.home_position[None], machine.home_rotation[None], still, still)


def _write_remark(machine: Machine) -> str:
    law, names = machine.friction.law, ("viscous", "coulomb")
    left = [name for name in law.names if name not in names]
    left += [f"the law '{law.name}' between standstill and motion"] if law.name != "coulomb" else []
    left += ["friction of spherical joints"] if machine.joint_friction is not None else []
    text = f" {machine.name.replace('--', '__')}, by pkm export of pkm_identification {__version__}. "
    return text + (f"Not in it: {', '.join(left)}. " if left else "")


def _add_strut(
    world: ElementTree.Element, machine: Machine, i: int, frame: FloatArray, home: FloatArray
) -> None:
    """Put a strut where it is at home, with friction and shapes."""
    order = ("e", "b") if machine.hinged_platform else ("b", "e")
    near, far = (_add_body(world, f"strut_{i + 1}_{letter}") for letter in order)
    first, second, slide = (
        _find_element(world, f".//joint[@name='{stem}_{i + 1}']") for stem in ("first", "second", "strut")
    )
    turns = [matrix_from_vector(home[k] * np.eye(3)[k]) for k in range(2)]
    near.set("xyaxes", numbers((frame @ turns[0] @ turns[1])[:, :2].T))
    # axes are given in the body's frame, which now is turned by both
    first.set("axis", numbers(turns[1].T @ np.array([1.0, 0.0, 0.0])))
    sign = -1.0 if machine.hinged_platform else 1.0
    far.set("pos", numbers(np.array([0.0, 0.0, sign * home[2]])))
    for joint, value in zip((first, second, slide), home, strict=True):
        joint.set("ref", numbers(value))
    slide.set("limited", "true")
    slide.set("range", numbers(machine.length_limits))
    friction = machine.friction
    _add_friction(slide, float(friction.coefficient("viscous")[i]), float(friction.coefficient("coulomb")[i]))
    if machine.joint_friction is not None and machine.universal:
        rows = machine.joint_friction.coefficients.reshape(2, len(COEFFICIENTS), STRUTS)
        of_end = dict(zip(COEFFICIENTS, rows[int(machine.hinged_platform), :, i], strict=True))
        for hinge in (first, second):
            _add_friction(hinge, float(of_end["viscous"]), float(of_end["coulomb"]))
    size, (low, high) = machine.length_scale, machine.length_limits
    tube, rod = (near, far) if order[0] == "b" else (far, near)
    _add_capsule(tube, np.zeros(3), np.array([0.0, 0.0, 0.55 * high]), _TUBE * size, _STEEL)
    _add_capsule(rod, np.array([0.0, 0.0, -0.6 * low]), np.zeros(3), _ROD * size, _BRIGHT)


def _add_friction(joint: ElementTree.Element, viscous: float, coulomb: float) -> None:
    joint.set("damping", numbers(viscous))
    joint.set("frictionloss", numbers(coulomb))


def _add_actuators(root: ElementTree.Element, machine: Machine) -> None:
    actuators = ElementTree.SubElement(root, "actuator")
    limit = None if machine.drive is None else machine.drive.force_limit
    for i in range(1, STRUTS + 1):
        motor = ElementTree.SubElement(actuators, "motor", name=f"strut_{i}", joint=f"strut_{i}", gear="1")
        if limit is not None and np.isfinite(limit):
            motor.set("forcelimited", "true")
            motor.set("forcerange", numbers(np.array([-limit, limit])))


def _add_plate(body: ElementTree.Element, joints: FloatArray, size: float, colour: str) -> None:
    """Bars from joint to joint, and a ball at each."""
    order = np.argsort(np.arctan2(joints[:, 1], joints[:, 0]))
    for start, end in zip(joints[order], joints[np.roll(order, -1)], strict=True):
        if np.linalg.norm(end - start) > 0:  # else two struts at one point
            _add_capsule(body, start, end, _PLATE * size, colour)
    for joint in joints:
        _add_geom(body, type="sphere", pos=numbers(joint), size=numbers(_BALL * size), rgba=colour)


def _add_capsule(
    body: ElementTree.Element, start: FloatArray, end: FloatArray, radius: float, colour: str
) -> None:
    _add_geom(body, type="capsule", fromto=numbers(np.append(start, end)), size=numbers(radius), rgba=colour)


def _add_geom(body: ElementTree.Element, **attributes: str) -> None:
    """A shape that touches nothing; masses are given as well."""
    ElementTree.SubElement(body, "geom", {"contype": "0", "conaffinity": "0", "mass": "0", **attributes})


def _add_body(world: ElementTree.Element, name: str) -> ElementTree.Element:
    return _find_element(world, f".//body[@name='{name}']")


def _find_element(element: ElementTree.Element, path: str) -> ElementTree.Element:
    child = element.find(path)
    if child is None:
        raise ValueError(f"the model has no {path}")
    return child
