# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is drawn of a machine's bodies in files for other programs: bars from joint to joint, balls at joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.machines.outline import BodyOutline
from pkm_identification.mechanisms.multibody.description.records import GROUND, Drive
from pkm_identification.mechanisms.multibody.extents import compute_body_extents
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.numerics.arrays import FloatArray

COLOURS = {"steel": "0.45 0.48 0.52 1", "bright": "0.75 0.77 0.80 1", "moving": "0.16 0.45 0.72 1"}
# Radii, of the extent of the largest body
_BAR, _TUBE, _ROD, _BALL = 0.03, 0.06, 0.035, 0.07


@dataclass(frozen=True, eq=False)
class Shape:
    """A bar between two points of a body's frame (m), a ball where they are one.

    Attributes
    ----------
    body : str
        GROUND, too.
    start, end : ndarray, shape (3,)
    radius : float
        m.
    colour : str
        A key of `COLOURS`.
    """

    body: str
    start: FloatArray
    end: FloatArray
    radius: float
    colour: str

    @property
    def is_ball(self) -> bool:
        """Whether its ends are one point."""
        return bool(np.array_equal(self.start, self.end))


def find_driven_joint(drive: Drive) -> str:
    """Return the joint whose coordinate a drive's is, as it is; empty where there is none."""
    factors = {name: FLOAT64.number(one) for name, one in drive.measure.joints.items()}
    plain = drive.measure.kind == "combination" and list(factors.values()) == [1.0]
    return next(iter(factors)) if plain and not FLOAT64.number(drive.measure.offset) else ""


def list_shapes(mechanism: Mechanism) -> list[Shape]:
    """Return what is drawn of all bodies; nothing of a machine whose joints are all at one point.

    A driven slide's first body has a tube along its axis, the second a rod back into it.

    Parameters
    ----------
    mechanism : Mechanism
        In float64.
    """
    description, outline = mechanism.description, BodyOutline(mechanism)
    size = float(np.max(compute_body_extents(mechanism)))
    if size == 0.0:
        return []
    colour = dict.fromkeys(mechanism.tree.body_frames, "moving") | {GROUND: "steel"}
    limits = {find_driven_joint(drive): drive.limits for drive in description.drives if drive.limits}
    drawn = []
    for joint in description.joints:
        low, high = FLOAT64.array(limits.get(joint.name, (-1, -1)))
        if joint.type == "prismatic" and 0 <= low < high:
            ends = ((_TUBE, 0.55 * high, "steel"), (_ROD, -0.6 * low, "bright"))
            for body, place, axis, (radius, length, own) in zip(
                joint.bodies, joint.place, joint.axis, ends, strict=True
            ):
                start, along = FLOAT64.array(place), FLOAT64.array(axis)
                end = start + length * along / np.linalg.norm(along)
                drawn.append(Shape(body, start, end, radius * size, own))
                colour[body] = colour[body] if body == GROUND else own
    for owner, line in zip(outline.owners, outline.points, strict=True):
        if owner in colour:
            drawn.append(Shape(owner, line[0], line[1], _BAR * size, colour[owner]))
    drawn = [one for one in drawn if not one.is_ball]
    for body, place in dict.fromkeys(
        (body, place)
        for joint in description.joints
        for body, place in zip(joint.bodies, joint.place, strict=True)
    ):
        point = FLOAT64.array(place)
        drawn.append(Shape(body, point, point, _BALL * size, colour[body]))
    return drawn
