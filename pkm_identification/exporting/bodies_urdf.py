# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""URDF of bodies with joints that are a tree: every frame of the tree is a link, joints keep their coordinates."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.machines.outline import BodyOutline
from pkm_identification.mechanisms.multibody.description.records import GROUND
from pkm_identification.mechanisms.multibody.extents import compute_body_extents
from pkm_identification.mechanisms.multibody.kernels.codes import BALL, FIXED, NO_SPIN, ORIGIN, PRISMATIC
from pkm_identification.mechanisms.multibody.kinematics import frames
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.mechanisms.multibody.structure.tree import Frame
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import yaw_pitch_roll
from pkm_identification.simulation.multibody.inertials import inertials
from pkm_identification.simulation.multibody.tree_model import Inertial, fresh, numbers

from .followers import list_followers
from .urdf import draw_bar

BASE = "base"
_BAR = 0.03  # radius of a bar, of the extent of the largest body
# Limits that URDF demands and the file does not have: a turn and a metre beyond all use, forces and rates likewise
_FARTHEST, _EFFORT, _VELOCITY = 1e3, 1e9, 1e9
_LIMITS = f'<limit lower="{-_FARTHEST}" upper="{_FARTHEST}" effort="{_EFFORT}" velocity="{_VELOCITY}"/>'


# Hinges that stand for a joint of three turns, in their order: end of the name and axis
TURNS = (("yaw", 2), ("pitch", 1), ("roll", 0))
TURNING = (BALL, NO_SPIN)


def bodies_urdf(mechanism: Mechanism, display: bool = False) -> str:
    """Return the URDF text of a mechanism that is a tree.

    Links have the bodies' names, or those of joints between which nothing has mass (universal and planar joints are two
    and three). Limits are those of single joints that are driven; friction is `dynamics` of a driven joint.

    Parameters
    ----------
    mechanism : Mechanism
        In float64.
    display : bool
        Whether it is for viewers: bodies are drawn as bars from joint to joint, loops are left open, three hinges stand
        for a spherical joint, and what `TreePositions` says closes the loops for the eye.

    Raises
    ------
    SettingsError
        If it closes loops, or has spherical joints, joints without spin or couplings of more than two joints, which
        URDF has not; not for display.
    """
    description, tree = mechanism.description, mechanism.tree
    if tree.cut and not display:
        loops = ", ".join(joint.name for joint in tree.cut)
        raise SettingsError(
            f"format urdf: has no loops, and '{mechanism.name}' closes {len(tree.cut)} loop"
            f"{'s' * (len(tree.cut) > 1)} ({loops}): export to mjcf or sdf"
        )
    other = [joint.name for joint in tree.carried if joint.type in ("spherical", "no_spin")]
    if other and not display:
        raise SettingsError(
            f"format urdf: has no joint like '{other[0]}' of '{mechanism.name}'; use mjcf or sdf"
        )
    body_of = {frame: name for name, frame in tree.body_frames.items()}
    taken = {BASE, *body_of.values()}
    names = [BASE]
    masses = inertials(mechanism)
    own = [_format_joint_name(mechanism, f, frame) for f, frame in enumerate(tree.frames)]
    mimics = {} if display else _describe_mimics(mechanism)
    bars = _draw_bars(mechanism) if display else {}
    parts = [_link(BASE, None, bars.get(GROUND, ""))]
    driven = _describe_driven_joints(mechanism)
    for f, frame in enumerate(tree.frames[1:], 1):
        names.append(body_of.get(f) or fresh(f"{own[f]}:frame", taken))
        parent, origin = names[frame.parent], _format_origin(mechanism, f)
        if frame.kind in TURNING:
            for end, axis in TURNS[:-1]:
                link = fresh(f"{own[f]}:{end}", taken)
                parts.append(
                    _build_joint(
                        f"{own[f]}_{end}", "revolute", (parent, link), origin, np.eye(3)[axis], _LIMITS
                    )
                )
                parts.append(_link(link, None))
                parent, origin = link, ""
            own[f] = f"{own[f]}_{TURNS[-1][0]}"
        kind = {FIXED: "fixed", PRISMATIC: "prismatic"}.get(frame.kind, "revolute")
        along = np.eye(3)[TURNS[-1][1]] if frame.kind in TURNING else frame.sign * np.eye(3)[frame.axis]
        limits = driven.get(own[f], _LIMITS) + mimics.get(own[f], "")
        parts.append(_build_joint(own[f], kind, (parent, names[f]), origin, along, limits))
        parts.append(_link(names[f], masses.get(body_of.get(f, "")), bars.get(body_of.get(f, ""), "")))
    gravity = numbers(FLOAT64.array(description.gravity))
    return (
        f'<?xml version="1.0"?>\n<robot name={quoteattr(mechanism.name)}>\n'
        f"<!-- Gravity of the machine file, m/s^2: {gravity} -->\n{''.join(parts)}</robot>\n"
    )


