# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An independent implementation of the source's norms (Oh 2003, 2.76-2.88).

Plain numpy from the equations of motion: every body by itself, partial velocities by the motion of its point, strut
angular acceleration and accelerations from 2.20-2.34; nothing of the package is called.
"""

from __future__ import annotations

import numpy as np

GROUPS = ("pm", "sm", "cor", "cen", "grp", "grs")


def group_forces(joints, platform_joints, bodies, gravity, position, rotation, twist, acceleration):
    """Forces of one pose, by group: g = J^-T W, shape (6,) each.

    `bodies`: dict with m_p, I_p (3, 3) in platform axes, and of every strut alike m_b, m_e, L_B, d_E, transverse and
    axial moments (I_b, A_b), (I_e, A_e). The platform's centre of mass is its origin; struts do not spin.
    """
    v, w, a, al = twist[:3], twist[3:], acceleration[:3], acceleration[3:]
    inertia = rotation @ bodies["I_p"] @ rotation.T
    force = {name: np.zeros(3) for name in GROUPS}
    moment = {name: np.zeros(3) for name in GROUPS}
    # platform: linear in the acceleration, quadratic in w, weight
    force["pm"] = bodies["m_p"] * a
    moment["pm"] = inertia @ al
    moment["cen"] = np.cross(w, inertia @ w)
    force["grp"] = -bodies["m_p"] * gravity
    rows = np.empty((6, 6))
    for i in range(6):
        r = rotation @ platform_joints[i]
        along = position + r - joints[i]
        length = np.linalg.norm(along)
        s = along / length
        rows[i] = [*s, *np.cross(r, s)]
        v_joint = v + np.cross(w, r)
        rate = v_joint @ s
        w_s = np.cross(s, v_joint) / length
        # what the joint's acceleration is made of, and what each part makes of L'' and of the strut's turning
        parts = {
            "sm": (a + np.cross(al, r), 0.0, np.zeros(3)),
            "cor": (np.zeros(3), 0.0, -2 * rate * w_s / length),
            "cen": (np.cross(w, np.cross(w, r)), length * (w_s @ w_s), np.zeros(3)),
        }
        d_e, l_b = bodies["d_E"], bodies["L_B"]
        l_e = length - d_e
        for name, (a_joint, second_extra, turn_extra) in parts.items():
            second = a_joint @ s + second_extra
            turn = np.cross(s, a_joint) / length + turn_extra
            a_b = np.cross(turn, l_b * s)
            a_e = second * s + np.cross(turn, l_e * s)
            spin = bodies["I_b"] * turn + bodies["I_e"] * turn
            if name == "cor":
                a_e = a_e + 2 * rate * np.cross(w_s, s)
            if name == "cen":
                a_b = a_b + np.cross(w_s, np.cross(w_s, l_b * s))
                a_e = a_e + np.cross(w_s, np.cross(w_s, l_e * s))
                for about, axial in (("I_b", "A_b"), ("I_e", "A_e")):
                    own = bodies[about] * (np.eye(3) - np.outer(s, s)) + bodies[axial] * np.outer(s, s)
                    spin = spin + np.cross(w_s, own @ w_s)
            _add(force, moment, name, bodies["m_b"] * a_b, bodies["m_e"] * a_e, spin, r, s, length, l_b, l_e)
        none = np.zeros(3)
        weight = (-bodies["m_b"] * gravity, -bodies["m_e"] * gravity)
        _add(force, moment, "grs", *weight, none, r, s, length, l_b, l_e)
    return {name: np.linalg.solve(rows.T, np.concatenate([force[name], moment[name]])) for name in GROUPS}


def _add(force, moment, name, on_b, on_e, spin, r, s, length, l_b, l_e):
    """The platform's load that a strut's inertia forces are worth: sum of partial velocities^T times force.

    v_B = w_s x L_B s, v_E = L' s + w_s x L_E s with w_s = s x v_P / L and L' = s . v_P.
    """
    across = np.eye(3) - np.outer(s, s)
    # w_s x c s = c (v_P - s (s . v_P)) / L, so that its transpose is the projection itself
    at_joint = l_b / length * across @ on_b + (np.outer(s, s) + l_e / length * across) @ on_e
    at_joint = at_joint + np.cross(spin, s) / length
    force[name] = force[name] + at_joint
    moment[name] = moment[name] + np.cross(r, at_joint)


def norms(forces):
    """Mean and variation norms in %, by group, and the variation norm of F_a; `forces` a list of `group_forces`."""
    total = np.array([np.linalg.norm(sum(one.values())) for one in forces])
    mean, variation = {}, {}
    for name in GROUPS:
        size = np.array([np.sqrt(np.sum(one[name] ** 2)) for one in forces])
        mean[name] = 100 * size.mean() / total.mean()
        variation[name] = 100 * (size.max() - size.min()) / total.mean()
    return mean, variation, 100 * (total.max() - total.min()) / total.mean()
