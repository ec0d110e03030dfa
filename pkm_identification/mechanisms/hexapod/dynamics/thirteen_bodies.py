# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The regressor of thirteen rigid bodies with ten parameters each: 130 columns, nothing assumed of any body.

Body frames: the platform's is the platform frame; body B's origin is the base joint, body E's the platform joint, both
with z along the strut, y = z x x1 / |z x x1| (the second hinge of a universal joint) and x = y x z. Per body mass,
first moments and inertia about the frame's origin (xx, yy, zz, xy, xz, yz). Newton-Euler per body and virtual power,
written for batches in NumPy: made to count and group parameters, not to run online.

A strut without spin has no frame fixed in it that its pose decides (its turning is not integrable); there the frame
above stands in for it at every instant, as it does in the source.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.rigid_bodies import (
    BODY_PARAMETERS,
    BodyMotion,
    build_rigid_body_columns,
    skew,
)
from pkm_identification.motion import STRUTS, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray

from ..bodies import StrutBody
from ..kinematics.jacobian import jacobian
from ..machine import Machine
from .basis import inertia_about_origin

BODIES = ("p", *(f"{body}_{i + 1}" for i in range(STRUTS) for body in "be"))
BODY_NAMES = tuple(f"{name}_{body}" for body in BODIES for name in BODY_PARAMETERS)
SYMMETRIES = ("general", "alike", "axisymmetric", "axisymmetric_alike")


def list_body_parameters(machine: Machine) -> FloatArray:
    """Return what a machine's thirteen bodies weigh and how, each with ten parameters of its own.

    Returns
    -------
    ndarray, shape (130,)
        In the order of BODY_NAMES; per body mass (kg), first moments (kg m) and inertia xx, yy, zz, xy, xz, yz (kg m^2)
        about its frame's origin: the platform frame's, the base joint for a body B, the platform joint for a body E.
    """

    def of(mass: float, first: FloatArray, inertia: FloatArray) -> list[float]:
        products = inertia[[0, 0, 1], [1, 2, 2]]
        return [mass, *first, *np.diag(inertia), *products]

    def rod(body: StrutBody, position: float) -> list[float]:
        across = body.transverse + body.mass * position**2
        return of(
            body.mass, np.array([0.0, 0.0, body.mass * position]), np.diag([across, across, body.axial])
        )

    platform = machine.platform
    values = of(platform.mass, platform.mass * platform.center_of_mass, inertia_about_origin(machine))
    for strut in machine.struts:
        values += rod(strut.body_b, strut.body_b.center_of_mass)
        values += rod(strut.body_e, -strut.body_e.center_of_mass)
    return np.array(values)


def body_mapping(symmetry: str) -> tuple[tuple[str, ...], FloatArray]:
    """Return how fewer parameters build up the 130 when struts are alike or round.

    Parameters
    ----------
    symmetry : {'general', 'alike', 'axisymmetric', 'axisymmetric_alike'}
        130 parameters; six equal struts: 30; struts symmetric about their axes (m, mz, It, Ia per body): 58; both: 18.

    Returns
    -------
    names : tuple of str, length P
    mapping : ndarray, shape (130, P)
        body parameters = mapping w.

    Raises
    ------
    ValueError
        If there is no such symmetry.
    """
    if symmetry not in SYMMETRIES:
        raise SettingsError(f"symmetry '{symmetry}': must be one of {', '.join(SYMMETRIES)}")
    kinds: dict[str, tuple[int, ...]] = {name: (k,) for k, name in enumerate(BODY_PARAMETERS)}
    platform = dict(kinds)
    if symmetry.startswith("axisymmetric"):
        kinds = {"m": (0,), "mz": (3,), "It": (4, 5), "Ia": (6,)}
    alike = symmetry.endswith("alike")
    names = [f"{name}_p" for name in platform]
    columns = [np.eye(len(BODY_NAMES))[rows[0]] for rows in platform.values()]
    for i in range(1 if alike else STRUTS):
        for body in range(2):
            for kind, rows in kinds.items():
                column = np.zeros(len(BODY_NAMES))
                for j in range(STRUTS) if alike else (i,):
                    for row in rows:
                        column[(1 + 2 * j + body) * len(BODY_PARAMETERS) + row] = 1.0
                names.append(f"{kind}_{'be'[body]}" if alike else f"{kind}_{'be'[body]}_{i + 1}")
                columns.append(column)
    return tuple(names), np.column_stack(columns)


