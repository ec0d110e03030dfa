# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bodies and joints of a description."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from pkm_identification.document import Node, Problems
from pkm_identification.errors import MachineError

from ...rigid_bodies import parallel_axes
from ..numbers.arithmetic import FLOAT64
from ..numbers.exact import ONE, ZERO, Exact, ExactVector, dot_product
from .numbers import Constants, direction, not_negative, number, numbers, pair, propose_degrees
from .records import FREEDOM, GROUND, JOINT_TYPES, Body, Joint

Part = TypeVar("Part")
MOST_PARTS = 100
ABOUT = ("center_of_mass", "origin")
_X, _Y, _Z = (ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE)
_ACROSS = 1e-9
_LIMITED = ("revolute", "prismatic", "universal", "no_spin", "spherical")
_NOT_A_BODY = (GROUND, "world")


def read_bodies(node: Node, constants: Constants) -> tuple[Body, ...]:
    """Bodies by name.

    Raises
    ------
    MachineError
        Names the body, the key, and what is allowed.
    """
    return read_each(node, lambda name, entry_node: _read_body(name, entry_node, constants))


def build_named_entries(node: Node) -> list[tuple[str, Node]]:
    """Entries of a mapping of names, each with its name."""
    if not isinstance(node.value, dict) or not node.value:
        node.fail("must be a mapping of names")
    if len(node.value) > MOST_PARTS:
        node.fail(f"has {len(node.value)} entries; at most {MOST_PARTS} are allowed")
    names = [str(name) for name in node.value]
    unnamed = [name for name in names if not name.strip() or not name.isprintable()]
    if unnamed:
        node.fail(f"has an entry named {unnamed[0]!r}: a name must be printable text")
    return [(name, node.take(key)) for name, key in zip(names, node.value, strict=True)]


def read_each(node: Node, read: Callable[[str, Node], Part]) -> tuple[Part, ...]:
    """Return the entries of a mapping of names; what is wrong with several of them is said at once.

    Raises
    ------
    MachineError
        What `read` raised, of all entries.
    """
    problems = Problems()
    entries = []
    for name, entry_node in build_named_entries(node):
        with problems.section():
            entries.append(read(name, entry_node))
    problems.refuse(node.source, MachineError)
    return tuple(entries)


def _read_body(name: str, node: Node, constants: Constants) -> Body:
    if name in _NOT_A_BODY:
        node.fail("is what does not move; give the body another name")
    planar_node = node.take("planar", False)
    if not isinstance(planar_node.value, bool):
        planar_node.fail(f"= {planar_node.value!r}: must be true or false")
    planar = planar_node.value
    if node.has("parameters"):
        entry_node = node.take("parameters")
        given = numbers(entry_node, constants, 4 if planar else 10)
        if planar:
            m, mx, my, turn = given
            given = (m, mx, my, ZERO, ZERO, ZERO, turn, ZERO, ZERO, ZERO)
        if FLOAT64.number(given[0]) < 0:
            entry_node.fail(f"= {entry_node.value}: the mass must not be negative")
        node.close()
        return Body(name, given, planar)
    mass = not_negative(node.take("mass"), constants)
    center = numbers(node.take("center_of_mass", [0, 0, 0]), constants, 3)
    inertia_node = node.take("inertia", [0, 0, 0, 0, 0, 0] if not planar else [0])
    inertia = numbers(inertia_node, constants, 1 if planar else 6)
    about = node.take("inertia_about", "center_of_mass").choice(ABOUT)
    node.close()
    if planar:
        inertia = (ZERO, ZERO, inertia[0], ZERO, ZERO, ZERO)
    if about == "center_of_mass":
        inertia = _move_to_origin(mass, center, inertia)
    if planar:
        # the moment about its plane's normal is all it has
        inertia = (ZERO, ZERO, inertia[2], ZERO, ZERO, ZERO)
    return Body(name, (mass, *(mass * x for x in center), *inertia), planar)


def _move_to_origin(mass: Exact, c: ExactVector, inertia: ExactVector) -> ExactVector:
    square = dot_product(c, c)
    moments = [inertia[k] + mass * (square - c[k] * c[k]) for k in range(3)]
    products = [inertia[3 + k] - mass * c[i] * c[j] for k, (i, j) in enumerate(((0, 1), (0, 2), (1, 2)))]
    return (*moments, *products)


