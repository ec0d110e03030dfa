# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""URDF of a machine's bodies: every frame of its tree is a link, joints keep their coordinates, loops are left open.

URDF knows no closed chains. `TreePositions` says where all joints of the tree are at a configuration; as JointState
messages to a robot_state_publisher, these close the loops for the eye. A viewer that nobody tells positions puts all of
them to zero: `bodies_urdf(mechanism, from_home=True)` counts them from home, so that it shows the machine there.
"""

from __future__ import annotations

import math
from xml.sax.saxutils import quoteattr

import numpy as np

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.multibody.description.records import GROUND
from pkm_identification.mechanisms.multibody.kernels.codes import (
    BALL,
    COORDINATES,
    FIXED,
    NO_SPIN,
    ORIGIN,
    PRISMATIC,
)
from pkm_identification.mechanisms.multibody.kinematics import frames
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.mechanisms.multibody.structure.tree import Frame
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_vector, yaw_pitch_roll
from pkm_identification.simulation.multibody.inertials import inertials
from pkm_identification.simulation.multibody.tree_model import Inertial, fresh, numbers

from .followers import list_followers
from .shapes import COLOURS, find_driven_joint, list_shapes

BASE = "base"
# Limits that URDF demands and the file does not have: metres, forces and rates beyond all use; passive hinges turn once
_FARTHEST, _EFFORT, _VELOCITY = 1e3, 1e9, 1e9
# Single joints that stand for what moves a frame, in their order: end of the name and axis
_TURNS = (("_yaw", 2), ("_pitch", 1), ("_roll", 0))
_HINGES = (("_1", 0), ("_2", 1))


def bodies_urdf(mechanism: Mechanism, from_home: bool = False, mimics: bool = False) -> str:
    """Return the URDF text of the tree of a mechanism.

    Links have the bodies' names, or those of joints between which nothing has mass (universal and planar joints are two
    and three, spherical ones three hinges). Bodies are bars from joint to joint, driven slides rod and tube. Limits are
    those of single joints that are driven; friction is `dynamics` of a driven joint.

    Parameters
    ----------
    mechanism : Mechanism
        In float64.
    from_home : bool
        Whether all joints are zero at home. Else they are the coordinates of the tree, as in `TreePositions`; a comment
        has their values at home.
    mimics : bool
        Whether joints follow others that couplings couple them with; else they get positions of their own.

    Raises
    ------
    SettingsError
        If it shall have mimics and has couplings of more than two joints, which URDF has not.
    MachineError
        If two joints of the tree have one name.
    """
    tree, positions = mechanism.tree, TreePositions(mechanism)
    at_home = dict(zip(positions.names, positions.compute(mechanism.home).tolist(), strict=True))
    zero = at_home if from_home else dict.fromkeys(at_home, 0.0)
    body_of = {frame: name for name, frame in tree.body_frames.items()}
    taken = {BASE, *body_of.values()}
    names = [BASE]
    masses, shapes, driven = inertials(mechanism), _draw_bodies(mechanism), _describe_driven_joints(mechanism)
    following = _describe_mimics(mechanism, from_home) if mimics else {}
    parts = [_link(BASE, None, shapes.get(GROUND, ""))]
    for f, frame in enumerate(tree.frames[1:], 1):
        name = body_of.get(f) or fresh(f"{_format_joint_name(mechanism, f, frame)}:frame", taken)
        names.append(name)
        parent, placement = names[frame.parent], mechanism.model.placement[f]
        turn, shift = placement[:ORIGIN], placement[ORIGIN]
        singles = _list_single_joints(mechanism, f, frame)
        if not singles:
            own = _format_joint_name(mechanism, f, frame)
            parts.append(_build_joint(own, "fixed", (parent, name), _format_origin(turn, shift)))
        for k, (joint, axis) in enumerate(singles):
            kind = "prismatic" if frame.kind == PRISMATIC else "revolute"
            if kind == "prismatic":
                shift = shift + turn @ (zero[joint] * axis)
            else:
                turn = turn @ matrix_from_vector(zero[joint] * axis)
            last = k == len(singles) - 1
            child = name if last else fresh(f"{joint}:frame", taken)
            low, high, dynamics = driven.get(joint, (*_list_passive_limits(kind), ""))
            limits = (
                f'<axis xyz="{numbers(axis)}"/><limit lower="{low - zero[joint]!r}" upper="{high - zero[joint]!r}" '
                f'effort="{_EFFORT}" velocity="{_VELOCITY}"/>{dynamics}{following.get(joint, "")}'
            )
            parts.append(_build_joint(joint, kind, (parent, child), _format_origin(turn, shift), limits))
            if not last:
                parts.append(_link(child, None))
            parent, turn, shift = child, np.eye(3), np.zeros(3)
        owner = body_of.get(f, "")
        parts.append(_link(name, masses.get(owner), shapes.get(owner, "")))
    gravity = numbers(FLOAT64.array(mechanism.description.gravity))
    colours = "".join(
        f'<material name="{name}"><color rgba="{rgba}"/></material>\n' for name, rgba in COLOURS.items()
    )
    return (
        f'<?xml version="1.0"?>\n<robot name={quoteattr(mechanism.name)}>\n'
        f"<!-- Gravity of the machine file, m/s^2: {gravity} -->\n"
        f"{_build_remark(mechanism, at_home, from_home)}{colours}{''.join(parts)}</robot>\n"
    )


def _build_remark(mechanism: Mechanism, at_home: dict[str, float], from_home: bool) -> str:
    """Return comments on the joints at home and on loops."""
    cut = ", ".join(joint.name for joint in mechanism.tree.cut)
    values = ", ".join(f"{name} {value:.6g}" for name, value in at_home.items())
    texts = [f"Loops are left open at: {cut}"] if cut else []
    texts.append("All joints are zero at home." if from_home else f"Joints at home (m, rad): {values}")
    return "".join(f"<!-- {text.replace('--', '__')} -->\n" for text in texts)


def _list_passive_limits(kind: str) -> tuple[float, float]:
    farthest = math.tau if kind == "revolute" else _FARTHEST
    return -farthest, farthest


def _list_single_joints(mechanism: Mechanism, f: int, frame: Frame) -> list[tuple[str, FloatArray]]:
    """Return names and axes of the single joints that move a frame, from its parent on; none of a fixed one."""
    if frame.kind == FIXED:
        return []
    name = _format_joint_name(mechanism, f, frame)
    if frame.kind in (BALL, NO_SPIN):
        ends = _TURNS if frame.kind == BALL else _HINGES
        return [(f"{name}{end}", np.eye(3)[axis]) for end, axis in ends]
    return [(name, frame.sign * np.eye(3)[frame.axis])]


def _format_joint_name(mechanism: Mechanism, f: int, frame: Frame) -> str:
    if frame.joint < 0:
        return f"frame_{f}"
    name = mechanism.description.joints[frame.joint].name
    places = mechanism.tree.joint_frames[name]
    if f not in places:
        return f"{name}:fixed"
    return name if len(places) == 1 else f"{name}_{places.index(f) + 1}"


def _describe_mimics(mechanism: Mechanism, from_home: bool) -> dict[str, str]:
    """Return what makes joints follow others, by their names."""
    found = {}
    for one in list_followers(mechanism, "urdf"):
        offset = 0.0 if from_home else one.offset
        numbers_of = f'multiplier="{one.multiplier!r}" offset="{offset!r}"'
        found[one.joint] = f"<mimic joint={quoteattr(one.leader)} {numbers_of}/>"
    return found


def _describe_driven_joints(mechanism: Mechanism) -> dict[str, tuple[float, float, str]]:
    """Return limits and friction of joints that are driven as they are, by their names."""
    friction, found = mechanism.description.friction, {}
    for i, drive in enumerate(mechanism.description.drives):
        joint = find_driven_joint(drive)
        if not joint:
            continue
        low, high = FLOAT64.array(drive.limits) if drive.limits else (-_FARTHEST, _FARTHEST)
        viscous, coulomb = float(friction.viscous[i]), float(friction.coulomb[i])
        rubs = f'<dynamics damping="{viscous!r}" friction="{coulomb!r}"/>' if viscous or coulomb else ""
        found[joint] = (float(low), float(high), rubs)
    return found


def _format_origin(turn: FloatArray, shift: FloatArray) -> str:
    return f'<origin xyz="{numbers(shift)}" rpy="{numbers(yaw_pitch_roll(turn)[::-1])}"/>'


def _build_joint(name: str, kind: str, links: tuple[str, str], origin: str, moving: str = "") -> str:
    return (
        f'<joint name={quoteattr(name)} type="{kind}">{origin}'
        f"<parent link={quoteattr(links[0])}/><child link={quoteattr(links[1])}/>{moving}</joint>\n"
    )


def _link(name: str, body: Inertial | None, drawn: str = "") -> str:
    content = ("" if body is None else inertial_xml(body)) + drawn
    return (
        f"<link name={quoteattr(name)}>{content}</link>\n" if content else f"<link name={quoteattr(name)}/>\n"
    )


def _draw_bodies(mechanism: Mechanism) -> dict[str, str]:
    """Return visuals of each body, GROUND included."""
    drawn: dict[str, str] = {}
    for one in list_shapes(mechanism):
        if one.is_ball:
            origin = f'<origin xyz="{numbers(one.start)}"/>'
            text = _build_visual(origin, f'<sphere radius="{one.radius!r}"/>', one.colour)
        else:
            text = draw_bar(one.start, one.end, one.radius, one.colour)
        drawn[one.body] = drawn.get(one.body, "") + text
    return drawn


def draw_bar(start: FloatArray, end: FloatArray, radius: float, material: str) -> str:
    """Return a cylinder between two points (3,) of a link, m, as a visual; nothing where they are one."""
    along = end - start
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return ""
    pitch, yaw = np.arccos(np.clip(along[2] / length, -1, 1)), np.arctan2(along[1], along[0])
    origin = f'<origin xyz="{numbers(0.5 * (start + end))}" rpy="{numbers([0.0, pitch, yaw])}"/>'
    return _build_visual(origin, f'<cylinder radius="{radius!r}" length="{length!r}"/>', material)


def _build_visual(origin: str, shape: str, material: str) -> str:
    return f'<visual>{origin}<geometry>{shape}</geometry><material name="{material}"/></visual>\n'


class TreePositions:
    """Positions of the joints of a mechanism's tree, as `bodies_urdf` writes it.

    Attributes
    ----------
    names : tuple of str
        Those that move, in the order of the tree.

    Raises
    ------
    MachineError
        If two have one name.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._moving = [(f, frame) for f, frame in enumerate(mechanism.tree.frames) if frame.kind != FIXED]
        self.names = tuple(
            name for f, frame in self._moving for name, _ in _list_single_joints(mechanism, f, frame)
        )
        if taken := {name for name in self.names if self.names.count(name) > 1}:
            raise MachineError(
                f"{mechanism.description.source}: joint '{min(taken)}': another joint of the tree has this name"
            )

    def compute(self, configuration: FloatArray) -> FloatArray:
        """Return positions (J,), rad and m, in the order of `names`, of a configuration (Q,)."""
        rotation, _ = (part[0] for part in frames(self._mechanism, configuration[None]))
        found: list[float] = []
        for f, frame in self._moving:
            if frame.kind == BALL:
                placed = rotation[frame.parent] @ self._mechanism.model.placement[f][:ORIGIN]
                found += yaw_pitch_roll(placed.T @ rotation[f]).tolist()
            else:
                width = COORDINATES[frame.kind]
                found += configuration[frame.coordinate : frame.coordinate + width].tolist()
        return np.array(found)


def inertial_xml(body: Inertial, pose: str = "urdf") -> str:
    """Return the element `inertial` of a body, as URDF has it or SDF."""
    elements = zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), body.inertia[np.triu_indices(3)], strict=True)
    position = numbers(body.center)
    if pose == "urdf":
        tensor = " ".join(f'{name}="{float(value)!r}"' for name, value in elements)
        return f'<inertial><origin xyz="{position}"/><mass value="{float(body.mass)!r}"/><inertia {tensor}/></inertial>'
    tensor = "".join(f"<{name}>{float(value)!r}</{name}>" for name, value in elements)
    mass = f"<mass>{float(body.mass)!r}</mass>"
    return f"<inertial><pose>{position} 0 0 0</pose>{mass}<inertia>{tensor}</inertia></inertial>"
