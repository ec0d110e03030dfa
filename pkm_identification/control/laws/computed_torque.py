# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Computed torque of any machine: e'' + k_v e' + k_p e = 0, in coordinates of the drives or in the workspace.

The inverse dynamics gives the forces for the acceleration X_c'' + k_v e' + k_p e. They are held over a period T. So
that the error's rate at the samples is that of the equation, k_p and k_v become those of its exact solution over T
(mean acceleration of expm), and the model is evaluated at the middle of the period. Rates come from encoder
differences, which are those of half a period ago; the acceleration that was asked for tells the rest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import expm

from pkm_identification.machines.contract import Machine, Motion
from pkm_identification.machines.motions import compute_accelerated_motion
from pkm_identification.mechanisms.friction import friction_force
from pkm_identification.numerics.arrays import FloatArray

from .space import Space


def held_gains(position_gain: float, rate_gain: float, period: float) -> tuple[float, float]:
    """k_p and k_v that, with the acceleration held for `period` s, give the rates of the equation at each sample."""
    after = expm(period * np.array([[0.0, 1.0], [-position_gain, -rate_gain]]))
    return float(-after[1, 0] / period), float((1.0 - after[1, 1]) / period)


class ComputedTorque:
    """Forces that make the error obey e'' + k_v e' + k_p e = 0, if the model is right.

    Parameters
    ----------
    machine : Machine
        What is believed.
    position_gain, rate_gain : float
        k_p in 1/s^2 and k_v in 1/s.
    period : float
        s, between calls.
    workspace : bool
        Whether e is that of outputs or platform, and not of the drives' coordinates.

    Raises
    ------
    SettingsError
        If the workspace is asked for and the machine has neither a pose nor outputs.
    """

    def __init__(
        self,
        machine: Machine,
        position_gain: float,
        rate_gain: float,
        period: float,
        workspace: bool = False,
    ) -> None:
        self._machine = machine
        self._space = Space(machine, workspace)
        self._stiffness, self._damping = held_gains(position_gain, rate_gain, period)
        self._period = period
        self.believe(np.asarray(machine.basis.nominal, dtype=float))
        self.reset()

    def believe(self, values: FloatArray) -> None:
        """Go on with other values (B,) of the machine's basis."""
        self._values = values
        rows = self._machine.friction_rows
        self._friction = [
            replace(law, coefficients=values[rows[rows[:, i] >= 0, i], None])
            for i, law in enumerate(self._machine.friction)
        ]

    def reset(self) -> None:
        """Forget the past: the machine is at rest."""
        self._last: FloatArray | None = None
        self._asked = np.zeros(len(self._machine.drives))
        self._near: Motion | None = None
        self._there: Motion | None = None

    def step(
        self,
        coordinate: FloatArray,
        wanted: FloatArray,
        wanted_rate: FloatArray | None = None,
        wanted_acceleration: FloatArray | None = None,
    ) -> FloatArray:
        """Return forces (n,) in N (N m) for the period that begins.

        Parameters
        ----------
        coordinate : ndarray, shape (n,)
            Shown, m or rad.
        wanted, wanted_rate : ndarray, shape (n,)
            Of the drives now; a place alone is one to come to rest at.
        wanted_acceleration : ndarray, shape (n,)
            Mean of the period that begins.

        Raises
        ------
        MotionRefused
            If a place is out of reach or singular.
        """
        space, half = self._space, 0.5 * self._period
        rate = np.zeros_like(coordinate)
        if self._last is not None:
            rate = (coordinate - self._last) / self._period + half * self._asked
        self._last = np.array(coordinate)
        self._near = here = space.move(coordinate, near=self._near)
        self._there = there = space.move(wanted, wanted_rate, wanted_acceleration, self._there)
        present = space.compute_jacobian(here) @ rate
        ahead = np.zeros_like(present)
        asked = self._stiffness * space.compute_error(there, here)
        if wanted_rate is not None:
            ahead = space.compute_jacobian(there) @ wanted_rate
            asked = asked + space.compute_acceleration(there)
        asked = asked + self._damping * (ahead - present)
        middle = coordinate + half * rate + 0.5 * half**2 * self._asked
        jacobian = space.compute_jacobian(space.move(middle, near=here))
        between: FloatArray = np.asarray(np.linalg.solve(jacobian, present + half * asked), dtype=float)
        drifting = space.move(middle, between, near=here)
        drift = space.compute_acceleration(drifting)
        self._asked = np.asarray(np.linalg.solve(jacobian, asked - drift))
        motion = compute_accelerated_motion(self._machine, drifting, self._asked[None])
        friction = [float(friction_force(between[i : i + 1], law)[0]) for i, law in enumerate(self._friction)]
        return self._machine.compute_forces(motion, self._values)[0] + friction
