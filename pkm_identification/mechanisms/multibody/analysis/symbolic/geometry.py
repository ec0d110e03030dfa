# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What bodies of a joint graph have that rules can hold on to: points and directions of joints, in exact numbers."""

from __future__ import annotations

from dataclasses import dataclass

from pkm_identification.document import Node
from pkm_identification.errors import MachineError

from ...description.parts import read_joints
from ...description.records import GROUND, NO_VECTOR, Description, Joint
from ...numbers.exact import ONE, ZERO, Constant, Exact, ExactVector, cross_product, exact, unit_vector

AXES: tuple[ExactVector, ...] = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


@dataclass(frozen=True)
class Geometry:
    """Points and directions of the bodies, in their own frames; the ground comes first.

    Attributes
    ----------
    points : tuple of tuple of vector
        Of each body: its origin, then the places of its joints, m.
    directions : tuple of tuple of vector
        Of each body: its axes, then axes and references of its joints, of length one.
    """

    points: tuple[tuple[ExactVector, ...], ...]
    directions: tuple[tuple[ExactVector, ...], ...]


def geometries(description: Description) -> tuple[Geometry, Geometry]:
    """Return the same points and directions in numbers, and in the constants that the description names."""
    plain, named = (
        _find_features(description, description.joints),
        _find_features(description, _name_joints(description)),
    )
    points, directions = [], []
    for (spots, ways), (named_spots, named_ways) in zip(plain, named, strict=True):
        points.append(_remove_repetitions(spots, named_spots))
        directions.append(_remove_repetitions(ways, named_ways))
    return (
        Geometry(tuple(a for a, _ in points), tuple(a for a, _ in directions)),
        Geometry(tuple(b for _, b in points), tuple(b for _, b in directions)),
    )


def _name_joints(description: Description) -> tuple[Joint, ...]:
    """Return the joints, their numbers made of named constants where the document has some."""
    constants = description.document.get("constants")
    if not constants:
        return description.joints
    values: dict[str, Exact] = {}
    for name, text in constants.items():
        values[name] = exact(text, values)
    names = {name: Constant.of(name, value) for name, value in values.items()}
    node = Node(description.document["joints"], "joints", description.source, MachineError)
    return read_joints(node, names, description.bodies)


def body_names(description: Description) -> tuple[str, ...]:
    """Return names of the bodies, the ground's first."""
    return (GROUND, *(body.name for body in description.bodies))


def _find_features(
    description: Description, joints: tuple[Joint, ...]
) -> list[tuple[list[ExactVector], list[ExactVector]]]:
    features: dict[str, tuple[list[ExactVector], list[ExactVector]]] = {
        name: ([NO_VECTOR], list(AXES)) for name in body_names(description)
    }
    for joint in joints:
        for side, body in enumerate(joint.bodies):
            points, directions = features[body]
            points.append(joint.place[side])
            if joint.type == "spherical":
                continue
            axis = unit_vector(joint.axis[side])
            directions.append(axis)
            if joint.type in ("universal", "no_spin"):
                directions.append(unit_vector(joint.reference[side]))
            elif joint.type in ("prismatic", "fixed"):
                across = unit_vector(cross_product(joint.axis[side], joint.reference[side]))
                directions.append(across)
    return list(features.values())


def _remove_repetitions(
    plain: list[ExactVector], named: list[ExactVector]
) -> tuple[tuple[ExactVector, ...], tuple[ExactVector, ...]]:
    """Without repetitions, which the numbers decide."""
    places = {vector: k for k, vector in reversed(list(enumerate(plain)))}
    kept = sorted(places.values())
    return tuple(plain[k] for k in kept), tuple(named[k] for k in kept)
