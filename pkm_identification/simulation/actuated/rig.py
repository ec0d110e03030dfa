# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Actuators on constant masses: the test set-up of one servo, or a machine frozen in one pose.

M x'' = F - F_e - B x',  with a constant matrix M and constant loads F_e
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.control.drives.cascade import empty_settings
from pkm_identification.errors import NotConverged
from pkm_identification.mechanisms.actuators import Bank
from pkm_identification.mechanisms.actuators.base import Actuator
from pkm_identification.mechanisms.friction import Friction, padded_coefficients
from pkm_identification.numerics.arrays import FloatArray

from ..resistance import Resistance
from .drives import STEP, ActuatorDrives
from .stepping import Dynamics, Motion


@dataclass(frozen=True)
class RigRun:
    """A run of a rig, sampled at every control period.

    Attributes
    ----------
    time : ndarray, shape (N,)
        s.
    position, rate, force, measured : ndarray, shape (N, n)
        Driven coordinates and rates, forces of the actuators, and what their own sensors show, delayed.
    """

    time: FloatArray
    position: FloatArray
    rate: FloatArray
    force: FloatArray
    measured: FloatArray


class Rig:
    """Actuators on a constant mass.

    Parameters
    ----------
    actuators : sequence of Actuator
    mass : ndarray, shape (n, n), or float
        kg (kg m^2), without the actuators' own inertia.
    load : ndarray, shape (n,), or float
        Constant force in N (N m) against the coordinates.
    position : ndarray, shape (n,), or float
        Where it rests at the start.
    step : float
        Small step in s.
    controls : ndarray, shape (n, SETTINGS), optional
        Of controllers in the drives.
    friction : Friction, optional
        Along the coordinates, in addition to the actuators' own; coefficients (K, n). None: none.

    Attributes
    ----------
    ends : Dynamics
        At the start and the end of the next period; may be replaced where mass and load are not constant.
    """

    def __init__(
        self,
        actuators: Sequence[Actuator],
        mass: FloatArray | float,
        load: FloatArray | float = 0.0,
        position: FloatArray | float = 0.0,
        step: float = STEP,
        controls: FloatArray | None = None,
        friction: Friction | None = None,
    ) -> None:
        self.bank = Bank(actuators)
        n = len(self.bank)
        matrix = np.array(np.broadcast_to(mass, (n, n)), dtype=float) if np.ndim(mass) else np.eye(n) * mass
        self.mass = matrix + np.diag(self.bank.inertia)
        self.load = np.array(np.broadcast_to(load, n), dtype=float)
        compliance = np.linalg.inv(self.mass)
        free = -compliance @ self.load
        self.ends = Dynamics(
            np.array([free, free]), np.array([compliance, compliance]), np.array([np.eye(n), np.eye(n)])
        )
        law = friction or Friction.of("coulomb", viscous=np.zeros(n), coulomb=np.zeros(n))
        self._resistance = Resistance(
            np.vstack([law.laws, law.laws[:1]]),
            padded_coefficients(law.coefficients.ravel(), n),
            np.zeros((4, n)),
            np.full(n, -1),
        )
        self._start = np.array(np.broadcast_to(position, n), dtype=float)
        settings = empty_settings(n) if controls is None else controls
        self.drives = ActuatorDrives(self.bank, step, settings)
        self.reset()

    def reset(self) -> None:
        """Rest at the start, the actuators holding the load."""
        self.time = 0.0
        self.speed = np.zeros(len(self.bank))
        self.drives.settle(self.load, self._start)

    @property
    def holding_command(self) -> FloatArray:
        """Commands (n,) that hold the load at the start."""
        return self.bank.equilibrium(self.load, self._start)[1]

    def advance(self, command: FloatArray, duration: float) -> None:
        """Move on by `duration` s with commands (n,) held; of drives with a controller they are wanted coordinates.

        Raises
        ------
        NotConverged
            If a number is not finite any more: names the time and the drive.
        """
        self.drives.set_command(command, command)
        self.move(duration)

    def follow(self, before: FloatArray, after: FloatArray, duration: float) -> None:
        """Move on by `duration` s with wanted coordinates (n,) at its start and end, of drives that take them."""
        self.drives.set_places(before, after)
        self.move(duration)

    def move(self, duration: float) -> None:
        """Move on by `duration` s, a whole number of small steps; raises NotConverged as `advance`."""
        motion = Motion(np.zeros(0), self.drives.coordinate, self.speed, self.drives.states)
        self.drives.advance(motion, self.ends, self._resistance, duration)
        self.time += duration
        if not np.all(np.isfinite(self.drives.states)):
            i = int(np.flatnonzero(~np.isfinite(self.drives.states).all(axis=1))[0])
            raise NotConverged(f"drive {i + 1} diverged before {self.time:.6f} s: its state is not finite")

    def run(self, command: Callable[[float], FloatArray], duration: float, period: float = 1e-4) -> RigRun:
        """Commands (n,) by time, held over each period, and what comes of them."""
        count = round(duration / period)
        rows: list[tuple[FloatArray, ...]] = []
        for k in range(count + 1):
            d = self.drives
            rows.append((d.coordinate.copy(), self.speed.copy(), d.force(self.speed), d.measure()))
            if k < count:
                self.advance(np.atleast_1d(command(k * period)), period)
        position, rate, force, measured = (np.array(part) for part in zip(*rows, strict=True))
        return RigRun(
            np.arange(count + 1, dtype=np.float64) * np.float64(period), position, rate, force, measured
        )
