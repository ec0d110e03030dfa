# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Additional sensors of a machine: the section `sensors` of its YAML description."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.document import Node, frozen
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import matrix_from_quaternion

FORCE_PLACES = ("strut", "platform")
# What a good MEMS unit has at 1 kHz, where the file does not say: m/s^2 and rad/s.
IMU_NOISE, IMU_BIAS = (0.02, 0.002), (0.2, 0.01)
FORCE_NOISE = 0.2  # N


@dataclass(frozen=True)
class Imu:
    """An inertial measurement unit on the platform.

    Attributes
    ----------
    position : ndarray, shape (3,)
        Its place in the platform frame, m.
    axes : ndarray, shape (3, 3)
        Its axes as columns in the platform frame.
    noise, bias : ndarray, shape (2,)
        Standard deviations of specific force (m/s^2) and angular rate (rad/s): of white noise per sample, and of the
        unknown constant each axis is off by.
    """

    position: FloatArray
    axes: FloatArray
    noise: FloatArray
    bias: FloatArray


@dataclass(frozen=True)
class ForceSensors:
    """A force sensor along each strut.

    Attributes
    ----------
    at : {'strut', 'platform'}
        Behind the nut, where friction is off, or at the platform joint, where body E's own inertia and weight along the
        strut are off as well (`dynamics.readings`).
    noise : float
        Standard deviation per sample, N.
    """

    at: str
    noise: float


@dataclass(frozen=True)
class MachineSensors:
    """What a machine has apart from encoders and motor currents; `readings` are the IMU's six and the six struts'."""

    imu: Imu | None = None
    force: ForceSensors | None = None

    @property
    def place(self) -> FloatArray:
        """Place of the IMU in the platform frame, shape (3,), m."""
        return frozen(np.zeros(3)) if self.imu is None else self.imu.position

    @property
    def axes(self) -> FloatArray:
        """Axes of the IMU in the platform frame, shape (3, 3)."""
        return frozen(np.eye(3)) if self.imu is None else self.imu.axes

    @property
    def force_at(self) -> str:
        """Where the struts' force sensors are."""
        return FORCE_PLACES[0] if self.force is None else self.force.at

    @property
    def noise(self) -> FloatArray:
        """Standard deviation of each reading, shape (12,): m/s^2, rad/s, N."""
        imu = IMU_NOISE if self.imu is None else self.imu.noise
        force = FORCE_NOISE if self.force is None else self.force.noise
        return np.concatenate([np.repeat(imu, 3), np.full(STRUTS, force)])

    @property
    def bias(self) -> FloatArray:
        """Standard deviation of the IMU's unknown biases, shape (6,): m/s^2, rad/s."""
        return np.repeat(IMU_BIAS if self.imu is None else self.imu.bias, 3)


def machine_sensors(node: Node) -> MachineSensors:
    """Validate the section; raises MachineError as the rest of the file does."""
    imu_node, force_node = node.take("imu", None), node.take("force", None)
    imu = None if imu_node.value is None else _read_imu(imu_node)
    force = None if force_node.value is None else _read_force(force_node)
    node.close()
    return MachineSensors(imu, force)


def _read_imu(node: Node) -> Imu:
    quaternion_node = node.take("quaternion", [0.0, 0.0, 0.0, 1.0])
    quaternion = quaternion_node.array(4)
    if not 0.99 < np.linalg.norm(quaternion) < 1.01:
        quaternion_node.fail(f"= {quaternion_node.value}: must have length 1 (x, y, z, w)")
    noise_node = node.take("noise", list(IMU_NOISE))
    imu = Imu(
        node.take("position").array(3),
        frozen(np.ascontiguousarray(matrix_from_quaternion(quaternion))),
        noise_node.array(2, not_negative=True),
        node.take("bias", list(IMU_BIAS)).array(2, not_negative=True),
    )
    if not np.all(imu.noise > 0):
        noise_node.fail(f"= {noise_node.value}: must be greater than zero")
    node.close()
    return imu


def _read_force(node: Node) -> ForceSensors:
    sensors = ForceSensors(node.take("at").choice(FORCE_PLACES), node.take("noise", FORCE_NOISE).positive())
    node.close()
    return sensors
