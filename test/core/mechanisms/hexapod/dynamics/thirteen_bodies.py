# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The source's force model written out body by body (Oh 2003, 2.20-2.55): an oracle without shortcuts."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion


def skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def forces(machine: Machine, motion: PlatformMotion, w: dict[str, float]) -> np.ndarray:
    """Strut forces (N, 6) without friction and without spin, struts alike, parameters named as in the set `oh12`.

    Strut axes: x along x1 x s3, y along the strut, z the third.
    """
    return np.array([_one(machine, motion, n, w) for n in range(len(motion))])


def _one(m: Machine, motion: PlatformMotion, n: int, w: dict[str, float]) -> np.ndarray:
    x, turned, g = motion.position[n], motion.rotation[n], m.gravity
    v, om = motion.twist[n, :3], motion.twist[n, 3:]
    a, al = motion.acceleration[n, :3], motion.acceleration[n, 3:]
    jac = np.empty((6, 6))
    # platform about its frame's origin; the centre of mass stays where the file has it
    c = turned @ m.platform.center_of_mass
    inertia = turned @ np.diag([w["Ixx_p"], w["Iyy_p"], w["Izz_p"]]) @ turned.T
    a_c = a + np.cross(al, c) + np.cross(om, np.cross(om, c))
    about_centre = inertia - w["m_p"] * (c @ c * np.eye(3) - np.outer(c, c))
    push = w["m_p"] * (a_c - g)
    wrench = np.concatenate([push, np.cross(c, push) + about_centre @ al + np.cross(om, about_centre @ om)])
    for i in range(6):
        r = turned @ m.platform_joints[i]
        span = x + r - m.base_joints[i]
        length = np.linalg.norm(span)
        s = span / length
        jac[i] = np.concatenate([s, np.cross(r, s)])
        v_p = v + np.cross(om, r)
        a_p = a + np.cross(al, r) + np.cross(om, np.cross(om, r))
        rate = v_p @ s
        spin = np.cross(s, v_p) / length
        turning = (np.cross(s, a_p) - 2 * rate * spin) / length
        second = a_p @ s + length * spin @ spin
        l_b = m.struts[i].body_b.center_of_mass
        l_e = length - m.struts[i].body_e.center_of_mass
        a_b = np.cross(turning, l_b * s) + np.cross(spin, np.cross(spin, l_b * s))
        a_e = (
            second * s
            + 2 * rate * np.cross(spin, s)
            + np.cross(turning, l_e * s)
            + np.cross(spin, np.cross(spin, l_e * s))
        )
        # partial velocities with respect to v_P: of the angular velocity, of the two centres of mass
        angular = skew(s) / length
        partial_b = -l_b * skew(s) @ angular
        partial_e = np.outer(s, s) - l_e * skew(s) @ angular
        force = partial_b.T @ (w["m_b"] * (a_b - g)) + partial_e.T @ (w["m_e"] * (a_e - g))
        across = np.cross(m.first_axes[i], s)
        across /= np.linalg.norm(across)
        axes = np.column_stack([across, s, np.cross(across, s)])
        for body in "be":
            own = axes @ np.diag([w[f"Ixx_{body}"], w[f"Iyy_{body}"], w[f"Izz_{body}"]]) @ axes.T
            force = force + angular.T @ (own @ turning + np.cross(spin, own @ spin))
        arm = np.hstack([np.eye(3), -skew(r)])
        wrench = wrench + arm.T @ force
    return np.linalg.solve(jac.T, wrench)
