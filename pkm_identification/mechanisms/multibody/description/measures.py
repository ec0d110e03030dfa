# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Drives, outputs and readings of a description: numbers that the configuration decides."""

from __future__ import annotations

import math

from pkm_identification.document import Node
from pkm_identification.errors import MachineError

from ...reported import Reported, read_reported
from ..numbers.arithmetic import FLOAT64
from ..numbers.exact import ONE, ZERO, Exact, ExactVector
from .numbers import Constants, direction, floats, not_negative, number, numbers, refuse_degrees
from .parts import build_named_entries, read_each
from .records import DRIVE_LIMITS, GROUND, NO_VECTOR, Body, Drive, Joint, Measure

# Joints with a coordinate of their own, and its unit.
_COORDINATE_UNIT = {"revolute": "rad", "prismatic": "m"}
TIME = "t"  # the column of time in logs, in which drives are columns by their names
DIRECTIONS: dict[str, ExactVector] = {
    "x": (ONE, ZERO, ZERO),
    "y": (ZERO, ONE, ZERO),
    "z": (ZERO, ZERO, ONE),
}
_REPORTED_KEYS = ("at_zero", "rated_force", "motor", "cylinder")
KINDS = ("joint", "sum", "lever", "length", "position", "angle")


def full_turns(measure: Measure) -> float:
    """Return how many turns a coordinate in rad makes while each of its joints makes one, at least 1."""
    return max(1.0, sum(abs(FLOAT64.number(factor)) for factor in measure.joints.values()))


