# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""URDF of a machine, for display: a tree whose joints all get their positions.

URDF knows no closed chains. Every strut is a chain of its own (two hinges at the base, body B, a slide, body E; from
the platform on, bodies the other way round, where its joints are universal), and the platform hangs on six virtual
joints from the base. `TreeJoints` says where all of them are at a pose; as
JointState messages to a robot_state_publisher, these close the loops for the eye. A viewer that nobody tells positions
puts all of them to zero: `urdf(machine, from_home=True)` counts them from home, so that it shows the machine there.
"""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

import numpy as np

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.hexapod.bodies import StrutBody
from pkm_identification.mechanisms.hexapod.kinematics.strut_frames import (
    compute_strut_coordinates,
    strut_frames,
)
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_vector, yaw_pitch_roll

PLATFORM_JOINTS = (
    "platform_x",
    "platform_y",
    "platform_z",
    "platform_yaw",
    "platform_pitch",
    "platform_roll",
)
HINGES = tuple((f"hinge_{i}_first", f"hinge_{i}_second") for i in range(1, STRUTS + 1))
_AXES = ("1 0 0", "0 1 0", "0 0 1", "0 0 1", "0 1 0", "1 0 0")
# Limits URDF demands and nobody here enforces.
_EFFORT, _VELOCITY = 1e4, 10.0
# What is drawn, relative to the machine's size.
_TUBE, _ROD, _PLATE, _BALL = 0.05, 0.03, 0.05, 0.06


class TreeJoints:
    """Positions of the tree's joints at platform poses.

    Attributes
    ----------
    names : tuple of str
        18 of the struts (first hinge, second hinge, slide; the slides are named as in `strut_states`), then six of
        the platform.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        slides = machine.joint_names
        self.names = (*(n for i in range(STRUTS) for n in (*HINGES[i], slides[i])), *PLATFORM_JOINTS)
        if taken := {name for name in self.names if self.names.count(name) > 1}:
            raise MachineError(
                f"joint_names: '{min(taken)}' is another joint of the tree; choose another name"
            )
        self._frames = strut_frames(machine)

    def positions(self, position: FloatArray, rotation: FloatArray) -> FloatArray:
        """Positions (24,), rad and m, in the order of `names`, at position (3,) in m and rotation (3, 3)."""
        struts = compute_strut_coordinates(self._frames, self._machine, position, rotation)
        return np.concatenate([struts.ravel(), position, yaw_pitch_roll(rotation)])


def urdf(machine: Machine, from_home: bool = False) -> str:
    """URDF text of a machine.

    Links: `base`, `strut_I_b`, `strut_I_e` and `platform`, with mass, centre of mass, inertia and simple shapes;
    links without a mass stand between joints in one place. Units and frames are the machine file's; the base frame
    is `base`, the platform frame `platform`.

    Parameters
    ----------
    machine : Machine
    from_home : bool
        Whether all joints are zero at home. Else slides are the struts' lengths and the platform's joints its pose, as
        in `strut_states` and `TreeJoints`; a comment has their values at home.

    Raises
    ------
    MachineError
        If a strut runs along its first hinge at home, or has the name of another joint.
    """
    size = machine.length_scale
    tree = TreeJoints(machine)
    home = tree.positions(machine.home_position, machine.home_rotation)
    zero = home if from_home else np.zeros_like(home)
    parts = [_link("base", _add_plate(machine.base_joints, size, "steel"))]
    for i, frame in enumerate(strut_frames(machine)):
        parts += _add_strut(machine, i, frame, zero[3 * i : 3 * i + 3])
    parts += _add_platform(machine, zero[3 * STRUTS :])
    colours = '<material name="steel"><color rgba="0.45 0.48 0.52 1"/></material>\n'
    colours += '<material name="bright"><color rgba="0.75 0.77 0.80 1"/></material>\n'
    colours += '<material name="moving"><color rgba="0.16 0.45 0.72 1"/></material>\n'
    remark = _build_remark(tree.names, home, from_home)
    return (
        f'<?xml version="1.0"?>\n<robot name={quoteattr(machine.name)}>\n{remark}{colours}'
        f"{''.join(parts)}</robot>\n"
    )


def _build_remark(names: tuple[str, ...], home: FloatArray, from_home: bool) -> str:
    """Return a comment on the joints at home."""
    if from_home:
        return "<!-- All joints are zero at home. -->\n"
    values = ", ".join(f"{name} {value:.6g}" for name, value in zip(names, home, strict=True))
    return f"<!-- Joints at home (m, rad): {values} -->\n"


def _add_strut(machine: Machine, i: int, frame: FloatArray, zero: FloatArray) -> list[str]:
    strut, size = machine.struts[i], machine.length_scale
    low, high = machine.length_limits
    number = i + 1
    tube = 0.55 * high
    rod = _add_cylinder(_ROD * size, 0.6 * low, -0.3 * low, "bright") + _add_sphere(_BALL * size, "bright")
    links = {
        "b": _add_inertial(strut.body_b, strut.body_b.center_of_mass)
        + _add_cylinder(_TUBE * size, tube, 0.5 * tube, "steel")
        + _add_sphere(_BALL * size, "steel"),
        "e": _add_inertial(strut.body_e, -strut.body_e.center_of_mass) + rod,
    }
    first, second = (matrix_from_vector(zero[k] * np.eye(3)[k]) for k in range(2))
    parent, position, order, axis, along = "base", machine.base_joints[i], "be", "0 0 1", 1.0
    if machine.hinged_platform:
        parent, position, order, axis, along = "platform", machine.platform_joints[i], "eb", "0 0 -1", -1.0
    near, far = (f"strut_{number}_{body}" for body in order)
    return [
        _add_joint(HINGES[i][0], "revolute", parent, f"hinge_{number}", "1 0 0", position, frame @ first),
        _link(f"hinge_{number}", ""),
        _add_joint(HINGES[i][1], "revolute", f"hinge_{number}", near, "0 1 0", np.zeros(3), second),
        _link(near, links[order[0]]),
        _add_joint(
            machine.joint_names[i],
            "prismatic",
            near,
            far,
            axis,
            np.array([0.0, 0.0, along * zero[2]]),
            np.eye(3),
            limits=(low - zero[2], high - zero[2]),
        ),
        _link(far, links[order[1]]),
    ]


