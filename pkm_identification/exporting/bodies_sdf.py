# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""SDF of bodies with joints, loops and all: links stand as they do at home, where all joints of an SDF are zero."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.multibody.description.records import GROUND, Joint
from pkm_identification.mechanisms.multibody.kinematics import frames
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.mechanisms.multibody.structure.placements import joint_frames
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import yaw_pitch_roll
from pkm_identification.simulation.multibody.inertials import inertials
from pkm_identification.simulation.multibody.tree_model import numbers

from .bodies_urdf import inertial_xml
from .followers import list_followers

VERSION, WITH_MIMICS = "1.9", "1.11"
# Joints of the file as SDF calls them; one without spin is nearest to a universal one
_TYPES = {
    "revolute": "revolute",
    "prismatic": "prismatic",
    "universal": "universal",
    "no_spin": "universal",
    "spherical": "ball",
    "fixed": "fixed",
}


def bodies_sdf(mechanism: Mechanism) -> str:
    """Return the SDF text of a mechanism: a world with gravity and one model, its loops closed by joints.

    Limits are those of driven joints, counted from home; friction is `dynamics` of driven joints.

    Parameters
    ----------
    mechanism : Mechanism
        In float64.

    Raises
    ------
    SettingsError
        If it has planar joints or couplings of more than two joints, which SDF has not.
    """
    description = mechanism.description
    planar = [joint.name for joint in description.joints if joint.type == "planar"]
    if planar:
        raise SettingsError(
            f"format sdf: has no joint like '{planar[0]}' of '{mechanism.name}', which is planar"
        )
    rotation, position = (part[0] for part in frames(mechanism, mechanism.home))
    masses = inertials(mechanism)
    links = ""
    for name, f in mechanism.tree.body_frames.items():
        if name != GROUND:
            pose = f"{numbers(position[f])} {numbers(yaw_pitch_roll(rotation[f])[::-1])}"
            links += f"<link name={quoteattr(name)}><pose>{pose}</pose>{inertial_xml(masses[name], 'sdf')}</link>\n"
    followers = list_followers(mechanism, "sdf")
    mimics = {
        # at home all joints are zero
        one.joint: f'<mimic joint={quoteattr(one.leader)} axis="axis"><multiplier>{one.multiplier!r}</multiplier>'
        "<offset>0</offset><reference>0</reference></mimic>"
        for one in followers
    }
    driven = _describe_driven_joints(mechanism)
    joints = "".join(
        _build_joint(mechanism, joint, driven.get(joint.name, "") + mimics.get(joint.name, ""), rotation)
        for joint in description.joints
    )
    gravity = numbers(FLOAT64.array(description.gravity))
    version = WITH_MIMICS if followers else VERSION
    return (
        f'<?xml version="1.0"?>\n<sdf version="{version}"><world name="default">\n<gravity>{gravity}</gravity>\n'
        f"<model name={quoteattr(mechanism.name)}>\n{links}{joints}</model>\n</world></sdf>\n"
    )


def _build_joint(mechanism: Mechanism, joint: Joint, driven: str, rotation: FloatArray) -> str:
    """Return a joint at its place in its second body, or in its first where the second is the ground."""
    parent, child = joint.bodies
    side = 1
    if child == GROUND:
        parent, child, side = child, parent, 0
    inner = joint_frames(joint)[side]
    turn, position = FLOAT64.array(inner.rotation), FLOAT64.array(inner.origin)
    at_home = [rotation[mechanism.tree.body_frames[body]] for body in joint.bodies]
    # directions in the joint's frame, which is fixed in the child
    local = (at_home[side] @ turn).T
    axes = ""
    kind = _TYPES[joint.type]
    if kind in ("revolute", "prismatic", "universal"):
        first, second = (at_home[i] @ FLOAT64.array(joint.axis[i]) for i in range(2))
        sign = 1.0 if side == 1 else -1.0
        if kind != "universal":
            axes = _build_axis("axis", sign * (local @ first), driven)
        else:
            pair = (first, second) if side == 1 else (-second, -first)
            axes = _build_axis("axis", local @ pair[0], "") + _build_axis("axis2", local @ pair[1], "")
    pose = f"{numbers(position)} {numbers(yaw_pitch_roll(turn)[::-1])}"
    parent = "world" if parent == GROUND else parent
    return (
        f'<joint name={quoteattr(joint.name)} type="{kind}"><pose>{pose}</pose>'
        f"<parent>{_escape(parent)}</parent>"
        f"<child>{_escape(child)}</child>{axes}</joint>\n"
    )


def _build_axis(name: str, direction: FloatArray, rest: str) -> str:
    return f"<{name}><xyz>{numbers(direction / np.linalg.norm(direction))}</xyz>{rest}</{name}>"


def _describe_driven_joints(mechanism: Mechanism) -> dict[str, str]:
    """Return limits, from home, and friction of joints that are driven as they are, by their names."""
    friction, texts = mechanism.description.friction, {}
    home = mechanism.joints_at_home
    for i, drive in enumerate(mechanism.description.drives):
        factors = {name: FLOAT64.number(one) for name, one in drive.measure.joints.items()}
        if drive.measure.kind != "combination" or list(factors.values()) != [1.0]:
            continue
        joint = next(iter(factors))
        offset = FLOAT64.number(drive.measure.offset) + float(np.ravel(home[joint])[0])
        text = ""
        if drive.limits:
            low, high = FLOAT64.array(drive.limits) - offset
            text = f"<limit><lower>{float(low)!r}</lower><upper>{float(high)!r}</upper></limit>"
        if friction.viscous[i] or friction.coulomb[i]:
            damping, dry = float(friction.viscous[i]), float(friction.coulomb[i])
            text += f"<dynamics><damping>{damping!r}</damping><friction>{dry!r}</friction></dynamics>"
        texts[joint] = text
    return texts


def _escape(name: str) -> str:
    return name.replace("&", "&amp;").replace("<", "&lt;")
