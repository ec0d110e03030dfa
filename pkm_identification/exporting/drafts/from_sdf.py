# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What an SDF file says of links and joints; a link with several parents closes a loop."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element

import numpy as np

from pkm_identification.errors import DocumentError
from pkm_identification.mechanisms.multibody.description.records import GROUND
from pkm_identification.numerics.arrays import FloatArray

from .from_urdf import INERTIA, inertia_matrix, numbers, turn
from .graph import Draft, DraftJoint, Frame, Link

TYPES = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "universal": "universal",
    "ball": "spherical",
    "fixed": "fixed",
}
_WORLD = ("world", "__model__")
_NO_LIMIT = 100.0  # rad or m: an SDF without limits has 1e16


def read_sdf(root: Element, source: str) -> Draft:
    """Return links and joints of the one model; raises DocumentError naming what cannot be read."""
    models = root.findall(".//model")
    if len(models) != 1:
        raise DocumentError(f"{source}: has {len(models)} models; expected one, without models in it")
    model = models[0]
    links = {link.get("name") or "": link for link in model.findall("link")}
    frames: dict[str, Frame] = {}
    for name in links:
        _place_link(name, links, frames, source, ())
    joints = [_joint(joint, frames, source) for joint in model.findall("joint")]
    notes = []
    if not any(GROUND in joint.bodies for joint in joints):
        carried = {joint.bodies[1] for joint in joints}
        base = next((name for name in links if name not in carried), next(iter(links), ""))
        notes.append(f"link '{base}' is taken as the ground: no joint goes to the world")
        joints.append(DraftJoint(f"{base}_on_ground", "fixed", (GROUND, base), (frames[base], Frame())))
    gravity = root.find(".//gravity")
    return Draft(
        tuple(_link(name, link, source) for name, link in links.items()),
        tuple(joints),
        None if gravity is None else numbers(gravity.text or "", 3, f"{source}: gravity"),
        (),
        tuple(notes),
    )


def _place_link(
    name: str, links: Mapping[str, Element], frames: dict[str, Frame], source: str, asked: tuple[str, ...]
) -> Frame:
    """Return where a link is in the model, and keep it."""
    if name in frames:
        return frames[name]
    pose = links[name].find("pose")
    anchor = "" if pose is None else pose.get("relative_to", "")
    frame = _pose(pose, f"{source}: link '{name}'")
    if anchor and anchor not in _WORLD:
        if anchor not in links or anchor in asked:
            raise DocumentError(
                f"{source}: link '{name}': its pose is relative to '{anchor}', which is no link"
            )
        frame = _place_link(anchor, links, frames, source, (*asked, name)) @ frame
    frames[name] = frame
    return frame


def _pose(pose: Element | None, where: str) -> Frame:
    if pose is None or not (pose.text or "").strip():
        return Frame()
    values = numbers(pose.text or "", 6, where)
    return Frame(turn(np.deg2rad(values[3:]) if pose.get("degrees") == "true" else values[3:]), values[:3])


def _number(element: Element | None, path: str, default: float, where: str) -> float:
    found = None if element is None else element.find(path)
    return default if found is None else float(numbers(found.text or "", 1, where)[0])


def _link(name: str, link: Element, source: str) -> Link:
    inertial, where = link.find("inertial"), f"{source}: link '{name}'"
    if inertial is None:
        return Link(name, 1.0, np.zeros(3), np.eye(3), guessed=True)  # as SDF has it
    frame = _pose(inertial.find("pose"), where)
    diagonal = ("ixx", "iyy", "izz")
    values = {key: _number(inertial, f"inertia/{key}", float(key in diagonal), where) for key in INERTIA}
    tensor = frame.rotation @ inertia_matrix(values) @ frame.rotation.T
    guessed = inertial.find("mass") is None or inertial.find("inertia") is None
    return Link(name, _number(inertial, "mass", 1.0, where), frame.origin, tensor, guessed)


def _joint(joint: Element, frames: Mapping[str, Frame], source: str) -> DraftJoint:
    name, kind = joint.get("name") or "", joint.get("type") or ""
    where = f"{source}: joint '{name}'"
    if kind not in TYPES:
        raise DocumentError(f"{where}: type '{kind}' has no counterpart; expected one of {', '.join(TYPES)}")
    ends = [(joint.findtext(tag) or "").strip() for tag in ("parent", "child")]
    places = []
    for end in ends:
        if end not in frames and end not in _WORLD:
            raise DocumentError(f"{where}: '{end}' is no link of the model")
        places.append(frames.get(end, Frame()))
    pose = joint.find("pose")
    inner = _pose(pose, where)
    anchor = "" if pose is None else pose.get("relative_to", "")
    if anchor and anchor not in (*frames, *_WORLD):
        raise DocumentError(f"{where}: its pose is relative to '{anchor}', which is no link")
    at = (frames.get(anchor, Frame()) if anchor else places[1]) @ inner
    sides = places[0].inverse() @ at, places[1].inverse() @ at
    axis, second = (_axis(joint.find(tag), at, frames, where) for tag in ("axis", "axis2"))
    element = joint.find("axis")
    limits = [
        _number(element, f"limit/{key}", value, where) for key, value in (("lower", -1e16), ("upper", 1e16))
    ]
    first, last = (GROUND if end in _WORLD else end for end in ends)
    return DraftJoint(
        name,
        TYPES[kind],
        (first, last),
        sides,
        np.array([0.0, 0.0, 1.0]) if axis is None else axis,
        second,
        (limits[0], limits[1]) if limits[0] < limits[1] and max(map(abs, limits)) < _NO_LIMIT else None,
        _number(element, "dynamics/damping", 0.0, where),
        _number(element, "dynamics/friction", 0.0, where),
    )


def _axis(element: Element | None, at: Frame, frames: Mapping[str, Frame], where: str) -> FloatArray | None:
    """Return an axis in the joint's frame."""
    if element is None:
        return None
    xyz = element.find("xyz")
    axis = numbers("0 0 1" if xyz is None else xyz.text or "", 3, where)
    if not np.any(axis):
        raise DocumentError(f"{where}: its axis has no length")
    expressed = "" if xyz is None else xyz.get("expressed_in", "")
    if (element.findtext("use_parent_model_frame") or "").strip() in ("1", "true"):
        expressed = "__model__"
    if expressed:
        axis = at.rotation.T @ frames.get(expressed, Frame()).rotation @ axis
    return np.asarray(axis / np.linalg.norm(axis))
