# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The strut forces by what causes them: the source's term groups (Oh 2003, 2.39-2.55 and appendix B).

F = J^-T (W_pm + W_sm + W_cor + W_cen + W_grp + W_grs + W_ext) + F_frict + F_mh + F_umd. With the platform joint's
acceleration split into a_P = (a + al x r) + w x (w x r), the strut's direction derivatives into

    L''   = (a + al x r) . s  +  [w x (w x r)] . s + L |s'|^2 ,
    s''   = P (a + al x r) / L  -  2 L' s' / L  +  P [w x (w x r)] / L - |s'|^2 s ,      P = 1 - s s^T ,

every term belongs to one group:

pm     platform: m a, al x c, c x a, I al (c the first moment).
sm     both strut bodies: what is linear in (a, al), through a_P and s'', axial spin included.
cor    both strut bodies: what holds L' times a strut's turning rate, the second term of s''. That is 2 L' w_s x s of
       body E and -2 L'/L w_s of the angular acceleration, in the centres of mass and in I al_s of both bodies.
cen    what is quadratic in w and w_s: platform w x (w x c) and w x I w; struts w x (w x r), L |w_s|^2,
       w_s x (w_s x ...) of the centres of mass, w_s x I w_s and the spin's rates.
grp    gravity of the platform.
grs    gravity of both strut bodies.
frict  friction along the struts and of the joints.
ext    wrench on the platform by tool or payload.
mh     motor and screw inertia, m_m L'' with the whole of L''; zero unless the machine file has `drive.motor.inertia`.
umd    what is not modelled: zero.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from pkm_identification.mechanisms.friction import friction_along
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import invert6
from pkm_identification.numerics.vector3 import (
    add,
    add_scaled,
    at,
    cross,
    dot,
    perpendicular,
    rotate,
    rotate_back,
    scale,
    subtract,
    three,
)

from ..kinematics.jacobian import fill_jacobian
from ..machine import Machine
from .basis import INERTIAL_COLUMNS, PLATFORM_COLUMNS, basis_parameters
from .inverse import load_rows
from .joint_friction import add_joint_friction
from .records import MotionSample, compute_friction_coefficients, hinge_of, packed_geometry, unpack_geometry
from .strut import (
    H_B,
    H_E,
    I_A,
    I_X,
    M_E,
    M_M,
    NO_SPIN,
    STRUT_COLUMNS,
    compute_platform_share,
    spin,
)

# Rows of the kernel's result; the first eight are wrenches on the platform until J^-T is taken.
_PM, _SM, _COR, _CEN, _GRP, _GRS, _EXT, _FRICT, _MH = range(9)
_WRENCHES = 8  # of which friction's holds that of the joints
_ROWS = 9


@dataclass(frozen=True)
class ForceGroups:
    """Strut forces by cause, each of shape (N, 6) in N; the module says which term is where.

    Attributes
    ----------
    pm, sm : ndarray
        Acceleration of platform and of struts.
    cor, cen : ndarray
        Coriolis and centripetal terms.
    grp, grs : ndarray
        Gravity of platform and of struts.
    frict, ext : ndarray
        Friction, and the wrench on the platform.
    mh, umd : ndarray
        Motor and screw inertia, and what is not modelled (zero).
    """

    pm: FloatArray
    sm: FloatArray
    cor: FloatArray
    cen: FloatArray
    grp: FloatArray
    grs: FloatArray
    frict: FloatArray
    ext: FloatArray
    mh: FloatArray
    umd: FloatArray

    @property
    def names(self) -> tuple[str, ...]:
        """The groups in the source's order."""
        return tuple(field.name for field in fields(self))

    @property
    def total(self) -> FloatArray:
        """Their sum, shape (N, 6): `strut_forces` with the same wrench, to rounding."""
        return sum((getattr(self, name) for name in self.names[1:]), start=self.pm)


@kernel
def _collect(wrench, row, force, moment):
    for k in range(3):
        wrench[row, k] += force[k]
        wrench[row, 3 + k] += moment[k]


