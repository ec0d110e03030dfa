# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Groups of the strut forces by Kane's equations as Oh (2003, 2.10-2.55) has them, strut by strut, in NumPy alone."""

from __future__ import annotations

import numpy as np

GRAVITY = np.array([0.0, 0.0, -9.81])
GROUPS = ("pm", "sm", "cor", "cen", "grp", "grs")


def compute_groups(machine, position, rotation, twist, acceleration, center=(0.0, 0.0, 0.0)):
    """Forces (6,) of the struts by group at one instant, the platform's centre of mass at `center` from its origin."""
    v, w, a, al = twist[:3], twist[3:], acceleration[:3], acceleration[3:]
    inertia = rotation @ np.asarray(machine.platform.inertia) @ rotation.T
    mass = machine.platform.mass
    wrench = {name: np.zeros(6) for name in GROUPS}
    arm = rotation @ np.array(center)
    moved = mass * (a + np.cross(al, arm))
    bent = mass * np.cross(w, np.cross(w, arm))
    wrench["pm"] += [*moved, *(inertia @ al + np.cross(arm, moved))]
    wrench["cen"] += [*bent, *np.cross(arm, bent)]
    wrench["cen"][3:] += np.cross(w, inertia @ w)
    wrench["grp"] -= [*(mass * GRAVITY), *np.cross(arm, mass * GRAVITY)]
    rows = []
    for i, strut in enumerate(machine.struts):
        r = rotation @ machine.platform_joints[i]
        leg = position + r - machine.base_joints[i]
        length = np.linalg.norm(leg)
        s = leg / length
        rows.append([*s, *np.cross(r, s)])
        speed = v + np.cross(w, r)
        rate, turn = speed @ s, np.cross(s, speed) / length
        body_b, body_e = strut.body_b, strut.body_e
        arms = body_b.center_of_mass, length - body_e.center_of_mass
        # of the joint: linear, quadratic; of the strut's turning: linear, Coriolis, centripetal
        linear, bend = a + np.cross(al, r), np.cross(w, np.cross(w, r))
        turning = {"sm": np.cross(s, linear) / length, "cor": -2 * rate * turn / length,
                   "cen": np.cross(s, bend) / length}  # fmt: skip
        along = {"sm": linear @ s, "cor": 0.0, "cen": bend @ s + length * turn @ turn}
        for group in ("sm", "cor", "cen"):
            push = np.zeros(3)
            for body, arm, slides in ((body_b, arms[0], 0.0), (body_e, arms[1], 1.0)):
                moved = arm * np.cross(turning[group], s) + slides * along[group] * s
                if group == "cen":
                    moved += arm * np.cross(turn, np.cross(turn, s))
                if group == "cor":
                    moved += slides * 2 * rate * np.cross(turn, s)
                push += _bring_to_joint(body.mass * moved, s, arm / length, slides)
                push += np.cross(body.transverse * turning[group], s) / length
            wrench[group] += [*push, *np.cross(r, push)]
        for body, arm, slides in ((body_b, arms[0], 0.0), (body_e, arms[1], 1.0)):
            push = _bring_to_joint(-body.mass * GRAVITY, s, arm / length, slides)
            wrench["grs"] += [*push, *np.cross(r, push)]
    back = np.linalg.inv(np.array(rows).T)
    return {name: back @ one for name, one in wrench.items()}


def _bring_to_joint(force, s, share, slides):
    """What a force on a strut's body does at the platform's joint, by virtual power."""
    along = (force @ s) * s
    return share * (force - along) + slides * along


def compute_shares(machine, motion):
    """Mean and variation norms in % by group, and the variation norm of F_a (2.76-2.88)."""
    rows = [
        compute_groups(machine, *one)
        for one in zip(motion.position, motion.rotation, motion.twist, motion.acceleration, strict=True)
    ]
    groups = {name: np.array([one[name] for one in rows]) for name in GROUPS}
    norm = np.linalg.norm(sum(groups.values()), axis=1)
    sizes = {name: np.linalg.norm(one, axis=1) for name, one in groups.items()}
    mean = {name: 100 * one.mean() / norm.mean() for name, one in sizes.items()}
    variation = {name: 100 * np.ptp(one) / norm.mean() for name, one in sizes.items()}
    return mean, variation, 100 * np.ptp(norm) / norm.mean()
