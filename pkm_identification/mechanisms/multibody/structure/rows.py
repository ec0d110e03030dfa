# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rows: scalar functions of the configuration, for loop constraints, drives, outputs and poses of bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..description.records import NO_VECTOR, Joint, Measure
from ..kernels.codes import ANGLE, AXES, COMBINATION, LENGTH, LEVER, POINT, SPIN, TURN
from ..numbers.arithmetic import FLOAT64
from ..numbers.exact import ZERO, Exact, ExactVector
from .placements import IDENTITY, build_transpose_columns, joint_frames

_LETTERS = "xyz"
# Which products of axes of the two joint frames vanish: (of the first body's, of the second body's).
_SQUARE = {
    "revolute": ((0, 2), (1, 2)),
    "planar": ((0, 2), (1, 2)),
    "prismatic": ((0, 2), (1, 2), (0, 1)),
    "fixed": ((0, 2), (1, 2), (0, 1)),
    "universal": ((0, 1),),
    "spherical": (),
}
# Along which axes of the joint's frame its points stay together.
_TOGETHER = {
    "revolute": (0, 1, 2),
    "spherical": (0, 1, 2),
    "universal": (0, 1, 2),
    "fixed": (0, 1, 2),
    "prismatic": (0, 1),
    "planar": (2,),
}
# Along and about which axes of its frame a joint moves; a universal one about x of the first body and y of the second.
_SLIDES = {"prismatic": (2,), "planar": (0, 1)}
_TURNS = {"revolute": (2,), "planar": (2,), "spherical": (0, 1, 2), "no_spin": (0, 1, 2), "universal": (0,)}
# Joints whose friction knows no axes: it is against the direction in which they turn.
TURNS_ANY_WAY = ("spherical", "no_spin")
_IN_PLANE = 1e-9


@dataclass(frozen=True)
class Row:
    """One scalar function of the configuration (`kernels.codes` has the kinds).

    Attributes
    ----------
    label : str
        For people.
    kind : int
    bodies : tuple of str
        Whose frames a and b are.
    points, directions : tuple of two vectors
        In those frames.
    factors : mapping of str to Exact
        Of joints' coordinates, of a combination or lever.
    numbers : tuple of Exact
        Offset, and square and twice of a lever.
    turns : tuple of int
        Sequence of an angle and its place there; the component of a turn.
    joint : str
        Whose constraint it is.
    unit : str
        Of its value: m, rad, or 1 for a product of directions.
    """

    label: str
    kind: int
    bodies: tuple[str, str]
    points: tuple[ExactVector, ExactVector] = (NO_VECTOR, NO_VECTOR)
    directions: tuple[ExactVector, ExactVector] = (NO_VECTOR, NO_VECTOR)
    factors: Mapping[str, Exact] = field(default_factory=dict)
    numbers: tuple[Exact, ...] = ()
    turns: tuple[int, ...] = ()
    joint: str = ""
    unit: str = "rad"


def loop_rows(joint: Joint, planar: set[str]) -> list[Row]:
    """Constraints of a joint that closes a loop; between bodies that stay in one plane, only those within it."""
    first, second = joint_frames(joint)
    of_first, of_second = build_transpose_columns(first.rotation), build_transpose_columns(second.rotation)
    rows = [
        Row(
            f"{joint.name}: position {_LETTERS[k]}",
            POINT,
            joint.bodies,
            joint.place,
            (of_first[k], NO_VECTOR),
            joint=joint.name,
            unit="m",
        )
        for k in _TOGETHER[joint.type]
    ]
    rows += [
        Row(
            f"{joint.name}: rotation, {_LETTERS[i]} across {_LETTERS[j]}",
            AXES,
            joint.bodies,
            directions=(of_first[i], of_second[j]),
            joint=joint.name,
            unit="1",
        )
        for i, j in _SQUARE[joint.type]
    ]
    if set(joint.bodies) <= planar:
        rows = [row for row in rows if all(_lies_in_plane(vector) for vector in row.directions)]
    return rows


def rubbing_rows(joint: Joint) -> list[Row]:
    """Return the rates at which a joint moves, one for each of its coordinates.

    Those of a spherical joint, and of one without spin, are three components in its first body.
    """
    first, second = joint_frames(joint)
    of_first, of_second = build_transpose_columns(first.rotation), build_transpose_columns(second.rotation)
    rows = [
        Row(
            f"{joint.name}: slide along {_LETTERS[k]}",
            POINT,
            joint.bodies,
            joint.place,
            (of_first[k], NO_VECTOR),
            joint=joint.name,
            unit="m",
        )
        for k in _SLIDES.get(joint.type, ())
    ]
    turns = [(joint.bodies, of_first[k], k) for k in _TURNS.get(joint.type, ())]
    if joint.type == "universal":
        turns.append((joint.bodies[::-1], of_second[1], 1))
    rows += [
        Row(
            f"{joint.name}: turn about {_LETTERS[k]}",
            SPIN,
            bodies,
            directions=(axis, NO_VECTOR),
            joint=joint.name,
        )
        for bodies, axis, k in turns
    ]
    return rows


def _lies_in_plane(vector: ExactVector) -> bool:
    return bool(abs(FLOAT64.array(vector)[2]) < _IN_PLANE)


def measure_row(measure: Measure) -> Row:
    """Return the row of a drive or an output."""
    kinds = {
        "combination": COMBINATION,
        "lever": LEVER,
        "length": LENGTH,
        "position": POINT,
        "angle": ANGLE,
    }
    return Row(
        measure.name,
        kinds[measure.kind],
        measure.bodies,
        measure.points,
        (measure.direction, NO_VECTOR),
        measure.joints,
        (measure.offset, *measure.numbers),
        measure.sequence,
        unit=measure.unit,
    )


def coupling_row(coupling: Measure) -> Row:
    """Return the constraint of a coupling."""
    return replace(measure_row(coupling), label=f"coupling '{coupling.name}'")


def pose_rows(body: str) -> list[Row]:
    """Six rows that hold a body's frame at a position and a rotation in the ground frame."""
    bodies = ("ground", body)
    rows = [
        Row(f"{body}: {_LETTERS[k]}", POINT, bodies, directions=(IDENTITY[k], NO_VECTOR), unit="m")
        for k in range(3)
    ]
    rows += [Row(f"{body}: turn about {_LETTERS[k]}", TURN, bodies, turns=(k,)) for k in range(3)]
    return rows


def pad_tuple(values: tuple, length: int, filler: Exact | int = ZERO) -> list:
    """Return a tuple as a list of stated length."""
    return [*values, *([filler] * (length - len(values)))]