@kernel
def _multiply_inertia(phi, rotation, vector):
    """Platform inertia about its origin times a vector, in base axes."""
    u = rotate_back(rotation, vector)
    return rotate(
        rotation,
        (
            phi[4] * u[0] + phi[7] * u[1] + phi[8] * u[2],
            phi[7] * u[0] + phi[5] * u[1] + phi[9] * u[2],
            phi[8] * u[0] + phi[9] * u[1] + phi[6] * u[2],
        ),
    )


@kernel
def _compute_platform_groups(phi, sample, g, wrench):
    rotation, w = sample.rotation, three(sample.twist, 3)
    a, al = three(sample.acceleration, 0), three(sample.acceleration, 3)
    c = rotate(rotation, (phi[1], phi[2], phi[3]))
    _collect(
        wrench,
        _PM,
        add_scaled(cross(al, c), phi[0], a),
        add(cross(c, a), _multiply_inertia(phi, rotation, al)),
    )
    _collect(wrench, _CEN, cross(w, cross(w, c)), cross(w, _multiply_inertia(phi, rotation, w)))
    _collect(wrench, _GRP, scale(-phi[0], g), cross(g, c))


@kernel
def _compute_turning_force(strut, s, l, s_ddot, spin_up, lever):
    """Force at P of a part of s'': first moment, transverse moment and axial spin of acceleration `spin_up`."""
    across = perpendicular(s_ddot, s)
    force = scale(-strut[H_E], s_ddot)
    force = add_scaled(force, strut[I_X] / l, across)
    return add_scaled(force, strut[I_A] / l * spin_up, lever)


@kernel
def _add_strut_groups(strut, geometry, i, sample, wrench):
    """Add one strut's wrenches; (L', L'')."""
    g = geometry.gravity
    v, w = three(sample.twist, 0), three(sample.twist, 3)
    a, al = three(sample.acceleration, 0), three(sample.acceleration, 3)
    arm = rotate(sample.rotation, at(geometry.platform, i))
    d = subtract(add(three(sample.position, 0), arm), at(geometry.base, i))
    l = np.sqrt(dot(d, d))
    s = scale(1.0 / l, d)
    turning = cross(w, arm)
    v_p = add(v, turning)
    driven = add(a, cross(al, arm))
    swung = cross(w, turning)
    rate = dot(v_p, s)
    s_dot = scale(1.0 / l, add_scaled(v_p, -rate, s))
    # the three parts of s''
    s_driven = scale(1.0 / l, perpendicular(driven, s))
    s_coriolis = scale(-2.0 * rate / l, s_dot)
    s_swung = add_scaled(scale(1.0 / l, perpendicular(swung, s)), -dot(s_dot, s_dot), s)
    # spin' = lever . s'' + share . al + what is quadratic
    lever, hinge = (0.0, 0.0, 0.0), hinge_of(geometry, sample.rotation, i)
    if geometry.spin != NO_SPIN:
        c = dot(hinge, s)
        lever = scale(c / (1.0 - c * c), cross(hinge, s))
    share = compute_platform_share(s, hinge, geometry.spin)

    m_e, h_e, h_b = strut[M_E], strut[H_E], strut[H_B]
    up = dot(lever, s_driven) + dot(share, al)
    f = _compute_turning_force(strut, s, l, s_driven, up, lever)
    f = add(f, add_scaled(scale(m_e, driven), -h_e / l, perpendicular(driven, s)))
    _collect(wrench, _SM, f, add_scaled(cross(arm, f), strut[I_A] * up, share))
    up = dot(lever, s_coriolis)
    f = _compute_turning_force(strut, s, l, s_coriolis, up, lever)
    _collect(wrench, _COR, f, add_scaled(cross(arm, f), strut[I_A] * up, share))
    up = dot(lever, s_swung)
    f = _compute_turning_force(strut, s, l, s_swung, up, lever)
    f = add(f, add_scaled(scale(m_e, swung), -h_e / l, perpendicular(swung, s)))
    # spin: its gyroscopic moment, and what is left of its acceleration when s'' = 0
    still = (0.0, 0.0, 0.0)
    sigma, sigma_dot, per_torque, _ = spin(s, l, s_dot, still, hinge, geometry.spin, w, still)
    f = add_scaled(f, strut[I_A] * sigma / l, cross(s_dot, s))
    f = add_scaled(f, strut[I_A] * sigma_dot, per_torque)
    _collect(wrench, _CEN, f, add_scaled(cross(arm, f), strut[I_A] * (up + sigma_dot), share))
    f = add_scaled(scale(-m_e, g), (h_e - h_b) / l, perpendicular(g, s))
    _collect(wrench, _GRS, f, cross(arm, f))
    return rate, dot(add(driven, swung), s) + l * dot(s_dot, s_dot)