class Measures:
    """Reads the measures of one mechanism, whose bodies and joints they may name."""

    def __init__(self, bodies: tuple[Body, ...], joints: tuple[Joint, ...], constants: Constants) -> None:
        self._bodies = (GROUND, *(body.name for body in bodies))
        self._joints = {joint.name: joint for joint in joints}
        self._constants = constants

    def drives(self, node: Node) -> tuple[Drive, ...]:
        """Driven coordinates by name.

        Raises
        ------
        MachineError
            Names the drive, the key, and what is allowed.
        """
        return read_each(node, self._drive)

    def outputs(self, node: Node) -> tuple[Measure, ...]:
        """Named outputs or readings."""
        if node.value == {}:
            return ()
        return read_each(node, self._output)

    def couplings(self, node: Node) -> tuple[Measure, ...]:
        """Return combinations of joint coordinates that stay zero; metres and radians may be added, as a rack does."""
        if node.value == {}:
            return ()
        return read_each(node, self._coupling)

    def _coupling(self, name: str, node: Node) -> Measure:
        joints, units = self._factors(node.take("sum"))
        offset = number(node.take("offset", 0), self._constants)
        node.close()
        return Measure(name, "combination", "m" if "m" in units else "rad", joints, offset)

    def _output(self, name: str, node: Node) -> Measure:
        measure = self._measure(name, node)
        node.close()
        return measure

    def _drive(self, name: str, node: Node) -> Drive:
        if name == TIME:
            node.fail("has the name of the column of time in logs: choose another")
        measure = self._measure(name, node)
        force = node.take("force", f"force_{name}").text()
        inertia = not_negative(node.take("inertia", 0), self._constants)
        limits_node = node.take("limits", None)
        limits = None
        if limits_node.value is not None:
            low, high = numbers(limits_node, self._constants, 2)
            if FLOAT64.number(low) >= FLOAT64.number(high):
                limits_node.fail(f"= {limits_node.value}: must be [least, greatest]")
            limits = (low, high)
            if measure.unit == "rad":
                refuse_degrees(limits_node, limits, full_turns(measure))
        reported = self._read_reports(node, measure.unit == "rad")
        stated = {key: self._read_limit(node.take(key, None)) for key in DRIVE_LIMITS}
        node.close()
        return Drive(measure, force, limits, inertia, reported, **stated)

    def _read_limit(self, node: Node) -> float:
        """Return a size above zero; infinite where the file says nothing."""
        if node.value is None:
            return math.inf
        size = float(FLOAT64.number(number(node, self._constants)))
        if not size > 0.0:
            node.fail(f"= {node.value}: must be greater than 0")
        return size

    def _read_reports(self, node: Node, turning: bool) -> Reported:
        """Return how reports of the drive become coordinate and force; floats are enough of their numbers."""
        given = {key: node.take(key).value for key in _REPORTED_KEYS if node.has(key)}
        for key in _REPORTED_KEYS:
            node.take(key, None)
        return read_reported(
            Node(floats(given, self._constants), node.path, node.source, MachineError), turning
        )

    def _measure(self, name: str, node: Node) -> Measure:
        given = [kind for kind in KINDS if node.has(kind)]
        if len(given) != 1:
            node.fail(f"must have exactly one of {', '.join(KINDS)}")
        kind = given[0]
        if kind in ("joint", "sum"):
            joints, offset, unit = self._combination(node)
            return Measure(name, "combination", unit, joints, offset)
        if kind == "lever":
            return self._lever(name, node.take("lever"))
        if kind == "length":
            return self._length(name, node.take("length"))
        return self._of_body(name, kind, node)

    def _combination(self, node: Node) -> tuple[dict[str, Exact], Exact, str]:
        offset = number(node.take("offset", 0), self._constants)
        if node.has("joint"):
            entry_node = node.take("joint")
            return (
                {self._with_coordinate(entry_node, entry_node.value): ONE},
                offset,
                self._unit(entry_node.value),
            )
        sum_node = node.take("sum")
        joints, units = self._factors(sum_node)
        if len(units) > 1:
            sum_node.fail("adds metres and radians")
        return joints, offset, units.pop()

    def _factors(self, node: Node) -> tuple[dict[str, Exact], set[str]]:
        """Return the factors of joints in a sum, and the units of their coordinates."""
        joints = {}
        for joint, entry_node in build_named_entries(node):
            joints[self._with_coordinate(entry_node, joint)] = number(entry_node, self._constants)
        return joints, {self._unit(joint) for joint in joints}

    def _with_coordinate(self, node: Node, joint: str) -> str:
        if not isinstance(joint, str) or joint not in self._joints:
            node.fail(f"names the joint {joint!r}, which is not there; joints: {', '.join(self._joints)}")
        if self._joints[joint].type not in _COORDINATE_UNIT:
            node.fail(
                f"names the joint '{joint}', which is {self._joints[joint].type}: only "
                f"{' and '.join(_COORDINATE_UNIT)} joints have one coordinate"
            )
        return joint

    def _unit(self, joint: str) -> str:
        return _COORDINATE_UNIT[self._joints[joint].type]

    def _lever(self, name: str, node: Node) -> Measure:
        joints, offset, unit = self._combination(node)
        if unit != "rad":
            node.fail("must be of angles")
        square = number(node.take("square"), self._constants)
        twice = number(node.take("twice"), self._constants)
        node.close()
        low, high = FLOAT64.number(square), abs(FLOAT64.number(twice))
        if not low >= high > 0:
            node.fail(
                f"has square {low:g} and twice {high:g} m^2: two sides of a triangle need square >= |twice| > 0"
            )
        return Measure(name, "lever", "m", joints, offset, (square, twice))

    def _length(self, name: str, node: Node) -> Measure:
        if not isinstance(node.value, dict) or len(node.value) != 2:
            node.fail("must be two bodies with a point of each, as in {ground: [0, 0, 0], arm: [0.1, 0, 0]}")
        bodies, points = [], []
        for body, entry_node in build_named_entries(node):
            bodies.append(self._known_body(entry_node, body))
            points.append(numbers(entry_node, self._constants, 3))
        return Measure(name, "length", "m", bodies=(bodies[0], bodies[1]), points=(points[0], points[1]))

    def _known_body(self, node: Node, body: object) -> str:
        if not isinstance(body, str) or body not in self._bodies:
            node.fail(f"names the body {body!r}, which is not there; bodies: {', '.join(self._bodies)}")
        return body

    def _of_body(self, name: str, kind: str, node: Node) -> Measure:
        body_node = node.take("body")
        body = self._known_body(body_node, body_node.value)
        if kind == "angle":
            order_node = node.take("sequence")
            order = order_node.value
            if not isinstance(order, str) or sorted(order) != ["x", "y", "z"]:
                order_node.fail(f"= {order!r}: must be x, y and z in some order")
            which_node = node.take("angle")
            which = which_node.value
            if str(which) not in ("1", "2", "3"):
                which_node.fail(f"= {which!r}: must be 1, 2 or 3, the turn's number in the sequence")
            turns = (*("xyz".index(letter) for letter in order), int(which) - 1)
            return Measure(name, "angle", "rad", bodies=(GROUND, body), sequence=turns)
        point: ExactVector = numbers(node.take("point", [0, 0, 0]), self._constants, 3)
        along_node = node.take("position")
        if isinstance(along_node.value, str):
            along = DIRECTIONS[along_node.choice(tuple(DIRECTIONS))]
        else:
            along = direction(along_node, self._constants)
        return Measure(
            name, "position", "m", bodies=(GROUND, body), points=(NO_VECTOR, point), direction=along
        )
