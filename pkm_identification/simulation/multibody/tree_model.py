# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tree of a mechanism as MuJoCo bodies and joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

import numpy as np

from pkm_identification.mechanisms.multibody.kernels.codes import (
    BALL,
    COORDINATES,
    FIXED,
    NO_SPIN,
    ORIGIN,
    PRISMATIC,
    REVOLUTE,
)
from pkm_identification.mechanisms.multibody.structure.model import Model
from pkm_identification.mechanisms.multibody.structure.tree import Frame, Tree
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import (
    build_quaternion_from_matrix,
    matrix_from_quaternion,
    matrix_from_vector,
)

WORLD = "world"  # MuJoCo's name of what does not move
_NOTHING = 1e-12  # kg and kg m^2: MuJoCo wants positive masses and moments


@dataclass(frozen=True)
class Inertial:
    """Mass (kg), centre of mass (m) and inertia (3, 3) about it (kg m^2), in a body's frame."""

    mass: float
    center: FloatArray
    inertia: FloatArray

    def text(self) -> str:
        """As MJCF, what MuJoCo would refuse made just possible."""
        tensor = self.inertia + _NOTHING * (1.0 + np.abs(self.inertia).max()) * np.eye(3)
        full = tensor[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        return (
            f'<inertial pos="{numbers(self.center)}" mass="{max(float(self.mass), _NOTHING)!r}" '
            f'fullinertia="{numbers(full)}"/>\n'
        )


_WITHOUT_MASS = Inertial(0.0, np.zeros(3), np.zeros((3, 3)))


@dataclass
class TreeBodies:
    """Bodies and joints of a tree in the order of MuJoCo's text.

    Attributes
    ----------
    text : str
    coordinate : list of int
        Coordinate of the tree behind each of MuJoCo's; -1 for a turn about an axis along which a joint has no spin.
    velocity : list of int
        Velocity of the tree behind each of MuJoCo's; -1 likewise.
    start : list of float
        MuJoCo's coordinates where its model starts, third hinges of joints without spin left out.
    spin : list of tuple of int
        Place among MuJoCo's velocities, coordinate of the second hinge and first velocity of each joint without spin.
    body_names : dict of int to str
        Name of the MuJoCo body that is each frame.
    """

    text: str = ""
    coordinate: list[int] = field(default_factory=list)
    velocity: list[int] = field(default_factory=list)
    start: list[float] = field(default_factory=list)
    spin: list[tuple[int, int, int]] = field(default_factory=list)
    body_names: dict[int, str] = field(default_factory=dict)


class TreeWriter:
    """Writes the frames of a tree as nested MuJoCo bodies.

    Parameters
    ----------
    tree : Tree
    model : Model
        In float64.
    inertials : dict of str to Inertial
        Of the bodies, by name.
    joints : sequence of str
        Names of the joints as the tree numbers them.
    armature : dict of str to float
        Of single joints, kg or kg m^2.
    sites : dict of int to str
        What else stands in the bodies, by frame.
    spinning : bool
        Whether a joint without spin has a third hinge, whose rate is dictated from outside; else it is a universal one.
    home : ndarray, shape (Q,), optional
        Coordinates of the tree at which MuJoCo's model starts: joints have them as their reference, and the quaternions
        of spherical joints count from there. Without it they are zero.
    """

    def __init__(
        self,
        tree: Tree,
        model: Model,
        inertials: dict[str, Inertial],
        joints: Sequence[str],
        armature: dict[str, float],
        sites: dict[int, str],
        spinning: bool,
        home: FloatArray | None = None,
    ) -> None:
        self._tree, self._model, self._inertials = tree, model, inertials
        self._joints, self._armature, self._sites, self._spinning = joints, armature, sites, spinning
        self._home = home
        self._body_names, self._joint_names = {WORLD, *tree.body_frames}, set(joints)
        self._body_of = {frame: name for name, frame in tree.body_frames.items()}
        self._children: dict[int, list[int]] = {}
        for f, frame in enumerate(tree.frames):
            self._children.setdefault(frame.parent, []).append(f)

    def written(self) -> TreeBodies:
        """Return all of it, what the ground carries included."""
        bodies = TreeBodies()
        bodies.body_names[0] = WORLD
        bodies.text = self._sites.get(0, "") + "".join(
            self._body(f, bodies) for f in self._children.get(0, [])
        )
        return bodies

    def _body(self, first: int, bodies: TreeBodies) -> str:
        """Return a body, from the first of the frames that one joint moves."""
        frames = self._tree.frames
        group = [first]
        while frames[first].kind != FIXED:
            following = self._children.get(group[-1], [])
            if not following or frames[following[0]].joint != frames[first].joint:
                break
            group.append(following[0])
        last = group[-1]
        owner = self._body_of.get(last)
        name = owner or fresh(f"{self._label(frames[first])}:{first}", self._body_names)
        for f in group:
            bodies.body_names[f] = name
        turn, shift, moved = self._place(group)
        joints = "".join(self._joint(f, bodies, moved) for f in group)
        inertial = self._inertials.get(owner or "", _WITHOUT_MASS)
        inner = inertial.text() if joints or inertial is not _WITHOUT_MASS else ""
        inner += self._sites.get(last, "")
        inner += "".join(self._body(f, bodies) for f in self._children.get(last, []))
        quaternion = np.roll(build_quaternion_from_matrix(turn), 1)
        return (
            f'<body name={quoteattr(name)} pos="{numbers(shift)}" quat="{numbers(quaternion)}">\n'
            f"{joints}{inner}</body>\n"
        )

    def _place(self, group: list[int]) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return rotation and place of a body in its parent where MuJoCo's model starts, and turns (N, 3, 3) by frame.

        A frame's turn is that of all joints of the body behind it: MuJoCo has axes in the body's frame, turned by all.
        """
        placement = self._model.placement[group[0]]
        turn, shift = placement[:ORIGIN], placement[ORIGIN]
        turns = np.tile(np.eye(3), (len(self._tree.frames), 1, 1))
        if self._home is None:
            return turn, shift, turns
        for k, f in enumerate(group):
            frame = self._tree.frames[f]
            c, own = frame.coordinate, np.eye(3)
            if frame.kind == PRISMATIC:
                shift = shift + turn @ _build_direction(frame.axis, frame.sign) * self._home[c]
            elif frame.kind == REVOLUTE:
                own = matrix_from_vector(self._home[c] * _build_direction(frame.axis, frame.sign))
            elif frame.kind == NO_SPIN:
                first, second = (matrix_from_vector(self._home[c + i] * np.eye(3)[i]) for i in range(2))
                own = first @ second
                turns[f] = second
            elif frame.kind == BALL:
                own = matrix_from_quaternion(self._home[c : c + 4])
            turn = turn @ own
            for before in group[:k]:
                turns[before] = turns[before] @ own
        return turn, shift, turns

    def _label(self, frame: Frame) -> str:
        return self._joints[frame.joint] if frame.joint >= 0 else "frame"

    def _name_part(self, name: str) -> str:
        """Name of a hinge or slide that is one of several of a joint."""
        return fresh(name, self._joint_names)

    def _joint(self, f: int, bodies: TreeBodies, turns: FloatArray) -> str:
        frame = self._tree.frames[f]
        if frame.kind == FIXED:
            return ""
        joint = self._joints[frame.joint]
        own = self._tree.joint_frames[joint]
        name = joint if len(own) == 1 else self._name_part(f"{joint}_{own.index(f) + 1}")
        c, v = frame.coordinate, frame.velocity
        if frame.kind == BALL:
            # MuJoCo's quaternions are w, x, y, z
            bodies.coordinate += [c + 3, c, c + 1, c + 2]
            bodies.velocity += [v, v + 1, v + 2]
            bodies.start += [1.0, 0.0, 0.0, 0.0]
            return f'<joint name={quoteattr(name)} type="ball"/>\n'
        if frame.kind == NO_SPIN:
            bodies.coordinate += [c, c + 1]
            bodies.velocity += [v, v + 1]
            text = self._single(self._name_part(f"{name}_1"), "hinge", turns[f].T[:, 0], c, bodies)
            text += self._single(self._name_part(f"{name}_2"), "hinge", np.eye(3)[1], c + 1, bodies)
            if self._spinning:
                bodies.spin.append((len(bodies.velocity), c + 1, v))
                bodies.coordinate.append(-1)
                bodies.velocity.append(-1)
                text += (
                    f'<joint name={quoteattr(self._name_part(f"{name}_spin"))} type="hinge" axis="0 0 1"/>\n'
                )
            return text
        assert COORDINATES[frame.kind] == 1
        bodies.coordinate.append(c)
        bodies.velocity.append(v)
        kind = {REVOLUTE: "hinge", PRISMATIC: "slide"}[frame.kind]
        inertia = self._armature.get(joint, 0.0)
        armature = f' armature="{inertia!r}"' if inertia else ""
        direction = turns[f].T @ _build_direction(frame.axis, frame.sign)
        return self._single(name, kind, direction, c, bodies, armature)

    def _single(
        self, name: str, kind: str, axis: FloatArray, coordinate: int, bodies: TreeBodies, more: str = ""
    ) -> str:
        """Return a hinge or slide, and note where it stands at the start."""
        start = 0.0 if self._home is None else float(self._home[coordinate])
        bodies.start.append(start)
        reference = "" if self._home is None else f' ref="{start!r}"'
        return f'<joint name={quoteattr(name)} type="{kind}" axis="{numbers(axis)}"{reference}{more}/>\n'


def fresh(name: str, taken: set[str]) -> str:
    """Return a name that no other part of its kind has, made of a wanted one; counted as taken from then on."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def numbers(values: FloatArray | Sequence[float] | float) -> str:
    """Return numbers as MJCF has them, with all their digits."""
    return " ".join(repr(float(value)) for value in np.ravel(values))


def _build_direction(axis: int, sign: int) -> FloatArray:
    return sign * np.eye(3)[axis]
