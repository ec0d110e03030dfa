# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The spanning tree of a joint graph: joints with few coordinates carry it, those with many are cut and close loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pkm_identification.errors import MachineError

from ..description.records import FREEDOM, GROUND, Body, Description, Joint
from ..kernels.codes import BALL, COORDINATES, FIXED, NO_SPIN, PRISMATIC, REVOLUTE, VELOCITIES
from .placements import HERE, Placement, joint_frames

_X, _Y, _Z = 0, 1, 2
# Elementary motions of a joint from its first body to its second: kind, and axis of the joint's frame.
_MOTIONS: dict[str, tuple[tuple[int, int], ...]] = {
    "fixed": (),
    "revolute": ((REVOLUTE, _Z),),
    "prismatic": ((PRISMATIC, _Z),),
    "universal": ((REVOLUTE, _X), (REVOLUTE, _Y)),
    "no_spin": ((NO_SPIN, _X),),
    "spherical": ((BALL, _X),),
    "planar": ((PRISMATIC, _X), (PRISMATIC, _Y), (REVOLUTE, _Z)),
}


@dataclass(frozen=True)
class Frame:
    """A frame of the tree: placed in its parent, then moved by one elementary motion.

    Attributes
    ----------
    parent : int
        Of the frame it is placed in; -1 for the ground itself.
    placement : Placement
        Before its motion.
    kind, axis : int
        The motion (`kernels.codes`) and its axis, 0 to 2.
    sign : int
        -1 where the tree passes the joint from its second body to its first.
    coordinate, velocity : int
        Its first place among coordinates and velocities; -1 if it has none.
    joint : int
        Which joint moves it; -1 for a body's own frame.
    """

    parent: int
    placement: Placement
    kind: int = FIXED
    axis: int = _Z
    sign: int = 1
    coordinate: int = -1
    velocity: int = -1
    joint: int = -1


@dataclass(frozen=True)
class Tree:
    """Frames in an order in which parents come first, and what they belong to.

    Attributes
    ----------
    frames : tuple of Frame
        The ground first.
    body_frames : dict of str to int
        Frame of each body, GROUND included.
    carried, cut : tuple of Joint
        Joints in the tree, and those that close loops.
    coordinates, velocities : int
        Their numbers.
    joint_frames : dict of str to tuple of int
        Frames that a joint of the tree moves, in the order of its own coordinates.
    """

    frames: tuple[Frame, ...]
    body_frames: dict[str, int]
    carried: tuple[Joint, ...]
    cut: tuple[Joint, ...]
    coordinates: int
    velocities: int
    joint_frames: dict[str, tuple[int, ...]]


def spanning_tree(description: Description, whole: bool = False) -> Tree:
    """Return the tree with the fewest coordinates.

    `whole`: with a frame also where a body's is the one of its joint, as it is not if the joint is elsewhere.

    Raises
    ------
    MachineError
        If a body has no path to ground, or a joint without spin closes a loop.
    """
    carried, cut = _split(description)
    builder = _Builder(description.joints, whole)
    waiting = list(carried)
    while waiting:
        ready = [joint for joint in waiting if any(body in builder.body_frames for body in joint.bodies)]
        for joint in ready:
            builder.carry(joint, description.source)
        waiting = [joint for joint in waiting if joint not in ready]
        if not ready:
            break
    lost = [body.name for body in description.bodies if body.name not in builder.body_frames]
    if lost:
        raise MachineError(f"{description.source}: body '{lost[0]}' has no path of joints to ground")
    return Tree(
        _order_leaves_first(
            builder.frames, [[builder.body_frames[body] for body in joint.bodies] for joint in cut]
        ),
        builder.body_frames,
        tuple(carried),
        tuple(cut),
        builder.coordinates,
        builder.velocities,
        builder.joint_frames,
    )


def _split(description: Description) -> tuple[list[Joint], list[Joint]]:
    """Kruskal: joints by their number of coordinates; measured ones first, since their coordinates are wanted."""
    measures = [drive.measure for drive in description.drives]
    measures += [*description.outputs, *description.readings, *description.couplings]
    wanted = {name for measure in measures for name in measure.joints}
    root = {body: body for body in (GROUND, *(body.name for body in description.bodies))}

    def top(body: str) -> str:
        while root[body] != body:
            body = root[body]
        return body

    def weight(joint: Joint) -> tuple[bool, bool, int]:
        return joint.name not in wanted, joint.type != "no_spin", FREEDOM[joint.type]

    carried, cut = [], []
    for joint in sorted(description.joints, key=weight):
        first, second = (top(body) for body in joint.bodies)
        if first == second:
            cut.append(joint)
        else:
            root[first] = second
            carried.append(joint)
    for joint in cut:
        if joint.name in wanted or joint.type == "no_spin":
            why = (
                "its coordinate is a drive's, an output's or a coupling's"
                if joint.name in wanted
                else "it has no spin"
            )
            raise MachineError(
                f"{description.source}: joints.{joint.name}: cannot close a loop of such joints alone, since {why}"
            )
    order = {joint.name: k for k, joint in enumerate(description.joints)}
    return sorted(carried, key=lambda j: order[j.name]), sorted(cut, key=lambda j: order[j.name])


