# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward dynamics: how the platform accelerates under strut forces, and where that takes it.

u' = M^-1 (J^T (F - friction) + wrench - h), with M and h of `dynamics.mass`: no inverse of J, so that the machine may
also pass through its singular poses.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pkm_identification.errors import NotConverged
from pkm_identification.mechanisms.friction import less_friction
from pkm_identification.mechanisms.threads import over_rows
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import solve_positive6
from pkm_identification.numerics.rotation import (
    build_quaternion_from_matrix,
    fill_matrix,
    matrix_from_quaternion,
)
from pkm_identification.numerics.rows import copy_vector

from ..kinematics.jacobian import fill_jacobian
from ..machine import Machine
from .inverse import load_rows
from .joint_friction import add_joint_friction
from .mass import fill_mass
from .records import build_kernel_model, compute_friction_coefficients, unpack_geometry

Drive = Callable[[float, FloatArray, FloatArray, FloatArray], FloatArray]


@kernel
def _compute_accelerations(packed, phi, position, rotation, twist, force, load, acceleration):
    geometry = unpack_geometry(packed)
    coefficients = compute_friction_coefficients(geometry, phi)
    mass, jac = np.empty((6, 6)), np.empty((6, 6))
    rate, unused, net = np.empty(6), np.empty(6), np.empty(6)
    for n in range(position.shape[0]):
        u = acceleration[n]
        turned = rotation[n]
        fill_mass(geometry, phi, position[n], turned, twist[n], mass, u, rate, unused)
        fill_jacobian(geometry.base, geometry.platform, position[n], turned, jac, unused)
        pushing = min(n, force.shape[0] - 1)
        loading = min(n, load.shape[0] - 1)
        for i in range(6):
            net[i] = less_friction(force[pushing, i], rate[i], geometry.law, coefficients, i)
        if geometry.joint_transition > 0.0:
            add_joint_friction(geometry, phi, position[n], turned, twist[n], u)
        for k in range(6):
            u[k] = load[loading, k] - u[k]
            for i in range(6):
                u[k] += jac[i, k] * net[i]
        if not solve_positive6(mass, u.reshape((6, 1))):
            for k in range(6):
                u[k] = np.nan


def forward_dynamics(
    machine: Machine,
    position: FloatArray,
    rotation: FloatArray,
    twist: FloatArray,
    force: FloatArray,
    friction: bool = True,
    wrench: FloatArray | None = None,
    threads: int = 1,
) -> FloatArray:
    """Acceleration of the platform under strut forces: the inverse of `strut_forces`.

    Parameters
    ----------
    machine : Machine
    position : ndarray, shape (N, 3)
        Platform origin in the base frame, m.
    rotation : ndarray, shape (N, 3, 3)
    twist : ndarray, shape (N, 6)
        (v, w) in base axes at that origin, m/s and rad/s.
    force : ndarray, shape (6,) or (N, 6)
        Strut forces in N, positive when they push the platform joint away from the base joint.
    friction : bool
        Whether the machine file's friction of struts and joints acts.
    wrench : ndarray, shape (6,) or (N, 6), optional
        Force in N and moment in N m about the platform frame's origin on the platform, in base axes.
    threads : int
        How many share the rows, 1 to 1024; the numbers are those of one.

    Returns
    -------
    ndarray, shape (N, 6)
        (a, alpha) of the platform origin, m/s^2 and rad/s^2; NaN where the state is not finite. Singular poses are as
        good as others.

    Raises
    ------
    ValueError
        If the shapes do not fit together.
    SettingsError
        If `threads` is no such number.
    """
    position = contiguous(position)
    rotation = contiguous(rotation)
    twist = contiguous(twist)
    force = contiguous(np.atleast_2d(np.asarray(force, dtype=float)))
    count = len(position)
    for name, value, shapes in (
        ("position", position, [(count, 3)]),
        ("rotation", rotation, [(count, 3, 3)]),
        ("twist", twist, [(count, 6)]),
        ("force", force, [(1, 6), (count, 6)]),
    ):
        if value.shape not in shapes:
            raise ValueError(f"{name} has shape {value.shape}, expected {' or '.join(map(str, shapes))}")
    acceleration = np.empty((count, 6))
    rows = (position, rotation, twist, force, load_rows(wrench, count), acceleration)
    over_rows(_compute_accelerations, build_kernel_model(machine, friction), rows, threads)
    return acceleration