@kernel
def _compute_groups(packed, phi, position, rotation, twist, acceleration, load, groups):
    geometry = unpack_geometry(packed)
    coefficients = compute_friction_coefficients(geometry, phi)
    jac, inverse, work = np.empty((6, 6)), np.empty((6, 6)), np.empty((6, 6))
    length, along = np.empty(6), np.empty(6)
    wrench = np.empty((_WRENCHES, 6))
    for n in range(position.shape[0]):
        fill_jacobian(geometry.base, geometry.platform, position[n], rotation[n], jac, length)
        if not invert6(jac, inverse, work):
            groups[:, n, :] = np.nan
            continue
        sample = MotionSample(position[n], rotation[n], twist[n], acceleration[n])
        wrench[:, :] = 0.0
        _compute_platform_groups(phi, sample, geometry.gravity, wrench)
        for i in range(6):
            k = PLATFORM_COLUMNS + STRUT_COLUMNS * i
            rate, second = _add_strut_groups(phi[k : k + STRUT_COLUMNS], geometry, i, sample, wrench)
            along[i] = friction_along(rate, geometry.law, coefficients, i)
            groups[_MH, n, i] = phi[k + M_M] * second
        row = min(n, load.shape[0] - 1)
        for k in range(6):
            wrench[_EXT, k] = -load[row, k]
        if geometry.joint_transition > 0.0:
            add_joint_friction(geometry, phi, position[n], rotation[n], twist[n], wrench[_FRICT])
        for group in range(_WRENCHES):
            for i in range(6):
                total = 0.0
                for k in range(6):
                    total += inverse[k, i] * wrench[group, k]
                groups[group, n, i] = total
        for i in range(6):
            groups[_FRICT, n, i] += along[i]


def force_groups(
    machine: Machine, motion: PlatformMotion, friction: bool = True, wrench: FloatArray | None = None
) -> ForceGroups:
    """Return strut forces a platform motion needs, by cause (Oh 2003, 2.39-2.55).

    Parameters
    ----------
    machine : Machine
    motion : PlatformMotion
        In base axes at the platform origin.
    friction : bool
        Whether the machine file's friction of struts and joints is included.
    wrench : ndarray, shape (6,) or (N, 6), optional
        Force in N and moment in N m about the platform frame's origin that act on the platform, in base axes.

    Returns
    -------
    ForceGroups
        N; NaN in rows whose pose is singular or not finite.

    Raises
    ------
    ValueError
        If `wrench` has another shape.
    """
    phi = basis_parameters(machine)
    if not friction:
        phi[INERTIAL_COLUMNS:] = 0.0
    groups = np.empty((_ROWS, len(motion), 6))
    _compute_groups(
        packed_geometry(machine),
        phi,
        contiguous(motion.position),
        contiguous(motion.rotation),
        contiguous(motion.twist),
        contiguous(motion.acceleration),
        load_rows(wrench, len(motion)),
        groups,
    )
    return ForceGroups(
        pm=groups[_PM],
        sm=groups[_SM],
        cor=groups[_COR],
        cen=groups[_CEN],
        grp=groups[_GRP],
        grs=groups[_GRS],
        frict=groups[_FRICT],
        ext=groups[_EXT],
        mh=groups[_MH],
        umd=np.zeros((len(motion), 6)),
    )
