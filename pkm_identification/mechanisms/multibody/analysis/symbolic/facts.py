# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Facts about a motion that rules ask for: what rests, what keeps its direction, what bodies have in common.

Decided at random states of the closed mechanism without rounding, modulo a power of a prime (`exact_states`): what is
zero there is zero everywhere on the branch, but for a chance of about one in 2^200. Where the mechanism has no such
states, they are numbers of sixty digits, and zero is what is below half of them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...kernels.dynamics import read_unit_motions
from ...kinematics import MechanismMotion, body_poses, motion_of_drives
from ...mechanism import Mechanism
from ...numbers.arithmetic import FLOAT64, Multiprecision
from ...numbers.exact import ExactVector
from ...numbers.padic import NotInThisField, Padic
from ..exact_states import PRIMES, compute_exact_motion, why_not_exact
from ..modular_start import fractions_near_home
from ..states import random_drives
from .geometry import Geometry

_STATES = 3
_DIGITS = 60


@dataclass(frozen=True)
class Facts:
    """Directions and velocities of the bodies' points and directions in some states; the ground is body 0.

    Attributes
    ----------
    geometry : Geometry
    arithmetic : Padic or Multiprecision
    rotation : ndarray, shape (N, B, 3, 3)
        Of each body, in numbers of the arithmetic; a p-adic number holds many states.
    turning, speed : ndarray, shape (N, B, 3)
        Angular velocity, and velocity of the body's origin, in the body's own axes.
    gravity : ndarray, shape (3,)
    """

    geometry: Geometry
    arithmetic: Padic | Multiprecision
    rotation: Any
    turning: Any
    speed: Any
    gravity: Any

    @classmethod
    def of(cls, mechanism: Mechanism, geometry: Geometry, seed: int = 0) -> Facts:
        """Build one of random states of a mechanism in float64.

        Raises
        ------
        MotionRefused
            If there are none.
        """
        here, motion = _draw_states(mechanism, geometry, seed)
        arithmetic = here.arithmetic
        assert isinstance(arithmetic, (Padic, Multiprecision))
        rotation, _ = body_poses(here, motion.configuration)
        count, bodies = len(motion), len(here.description.bodies)
        turn, shift = (arithmetic.zeros(count, bodies, 3, 1) for _ in range(2))
        for n in range(count):
            arithmetic.compile(read_unit_motions)(
                here.model, motion.configuration[n], motion.velocity[n][:, None], turn[n], shift[n]
            )
        ground = np.broadcast_to(arithmetic.array(np.eye(3)), (count, 1, 3, 3))
        rest = arithmetic.zeros(count, 1, 3)
        return cls(
            geometry,
            arithmetic,
            np.concatenate([ground, rotation], axis=1),
            np.concatenate([rest, turn[..., 0]], axis=1),
            np.concatenate([rest, shift[..., 0]], axis=1),
            here.model.gravity,
        )

    @property
    def how(self) -> str:
        """In which numbers it was decided, for people."""
        if isinstance(self.arithmetic, Padic):
            return f"without rounding, modulo a power of {self.arithmetic.prime}"
        return f"with {self.arithmetic.digits} digits"

    @cached_property
    def _least(self) -> Any:
        if isinstance(self.arithmetic, Padic):
            return float(self.arithmetic.prime) ** -(self.arithmetic.exponent // 2)
        return self.arithmetic.context.mpf(10) ** -(self.arithmetic.digits // 2)

    def _zero(self, values: Any) -> bool:
        return all(abs(value) <= self._least for value in np.ravel(values))

    @cached_property
    def _spins(self) -> Any:
        """Angular velocities in the ground's axes."""
        return self._is_grounded(self.turning)

    def _is_grounded(self, own: Any) -> Any:
        return (self.rotation * own[:, :, None, :]).sum(axis=3)

    @cached_property
    def _directions(self) -> list[list[Any]]:
        """Of each body, its directions (N, 3) in the ground's axes."""
        return [
            [(self.rotation[:, b] * self._number(way)).sum(axis=2) for way in ways]
            for b, ways in enumerate(self.geometry.directions)
        ]

    @cached_property
    def _velocities(self) -> list[list[Any]]:
        """Of each body, velocities (N, 3) of its points in the ground's axes."""
        velocities = []
        for b, points in enumerate(self.geometry.points):
            own = [
                self.speed[:, b] + _compute_cross(self.turning[:, b], self._number(point)) for point in points
            ]
            velocities.append([(self.rotation[:, b] * one[:, None, :]).sum(axis=2) for one in own])
        return velocities

    def _number(self, vector: ExactVector) -> Any:
        return self.arithmetic.array(vector)

    def turns(self, b: int) -> bool:
        """Return whether a body turns at all."""
        return not self._zero(self.turning[:, b])

    def at_rest(self, b: int, point: int) -> bool:
        """Return whether a point of a body never moves."""
        return self._zero(self._velocities[b][point])

    def moves_along(self, b: int, point: int, direction: int) -> bool:
        """Return whether a point that moves does so along a direction of its body."""
        velocity = self._velocities[b][point]
        return not self._zero(velocity) and self._zero(
            _compute_cross(velocity, self._directions[b][direction])
        )

    def keeps_height(self, b: int, direction: int) -> bool:
        """Return whether a body's direction always has the same angle with gravity."""
        change = _compute_cross(self._spins[:, b], self._directions[b][direction])
        return self._zero((change * self.gravity).sum(axis=1))

    def fixed_in_space(self, b: int, direction: int) -> bool:
        """Return whether a direction of a body keeps its direction."""
        return self._zero(_compute_cross(self._spins[:, b], self._directions[b][direction]))

    def upright(self, b: int, direction: int) -> bool:
        """Return whether a direction of a body is always that of gravity; true without gravity."""
        return self._zero(_compute_cross(self._directions[b][direction], self.gravity[None]))

    @property
    def weightless(self) -> bool:
        return self._zero(self.gravity)

    def never_turned_about(self, b: int, direction: int) -> bool:
        """Return whether a body's angular velocity is always across a direction of it."""
        return self._zero((self._spins[:, b] * self._directions[b][direction]).sum(axis=1))

    def same_turning(self, i: int, j: int) -> bool:
        """Return whether two bodies always have the same angular velocity."""
        return self._zero(self._spins[:, i] - self._spins[:, j])

    def shared_directions(self, i: int, j: int) -> list[tuple[int, int, int]]:
        """Directions of body i, of body j, and the sign with which they are always the same."""
        apart = self._spins[:, i] - self._spins[:, j]
        directions = []
        for k, one in enumerate(self._directions[i]):
            if not self._zero(_compute_cross(apart, one)):
                continue
            for m, other in enumerate(self._directions[j]):
                sign = 1 if self._zero(one - other) else -1 if self._zero(one + other) else 0
                if sign:
                    directions.append((k, m, sign))
                    break
        return directions

    def shared_points(self, i: int, j: int) -> list[tuple[int, int]]:
        """Points of body i and of body j that always have the same velocity."""
        return [
            (k, m)
            for k, one in enumerate(self._velocities[i])
            for m, other in enumerate(self._velocities[j])
            if self._zero(one - other)
        ]


def _draw_states(mechanism: Mechanism, geometry: Geometry, seed: int) -> tuple[Mechanism, MechanismMotion]:
    if not why_not_exact(mechanism):
        near_home = fractions_near_home(mechanism)
        for prime in PRIMES:
            try:
                here, motion = compute_exact_motion(
                    mechanism, prime, _STATES, random.Random(seed + prime), near_home
                )
                for vectors in (*geometry.points, *geometry.directions):
                    here.arithmetic.array(vectors)
            except NotInThisField:
                continue
            return here, motion
    target = random_drives(mechanism, _STATES, seed)
    drive, rate, change = (FLOAT64.array(part) for part in target)
    rough = motion_of_drives(mechanism, drive, rate, change)
    precise = mechanism.with_digits(_DIGITS)
    array = precise.arithmetic.array
    drive, rate, change = (array(part) for part in target)
    return precise, motion_of_drives(precise, drive, rate, change, start=array(rough.configuration))


def _compute_cross(a: Any, b: Any) -> Any:
    """Return the cross product of vectors (..., 3) of any arithmetic."""
    x, y = np.broadcast_arrays(a, b)
    return np.stack(
        [
            x[..., 1] * y[..., 2] - x[..., 2] * y[..., 1],
            x[..., 2] * y[..., 0] - x[..., 0] * y[..., 2],
            x[..., 0] * y[..., 1] - x[..., 1] * y[..., 0],
        ],
        axis=-1,
    )
