"""Stage samples to this package's messages and back.

Message objects are filled, not made: at 1 kHz a node keeps one and publishes it again and again. Fields of
messages are not checked by rclpy, so nothing that is not finite may come this far: `finite` is the last gate.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from geometry_msgs.msg import Pose

from pkm_identification.msg import ParameterEstimate as EstimateMessage
from pkm_identification.msg import PlatformState, StrutStates

from ..kinematics.tracker import PlatformSample
from ..motion import FloatArray
from ..rotation import matrix_from_quaternion, quaternion_from_matrix
from ..signals.causal import StrutSample
from .clock import seconds, set_stamp

if TYPE_CHECKING:
    from ..estimation.estimate import ParameterEstimate
    from ..machine import Machine

NO_FORCE = np.zeros(6)
# Condition numbers of singular poses are infinite; messages carry this instead.
LARGEST_CONDITION = 1e12

STATUS_CODES = {
    "identifiable": EstimateMessage.IDENTIFIABLE,
    "combination": EstimateMessage.COMBINATION,
    "unidentifiable": EstimateMessage.UNIDENTIFIABLE,
}


def finite(*arrays: FloatArray | None) -> bool:
    """Whether every number of the arrays is finite (sums that overflow count as not)."""
    # sums of lists: for six numbers five times as fast as NumPy's
    return math.isfinite(sum(sum(array.ravel().tolist()) for array in arrays if array is not None))


def fill_strut_states(message: StrutStates, sample: StrutSample, delay: float) -> None:
    """Write a filtered strut sample into a message; `delay` in s."""
    set_stamp(message.header.stamp, sample.time)
    message.length = sample.length
    message.rate = sample.rate
    message.acceleration = sample.acceleration
    message.force_valid = sample.force is not None
    message.force = NO_FORCE if sample.force is None else sample.force
    message.segment = int(sample.segment)
    message.delay = delay


def strut_sample(message: StrutStates) -> StrutSample:
    """The filtered strut sample of a message."""
    return StrutSample(
        time=seconds(message.header.stamp),
        length=message.length,
        rate=message.rate,
        acceleration=message.acceleration,
        force=message.force if message.force_valid else None,
        segment=message.segment,
    )


def fill_pose(message: Pose, position: FloatArray, rotation: FloatArray) -> None:
    """Write a position (3,) in m and a rotation matrix (3, 3) into a message."""
    place, turn = message.position, message.orientation
    place.x, place.y, place.z = position.tolist()
    turn.x, turn.y, turn.z, turn.w = quaternion_from_matrix(rotation).tolist()


def pose_of(message: Pose) -> tuple[FloatArray, FloatArray]:
    """Position (3,) in m and rotation matrix (3, 3) of a pose message.

    Raises
    ------
    ValueError
        If a number is not finite or the quaternion has no length.
    """
    place, turn = message.position, message.orientation
    position = np.array([place.x, place.y, place.z])
    if not np.isfinite(position).all():
        raise ValueError(f"position {position.tolist()} is not finite")
    return position, matrix_from_quaternion([turn.x, turn.y, turn.z, turn.w])


def fill_platform_state(message: PlatformState, sample: PlatformSample, delay: float) -> None:
    """Write a platform sample into a message; `delay` in s."""
    set_stamp(message.header.stamp, sample.time)
    fill_pose(message.pose, sample.position, sample.rotation)
    linear, angular = message.twist.linear, message.twist.angular
    linear.x, linear.y, linear.z, angular.x, angular.y, angular.z = sample.twist.tolist()
    linear, angular = message.accel.linear, message.accel.angular
    linear.x, linear.y, linear.z, angular.x, angular.y, angular.z = sample.acceleration.tolist()
    message.force_valid = sample.force is not None
    message.strut_force = NO_FORCE if sample.force is None else sample.force
    message.status = int(sample.status)
    message.iterations = int(sample.iterations)
    message.residual = bounded(sample.residual)
    message.condition = bounded(sample.condition)
    message.segment = int(sample.segment)
    message.delay = delay


def platform_sample(message: PlatformState) -> PlatformSample:
    """The platform sample of a message."""
    place, turn = message.pose.position, message.pose.orientation
    v, w = message.twist.linear, message.twist.angular
    a, alpha = message.accel.linear, message.accel.angular
    return PlatformSample(
        time=seconds(message.header.stamp),
        position=np.array([place.x, place.y, place.z]),
        rotation=matrix_from_quaternion([turn.x, turn.y, turn.z, turn.w]),
        twist=np.array([v.x, v.y, v.z, w.x, w.y, w.z]),
        acceleration=np.array([a.x, a.y, a.z, alpha.x, alpha.y, alpha.z]),
        force=message.strut_force if message.force_valid else None,
        status=message.status,
        iterations=message.iterations,
        residual=message.residual,
        condition=message.condition,
        segment=message.segment,
    )


def estimate_message(estimate: ParameterEstimate, machine: Machine) -> EstimateMessage:
    """An estimate as a message."""
    message = EstimateMessage(
        machine=machine.name,
        machine_hash=machine.hash,
        estimator=estimate.estimator,
        model=estimate.model,
        names=list(estimate.names),
        units=list(estimate.units),
        values=estimate.values.tolist(),
        std=estimate.std.tolist(),
        nominal=estimate.nominal.tolist(),
        status=[STATUS_CODES[status] for status in estimate.status],
        covariance=estimate.covariance.ravel().tolist(),
        nis=bounded(estimate.nis),
        nis_dof=int(estimate.nis_dof),
        count=int(estimate.count),
    )
    set_stamp(message.header.stamp, estimate.time)
    return message


def bounded(value: float) -> float:
    """A number fit for a message: not larger than `LARGEST_CONDITION`, and that for what is not a number."""
    return min(float(value), LARGEST_CONDITION) if value == value else LARGEST_CONDITION