def _order_leaves_first(frames: Sequence[Frame], loops: Sequence[Sequence[int]]) -> tuple[Frame, ...]:
    """Return number the velocities so that those of frames in few loops come first.

    Eliminated in this order, a leg's own unknowns leave the other legs' rows as they are. A tree without loops keeps
    its order.
    """
    shared_by = [0] * len(frames)
    for ends in loops:
        for f in _list_ancestors(frames, ends[0]) ^ _list_ancestors(frames, ends[1]):
            shared_by[f] += 1
    placed, count = list(frames), 0
    for f in sorted(range(len(frames)), key=lambda f: shared_by[f]):
        if frames[f].kind != FIXED:
            placed[f] = replace(frames[f], velocity=count)
            count += VELOCITIES[frames[f].kind]
    return tuple(placed)


def loop_frames(tree: Tree, joint: Joint) -> set[int]:
    """Frames that move against each other in the loop a cut joint closes."""
    one, other = (_list_ancestors(tree.frames, tree.body_frames[body]) for body in joint.bodies)
    return one ^ other


def loop_bodies(tree: Tree, joint: Joint) -> tuple[str, ...]:
    """Names of the bodies that move against each other in the loop a cut joint closes, from its first to its second."""
    one, other = (_list_ancestors(tree.frames, tree.body_frames[body]) for body in joint.bodies)
    names = {frame: name for name, frame in tree.body_frames.items()}
    up = [names[f] for f in sorted(one - other, reverse=True) if f in names]
    down = [names[f] for f in sorted(other - one) if f in names]
    return (*up, *down)


def _list_ancestors(frames: Sequence[Frame], f: int) -> set[int]:
    """Return a frame and those that carry it."""
    carriers = set()
    while f >= 0:
        carriers.add(f)
        f = frames[f].parent
    return carriers


class _Builder:
    """Grows the list of frames."""

    def __init__(self, joints: Sequence[Joint], whole: bool) -> None:
        self.frames = [Frame(-1, HERE)]
        self.body_frames = {GROUND: 0}
        self.joint_frames: dict[str, tuple[int, ...]] = {}
        self.coordinates = self.velocities = 0
        self._whole = whole
        self._number = {joint.name: k for k, joint in enumerate(joints)}

    def carry(self, joint: Joint, source: str) -> None:
        """Add the frames from the body of the joint that is there to the other."""
        forward = joint.bodies[0] in self.body_frames
        near, far = joint.bodies if forward else joint.bodies[::-1]
        start, end = joint_frames(joint)[:: 1 if forward else -1]
        motions = _MOTIONS[joint.type][:: 1 if forward else -1]
        if joint.type == "no_spin" and not forward:
            raise MachineError(
                f"{source}: joints.{joint.name}: without spin, its first body must be the one nearer to ground"
            )
        parent, placement = self.body_frames[near], start
        frames = []
        for kind, axis in motions:
            self.frames.append(
                Frame(
                    parent,
                    placement,
                    kind,
                    axis,
                    1 if forward else -1,
                    self.coordinates,
                    self.velocities,
                    self._number[joint.name],
                )
            )
            self.coordinates += COORDINATES[kind]
            self.velocities += VELOCITIES[kind]
            parent, placement = len(self.frames) - 1, HERE
            frames.append(parent)
        back = end.inverse()
        placement = back if motions else placement @ back  # after a motion, it starts from where that ends
        if self._whole or not motions or not placement.nothing:
            self.frames.append(Frame(parent, placement))
            parent = len(self.frames) - 1
        self.body_frames[far] = parent
        self.joint_frames[joint.name] = tuple(frames if forward else frames[::-1])


def planar_bodies(bodies: Sequence[Body]) -> set[str]:
    """Return names of what stays in its plane, the ground included."""
    return {GROUND, *(body.name for body in bodies if body.planar)}
