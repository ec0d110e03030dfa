# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A machine as lines between the places of its joints: what pictures and viewers draw of any machine."""

from __future__ import annotations

from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pkm_identification.mechanisms.hexapod.kinematics.tracker import split_row
from pkm_identification.mechanisms.hexapod.machine import Machine as HexapodDescription
from pkm_identification.mechanisms.multibody.description.parts import compute_central_moments
from pkm_identification.mechanisms.multibody.description.records import GROUND
from pkm_identification.mechanisms.multibody.kinematics import body_poses
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.numerics.arrays import FloatArray

from .capabilities import BodiesFile, HexapodFile, has, require
from .contract import Machine
from .motions import join_states

BASE, PLATFORM = "base", "platform"


class Outline(Protocol):
    """Lines of bodies through their joints, and of drives between their ends.

    Attributes
    ----------
    owners : tuple of str, length L
        Body or drive of each line.
    fixed, driven : ndarray of bool, shape (L,)
        Whether it is the ground's, or a drive's between its ends.
    """

    owners: tuple[str, ...]
    fixed: NDArray[np.bool_]
    driven: NDArray[np.bool_]

    def place(self, state: FloatArray) -> FloatArray:
        """Return the ends (L, 2, 3) of all lines at a state (S,) of a tracker, in the ground's frame, m."""


def create_outline(machine: Machine) -> Outline:
    """Return the lines of a machine."""
    if has(machine, HexapodFile):
        return StrutOutline(machine.description)
    return BodyOutline(require(machine, BodiesFile, "picture").mechanism)


def place_at_home(machine: Machine, outline: Outline) -> FloatArray:
    """Return the ends (L, 2, 3) of all lines at home."""
    still = np.zeros_like(machine.home)[None]
    return outline.place(join_states(machine.compute_motion(machine.home[None], still, still))[0])


class StrutOutline:
    """See `Outline`: base, six struts and platform."""

    def __init__(self, description: HexapodDescription) -> None:
        self._base, self._platform = description.base_joints, description.platform_joints
        self._rings = [_order_around_centre(joints) for joints in (self._base, self._platform)]
        count = len(self._base)
        struts = tuple(f"strut {i + 1}" for i in range(count))
        self.owners = (*[BASE] * count, *struts, *[PLATFORM] * count)
        self.fixed, self.driven = (
            np.repeat(part, count) for part in ([True, False, False], [False, True, False])
        )

    def place(self, state: FloatArray) -> FloatArray:
        position, rotation, *_ = split_row(state)
        tips = position + self._platform @ rotation.T
        base, platform = (
            np.stack([joints[ring], np.roll(joints[ring], -1, axis=0)], axis=1)
            for joints, ring in zip((self._base, tips), self._rings, strict=True)
        )
        return np.concatenate([base, np.stack([self._base, tips], axis=1), platform])


def _order_around_centre(points: FloatArray) -> NDArray[np.int64]:
    """Return the order of points around their centre, so that they make a simple polygon."""
    centred = points - points.mean(axis=0)
    # the plane that fits them best, whatever its direction in space
    flat = centred @ np.linalg.svd(centred)[2][:2].T
    return np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))


class BodyOutline:
    """See `Outline`; a body of one joint alone has a line from there to its centre of mass.

    Parameters
    ----------
    mechanism : Mechanism
        In float64.

    Attributes
    ----------
    points : ndarray, shape (L, 2, 3)
        Ends of the lines, each in its body's frame, m.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        description = mechanism.description
        numbers = {body.name: i for i, body in enumerate(description.bodies)}
        places: dict[str, list[FloatArray]] = {name: [] for name in (GROUND, *numbers)}
        for joint in description.joints:
            for name, position in zip(joint.bodies, joint.place, strict=True):
                places[name].append(FLOAT64.array(position))
        along = [drive.measure for drive in description.drives if drive.measure.kind == "length"]
        lines: list[tuple[str, tuple[str, str], tuple[FloatArray, FloatArray]]] = []
        for measure in along:
            first, second = (FLOAT64.array(point) for point in measure.points)
            lines.append((measure.name, (measure.bodies[0], measure.bodies[1]), (first, second)))
        for body in description.bodies:
            mass, first, _ = compute_central_moments(body)
            if len(places[body.name]) == 1 and mass > 0:
                places[body.name].append(first / mass)
        for name, points in places.items():
            if len(points) > 2:
                order = _order_around_centre(np.array(points))
                points = [points[k] for k in (*order, order[0])]
            lines.extend((name, (name, name), pair) for pair in pairwise(points))
        self.owners = tuple(owner for owner, _, _ in lines)
        self.fixed = np.array([owner == GROUND for owner in self.owners], dtype=bool)
        self.driven = np.arange(len(lines)) < len(along)
        # of the ground the last pose, which is put behind those of the bodies
        self._bodies = np.array([[numbers.get(end, len(numbers)) for end in ends] for _, ends, _ in lines])
        self.points = np.array([pair for _, _, pair in lines]).reshape(-1, 2, 3)
        self._bodies = self._bodies.reshape(-1, 2)

    def place(self, state: FloatArray) -> FloatArray:
        configuration = state[: self._mechanism.tree.coordinates]
        rotation, position = (part[0] for part in body_poses(self._mechanism, configuration[None]))
        rotation = np.concatenate([rotation, np.eye(3)[None]])
        position = np.concatenate([position, np.zeros((1, 3))])
        turned = np.einsum("lexy,ley->lex", rotation[self._bodies], self.points)
        return position[self._bodies] + turned
