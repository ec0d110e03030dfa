# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Computed torque on drives' errors, whose model is evaluated at the wanted motion."""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray

from ..follower import Setpoint
from ..inverse_dynamics import InverseDynamics
from ..pid import ControlSettings


class DriveTorque:
    """Forces that make every drive's error obey e'' + 2 D w0 e' + w0^2 e = 0, if the model is right.

    Feed-forward is the inverse dynamics of the wanted motion. The feedback asks for accelerations w0^2 e + 2 D w0 e' of
    the drives, which the inverse dynamics turns into forces (its inertia is that of the whole machine, coupling
    included), and for the viscous friction of the rate w0 e.

    The model is evaluated at the wanted motion, not at the measured one: they differ by less than a millimetre, and
    rates from encoder differences would make the friction, which changes sign within 2 mm/s, chatter.

    Parameters
    ----------
    machine : Machine
    settings : ControlSettings
        Bandwidth, damping and the delay they must stand.
    """

    def __init__(self, machine: Machine, settings: ControlSettings) -> None:
        self._dynamics = InverseDynamics(machine)
        omega = settings.omega
        self._omega = omega
        self._stiffness = omega**2
        self._damping = 2 * settings.damping * omega

    def forces(
        self, setpoint: Setpoint, error: FloatArray, error_rate: FloatArray, values: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return feed-forward and feedback, each (n,) in N or N m; NaN where the machine is singular.

        Parameters
        ----------
        setpoint : Setpoint
        error, error_rate : ndarray, shape (n,)
            Wanted less measured coordinate in m or rad, and its rate.
        values : ndarray, shape (B,)
            Of the machine's basis.
        """
        wanted = setpoint.upcoming
        asked = self._stiffness * error + self._damping * error_rate
        accelerations = np.concatenate([wanted.acceleration, wanted.acceleration + asked])
        feed_forward, whole = self._dynamics.compute_accelerated(wanted, accelerations, values)
        return feed_forward, whole - feed_forward + self._dynamics.find_viscous(values) * self._omega * error
