# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Joints of SDF between links whose places are known: in an SDF, or in a URDF's elements for Gazebo."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element

import numpy as np

from pkm_identification.errors import DocumentError
from pkm_identification.mechanisms.multibody.description.records import GROUND
from pkm_identification.numerics.arrays import FloatArray

from .elements import numbers, turn
from .graph import DraftJoint, Frame

TYPES = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "universal": "universal",
    "revolute2": "universal",
    "ball": "spherical",
    "fixed": "fixed",
}
WORLD = ("world", "__model__")
_NO_LIMIT = 100.0  # rad or m: an SDF without limits has 1e16


def read_pose(pose: Element | None, where: str) -> Frame:
    """Return the frame of an element `pose`; raises DocumentError."""
    if pose is None or not (pose.text or "").strip():
        return Frame()
    values = numbers(pose.text or "", 6, where)
    return Frame(turn(np.deg2rad(values[3:]) if pose.get("degrees") == "true" else values[3:]), values[:3])


def read_number(element: Element | None, path: str, default: float, where: str) -> float:
    """Return the number of an element, the default where there is none; raises DocumentError."""
    found = None if element is None else element.find(path)
    return (
        default
        if found is None or not (found.text or "").strip()
        else float(numbers(found.text or "", 1, where)[0])
    )


def read_joint(joint: Element, frames: Mapping[str, Frame], source: str, expressed: str = "") -> DraftJoint:
    """Return a joint of SDF between links at these places of the model; raises as `read_sdf`.

    `expressed` is the frame that its axes are in where they name none; the joint's own if empty.
    """
    name, kind = joint.get("name") or "", joint.get("type") or ""
    where = f"{source}: joint '{name}'"
    if kind not in TYPES:
        raise DocumentError(f"{where}: type '{kind}' has no counterpart; expected one of {', '.join(TYPES)}")
    ends = [(joint.findtext(tag) or "").strip() for tag in ("parent", "child")]
    places = []
    for end in ends:
        if end not in frames and end not in WORLD:
            raise DocumentError(f"{where}: '{end}' is no link of the model")
        places.append(frames.get(end, Frame()))
    pose = joint.find("pose")
    inner = read_pose(pose, where)
    anchor = "" if pose is None else pose.get("relative_to", "")
    if anchor and anchor not in (*frames, *WORLD):
        raise DocumentError(f"{where}: its pose is relative to '{anchor}', which is no link")
    at = (frames.get(anchor, Frame()) if anchor else places[1]) @ inner
    sides = places[0].inverse() @ at, places[1].inverse() @ at
    axis, second = (_axis(joint.find(tag), at, frames, where, expressed) for tag in ("axis", "axis2"))
    element = joint.find("axis")
    limits = [
        read_number(element, f"limit/{key}", value, where)
        for key, value in (("lower", -1e16), ("upper", 1e16))
    ]
    first, last = (GROUND if end in WORLD else end for end in ends)
    return DraftJoint(
        name,
        TYPES[kind],
        (first, last),
        sides,
        axis,
        second if TYPES[kind] == "universal" else None,
        limits=(limits[0], limits[1])
        if limits[0] < limits[1] and max(map(abs, limits)) < _NO_LIMIT
        else None,
        viscous=read_number(element, "dynamics/damping", 0.0, where),
        coulomb=read_number(element, "dynamics/friction", 0.0, where),
    )


def _axis(
    element: Element | None, at: Frame, frames: Mapping[str, Frame], where: str, expressed: str
) -> FloatArray:
    """Return an axis in the joint's frame; z where the file has none, as SDF says."""
    if element is None:
        return np.array([0.0, 0.0, 1.0])
    xyz = element.find("xyz")
    axis = numbers("0 0 1" if xyz is None else xyz.text or "", 3, where)
    if not np.any(axis):
        raise DocumentError(f"{where}: its axis has no length")
    expressed = expressed if xyz is None else xyz.get("expressed_in", expressed)
    if (element.findtext("use_parent_model_frame") or "").strip() in ("1", "true"):
        expressed = "__model__"
    if expressed:
        axis = at.rotation.T @ frames.get(expressed, Frame()).rotation @ axis
    return np.asarray(axis / np.linalg.norm(axis))
