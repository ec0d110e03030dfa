# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Computed torque of any mechanism with loops: e'' + k_v e' + k_p e = 0, in driven coordinates or in the workspace.

The inverse dynamics of the closed mechanism gives the forces for the acceleration X_c'' + k_v e' + k_p e. They are held
over a period T. So that the error's rate at the samples is that of the equation, k_p and k_v become those of its exact
solution over T (mean acceleration of expm), and the model is evaluated at the middle of the period. Rates come from
encoder differences, which are those of half a period ago; the acceleration that was asked for tells the rest.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import expm

from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.mechanisms.multibody.kinematics import moving
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
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
    mechanism : Mechanism
        In float64: what is believed.
    position_gain, rate_gain : float
        k_p in 1/s^2 and k_v in 1/s.
    period : float
        s, between calls.
    workspace : bool
        Whether e is that of outputs or platform, and not of the driven coordinates.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        position_gain: float,
        rate_gain: float,
        period: float,
        workspace: bool = False,
    ) -> None:
        self._mechanism = mechanism
        self._space = Space(mechanism, workspace)
        self._stiffness, self._damping = held_gains(position_gain, rate_gain, period)
        self._period = period
        self.reset()

    def reset(self) -> None:
        """Forget the past: the mechanism is at rest."""
        self._last: FloatArray | None = None
        self._asked = np.zeros(self._mechanism.degrees_of_freedom)
        self._near: FloatArray | None = None
        self._there: FloatArray | None = None

    def forces(
        self,
        drive: FloatArray,
        wanted: FloatArray,
        wanted_rate: FloatArray | None = None,
        wanted_acceleration: FloatArray | None = None,
    ) -> FloatArray:
        """Forces (n,) in N (N m) for the period that begins.

        Parameters
        ----------
        drive : ndarray, shape (n,)
            Shown coordinates, m or rad.
        wanted, wanted_rate : ndarray, shape (n,)
            Of driven coordinates now; a place alone is one to come to rest at.
        wanted_acceleration : ndarray, shape (n,)
            Mean of the period that begins.

        Raises
        ------
        MotionRefused
            If a place is out of reach or singular.
        """
        space, mechanism, half = self._space, self._mechanism, 0.5 * self._period
        rate = np.zeros_like(drive)
        if self._last is not None:
            rate = (drive - self._last) / self._period + half * self._asked
        self._last = np.array(drive)
        self._near = here = space.configuration(drive, self._near)
        self._there = there = space.configuration(wanted, self._there)
        present = np.linalg.solve(space.inverse_jacobian(here), rate)
        ahead = np.zeros_like(present)
        asked = self._stiffness * space.error(there, here)
        if wanted_rate is not None:
            inverse = space.inverse_jacobian(there)
            ahead = np.linalg.solve(inverse, wanted_rate)
            drift = moving(mechanism, there, ahead[None], np.zeros_like(ahead)[None], space.task)
            bend = np.zeros_like(drive) if wanted_acceleration is None else wanted_acceleration
            asked = asked + np.linalg.solve(inverse, bend - drift.drive_acceleration[0])
        asked = asked + self._damping * (ahead - present)
        middle = space.configuration(drive + half * rate + 0.5 * half**2 * self._asked, here)
        motion = moving(mechanism, middle, (present + half * asked)[None], asked[None], space.task)
        self._asked = np.asarray(motion.drive_acceleration[0])
        return np.asarray(dynamics.forces(mechanism, motion)[0])
