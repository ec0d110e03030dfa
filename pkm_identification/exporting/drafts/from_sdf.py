# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What an SDF file says of links and joints; a link with several parents closes a loop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

import numpy as np

from pkm_identification.errors import DocumentError
from pkm_identification.mechanisms.multibody.description.records import GROUND
from pkm_identification.numerics.arrays import FloatArray

from .elements import INERTIA, build_inertia_matrix, numbers, turn
from .graph import GUESS, Draft, DraftCoupling, DraftJoint, Frame, Link, couple_follower

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
    # before SDF 1.5 axes were those of the model
    expressed = "__model__" if _version(root) < (1, 5) else ""
    joints = [read_joint(joint, frames, source, expressed) for joint in model.findall("joint")]
    if not links:
        raise DocumentError(f"{source}: the model has no link; expected some, with joints between them")
    joints += _find_attachments(model, frames, source)
    notes = []
    without = [name for name, link in links.items() if link.find("inertial") is None]
    if without:
        notes.append(
            f"{', '.join(without)}: has no inertial, taken without mass; Gazebo takes 1 kg and 1 kg m^2"
        )
    afloat = [
        name for name, link in links.items() if (link.findtext("gravity") or "").strip() in ("0", "false")
    ]
    if afloat:
        notes.append(
            f"{', '.join(afloat)}: gravity is switched off in the file; here every body has its weight"
        )
    if not any(GROUND in joint.bodies for joint in joints):
        carried = {joint.bodies[1] for joint in joints}
        base = next((name for name in links if name not in carried), next(iter(links), ""))
        notes.append(f"link '{base}' is taken as the ground: no joint goes to the world")
        joints.append(DraftJoint(f"{base}_on_ground", "fixed", (GROUND, base), (frames[base], Frame())))
    gravity = root.find("world/gravity")
    return Draft(
        tuple(_link(name, link, source) for name, link in links.items()),
        tuple(joints),
        None if gravity is None else numbers(gravity.text or "", 3, f"{source}: gravity"),
        (),
        tuple(notes),
        tuple(_read_mimics(model, source)),
    )


def _read_mimics(model: Element, source: str) -> Iterator[DraftCoupling]:
    """Yield the couplings of joints that follow others."""
    for joint in model.findall("joint"):
        mimic = joint.find("axis/mimic")
        if mimic is not None:
            multiplier, offset, reference = (
                read_number(mimic, key, default, source)
                for key, default in (("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0))
            )
            leader = mimic.get("joint") or ""
            yield couple_follower(
                joint.get("name") or "", leader, multiplier, offset - multiplier * reference
            )


def _version(root: Element) -> tuple[int, ...]:
    parts = (root.get("version") or "").split(".")
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else (1, 5)


def _place_link(
    name: str, links: Mapping[str, Element], frames: dict[str, Frame], source: str, asked: tuple[str, ...]
) -> Frame:
    """Return where a link is in the model, and keep it."""
    if name in frames:
        return frames[name]
    pose = links[name].find("pose")
    anchor = "" if pose is None else pose.get("relative_to", "")
    frame = read_pose(pose, f"{source}: link '{name}'")
    if anchor and anchor not in WORLD:
        if anchor not in links or anchor in asked:
            raise DocumentError(
                f"{source}: link '{name}': its pose is relative to '{anchor}', which is no link"
            )
        frame = _place_link(anchor, links, frames, source, (*asked, name)) @ frame
    frames[name] = frame
    return frame


def _link(name: str, link: Element, source: str) -> Link:
    inertial, where = link.find("inertial"), f"{source}: link '{name}'"
    if inertial is None:
        return Link(name, known=GUESS)
    frame = read_pose(inertial.find("pose"), where)
    diagonal = ("ixx", "iyy", "izz")
    values = {key: read_number(inertial, f"inertia/{key}", float(key in diagonal), where) for key in INERTIA}
    tensor = frame.rotation @ build_inertia_matrix(values) @ frame.rotation.T
    guessed = inertial.find("mass") is None or inertial.find("inertia") is None
    return Link(
        name, read_number(inertial, "mass", 1.0, where), frame.origin, tensor, GUESS if guessed else ""
    )


def _find_attachments(model: Element, frames: Mapping[str, Frame], source: str) -> list[DraftJoint]:
    """Return fixed joints where Gazebo's plugin of detachable joints holds two links of this model together."""
    joints = []
    for k, plugin in enumerate(model.findall("plugin"), 1):
        if "detachable" not in (plugin.get("filename") or "") or plugin.find("child_link") is None:
            continue
        ends = [(plugin.findtext(tag) or "").strip() for tag in ("parent_link", "child_link")]
        for end in ends:
            if end not in frames:
                raise DocumentError(
                    f"{source}: plugin {k} (detachable joint): '{end}' is no link of the model"
                )
        places = frames[ends[0]].inverse() @ frames[ends[1]], Frame()
        joints.append(DraftJoint(f"attached_{k}", "fixed", (ends[0], ends[1]), places))
    return joints
