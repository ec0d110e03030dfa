# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What additional sensors read of a machine that moves: an IMU on the platform, force sensors in the struts.

The IMU reads specific force and angular rate in its own axes,

    f = C^T R^T (a + al x r + w x (w x r) - g) ,   y = C^T R^T w ,

r = R p its place, C its axes in the platform frame. A strut's force sensor reads the force along the strut that is
left of the drive's force F: behind the nut (`strut`) friction and the motor's inertia are off,

    y = F - friction - m_m L'' ,

at the platform joint (`platform`) the part that moves and carries body E along the strut as well,

    y = F - friction - m_m L'' - m_e (L'' - L |s'|^2 - g . s) - m_e d |s'|^2 .

The last follows from body E's acceleration along s, ((L - d) s)'' . s = L'' - (L - d) |s'|^2.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.vector3 import (
    add,
    at,
    cross,
    dot,
    rotate,
    rotate_back,
    subtract,
    three,
)

from ..machine import Machine
from .basis import PLATFORM_COLUMNS
from .records import MotionSample, packed_geometry, unpack_geometry
from .strut import (
    H_E,
    M_E,
    M_M,
    STRUT_COLUMNS,
    compute_strut_acceleration,
    strut_motion,
)


@kernel
def imu_reading(position, axes, gravity, rotation, twist, acceleration, reading):
    """Write what an IMU reads (6,): specific force in m/s^2 and angular rate in rad/s, along its own axes.

    It sits at `place` (3,), m, with `axes` (3, 3) as columns, both in the platform frame; `twist` and `acceleration`
    (6,) are the platform's at its origin, base axes. At rest it reads the opposite of gravity.
    """
    w = three(twist, 3)
    r = rotate(rotation, three(position, 0))
    a = add(three(acceleration, 0), cross(w, cross(w, r)))
    a = add(a, cross(three(acceleration, 3), r))
    a = subtract(a, gravity)
    force = rotate_back(axes, rotate_back(rotation, a))
    rate = rotate_back(axes, rotate_back(rotation, w))
    for k in range(3):
        reading[k] = force[k]
        reading[3 + k] = rate[k]


@kernel
def strut_force_reading(geometry, phi, at_platform, sample, net, reading):
    """Write what the six force sensors read (6,), N.

    `geometry` is a `KernelGeometry`, `phi` the basis, `sample` a `MotionSample`; `net` (6,) is drive force less
    friction.
    """
    x, v, w = three(sample.position, 0), three(sample.twist, 0), three(sample.twist, 3)
    a, al = three(sample.acceleration, 0), three(sample.acceleration, 3)
    g = geometry.gravity
    for i in range(6):
        k = PLATFORM_COLUMNS + STRUT_COLUMNS * i
        arm = rotate(sample.rotation, at(geometry.platform, i))
        s, l, _, s_dot, _, a_g = strut_motion(at(geometry.base, i), arm, x, v, w, a, al, g)
        second = compute_strut_acceleration(s, l, s_dot, a_g, g)
        reading[i] = net[i] - phi[k + M_M] * second
        if at_platform:
            turning = dot(s_dot, s_dot)
            reading[i] -= phi[k + M_E] * (second - l * turning - dot(g, s)) + phi[k + H_E] * turning


def sensor_readings(
    machine: Machine, motion: PlatformMotion, values: FloatArray, net: FloatArray
) -> FloatArray:
    """Return what IMU and force sensors read (N, 12) without noise and bias.

    `values` (B,) are the basis, `net` (N, 6) the drive forces less friction.
    """
    readings = np.empty((len(motion.position), 12))
    sensors = machine.sensors
    _fill_readings(
        packed_geometry(machine), sensors.place, np.ascontiguousarray(sensors.axes), sensors.force_at == "platform",
        values, (motion.position, motion.rotation, motion.twist, motion.acceleration), net, readings,
    )  # fmt: skip
    return readings


@kernel
def _fill_readings(packed, point, axes, at_platform, phi, motion, net, readings):
    geometry = unpack_geometry(packed)
    position, rotation, twist, acceleration = motion
    for n in range(readings.shape[0]):
        imu_reading(point, axes, geometry.gravity, rotation[n], twist[n], acceleration[n], readings[n, :6])
        sample = MotionSample(position[n], rotation[n], twist[n], acceleration[n])
        strut_force_reading(geometry, phi, at_platform, sample, net[n], readings[n, 6:])
