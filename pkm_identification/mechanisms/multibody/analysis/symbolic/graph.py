# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The joint graph as the rules walk along it: which body gives, which takes, and what rests on the ground."""

from __future__ import annotations

from collections.abc import Iterator

from ...description.records import Description
from .facts import Facts
from .geometry import body_names

GROUND_BODY = 0
_WITH_POINT = ("revolute", "universal", "spherical", "no_spin", "fixed")


class JointGraph:
    """Joints with the body that gives and the one that takes, and which bodies give their mass away.

    Parameters
    ----------
    description : Description
    facts : Facts

    Attributes
    ----------
    names : tuple of str
        Of the bodies, the ground's first.
    points : set of str
        Joints that have a point.
    givers : set of int
        Bodies that give their mass to another over a joint with a point.
    """

    def __init__(self, description: Description, facts: Facts) -> None:
        self.names = body_names(description)
        self._joints = description.joints
        self._facts = facts
        number = {name: k for k, name in enumerate(self.names)}
        self._ends = {joint.name: tuple(number[body] for body in joint.bodies) for joint in self._joints}
        self.points = {joint.name for joint in self._joints if joint.type in _WITH_POINT}
        self._count = [sum(b in ends for ends in self._ends.values()) for b in range(len(self.names))]
        self._distance = self._distances()
        self.givers = {
            giver
            for joint, giver, _ in self.concatenate()
            if joint in self.points and not facts.same_turning(*self._ends[joint])
        }

    def _distances(self) -> list[int]:
        """Joints between each body and the ground, the fewest."""
        distances = {GROUND_BODY: 0}
        front = [GROUND_BODY]
        while front:
            following = []
            for ends in self._ends.values():
                for near, far in (ends, ends[::-1]):
                    if near in front and far not in distances:
                        distances[far] = distances[near] + 1
                        following.append(far)
            front = following
        return [distances[b] for b in range(len(self.names))]

    def concatenate(self) -> list[tuple[str, int, int]]:
        """Joints between bodies that move, each with its giver and its taker.

        Over a hinge, and between bodies that turn alike, the outer body gives to the inner one; over a ball or a
        universal joint the body with fewer joints to the one with more. What gives to a body that itself gives on
        comes first.
        """
        joints = []
        for joint in self._joints:
            one, other = self._ends[joint.name]
            if GROUND_BODY in (one, other):
                continue
            outer = max((one, other), key=lambda b: (self._distance[b], b))
            giver = outer
            if joint.type in ("spherical", "universal", "no_spin") and self._count[one] != self._count[other]:
                giver = min((one, other), key=lambda b: self._count[b])
            joints.append((joint.name, giver, one + other - giver))
        gives = {giver for _, giver, _ in joints}
        return sorted(joints, key=lambda entry: entry[2] not in gives)

    def resting(self, b: int) -> Iterator[tuple[str, int]]:
        """Joints to the ground whose point on a body rests, and that point."""
        for joint in self._joints:
            ends = self._ends[joint.name]
            if joint.name in self.points and set(ends) == {GROUND_BODY, b}:
                position = joint.place[ends.index(b)]
                yield joint.name, self._facts.geometry.points[b].index(position)
