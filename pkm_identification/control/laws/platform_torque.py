# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Computed torque along a platform's motion: the model's forces for it, and feedback through the model's inertia."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.dynamics.basis import friction_columns
from pkm_identification.mechanisms.hexapod.kinematics import jacobian
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

from ..follower import Setpoint
from ..pid import ControlSettings


class PlatformTorque:
    """Forces that make every strut's error obey e'' + 2 D w0 e' + w0^2 e = 0, if the model is right.

    Feed-forward is the inverse dynamics of the wanted motion. The feedback asks for strut accelerations
    w0^2 e + 2 D w0 e', which J^-1 turns into platform accelerations and the inverse dynamics into forces (its inertia
    is that of the whole machine, coupling included), and for the viscous friction of the rate w0 e.

    The model is evaluated at the wanted motion, not at the measured one: they differ by less than a millimetre, and
    rates from encoder differences would make the friction, which bends within 2 mm/s, chatter.

    Parameters
    ----------
    machine : Machine
    settings : ControlSettings
        Bandwidth, damping and the delay they must stand.
    """

    def __init__(self, machine: Machine, settings: ControlSettings) -> None:
        self._machine = machine
        omega = settings.omega
        self._omega = omega
        self._viscous = friction_columns(machine, "viscous")
        self._stiffness = omega**2
        self._damping = 2 * settings.damping * omega

    def forces(
        self, setpoint: Setpoint, error: FloatArray, error_rate: FloatArray, parameters: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Feed-forward and feedback, each (6,) in N; NaN in a singular pose.

        Parameters
        ----------
        setpoint : Setpoint
        error, error_rate : ndarray, shape (6,)
            Wanted less measured length in m, and its rate in m/s.
        parameters : ndarray, shape (B,)
            Dynamic parameters in the basis.
        """
        wanted = setpoint.ahead
        asked = self._stiffness * error + self._damping * error_rate
        try:
            more = np.linalg.solve(jacobian(self._machine, wanted.position, wanted.rotation)[0], asked)
        except np.linalg.LinAlgError:
            return np.full(6, np.nan), np.full(6, np.nan)
        both = PlatformMotion(
            np.zeros(2),
            np.concatenate([wanted.position, wanted.position]),
            np.concatenate([wanted.rotation, wanted.rotation]),
            np.concatenate([wanted.twist, wanted.twist]),
            np.concatenate([wanted.acceleration, wanted.acceleration + more]),
        )
        feed_forward, whole = strut_forces(self._machine, both, parameters=parameters)
        feedback = whole - feed_forward
        viscous = parameters[self._viscous]  # none where the friction law has none
        feedback[: viscous.size] += viscous * self._omega * error[: viscous.size]
        return feed_forward, feedback
