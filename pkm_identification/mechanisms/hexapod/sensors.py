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

from ..file_keys.key import POSITIVE, Key, choice, numbers

FORCE_PLACES = ("strut", "platform")
# What a good MEMS unit has at 1 kHz, where the file does not say: m/s^2 and rad/s.
IMU_NOISE, IMU_BIAS = (0.02, 0.002), (0.2, 0.01)
FORCE_NOISE = 0.2  # N
_PAIR = numbers(2, not_negative=True)
_IMU = Key(
    "imu",
    "an inertial measurement unit on the platform",
    keys=(
        Key("position", "in the platform frame, m", numbers(3), True),
        Key(
            "quaternion",
            "of its axes in the platform frame, x, y, z, w",
            numbers(4),
            default=[0.0, 0.0, 0.0, 1.0],
        ),
        Key("noise", "standard deviations, m/s^2 and rad/s", _PAIR, default=list(IMU_NOISE)),
        Key("bias", "standard deviations of its biases, m/s^2 and rad/s", _PAIR, default=list(IMU_BIAS)),
    ),
    null=True,
)
_FORCE = Key(
    "force",
    "a force sensor along each strut",
    keys=(
        Key("at", "which end of the strut", choice(FORCE_PLACES), True),
        Key("noise", "standard deviation, N", POSITIVE, default=FORCE_NOISE),
    ),
    null=True,
)
SENSORS = Key("sensors", "other than encoders and currents", keys=(_IMU, _FORCE))


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
    imu, force = _IMU.read(node), _FORCE.read(node)
    node.close()
    if imu is not None:
        place = node.take("imu")
        if not 0.99 < np.linalg.norm(imu["quaternion"]) < 1.01:
            place.take("quaternion").fail(
                f"= {place.take('quaternion').value}: must have length 1 (x, y, z, w)"
            )
        if not np.all(imu["noise"] > 0):
            place.take("noise").fail(f"= {place.take('noise').value}: must be greater than zero")
        axes = np.ascontiguousarray(matrix_from_quaternion(imu.pop("quaternion")))
        imu = Imu(axes=frozen(axes), **imu)
    return MachineSensors(imu, force and ForceSensors(**force))
