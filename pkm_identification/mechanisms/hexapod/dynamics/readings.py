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

from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.vector3 import (
    add,
    at,
    cross,
    dot,
    rotate,
    rotate_back,
    subtract,
)

from .basis import PLATFORM_COLUMNS
from .strut import (
    H_E,
    M_E,
    M_M,
    STRUT_COLUMNS,
    strut_acceleration,
    strut_motion,
)


@kernel
def imu_reading(place, axes, gravity, rotation, twist, acceleration, reading):
    """Write what an IMU reads (6,): specific force in m/s^2 and angular rate in rad/s, along its own axes.

    It sits at `place` (3,), m, with `axes` (3, 3) as columns, both in the platform frame; `twist` and `acceleration`
    (6,) are the platform's at its origin, base axes. At rest it reads the opposite of gravity.
    """
    w = (twist[3], twist[4], twist[5])
    r = rotate(rotation, (place[0], place[1], place[2]))
    a = add((acceleration[0], acceleration[1], acceleration[2]), cross(w, cross(w, r)))
    a = add(a, cross((acceleration[3], acceleration[4], acceleration[5]), r))
    a = subtract(a, (gravity[0], gravity[1], gravity[2]))
    force = rotate_back(axes, rotate_back(rotation, a))
    rate = rotate_back(axes, rotate_back(rotation, w))
    for k in range(3):
        reading[k] = force[k]
        reading[3 + k] = rate[k]


@kernel
def strut_force_reading(base, platform, gravity, phi, at_platform, position, rotation, twist, acceleration, net,
                        reading):  # fmt: skip
    """Write what the six force sensors read (6,), N; `net` (6,) is drive force less friction, `phi` the basis."""
    x = (position[0], position[1], position[2])
    v = (twist[0], twist[1], twist[2])
    w = (twist[3], twist[4], twist[5])
    a = (acceleration[0], acceleration[1], acceleration[2])
    al = (acceleration[3], acceleration[4], acceleration[5])
    g = (gravity[0], gravity[1], gravity[2])
    for i in range(6):
        k = PLATFORM_COLUMNS + STRUT_COLUMNS * i
        arm = rotate(rotation, at(platform, i))
        s, l, _, s_dot, _, a_g = strut_motion(at(base, i), arm, x, v, w, a, al, g)
        second = strut_acceleration(s, l, s_dot, a_g, g)
        reading[i] = net[i] - phi[k + M_M] * second
        if at_platform:
            turning = dot(s_dot, s_dot)
            reading[i] -= phi[k + M_E] * (second - l * turning - dot(g, s)) + phi[k + H_E] * turning