def compute_body_regressor(machine: Machine, motion: PlatformMotion) -> FloatArray:
    """Return strut forces per unit of each of the 130 parameters: the forces without friction are Y w.

    Parameters
    ----------
    machine : Machine
        Geometry, joints and gravity are used; masses, motors and friction are not.
    motion : PlatformMotion
        Its poses must be regular.

    Returns
    -------
    ndarray, shape (N, 6, 130)
        SI units, columns in the order of BODY_NAMES.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a pose is singular.
    """
    wrench = build_rigid_body_columns(body_motions(machine, motion))
    transposed = np.swapaxes(jacobian(machine, motion.position, motion.rotation), 1, 2)
    return np.linalg.solve(transposed, wrench).astype(float, copy=False)


def body_motions(machine: Machine, motion: PlatformMotion) -> list[BodyMotion]:
    """Return how the thirteen bodies move, per unit of the platform's twist; in the order of BODIES."""
    count, g = len(motion), machine.gravity
    w, al = motion.twist[:, 3:], motion.acceleration[:, 3:]
    platform = np.broadcast_to(np.eye(6), (count, 6, 6))
    bodies = [BodyMotion(motion.rotation, w, al, motion.acceleration[:, :3] - g, platform)]
    for i in range(STRUTS):
        bodies += _compute_strut_motions(machine, motion, i)
    return bodies


def _compute_strut_motions(machine: Machine, motion: PlatformMotion, i: int) -> tuple[BodyMotion, BodyMotion]:
    """Bodies B and E of one strut."""
    v, w = motion.twist[:, :3], motion.twist[:, 3:]
    a, al = motion.acceleration[:, :3], motion.acceleration[:, 3:]
    g = machine.gravity
    arm = motion.rotation @ machine.platform_joints[i]
    span = motion.position + arm - machine.base_joints[i]
    v_p = v + np.cross(w, arm)
    a_p = a + np.cross(al, arm) + np.cross(w, np.cross(w, arm))
    length = np.linalg.norm(span, axis=1, keepdims=True)
    s = span / length
    rate = np.sum(v_p * s, axis=1, keepdims=True)
    s_dot = (v_p - rate * s) / length
    second = np.sum(a_p * s, axis=1, keepdims=True) + length * np.sum(s_dot**2, axis=1, keepdims=True)
    s_ddot = (a_p - second * s - 2 * rate * s_dot) / length
    omega, alpha = np.cross(s, s_dot), np.cross(s, s_ddot)
    fixed = machine.first_axes[i]
    x1 = motion.rotation @ fixed if machine.hinged_platform else np.broadcast_to(fixed, s.shape)
    hinge = np.cross(s, x1)
    size = np.linalg.norm(hinge, axis=1, keepdims=True)
    y = hinge / size
    x = np.cross(y, s)
    # velocity of the platform joint, and angular velocity, per unit of the platform's twist
    joint = np.concatenate([np.broadcast_to(np.eye(3), (len(s), 3, 3)), -skew(arm)], axis=2)
    turning = skew(s) / length[..., None] @ joint
    if machine.universal:
        # the cross stays rigid: omega = w_f + t1' x1 + t2' y, w_f of what x1 is fixed in; across the strut omega is
        # known, with x1 . x = |z x x1|
        frame, frame_dot = (w, al) if machine.hinged_platform else (np.zeros_like(w), np.zeros_like(al))
        rest = omega - frame
        first = np.sum(rest * x, axis=1, keepdims=True) / size
        second = np.sum(rest * y, axis=1, keepdims=True)
        omega = frame + first * x1 + second * y
        # likewise alpha = w_f' + t1'' x1 + t1' x1' + t2'' y + t2' y'
        spin = np.sum(omega * s, axis=1, keepdims=True)
        turned = frame_dot + first * np.cross(frame, x1) + second * np.cross(frame + first * x1, y)
        across = alpha + spin * s_dot - turned
        alpha = np.sum(across * x, axis=1, keepdims=True) / size * x1
        alpha += np.sum(across * y, axis=1, keepdims=True) * y + turned
        own = np.zeros_like(joint)
        if machine.hinged_platform:
            own[:, :, 3:] = np.eye(3)
        first_per_twist = np.einsum("nk,nkj->nj", x, turning - own) / size
        spin_per_twist = (
            np.einsum("nk,nkj->nj", s, own) + np.sum(s * x1, axis=1, keepdims=True) * first_per_twist
        )
        turning = turning + np.einsum("ni,nj->nij", s, spin_per_twist)
    axes = np.stack([x, y, s], axis=2)
    at_base = np.concatenate([np.zeros_like(joint), turning], axis=1)
    at_platform = np.concatenate([joint, turning], axis=1)
    return (
        BodyMotion(axes, omega, alpha, np.broadcast_to(-g, s.shape), at_base),
        BodyMotion(axes, omega, alpha, a_p - g, at_platform),
    )
