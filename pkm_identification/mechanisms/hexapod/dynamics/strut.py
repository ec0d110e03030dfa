# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One strut's motion and the forces its two bodies need, seen at the platform joint.

A strut moves only as its platform joint P moves, so by virtual power (Kane) everything its bodies B and E
need can be written as one force f at P: s' = v_P,perp / L and s'' follow from P alone. With body B's centre
of mass at L_B s from the base joint and body E's at d back from P,

    f = m_e (a_P - g) - h_e (s'' + P (a_P - g) / L) - h_b P g / L + (inertia) ,   P = 1 - s s^T,

h_e = m_e d, h_b = m_b L_B, and the inertia terms those of one rigid rod whose transverse moment is
I_tb + m_b L_B^2 + I_te + m_e d^2 (derived from Oh 2003, 2.20-2.34; equal to the thirteen-body sum).

A real universal joint spins the rod: it lets it turn about x1, fixed in base or platform, and about x1 x s, but not
about what is across both,

    (Omega - w_f) . (s - c x1) = 0 ,   Omega = s x s' + sigma s ,   c = x1 . s ,

w_f being the turning of what x1 is fixed in. With s' as seen from there, s' - w_f x s, that is

    sigma = w_f . s + c (x1 x s) . (s' - w_f x s) / (1 - c^2) .

Joints at the base (w_f = 0) let the spin follow the platform joint's travel alone; joints at the platform also pass an
axial torque of the strut on to the platform as a moment, per unit (s - c x1) / (1 - c^2).

A motor that turns the screw adds m_m L'' s, m_m its inertia times (2 pi gear / lead)^2. Its gyroscopic moment (spin
times the strut's turning) is left out: it is not in the source's model.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.compiled import compile_inline
from pkm_identification.numerics.vector3 import (
    add,
    add_scaled,
    cross,
    dot,
    perpendicular,
    scale,
    subtract,
)

# Order of the seven columns of a strut's basis.
M_E, H_E, H_B, I_X, I_A, I_Z, M_M = range(7)
STRUT_COLUMNS = 7
# What makes the struts spin: nothing, or universal joints at one end.
NO_SPIN, BASE_HINGES, PLATFORM_HINGES = range(3)


@compile_inline
def strut_motion(base, arm, origin, v, w, a, al, gravity):
    """(s, L, L', s', s'', a_P - g) of one strut; `arm` is the platform joint from the platform origin."""
    d = subtract(add(origin, arm), base)
    length = np.sqrt(dot(d, d))
    s = scale(1.0 / length, d)
    turning = cross(w, arm)
    v_p = add(v, turning)
    a_p = add(add(a, cross(al, arm)), cross(w, turning))
    rate = dot(v_p, s)
    s_dot = scale(1.0 / length, add_scaled(v_p, -rate, s))
    second = dot(a_p, s) + length * dot(s_dot, s_dot)
    s_ddot = scale(1.0 / length, add_scaled(add_scaled(a_p, -second, s), -2.0 * rate, s_dot))
    return s, length, rate, s_dot, s_ddot, subtract(a_p, gravity)


@compile_inline
def compute_translation_forces(s, length, s_ddot, a_g, gravity):
    """Return forces at P per unit m_e (N/kg), h_e and h_b (N/(kg m)); derived from Oh 2003, 2.20-2.34.

    `a_g` (3,) is the platform joint's acceleration less gravity, m/s^2; `s`, `length`, `s_ddot` as of `strut_motion`.
    """
    pull = scale(1.0 / length, perpendicular(a_g, s))
    return (
        a_g,
        (-s_ddot[0] - pull[0], -s_ddot[1] - pull[1], -s_ddot[2] - pull[2]),
        scale(-1.0 / length, perpendicular(gravity, s)),
    )


@compile_inline
def compute_strut_acceleration(s, length, s_dot, a_g, gravity):
    """L'' of a strut: a_P . s + L |s'|^2 (Oh 2003, 2.28)."""
    return dot(add(a_g, gravity), s) + length * dot(s_dot, s_dot)


@compile_inline
def spin(s, length, s_dot, s_ddot, hinge, joints, w, al):
    """Spin (rad/s), its rate (rad/s^2), and per unit axial torque the force at P (1/m) and the moment on the platform.

    `joints` is NO_SPIN, BASE_HINGES or PLATFORM_HINGES, `hinge` the fixed hinge x1 in base axes; `w`, `al`
    are the platform's. With x1 fixed in the base, sigma = k (x1 x s) . s', k = c / (1 - c^2) and c = x1 . s; with x1
    fixed in the platform the same of what is seen from there, and w . s. Not finite with the strut along x1 (c = 1).
    """
    if joints == NO_SPIN:
        return 0.0, 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    c = dot(hinge, s)
    side = cross(hinge, s)
    k = c / (1.0 - c * c)
    if joints == PLATFORM_HINGES:
        seen = subtract(s_dot, cross(w, s))
        seen_dot = subtract(subtract(s_ddot, cross(al, s)), add(cross(w, s_dot), cross(w, seen)))
        c_dot = dot(hinge, seen)
        k_dot = c_dot * (1.0 + c * c) / (1.0 - c * c) ** 2
        along = dot(side, seen)
        sigma = dot(w, s) + k * along
        sigma_dot = dot(al, s) + dot(w, s_dot) + k_dot * along + k * dot(side, seen_dot)
        return sigma, sigma_dot, scale(k / length, side), compute_platform_share(s, hinge, joints)
    c_dot = dot(hinge, s_dot)
    k_dot = c_dot * (1.0 + c * c) / (1.0 - c * c) ** 2
    along = dot(side, s_dot)
    # (x1 x s)' . s' vanishes, so only s'' is left of the derivative of the projection
    return k * along, k_dot * along + k * dot(side, s_ddot), scale(k / length, side), (0.0, 0.0, 0.0)


@compile_inline
def compute_platform_share(s, hinge, joints):
    """Moment on the platform per unit axial torque of a strut: (s - c x1) / (1 - c^2) with hinges there, else 0."""
    if joints != PLATFORM_HINGES:
        return (0.0, 0.0, 0.0)
    c = dot(hinge, s)
    return scale(1.0 / (1.0 - c * c), add_scaled(s, -c, hinge))


@compile_inline
def compute_inertia_force(axis, s, length, omega, alpha, per_torque):
    """Force at P (base axes) and axial torque per unit moment of inertia about the unit vector `axis`.

    N/(kg m^2) and N m/(kg m^2). Of Euler's torque e (e . alpha) + w x e (e . w), what lies across the strut acts over
    its length, what lies along it by `per_torque` of `spin`.
    """
    torque = add(
        scale(dot(axis, alpha), axis),
        scale(dot(axis, omega), cross(omega, axis)),
    )
    axial = dot(torque, s)
    return add(scale(1.0 / length, cross(torque, s)), scale(axial, per_torque)), axial


@compile_inline
def compute_rotation_motion(s, s_dot, s_ddot, sigma, sigma_dot):
    """Angular velocity (rad/s) and acceleration (rad/s^2) of the rod in base axes: s x s' + sigma s, differentiated."""
    omega = add_scaled(cross(s, s_dot), sigma, s)
    alpha = add_scaled(add_scaled(cross(s, s_ddot), sigma_dot, s), sigma, s_dot)
    return omega, alpha
