# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a URDF file says of links and joints: a tree whose root is the ground, and joints for Gazebo that close loops.

Driven are the joints with command interfaces of ros2_control, or transmissions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element

import numpy as np

from pkm_identification.errors import DocumentError
from pkm_identification.mechanisms.multibody.description.records import GROUND

from .elements import INERTIA, build_inertia_matrix, numbers, turn
from .from_sdf import read_joint
from .graph import GUESS, Draft, DraftCoupling, DraftJoint, Frame, Link, couple_follower

TYPES = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "planar": "planar",
}
_XACRO = "/xacro}"  # end of the namespace of macros, which would be left out
_NO_LIMIT = 100.0  # rad or m: what a file writes that has no limits but must state some


def read_urdf(root: Element, source: str) -> Draft:
    """Return links and joints of a robot; raises DocumentError naming what cannot be read or has no counterpart."""
    if any(_XACRO in element.tag for element in root.iter()):
        raise DocumentError(
            f"{source}: is xacro, not yet URDF; write it out first: xacro {source} > robot.urdf"
        )
    links = [read_link(link, source) for link in root.findall("link")]
    joints = root.findall("joint")
    children = [_read_vector(joint, "child", "link", source) for joint in joints]
    bases = [link.name for link in links if link.name not in children]
    if len(bases) != 1:
        raise DocumentError(
            f"{source}: must have one link that is no joint's child; found {', '.join(bases) or 'none'}"
        )
    notes = [f"link '{bases[0]}' is taken as the ground"]
    made = [_read_joint(joint, bases[0], source) for joint in joints]
    closing = _closing(robot=root, joints=made, base=bases[0], source=source)
    moved = tuple(link for link in links if link.name != bases[0])
    couplings = tuple(_read_mimics(joints, source))
    return Draft(moved, (*made, *closing), None, _find_drives(root), tuple(notes), couplings)


def _read_mimics(joints: Sequence[Element], source: str) -> Iterator[DraftCoupling]:
    """Yield the couplings of joints that follow others."""
    for joint in joints:
        mimic = joint.find("mimic")
        if mimic is not None and joint.get("type") != "fixed":
            name = joint.get("name") or ""
            where = f"{source}: joint '{name}': mimic"
            multiplier, offset = (
                float(numbers(mimic.get(key, default), 1, where)[0])
                for key, default in (("multiplier", "1"), ("offset", "0"))
            )
            yield couple_follower(name, mimic.get("joint") or "", multiplier, offset)


def _find_drives(robot: Element) -> tuple[str, ...]:
    """Return the joints with command interfaces of ros2_control, else those with transmissions, that are there.

    A joint that follows another one is not driven.
    """
    commanded = [
        one for one in robot.findall("ros2_control/joint") if one.find("command_interface") is not None
    ]
    found = commanded or robot.findall("transmission/joint")
    there = [
        joint.get("name")
        for joint in robot.findall("joint")
        if joint.get("type") != "fixed" and joint.find("mimic") is None
    ]
    return tuple(dict.fromkeys(one.get("name") or "" for one in found if one.get("name") in there))


def _closing(robot: Element, joints: Sequence[DraftJoint], base: str, source: str) -> list[DraftJoint]:
    """Return the joints of SDF that stand in elements for Gazebo."""
    elements = robot.findall("gazebo/joint")
    if not elements:
        return []
    places = {GROUND: Frame()}
    waiting = list(joints)
    while waiting:
        reached = [joint for joint in waiting if joint.bodies[0] in places]
        if not reached:
            raise DocumentError(f"{source}: joint '{waiting[0].name}' is not connected with link '{base}'")
        for joint in reached:
            places[joint.bodies[1]] = places[joint.bodies[0]] @ joint.at_home
            waiting.remove(joint)
    places[base] = Frame()
    made = [read_joint(element, places, source) for element in elements]
    return [
        replace(one, bodies=(_or_ground(one.bodies[0], base), _or_ground(one.bodies[1], base)))
        for one in made
    ]


def _or_ground(body: str, base: str) -> str:
    return GROUND if body == base else body


def read_link(link: Element, source: str) -> Link:
    """Return a link with its inertial, of URDF."""
    name = link.get("name") or ""
    inertial = link.find("inertial")
    if inertial is None:
        return Link(name)
    where = f"{source}: link '{name}'"
    frame = _read_origin(inertial.find("origin"), where)
    mass, tensor = inertial.find("mass"), inertial.find("inertia")
    values = {key: numbers("0" if tensor is None else tensor.get(key, "0"), 1, where)[0] for key in INERTIA}
    return Link(
        name,
        float(numbers("0" if mass is None else mass.get("value", "0"), 1, where)[0]),
        frame.origin,
        frame.rotation @ build_inertia_matrix(values) @ frame.rotation.T,
        GUESS if mass is None or tensor is None else "",
    )


def _read_origin(origin: Element | None, where: str) -> Frame:
    if origin is None:
        return Frame()
    position = numbers(origin.get("xyz", "0 0 0"), 3, where)
    return Frame(turn(numbers(origin.get("rpy", "0 0 0"), 3, where)), position)


def _read_vector(joint: Element, tag: str, attribute: str, source: str) -> str:
    found = joint.find(tag)
    if found is None or not found.get(attribute):
        raise DocumentError(f"{source}: joint '{joint.get('name')}' has no {tag}")
    return str(found.get(attribute))


def _read_joint(joint: Element, base: str, source: str) -> DraftJoint:
    name, kind = joint.get("name") or "", joint.get("type") or ""
    where = f"{source}: joint '{name}'"
    if kind not in TYPES:
        raise DocumentError(f"{where}: type '{kind}' has no counterpart; expected one of {', '.join(TYPES)}")
    parent = _read_vector(joint, "parent", "link", source)
    element = joint.find("axis")
    axis = numbers("1 0 0" if element is None else element.get("xyz", "1 0 0"), 3, where)
    if kind == "fixed":
        axis = np.array([0.0, 0.0, 1.0])
    if not np.any(axis):
        raise DocumentError(f"{where}: its axis has no length")
    limit, dynamics = joint.find("limit"), joint.find("dynamics")
    limits = None
    if limit is not None and kind in ("revolute", "prismatic"):
        low, high = (float(numbers(limit.get(key, "0"), 1, where)[0]) for key in ("lower", "upper"))
        limits = (low, high) if low < high and max(abs(low), abs(high)) < _NO_LIMIT else None
    friction = [0.0, 0.0]
    if dynamics is not None:
        friction = [float(numbers(dynamics.get(key, "0"), 1, where)[0]) for key in ("damping", "friction")]
    return DraftJoint(
        name,
        TYPES[kind],
        (GROUND if parent == base else parent, _read_vector(joint, "child", "link", source)),
        (_read_origin(joint.find("origin"), where), Frame()),
        axis / np.linalg.norm(axis),
        limits=limits,
        viscous=friction[0],
        coulomb=friction[1],
    )