def _add_platform(machine: Machine, zero: FloatArray) -> list[str]:
    platform = machine.platform
    parts, parent = [], "base"
    for k, name in enumerate(PLATFORM_JOINTS):
        child = "platform" if k == len(PLATFORM_JOINTS) - 1 else name.replace("platform", "platform_after")
        kind = "prismatic" if k < 3 else "revolute"
        axis = np.array([float(one) for one in _AXES[k].split()])
        position = zero[k] * axis if k < 3 else np.zeros(3)
        turn = matrix_from_vector(zero[k] * axis) if k >= 3 else np.eye(3)
        parts.append(_add_joint(name, kind, parent, child, _AXES[k], position, turn, limits=(-10.0, 10.0)))
        if child != "platform":
            parts.append(_link(child, ""))
        parent = child
    c, inertia = platform.center_of_mass, platform.inertia
    values = zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), inertia[np.triu_indices(3)], strict=True)
    tensor = " ".join(f'{name}="{_number(float(value))}"' for name, value in values)
    mass = _number(platform.mass)
    inertial = f'<inertial><origin xyz="{_format_numbers(c)}"/><mass value="{mass}"/><inertia {tensor}/></inertial>\n'
    return [
        *parts,
        _link("platform", inertial + _add_plate(machine.platform_joints, machine.length_scale, "moving")),
    ]


def _add_joint(
    name: str, kind: str, parent: str, child: str, axis: str, position: FloatArray | None = None,
    frame: FloatArray | None = None, limits: tuple[float, float] = (-3.2, 3.2),
) -> str:  # fmt: skip
    origin = ""
    if position is not None and frame is not None:
        origin = f'<origin xyz="{_format_numbers(position)}" rpy="{_format_numbers(yaw_pitch_roll(frame)[::-1])}"/>'
    return (
        f'<joint name="{name}" type="{kind}">{origin}<parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="{axis}"/><limit lower="{_number(limits[0])}" upper="{_number(limits[1])}" '
        f'effort="{_EFFORT}" velocity="{_VELOCITY}"/></joint>\n'
    )


def _link(name: str, content: str) -> str:
    return f'<link name="{name}">\n{content}</link>\n' if content else f'<link name="{name}"/>\n'


def _add_inertial(body: StrutBody, position: float) -> str:
    t, a = body.transverse, body.axial
    return (
        f'<inertial><origin xyz="0 0 {_number(position)}"/><mass value="{_number(body.mass)}"/>'
        f'<inertia ixx="{_number(t)}" ixy="0" ixz="0" iyy="{_number(t)}" iyz="0" izz="{_number(a)}"/></inertial>\n'
    )


def _add_plate(joints: FloatArray, size: float, material: str) -> str:
    """Bars from joint to joint, and a ball at each."""
    order = np.argsort(np.arctan2(joints[:, 1], joints[:, 0]))
    shapes = []
    for start, end in zip(joints[order], joints[np.roll(order, -1)], strict=True):
        shapes.append(draw_bar(start, end, 0.4 * _PLATE * size, material))
    shapes += [
        _add_visual(
            f'<origin xyz="{_format_numbers(joint)}"/>',
            f'<sphere radius="{_number(_BALL * size)}"/>',
            material,
        )
        for joint in joints
    ]
    return "".join(shapes)


def draw_bar(start: FloatArray, end: FloatArray, radius: float, material: str) -> str:
    """Return a cylinder between two points (3,) of a link, m, as a visual; nothing where they are one."""
    along = end - start
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return ""
    pitch, yaw = np.arccos(np.clip(along[2] / length, -1, 1)), np.arctan2(along[1], along[0])
    origin = f'<origin xyz="{_format_numbers(0.5 * (start + end))}" rpy="0 {_number(pitch)} {_number(yaw)}"/>'
    return _add_visual(origin, f'<cylinder radius="{_number(radius)}" length="{_number(length)}"/>', material)


def _add_cylinder(radius: float, length: float, middle: float, material: str) -> str:
    shape = f'<cylinder radius="{_number(radius)}" length="{_number(length)}"/>'
    return _add_visual(f'<origin xyz="0 0 {_number(middle)}"/>', shape, material)


def _add_sphere(radius: float, material: str) -> str:
    return _add_visual("", f'<sphere radius="{_number(radius)}"/>', material)


def _add_visual(origin: str, shape: str, material: str) -> str:
    colour = f'<material name="{material}"/>' if material else ""
    return f"<visual>{origin}<geometry>{shape}</geometry>{colour}</visual>\n"


def _number(value: float) -> str:
    return repr(float(value))


def _format_numbers(values: FloatArray) -> str:
    return " ".join(_number(value) for value in np.ravel(values))
