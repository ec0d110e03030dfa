# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Readings of a machine's sensors other than encoders and currents, as standard messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import Imu, JointState

from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray

from ..clock import set_stamp
from ..qos import STREAM

if TYPE_CHECKING:
    from ..node.pipeline_node import PipelineNode


class SensorReadings:
    """Publishes `imu`, `strut_forces` and `platform_wrench` of what the machine file has, while anybody listens.

    Parameters
    ----------
    node : PipelineNode
    machine : Machine
    names : sequence of str
        Joint names of struts 1 to 6.
    values : mapping
        The parameters `imu_frame` and `platform_frame`.
    """

    def __init__(
        self, node: PipelineNode, machine: Machine, names: Sequence[str], values: Mapping[str, Any]
    ) -> None:
        self._machine = machine
        sensors = machine.sensors
        self._imus = self._forces = self._wrenches = None
        if sensors.imu is not None:
            self._imu = Imu()
            self._imu.header.frame_id = values["imu_frame"]
            self._imu.orientation_covariance[0] = -1.0  # none is measured (REP 145)
            for position, deviation in zip(
                ("linear_acceleration", "angular_velocity"), sensors.imu.noise, strict=True
            ):
                getattr(self._imu, f"{position}_covariance")[::4] = np.full(3, float(deviation) ** 2)
            self._imus = node.publisher(Imu, "imu", STREAM)
        if sensors.force is not None:
            self._force = JointState(name=list(names))
            self._wrench = WrenchStamped()
            self._wrench.header.frame_id = values["platform_frame"]
            self._forces = node.publisher(JointState, "strut_forces", STREAM)
            self._wrenches = node.publisher(WrenchStamped, "platform_wrench", STREAM)

    def publish(
        self,
        time: float,
        imu: FloatArray | None,
        force: FloatArray | None,
        pose: tuple[FloatArray, FloatArray],
    ) -> None:
        """Publish the readings of one sample.

        Parameters
        ----------
        time : float
            Stamp, s.
        imu : ndarray, shape (6,)
            Specific force in m/s^2 and angular rate in rad/s, in the IMU's axes.
        force : ndarray, shape (6,)
            Along the struts, N.
        pose : tuple of ndarray
            Position (3,) in m and rotation (3, 3) of the platform, for the wrench.
        """
        if imu is not None and self._imus is not None and self._imus.get_subscription_count():
            set_stamp(self._imu.header.stamp, time)
            for vector, numbers in (
                (self._imu.linear_acceleration, imu[:3]),
                (self._imu.angular_velocity, imu[3:]),
            ):
                vector.x, vector.y, vector.z = numbers.tolist()
            self._imus.publish(self._imu)
        if force is None or self._forces is None or self._wrenches is None:
            return
        if self._forces.get_subscription_count():
            set_stamp(self._force.header.stamp, time)
            self._force.effort = force.tolist()
            self._forces.publish(self._force)
        if self._wrenches.get_subscription_count():
            set_stamp(self._wrench.header.stamp, time)
            wrench = compute_platform_wrench(self._machine, force, *pose)
            for vector, numbers in (
                (self._wrench.wrench.force, wrench[:3]),
                (self._wrench.wrench.torque, wrench[3:]),
            ):
                vector.x, vector.y, vector.z = numbers.tolist()
            self._wrenches.publish(self._wrench)


def compute_platform_wrench(
    machine: Machine, force: FloatArray, position: FloatArray, rotation: FloatArray
) -> FloatArray:
    """Return what struts do to the platform: force and moment about its origin (6,), N and N m, in platform axes.

    Parameters
    ----------
    machine : Machine
    force : ndarray, shape (6,)
        Along the struts, N, positive where they push.
    position, rotation : ndarray, shapes (3,) and (3, 3)
        Pose, m.
    """
    wrench = jacobian(machine, position[None], rotation[None])[0].T @ force
    return np.concatenate([rotation.T @ wrench[:3], rotation.T @ wrench[3:]])
