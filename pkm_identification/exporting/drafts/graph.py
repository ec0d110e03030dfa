# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Bodies and joints as another program's file has them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from pkm_identification.mechanisms.multibody.description.measures import TIME
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_vector

GUESS, CAD = "guessed", "cad"  # of machine files' `known`
SINGLE = ("revolute", "prismatic")  # joints that can be driven as they are


@dataclass(frozen=True, eq=False)
class Frame:
    """A rotation (3, 3) and an origin (3,), m."""

    rotation: FloatArray = field(default_factory=lambda: np.eye(3))
    origin: FloatArray = field(default_factory=lambda: np.zeros(3))

    def __matmul__(self, other: Frame) -> Frame:
        return Frame(self.rotation @ other.rotation, self.origin + self.rotation @ other.origin)

    def inverse(self) -> Frame:
        """Return the other frame in this one."""
        return Frame(self.rotation.T, -self.rotation.T @ self.origin)


@dataclass(frozen=True, eq=False)
class Link:
    """A body: mass (kg), centre of mass (3,) in m and inertia (3, 3) about it in kg m^2, in its frame.

    `known` says how well, as machine files do: guessed where its file does not say all of them, empty by default.
    """

    name: str
    mass: float = 0.0
    center: FloatArray = field(default_factory=lambda: np.zeros(3))
    inertia: FloatArray = field(default_factory=lambda: np.zeros((3, 3)))
    known: str = ""

    @property
    def guessed(self) -> bool:
        """Return whether its numbers are guessed."""
        return self.known == GUESS


@dataclass(frozen=True, eq=False)
class DraftJoint:
    """A joint.

    Attributes
    ----------
    name, type : str
        As the machine file has them.
    bodies : tuple of str
    frames : tuple of two Frame
        The joint's frame in either body; they coincide where its coordinate is zero.
    axis, second : ndarray, shape (3,)
        In the joint's frame: the axis, and the second one of a universal joint (of one without spin).
    limits, second_limits : tuple of float, or None
        Of its coordinate, and of a universal joint's second one.
    viscous, coulomb : float
    inertia, force_limit : float
        Along its coordinate, kg or kg m^2; N or N m, infinite where its actuator has none.
    actuator : str
        What its drive is called in the file; empty where it has no name there.
    closing : bool
        Whether it is one that the file closes a loop with in addition to its joints.
    start, second_start : float
        Its coordinate at home.
    """

    name: str
    type: str
    bodies: tuple[str, str]
    frames: tuple[Frame, Frame]
    axis: FloatArray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    second: FloatArray | None = None
    limits: tuple[float, float] | None = None
    second_limits: tuple[float, float] | None = None
    viscous: float = 0.0
    coulomb: float = 0.0
    inertia: float = 0.0
    force_limit: float = np.inf
    actuator: str = ""
    closing: bool = False
    start: float = 0.0
    second_start: float = 0.0

    @property
    def drive(self) -> str:
        """Return the name of its drive: the joint's, by which logs know it, where it has none of its own."""
        name = self.actuator or self.name
        return f"q_{name}" if name == TIME else name

    @property
    def at_home(self) -> Frame:
        """Return the second body's frame in the first's at home."""
        return self.frames[0] @ self._move() @ self.frames[1].inverse()

    def _move(self) -> Frame:
        if self.type == "prismatic":
            return Frame(origin=self.start * self.axis)
        turned = matrix_from_vector(self.start * self.axis)
        if self.second is not None:
            turned = turned @ matrix_from_vector(self.second_start * self.second)
        return Frame(np.asarray(turned))

    def seen_from(self, body: str) -> DraftJoint:
        """Return the joint with this body as its first, its coordinates as they are."""
        if self.bodies[0] == body:
            return self
        swapped = replace(self, bodies=self.bodies[::-1], frames=self.frames[::-1])
        if self.second is None:
            return replace(swapped, axis=-self.axis)
        return replace(
            swapped,
            axis=-self.second,
            second=-self.axis,
            start=self.second_start,
            second_start=self.start,
            limits=self.second_limits,
            second_limits=self.limits,
        )


@dataclass(frozen=True)
class DraftCoupling:
    """What a gear, a belt or a cable keeps at zero: a sum of joint coordinates, m or rad.

    Attributes
    ----------
    name : str
    factors : dict of str to float
        By joint.
    offset : float
    """

    name: str
    factors: dict[str, float]
    offset: float = 0.0


def couple_follower(follower: str, leader: str, multiplier: float, offset: float) -> DraftCoupling:
    """Return the coupling by which a joint is where another one is, times the multiplier, and the offset further."""
    return DraftCoupling(f"{follower}_follows", {follower: 1.0, leader: -multiplier}, -offset)


@dataclass(frozen=True, eq=False)
class Draft:
    """What a file says.

    Attributes
    ----------
    links : tuple of Link
    joints : tuple of DraftJoint
    gravity : ndarray, shape (3,), or None
    driven : tuple of str
        Joints that have an actuator; empty where the file says none.
    notes : tuple of str
        What was taken otherwise than the file has it.
    couplings : tuple of DraftCoupling
    """

    links: tuple[Link, ...]
    joints: tuple[DraftJoint, ...]
    gravity: FloatArray | None = None
    driven: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    couplings: tuple[DraftCoupling, ...] = ()

    @property
    def coupled(self) -> set[str]:
        """Joints that couplings name."""
        return {joint for coupling in self.couplings for joint in coupling.factors}
