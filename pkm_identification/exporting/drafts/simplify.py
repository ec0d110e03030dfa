# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bodies and joints with nothing in them that a machine file says more shortly.

Bodies that are fixed to each other become one; hinges through one point with nothing between them become a universal
or a spherical joint; a rod between two spherical joints, whose spin nothing drives and no force feels, does not spin.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from pkm_identification.errors import DocumentError
from pkm_identification.mechanisms.multibody.description.records import GROUND
from pkm_identification.mechanisms.plausibility import MOST_DENSITY, compute_smallest_radius
from pkm_identification.numerics.arrays import FloatArray

from .graph import GUESS, Draft, DraftJoint, Frame, Link
from .kinds import GUESSED

_ONE_POINT_M = 1e-6  # what files of six decimals round to
_LIGHT = 0.01  # of a neighbour's moment about the point: a cross or a ball between hinges, not a link
_PLACEHOLDER = 1e-6  # of the machine's mass: what is written where a file must state some
_ACROSS = 1e-6  # cosine of axes at a right angle
_LEAST_MOMENT = 1e-3  # of that of a ball of tungsten: what is below was rounded to 0, or never worked out
_DENSITY = 1000.0  # kg/m^3 of a link with its hollows, where its moments are guessed


def drop_placeholders(draft: Draft) -> Draft:
    """Return the draft with bodies that have mass only because another program wants some without it."""
    total = sum(link.mass for link in draft.links)
    names = [link.name for link in draft.links if 0.0 < link.mass < _PLACEHOLDER * total]
    links = tuple(Link(link.name) if link.name in names else link for link in draft.links)
    note = f"{', '.join(names)}: less than {_PLACEHOLDER:g} of all mass, taken without"
    return replace(draft, links=links, notes=(*draft.notes, *([note] if names else [])))


def guess_missing_moments(draft: Draft) -> Draft:
    """Return the draft with the moments of a ball for bodies that have mass and none."""
    links, names = [], []
    for link in draft.links:
        smallest = compute_smallest_radius(link.mass)
        if np.trace(link.inertia) < _LEAST_MOMENT * 3.0 * link.mass * smallest**2:
            radius = smallest * (MOST_DENSITY / _DENSITY) ** (1.0 / 3.0)
            link = replace(link, inertia=link.mass * radius**2 * np.eye(3), known=GUESS)
            names.append(link.name)
        links.append(link)
    note = f"{', '.join(names)}: {GUESSED}: no moments of inertia in the file; those of a ball of {_DENSITY:g} kg/m^3"
    return replace(draft, links=tuple(links), notes=(*draft.notes, *([note] if names else [])))


def join_fixed_bodies(draft: Draft) -> Draft:
    """Return the draft with one body in place of those that fixed joints hold together, called by the heaviest."""
    masses = {link.name: link for link in draft.links}
    fixed = [joint for joint in draft.joints if joint.type == "fixed"]
    frame_of: dict[str, tuple[str, Frame]] = {}  # of each body, in the first one of its lump
    for name in (GROUND, *masses):
        if name in frame_of:
            continue
        frame_of[name] = (name, Frame())
        found = [name]
        while found:
            here = found.pop()
            for joint in fixed:
                if here in joint.bodies:
                    there = joint.bodies[joint.bodies[0] == here]
                    if there not in frame_of:
                        frame_of[there] = (name, frame_of[here][1] @ joint.seen_from(here).at_home)
                        found.append(there)
    lumps: dict[str, list[str]] = {}
    for body, (first, _) in frame_of.items():
        lumps.setdefault(first, []).append(body)
    frames: dict[str, tuple[str, Frame]] = {}
    links, notes = [], []
    for members in lumps.values():
        # twins of one body in an exported model have equal masses, and the longer names
        head = min(
            members, key=lambda one: (one != GROUND, -masses[one].mass if one in masses else 0.0, len(one))
        )
        base = frame_of[head][1].inverse()
        frames |= {body: (head, base @ frame_of[body][1]) for body in members}
        if head != GROUND:
            links.append(_sum_bodies(head, [(masses[body], frames[body][1]) for body in members]))
        others = [body for body in members if body != head and masses[body].mass > 0.0]
        if others:
            whole = "the ground" if head == GROUND else f"body '{head}'"
            notes.append(f"{', '.join(others)}: fixed, part of {whole}")
    joints = []
    # what leads to a body that the file has twice closes a loop, and comes last as other such joints do
    welded = {frames[body][0] for joint in fixed if joint.closing for body in joint.bodies}
    twice = {body for body, (head, _) in frames.items() if head in welded and body != head}
    for joint in sorted(draft.joints, key=lambda one: not twice.isdisjoint(one.bodies)):
        if joint.type == "fixed":
            continue
        ends = [frames[body] for body in joint.bodies]
        if ends[0][0] == ends[1][0]:
            raise DocumentError(f"joint '{joint.name}' connects '{joint.bodies[0]}' with what is fixed to it")
        near, far = (moved @ frame for (_, moved), frame in zip(ends, joint.frames, strict=True))
        joints.append(replace(joint, bodies=(ends[0][0], ends[1][0]), frames=(near, far)))
    return replace(draft, links=tuple(links), joints=tuple(joints), notes=(*draft.notes, *notes))


