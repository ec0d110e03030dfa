# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Sensors other than encoders and currents: an IMU on the platform and force sensors in the struts, with noise."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics.basis import basis_parameters
from pkm_identification.mechanisms.hexapod.dynamics.readings import imu_reading, strut_force_reading
from pkm_identification.mechanisms.hexapod.dynamics.records import (
    MotionSample,
    packed_geometry,
    unpack_geometry,
)
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

from .plant import PlantState


class AdditionalSensors:
    """What the section `sensors` of a machine file describes.

    Parameters
    ----------
    machine : Machine
        The truth: its sensors' places, noise and spread of the biases, and its strut bodies.
    share : float
        Of the file's noise and biases; 0 = perfect.
    seed : int
        Same seed, same biases and noise.
    """

    def __init__(self, machine: Machine, share: float, seed: int) -> None:
        self._machine = machine
        self._basis = basis_parameters(machine)
        self._geometry = unpack_geometry(packed_geometry(machine))
        self._noise = share * machine.sensors.noise
        self._random = np.random.default_rng([seed, 1])
        self.bias = share * machine.sensors.bias * self._random.standard_normal(6)
        """Constant errors of specific force (m/s^2) and angular rate (rad/s), shape (6,)."""

    def imu(self, state: PlantState) -> FloatArray | None:
        """Specific force and angular rate (6,); None without an IMU."""
        sensors = self._machine.sensors
        if sensors.imu is None:
            return None
        reading = np.empty(6)
        imu_reading(
            sensors.place, sensors.axes, self._machine.gravity, state.rotation, state.twist, state.acceleration, reading
        )  # fmt: skip
        return reading + self.bias + self._noise[:6] * self._random.standard_normal(6)

    def force(self, state: PlantState) -> FloatArray | None:
        """Readings of the force sensors (6,), N; None without them."""
        machine = self._machine
        if machine.sensors.force is None:
            return None
        reading = np.empty(STRUTS)
        sample = MotionSample(state.position, state.rotation, state.twist, state.acceleration)
        at_platform = machine.sensors.force.at == "platform"
        # torques of the joints push a strut aside, not along
        net = state.force - state.resistance + state.rubbing
        strut_force_reading(self._geometry, self._basis, at_platform, sample, net, reading)
        return reading + self._noise[6:] * self._random.standard_normal(STRUTS)
