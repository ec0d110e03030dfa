# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Struts whose universal joint is at the platform: what they spin about their own axes follows the platform's hinge.

The tree of `simulation.model` has universal joints at the base. Here each strut gets a third hinge there, along its
own axis (four degrees of freedom a strut, thirty in all), whose rate the joint at the platform dictates: that joint
lets the strut turn against the platform about its first hinge x and about y across x and the strut s, not about x * y,

    (Omega - omega) . (s - (x . s) x) = 0,

hence the strut's angular velocity about its own axis. The loops are closed as in `closure`.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.vector3 import add, at, cross, dot, rotate, scale, subtract

from ..mujoco_library import mujoco
from .closure import Closure, close_loops

PER_STRUT = 4  # first and second hinge, spin, slide
FREE = PER_STRUT * STRUTS


@kernel
def _fill_rows(axes, platform, frames, twist, closure, to_rates, rest):
    """Write joint rates per twist (30, 6), and the joint accelerations (30,) left when the twist is constant."""
    rotation, inverse_tip, bias_rates, jacobian, lengths = closure
    v, omega = (twist[0], twist[1], twist[2]), (twist[3], twist[4], twist[5])
    for k in range(3):
        to_rates[FREE + k, k] = 1.0
        for n in range(3):
            to_rates[FREE + 3 + k, 3 + n] = rotation[n, k]
    for i in range(STRUTS):
        arm = rotate(rotation, at(platform, i))
        x = rotate(rotation, at(axes, i))
        x_dot = cross(omega, x)
        s, length = (jacobian[i, 0], jacobian[i, 1], jacobian[i, 2]), lengths[i]
        v_tip = add(v, cross(omega, arm))
        length_dot = dot(s, v_tip)
        s_dot = scale(1.0 / length, subtract(v_tip, scale(length_dot, s)))
        a_tip = cross(omega, cross(omega, arm))
        length_ddot = dot(s, a_tip) + length * dot(s_dot, s_dot)
        s_ddot = subtract(a_tip, add(scale(2.0 * length_dot, s_dot), scale(length_ddot, s)))
        s_ddot = scale(1.0 / length, s_ddot)
        swing, swing_dot = cross(s, s_dot), cross(s, s_ddot)
        u, u_dot = dot(x, s), dot(x_dot, s) + dot(x, s_dot)
        across = 1.0 - u * u
        spin = dot(omega, s) - u * dot(omega, x) + u * dot(swing, x)
        spin_dot = dot(omega, s_dot) + u_dot * (dot(swing, x) - dot(omega, x))
        spin_dot += u * (dot(swing_dot, x) + dot(swing, x_dot))
        first, bias = at(inverse_tip[i], 0), at(bias_rates, i)
        hinge = (frames[i, 0, 0], frames[i, 1, 0], frames[i, 2, 0])
        along = dot(hinge, s)
        by_tip = subtract(scale(u / (length * across), cross(x, s)), scale(along, first))
        by_turn = scale(1.0 / across, subtract(s, scale(u, x)))
        row = PER_STRUT * i
        parts = (first, at(inverse_tip[i], 1), by_tip, at(inverse_tip[i], 2))
        for k in range(PER_STRUT):
            part = parts[k]
            moment = cross(arm, part)
            for n in range(3):
                to_rates[row + k, n] = part[n]
                to_rates[row + k, 3 + n] = moment[n] + (by_turn[n] if k == 2 else 0.0)
        rest[row], rest[row + 1], rest[row + 3] = bias
        rest[row + 2] = spin_dot / across + 2.0 * u * u_dot * spin / across**2
        rest[row + 2] -= bias[0] * along + dot(first, v_tip) * dot(hinge, s_dot)


class PlatformHinge:
    """Closes the loops of a tree with spinning struts.

    Parameters
    ----------
    axes : ndarray, shape (6, 3)
        First hinges of the platform's joints, in the platform frame.
    joints : tuple of two ndarray, shape (6, 3)
        Base and platform joints, m.
    frames : ndarray, shape (6, 3, 3)
        Of the base joints.
    """

    def __init__(self, axes: FloatArray, joints: tuple[FloatArray, FloatArray], frames: FloatArray) -> None:
        self._axes = np.ascontiguousarray(axes, dtype=float)
        self._joints = joints
        self._frames = frames
        self._positions, self._rates = np.zeros(25), np.zeros(24)

    def evaluate(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        pose: FloatArray,
        twist: FloatArray,
        closure: Closure,
        free: FloatArray,
        compliance: FloatArray,
    ) -> bool:
        """Write the closed machine's dynamics (see `closure.reduce_dynamics`); False in a singular state."""
        close_loops(self._joints, self._frames, pose, twist, (self._positions, self._rates), tuple(closure))
        to_rates, rest = np.zeros((FREE + 6, 6)), np.zeros(FREE + 6)
        _fill_rows(self._axes, self._joints[1], self._frames, twist, tuple(closure), to_rates, rest)
        data.qpos[FREE:] = self._positions[18:]
        data.qvel[FREE:] = self._rates[18:]
        struts = np.insert(self._positions[:18].reshape(STRUTS, 3), 2, 0.0, axis=1)
        data.qpos[:FREE] = struts.ravel()
        data.qvel[:FREE] = to_rates[:FREE] @ twist
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        reduced = to_rates.T @ mass @ to_rates
        wrench = to_rates.T @ (data.qfrc_bias + mass @ rest)
        if not np.all(np.isfinite(reduced)) or np.linalg.cond(reduced) > 1e14:
            return False
        free[:] = np.linalg.solve(reduced, -wrench)
        compliance[:] = np.linalg.solve(reduced, closure.jacobian.T)
        return True