def compute_central_moments(body: Body) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass (kg), first moments (kg m), inertia (3, 3) about the centre of mass (kg m^2; massless: about the origin)."""
    m, *rest = FLOAT64.array(body.parameters)
    first = np.array(rest[:3])
    xx, yy, zz, xy, xz, yz = rest[3:]
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return m, first, inertia - parallel_axes(m, first / m) if m > 0 else inertia


def read_joints(node: Node, constants: Constants, bodies: tuple[Body, ...]) -> tuple[Joint, ...]:
    """Joints by name.

    Raises
    ------
    MachineError
        Names the joint, the key, and what is allowed: a body that is not there, an axis without length.
    """
    known = (GROUND, *(body.name for body in bodies))
    return read_each(node, lambda name, entry_node: _read_joint(name, entry_node, constants, known))


def _read_joint(name: str, node: Node, constants: Constants, known: tuple[str, ...]) -> Joint:
    kind = node.take("type").choice(JOINT_TYPES)
    bodies_node = node.take("bodies")
    bodies = bodies_node.value
    if not isinstance(bodies, list) or len(bodies) != 2:
        bodies_node.fail(f"= {bodies!r}: must be two names")
    for body in bodies:
        if body not in known:
            bodies_node.fail(f"names the body {body!r}, which is not there; bodies: {', '.join(known)}")
    if bodies[0] == bodies[1]:
        bodies_node.fail(f"= {bodies}: a joint connects two different bodies")
    positions = pair(node.take("place", [[0, 0, 0], [0, 0, 0]]), constants)
    two_axes = kind in ("universal", "no_spin")
    axis = _read_axes(node, constants, two_axes)
    reference = _read_references(node, constants, axis, two_axes)
    friction = node.take("friction", {})
    viscous = not_negative(friction.take("viscous", 0), constants)
    coulomb = not_negative(friction.take("coulomb", 0), constants)
    friction.close()
    limits = _read_limits(node.take("limits", None), kind, constants)
    node.close()
    if FREEDOM[kind] == 0 and (viscous != 0 or coulomb != 0):
        friction.fail("is given for a joint that does not move")
    return Joint(name, kind, (bodies[0], bodies[1]), positions, axis, reference, viscous, coulomb, limits)


def _read_limits(node: Node, kind: str, constants: Constants) -> tuple[tuple[Exact, Exact], ...]:
    """Least and greatest coordinates of a joint; see `Joint.limits`."""
    if node.value is None:
        return ()
    if kind not in _LIMITED:
        node.fail(f"is for joints of type {', '.join(_LIMITED)}, not {kind}")
    if kind == "spherical":
        if isinstance(node.value, list):
            node.fail(f"= {node.value}: must be one angle in rad from home")
        most = number(node, constants)
        if not 0 < FLOAT64.number(most) <= np.pi:
            hint = propose_degrees(node, (most,), turns=0.5)
            node.fail(f"= {node.value}: must be an angle in rad from home, more than 0 and at most pi{hint}")
        return ((ZERO, most),)
    two = kind in ("universal", "no_spin")
    if two and not (
        isinstance(node.value, list) and len(node.value) == 2 and isinstance(node.value[0], list)
    ):
        node.fail(f"= {node.value}: must be two pairs [least, greatest], one for each angle")
    intervals = []
    for entry in node.entries() if two else [node]:
        low, high = numbers(entry, constants, 2)
        ends = FLOAT64.number(low), FLOAT64.number(high)
        if not ends[0] < ends[1]:
            entry.fail(f"= {entry.value}: must be [least, greatest], least < greatest")
        if kind != "prismatic" and not -np.pi <= ends[0] < ends[1] <= np.pi:
            hint = propose_degrees(entry, (low, high), turns=0.5) or " (deg(30) is 30 degrees)"
            entry.fail(f"= {entry.value}: must be angles in rad from -pi to pi{hint}")
        intervals.append((low, high))
    return tuple(intervals)


def _read_axes(node: Node, constants: Constants, two_axes: bool) -> tuple[ExactVector, ExactVector]:
    if not node.has("axis"):
        return (_X, _Y) if two_axes else (_Z, _Z)
    entry_node = node.take("axis")
    if isinstance(entry_node.value, list) and entry_node.value and isinstance(entry_node.value[0], list):
        return pair(entry_node, constants, direction)
    if two_axes:
        entry_node.fail(
            "must be two vectors: the first axis in the first body's frame, the second in the second body's"
        )
    axis = direction(entry_node, constants)
    return axis, axis


def _read_references(
    node: Node, constants: Constants, axis: tuple[ExactVector, ExactVector], two_axes: bool
) -> tuple[ExactVector, ExactVector]:
    """Given ones, or those of frames that are parallel where the coordinate is zero."""
    if node.has("reference"):
        entry_node = node.take("reference")
        references = pair(entry_node, constants, direction)
    else:
        entry_node = node.take("reference", None)
        if two_axes:
            references = (axis[1], axis[0])
        elif _are_parallel(*axis):
            references = (across(axis[0]), across(axis[0]))
        else:
            entry_node.fail(
                "is missing: where the axis differs in the two frames, say which directions coincide at zero"
            )
    for i, vector in enumerate(references):
        a, b = FLOAT64.array(axis[i]), FLOAT64.array(vector)
        cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
        if two_axes and abs(cosine) > _ACROSS:
            entry_node.fail(f"[{i + 1}] is not across the axis in that body's frame")
        if not two_axes and abs(cosine) > 1 - _ACROSS:
            entry_node.fail(f"[{i + 1}] is along the axis in that body's frame")
    return references


def _are_parallel(a: ExactVector, b: ExactVector) -> bool:
    return bool(np.linalg.norm(np.cross(FLOAT64.array(a), FLOAT64.array(b))) == 0)


def across(axis: ExactVector) -> ExactVector:
    """Return the coordinate direction most nearly across an axis, the first of those alike."""
    sizes = np.abs(FLOAT64.array(axis))
    return (_X, _Y, _Z)[int(np.argmin(sizes))]