@kernel
def fill_derivative(packed, phi, force, load, state, change):
    """Write the derivative (13,) of the state (position, quaternion xyzw, v, w)."""
    rotation, acceleration = np.empty((1, 3, 3)), np.empty((1, 6))
    fill_matrix(state[3:7], rotation[0])
    whole = state.reshape((1, 13))
    _compute_accelerations(packed, phi, whole[:, :3], rotation, whole[:, 7:], force, load, acceleration)
    x, y, z, w = state[3], state[4], state[5], state[6]
    p, q, r = 0.5 * state[10], 0.5 * state[11], 0.5 * state[12]
    copy_vector(state[7:10], change[:3])
    change[3] = p * w + q * z - r * y
    change[4] = q * w + r * x - p * z
    change[5] = r * w + p * y - q * x
    change[6] = -p * x - q * y - r * z
    copy_vector(acceleration[0], change[7:])


def integrate(
    machine: Machine,
    time: FloatArray,
    force: FloatArray | Drive | None = None,
    *,
    position: FloatArray | None = None,
    rotation: FloatArray | None = None,
    twist: FloatArray | None = None,
    friction: bool = True,
    wrench: FloatArray | None = None,
    tolerance: float = 1e-11,
    method: str | None = None,
) -> PlatformMotion:
    """Move the machine under strut forces; without any, it falls freely.

    Parameters
    ----------
    machine : Machine
    time : ndarray, shape (N,)
        Instants in s, increasing; the motion starts at the first.
    force : ndarray, shape (6,), or callable, optional
        Constant strut forces in N, or a function (time, position (3,), rotation (3, 3), twist (6,)) -> (6,); zero when
        absent.
    position, rotation, twist : ndarray, shapes (3,), (3, 3) and (6,), optional
        Where it starts: at home and at rest when absent.
    friction : bool
        Whether the machine file's friction of struts and joints acts.
    wrench : ndarray, shape (6,), optional
        Constant force and moment on the platform at its origin, base axes, N and N m.
    tolerance : float
        Relative tolerance of a step; the absolute one is as large for 1 m, 1 rad, 1 m/s and 1 rad/s.
    method : str, optional
        Of `scipy.integrate.solve_ivp`; by default DOP853, and Radau where friction makes the equations stiff.

    Returns
    -------
    PlatformMotion
        At the instants asked for, accelerations included.

    Raises
    ------
    NotConverged
        If the machine reaches a state without an acceleration (a strut of no length, or along the hinge fixed in the
        base), or the steps become too small.
    ValueError
        If the times do not increase or the shapes do not fit.
    """
    from scipy.integrate import solve_ivp  # here, because it would double the package's start-up

    time = np.asarray(time, dtype=float)
    if time.ndim != 1 or time.size == 0 or not np.all(np.diff(time) > 0) or not np.all(np.isfinite(time)):
        raise ValueError("time must be a list of finite, increasing instants")
    start = np.zeros(13)
    start[:3] = machine.home_position if position is None else position
    start[3:7] = build_quaternion_from_matrix(machine.home_rotation if rotation is None else rotation)
    start[7:] = 0.0 if twist is None else twist
    friction = friction and machine.rubs
    arguments = build_kernel_model(machine, friction)
    load = load_rows(wrench, 1)
    constant = np.zeros((1, 6))
    if force is not None and not callable(force):
        constant[0] = force

    def pushing(t: float, state: FloatArray) -> FloatArray:
        if callable(force):
            turned = matrix_from_quaternion(state[3:7] / np.linalg.norm(state[3:7]))
            return np.asarray(force(t, state[:3], turned, state[7:]), dtype=float).reshape(1, 6)
        return constant

    def derivative(t: float, state: FloatArray) -> FloatArray:
        change = np.empty(13)
        fill_derivative(*arguments, pushing(t, state), load, contiguous(state), change)
        if not np.isfinite(change).all():
            raise NotConverged(
                f"machine '{machine.name}' has no acceleration at {t:.4f} s, position "
                f"{np.round(state[:3], 4).tolist()} m: a strut without length or along the hinge fixed in the base"
            )
        return change

    if time.size == 1:
        states = start[None]
    else:
        solution = solve_ivp(  # type: ignore[call-overload]  # its stubs know no optional method
            derivative,
            (time[0], time[-1]),
            start,
            method=method or ("Radau" if friction else "DOP853"),
            t_eval=time,
            rtol=tolerance,
            atol=tolerance,
        )
        if not solution.success:
            raise NotConverged(f"machine '{machine.name}': integration ended early: {solution.message}")
        states = contiguous(solution.y.T)
    changes = np.array([derivative(t, state) for t, state in zip(time, states, strict=True)])
    turned = states[:, 3:7] / np.linalg.norm(states[:, 3:7], axis=1, keepdims=True)
    return PlatformMotion(
        time.copy(),
        states[:, :3].copy(),
        matrix_from_quaternion(turned),
        states[:, 7:].copy(),
        changes[:, 7:].copy(),
    )