def _sum_bodies(name: str, parts: Sequence[tuple[Link, Frame]]) -> Link:
    """Return the body that these make, each with its frame in the body's."""
    mass = sum(link.mass for link, _ in parts)
    if not mass > 0.0:
        return Link(name, known=GUESS if any(link.guessed for link, _ in parts) else "")
    if len(parts) == 1:
        return parts[0][0]
    centers = [frame.origin + frame.rotation @ link.center for link, frame in parts]
    center = sum((link.mass * c for (link, _), c in zip(parts, centers, strict=True)), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for (link, frame), c in zip(parts, centers, strict=True):
        r = c - center
        inertia += frame.rotation @ link.inertia @ frame.rotation.T
        inertia += link.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return Link(name, mass, center, inertia, GUESS if any(link.guessed for link, _ in parts) else "")


def join_hinges(draft: Draft, kept: Collection[str]) -> Draft:
    """Return the draft with universal and spherical joints where hinges meet in a point with next to nothing between.

    The mass of a cross goes exactly to the neighbour on whose joint its centre of mass is; its moments, less than
    _LIGHT of either neighbour's about that point, are left out. Joints that are to be kept stay as they are.
    """
    notes = []
    while True:
        for link in draft.links:
            ends = [joint for joint in draft.joints if link.name in joint.bodies]
            if len(ends) != 2 or any(one.name in kept for one in ends):
                continue
            near = ends[0].bodies[ends[0].bodies[0] == link.name]
            first, second = ends[0].seen_from(near), ends[1].seen_from(link.name)
            joined = _join(first, second)
            links = None if joined is None else _without_cross(draft, link, first, joined)
            if joined is None or links is None:
                continue
            if link.mass > 0.0:
                notes.append(
                    f"{link.name}: a cross or ball, its mass is moved to its neighbour, its moments are dropped"
                )
            joints = [one for one in draft.joints if one not in ends]
            joints.insert(draft.joints.index(ends[0]), joined)
            draft = replace(draft, links=links, joints=tuple(joints))
            break
        else:
            return replace(draft, notes=(*draft.notes, *notes))


def _without_cross(
    draft: Draft, link: Link, first: DraftJoint, joined: DraftJoint
) -> tuple[Link, ...] | None:
    """Return the bodies without one between two others, its mass moved to the nearer; None where more of it counts."""
    others = {one.name: one for one in draft.links if one is not link}
    if not link.mass > 0.0:
        return tuple(others.values())
    center = first.at_home.origin + first.at_home.rotation @ link.center
    if np.linalg.norm(center - joined.frames[0].origin) > _ONE_POINT_M:
        return None
    largest = float(np.linalg.eigvalsh(link.inertia)[-1])
    for body, frame in zip(joined.bodies, joined.frames, strict=True):
        if body != GROUND:
            arm = others[body].center - frame.origin
            own = float(np.linalg.eigvalsh(others[body].inertia)[-1]) + others[body].mass * float(arm @ arm)
            if largest > _LIGHT * own:
                return None
    near = joined.bodies[0]
    if near != GROUND:  # on the ground it stands still
        point = Link(link.name, link.mass, joined.frames[0].origin, known=link.known)
        others[near] = _sum_bodies(near, [(others[near], Frame()), (point, Frame())])
    return tuple(others.values())


def _join(first: DraftJoint, second: DraftJoint) -> DraftJoint | None:
    """Return the one joint that two with nothing between them are, None where there is no such joint."""
    kinds = {first.type, second.type}
    if not kinds <= {"revolute", "universal"} or kinds == {"universal"} or first.inertia or second.inertia:
        return None
    if (first.viscous, first.coulomb) != (second.viscous, second.coulomb):
        return None
    bodies = first.bodies[0], second.bodies[1]
    if bodies[0] == bodies[1]:
        return None
    point, middle = _meet(first, second), first.at_home
    if point is None:
        return None
    name = first.name if first.name.startswith(second.name) else _common_name(first.name, second.name)
    both = DraftJoint(name, first.type, bodies, first.frames, viscous=first.viscous, coulomb=first.coulomb)
    if kinds == {"universal", "revolute"}:
        at_home = middle @ second.at_home
        there = at_home.inverse()
        near = Frame(at_home.rotation, point)
        return replace(
            both, type="spherical", frames=(near, Frame(origin=there.origin + there.rotation @ point))
        )
    # at zero of both, the first one's frame is that of the universal joint
    at_zero = replace(first, start=0.0).at_home @ replace(second, start=0.0).at_home
    turn = first.frames[0].rotation
    axes = (
        first.axis,
        turn.T @ replace(first, start=0.0).at_home.rotation @ second.frames[0].rotation @ second.axis,
    )
    if abs(axes[0] @ axes[1]) > _ACROSS:
        return None
    near, there = Frame(turn, point), at_zero.inverse()
    return replace(
        both,
        type="universal",
        frames=(near, there @ near),
        axis=axes[0],
        second=axes[1],
        start=first.start,
        second_start=second.start,
        limits=first.limits,
        second_limits=second.limits,
    )


def _common_name(one: str, other: str) -> str:
    """Return what two names begin with, the first one where that is short."""
    stem = one
    while stem and not other.startswith(stem):
        stem = stem[:-1]
    stem = stem.rstrip("_:- ")
    return stem if 2 * len(stem) >= len(one) else one


def _meet(first: DraftJoint, second: DraftJoint) -> FloatArray | None:
    """Return where the axes of two joints meet at home, in the first body's frame, m."""
    inner = first.at_home @ second.frames[0]
    lines = [
        (first.frames[0].origin, first.frames[0].rotation @ first.axis),
        (inner.origin, inner.rotation @ second.axis),
    ]
    for k, joint in enumerate((first, second)):
        if joint.type == "universal":  # both axes go through its point
            other = lines[1 - k]
            gap = lines[k][0] - other[0]
            return lines[k][0] if np.linalg.norm(gap - gap @ other[1] * other[1]) < _ONE_POINT_M else None
    (p, a), (q, b) = lines
    normal = np.cross(a, b)
    if np.linalg.norm(normal) < 0.1 or abs((q - p) @ normal) > _ONE_POINT_M * np.linalg.norm(normal):
        return None
    s = np.cross(q - p, b) @ normal / (normal @ normal)
    return np.asarray(p + s * a)


def stop_idle_spin(draft: Draft) -> Draft:
    """Return the draft with rods, and slides along their line, between spherical joints that do not spin."""
    joints = list(draft.joints)
    depth = count_joints_from_ground(draft)
    stopped = []
    for ball in [joint for joint in joints if joint.type == "spherical"]:
        near, far = sorted(ball.bodies, key=lambda one: depth.get(one, 0))
        line = _line_to_ball(joints, ball, far)
        if line is not None:
            joints[joints.index(ball)] = _without_spin(ball.seen_from(near), line)
            stopped.append(ball.name)
    note = f"{', '.join(stopped)}: the rod behind it does not spin about its line: nothing drives or measures that"
    return replace(draft, joints=tuple(joints), notes=(*draft.notes, *([note] if stopped else [])))


def count_joints_from_ground(draft: Draft) -> dict[str, int]:
    """Return how many joints there are at least between the ground and each body that is connected with it."""
    depth, ring = {GROUND: 0}, [GROUND]
    while ring:
        near = ring.pop(0)
        for joint in draft.joints:
            if near in joint.bodies:
                far = joint.bodies[joint.bodies[0] == near]
                if far not in depth:
                    depth[far] = depth[near] + 1
                    ring.append(far)
    return depth


def _line_to_ball(joints: Sequence[DraftJoint], ball: DraftJoint, body: str) -> FloatArray | None:
    """Return the direction, in a body, from its spherical joint to another one with nothing but a slide between."""
    others = [one for one in joints if body in one.bodies and one is not ball]
    if body == GROUND or len(others) != 1:
        return None
    here, far = ball.seen_from(body).frames[0].origin, others[0].seen_from(body)
    if far.type == "spherical":
        gap = far.frames[0].origin - here
    elif far.type == "prismatic":
        behind = [one for one in joints if far.bodies[1] in one.bodies and one is not others[0]]
        if far.bodies[1] == GROUND or len(behind) != 1 or behind[0].type != "spherical":
            return None
        center = behind[0].seen_from(far.bodies[1]).frames[0].origin
        gap = far.at_home.origin + far.at_home.rotation @ center - here
        along = far.frames[0].rotation @ far.axis
        if np.linalg.norm(gap - gap @ along * along) > _ONE_POINT_M:
            return None
    else:
        return None
    length = float(np.linalg.norm(gap))
    return gap / length if length > _ONE_POINT_M else None


def _without_spin(ball: DraftJoint, line: FloatArray) -> DraftJoint:
    """Return the joint whose second body does not turn about this direction (3,) of its frame; zero at home."""
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(line)))], line)
    x /= np.linalg.norm(x)
    turn = np.stack([x, np.cross(line, x), line], axis=1)
    at_home = ball.frames[0].rotation @ ball.frames[1].rotation.T
    frames = Frame(at_home @ turn, ball.frames[0].origin), Frame(turn, ball.frames[1].origin)
    return replace(ball, type="no_spin", frames=frames, axis=np.eye(3)[0], second=np.eye(3)[1])
