# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The motions of the source's Table 2.2 (Oh 2003, section 2.4): 18 harmonic motions about home, as exact functions.

Six cases at three frequencies each: X and Z translation by 0.0254 m and rotation (theta, psi) by 5 deg, each about home
and about a place 0.0127 m to the side; pi, 2 pi and 4 pi rad/s. What the source leaves open is read as follows:

- every coordinate moves as amplitude x sin(w t), theta and psi in phase, without beginning or end;
- theta and psi are the source's z-x-z angles from its home (0, -90 deg, 0): turns about base x and then about the axis
  that is base y at home, R = Rx Ry R_home;
- the offset is a distance from home in the X-Y plane, towards x = y.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pkm_identification.motion import PlatformMotion

AMPLITUDE = 0.0254  # m
ANGLE = np.deg2rad(5.0)
OFFSET = 0.0127  # m
SPEEDS = {"low": np.pi, "medium": 2 * np.pi, "high": 4 * np.pi}  # rad/s
SAMPLES = 400  # of the one period; a multiple of four, so that the turning points are among them


class HomePose(Protocol):
    """Where a platform is at home: (3,) in m and (3, 3), in the base frame."""

    @property
    def home_position(self) -> np.ndarray: ...

    @property
    def home_rotation(self) -> np.ndarray: ...


@dataclass(frozen=True)
class SourceMotion:
    """One motion of Table 2.2, or of its kind.

    Attributes
    ----------
    kind : {'x', 'z', 'rotation'} or several axes at once, as 'xy'
    offset : float
        m, distance of its middle from home in the X-Y plane.
    speed : {'low', 'medium', 'high'}
        A quarter of, half of, or the top frequency.
    amplitude, angle, top : float
        m, rad, rad/s; those of Table 2.2 by default.
    """

    kind: str
    offset: float
    speed: str
    amplitude: float = AMPLITUDE
    angle: float = ANGLE
    top: float = SPEEDS["high"]

    @property
    def name(self) -> str:
        """Name on the command line, such as `x-low` or `rotation-offset-high`."""
        return "-".join([self.kind, *(["offset"] if self.offset else []), self.speed])

    @property
    def frequency(self) -> float:
        """rad/s."""
        return self.top * SPEEDS[self.speed] / SPEEDS["high"]

    def at(self, time: np.ndarray, machine: HomePose) -> PlatformMotion:
        """Return the motion about a machine's home at times (N,) in s."""
        time = np.atleast_1d(np.asarray(time, dtype=float))
        w = self.frequency
        sine, cosine = np.sin(w * time), np.cos(w * time)
        none = np.zeros_like(time)
        step = self.offset / np.sqrt(2.0)
        position = machine.home_position + np.array([step, step, 0.0]) + np.zeros((len(time), 3))
        rotation = np.broadcast_to(machine.home_rotation, (len(time), 3, 3)).copy()
        twist, acceleration = np.zeros((2, len(time), 6))
        if self.kind == "rotation":
            turn = self.angle
            angle, rate, second = turn * sine, turn * w * cosine, -turn * w * w * sine
            c, s = np.cos(angle), np.sin(angle)
            # Rx(angle) Ry(angle); its second axis is the one the second turn is about
            turned = np.array([[c, none, s], [s * s, c, -s * c], [-c * s, s, c * c]])
            rotation = np.moveaxis(turned, 2, 0) @ machine.home_rotation
            about = np.stack([none + 1.0, c, s], axis=1)
            twist[:, 3:] = rate[:, None] * about
            acceleration[:, 3:] = second[:, None] * about
            acceleration[:, 4] -= rate**2 * s
            acceleration[:, 5] += rate**2 * c
        else:
            for axis in ("xyz".index(letter) for letter in self.kind):
                position[:, axis] += self.amplitude * sine
                twist[:, axis] = self.amplitude * w * cosine
                acceleration[:, axis] = -self.amplitude * w * w * sine
        return PlatformMotion(time, position, rotation, twist, acceleration)

    def period(self, machine: HomePose, samples: int = SAMPLES) -> PlatformMotion:
        """One period, evenly sampled and without its end, which is its start again."""
        return self.at(np.arange(samples) * (2 * np.pi / self.frequency / samples), machine)


SOURCE_MOTIONS = {
    motion.name: motion
    for motion in (
        SourceMotion(kind, offset, speed)
        for kind in ("x", "z", "rotation")
        for offset in (0.0, OFFSET)
        for speed in SPEEDS
    )
}