def _format_joint_name(mechanism: Mechanism, f: int, frame: Frame) -> str:
    if frame.joint < 0:
        return f"frame_{f}"
    name = mechanism.description.joints[frame.joint].name
    places = mechanism.tree.joint_frames[name]
    if f not in places:
        return f"{name}:fixed"
    return name if len(places) == 1 else f"{name}_{places.index(f) + 1}"


def _describe_mimics(mechanism: Mechanism) -> dict[str, str]:
    """Return what makes joints follow others, by their names."""
    found = {}
    for one in list_followers(mechanism, "urdf"):
        numbers_of = f'multiplier="{one.multiplier!r}" offset="{one.offset!r}"'
        found[one.joint] = f"<mimic joint={quoteattr(one.leader)} {numbers_of}/>"
    return found


def _describe_driven_joints(mechanism: Mechanism) -> dict[str, str]:
    """Return limits and friction of joints that are driven as they are, by their names."""
    friction, texts = mechanism.description.friction, {}
    for i, drive in enumerate(mechanism.description.drives):
        factors = {name: FLOAT64.number(one) for name, one in drive.measure.joints.items()}
        if (
            drive.measure.kind != "combination"
            or list(factors.values()) != [1.0]
            or FLOAT64.number(drive.measure.offset)
        ):
            continue
        low, high = FLOAT64.array(drive.limits) if drive.limits else (-_FARTHEST, _FARTHEST)
        text = f'<limit lower="{float(low)!r}" upper="{float(high)!r}" effort="{_EFFORT}" velocity="{_VELOCITY}"/>'
        viscous, coulomb = float(friction.viscous[i]), float(friction.coulomb[i])
        if viscous or coulomb:
            text += f'<dynamics damping="{viscous!r}" friction="{coulomb!r}"/>'
        texts[next(iter(factors))] = text
    return texts


def _format_origin(mechanism: Mechanism, f: int) -> str:
    """Return the origin of a frame in its parent."""
    placement = mechanism.model.placement[f]
    roll = yaw_pitch_roll(placement[:ORIGIN])[::-1]
    return f'<origin xyz="{numbers(placement[ORIGIN])}" rpy="{numbers(roll)}"/>'


def _build_joint(
    name: str, kind: str, links: tuple[str, str], origin: str, axis: FloatArray, limits: str
) -> str:
    moving = "" if kind == "fixed" else f'<axis xyz="{numbers(axis)}"/>{limits}'
    return (
        f'<joint name={quoteattr(name)} type="{kind}">{origin}'
        f"<parent link={quoteattr(links[0])}/><child link={quoteattr(links[1])}/>{moving}</joint>\n"
    )


def _link(name: str, body: Inertial | None, drawn: str = "") -> str:
    content = ("" if body is None else inertial_xml(body)) + drawn
    return (
        f"<link name={quoteattr(name)}>{content}</link>\n" if content else f"<link name={quoteattr(name)}/>\n"
    )


def _draw_bars(mechanism: Mechanism) -> dict[str, str]:
    """Return bars between the joints of each body, GROUND included, as visuals."""
    outline = BodyOutline(mechanism)
    radius = _BAR * float(np.max(compute_body_extents(mechanism)))
    drawn: dict[str, str] = {}
    for owner, ends in zip(outline.owners, outline.points, strict=True):
        if owner in mechanism.tree.body_frames:
            drawn[owner] = drawn.get(owner, "") + draw_bar(ends[0], ends[1], radius, "")
    return drawn


class TreePositions:
    """Positions of the joints of a mechanism's tree, as `bodies_urdf` writes it for display.

    Attributes
    ----------
    names : tuple of str
        Those that move, in the order of the tree.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        moving = [(f, frame) for f, frame in enumerate(mechanism.tree.frames) if frame.kind != FIXED]
        names: list[str] = []
        for f, frame in moving:
            name = _format_joint_name(mechanism, f, frame)
            names += [f"{name}_{end}" for end, _ in TURNS] if frame.kind in TURNING else [name]
        self.names = tuple(names)
        self._moving = moving

    def compute(self, configuration: FloatArray) -> FloatArray:
        """Return positions (J,), rad and m, in the order of `names`, of a configuration (Q,)."""
        rotation, _ = (part[0] for part in frames(self._mechanism, configuration[None]))
        found: list[float] = []
        for f, frame in self._moving:
            if frame.kind in TURNING:
                placed = rotation[frame.parent] @ self._mechanism.model.placement[f][:ORIGIN]
                found += yaw_pitch_roll(placed.T @ rotation[f]).tolist()
            else:
                found.append(float(configuration[frame.coordinate]))
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
