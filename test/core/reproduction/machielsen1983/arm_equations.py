# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The arm of the thesis by its own equations, from the printed tables alone: nothing of the package is used here.

Denavit-Hartenberg frames and Uicker and Kahn's equations T_i = sum D_ij q_j'' + sum D_ijk q_j' q_k' + D_i with pseudo
inertias; levers by the cosine rule.
"""

from __future__ import annotations

import numpy as np

# twist, a, d; mass, centre of mass, Ixx Iyy Izz Ixy Ixz Iyz about the frame's origin (gripper vertical, digits as read)
LINKS = (
    (np.pi / 2, 0.0, 0.0, 21.938, (0.0, 0.0, 0.0), (0.0, 0.1352050, 0.0, 0.0, 0.0, 0.0)),
    (0.0, 0.310, 0.0, 2.316, (-0.135, 0.014, 0.0003), (0.0058297, 0.0621710, 0.0610359, 0.0037936, 0.0, 0.0)),
    (0.0, 0.248, 0.0, 0.914, (-0.200, 0.001, 0.0008), (0.0013536, 0.0566100, 0.0554180, 0.0005841, 0.0, 0.0)),
    (1.5 * np.pi, 0.0, 0.0, 0.0, (0.0, 0.0, 0.0), (0.0,) * 6),
    (np.pi, 0.0, 0.0, 0.752, (0.0072, -0.0024, 0.069),
     (0.0064589, 0.0066672, 0.0011179, 0.0000243, -0.0001454, 0.0002236)),
)  # fmt: skip
DELTA = np.zeros((4, 4))
DELTA[0, 1], DELTA[1, 0] = -1.0, 1.0
GRAVITY = np.array([0.0, 0.0, -9.81, 0.0])
SQUARE_3, TWICE_3, SQUARE, TWICE = 7.0925e-2, 5.5408e-2, 3.9717e-2, 2.6443e-2
PSI_0, THETA_0 = 0.0826, 1.3034


def frame(k, angle):
    twist, a, d = LINKS[k][:3]
    c, s, ca, sa = np.cos(angle), np.sin(angle), np.cos(twist), np.sin(twist)
    return np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]])


def pseudo_inertia(k, load=None):
    _, _, _, mass, place, (xx, yy, zz, xy, xz, yz) = LINKS[k]
    r = np.array(place)
    j = np.zeros((4, 4))
    j[:3, :3] = [
        [(-xx + yy + zz) / 2, -xy, -xz],
        [-xy, (xx - yy + zz) / 2, -yz],
        [-xz, -yz, (xx + yy - zz) / 2],
    ]
    j[:3, 3] = j[3, :3] = mass * r
    j[3, 3] = mass
    if load is not None and k == 4:
        at = np.array([0.0, 0.0, load[1], 1.0])
        j += load[0] * np.outer(at, at)
    return j


def derivatives(q):
    """T_p, dT_p/dq_i and d2T_p/dq_i dq_k of all links, by Delta."""
    frames = [frame(k, angle) for k, angle in enumerate(q)]
    count = len(q)

    def chain(p, turned):
        found = np.eye(4)
        for k in range(p + 1):
            found = found @ np.linalg.matrix_power(DELTA, turned.count(k)) @ frames[k]
        return found

    first = [[chain(p, (i,)) if i <= p else np.zeros((4, 4)) for i in range(count)] for p in range(count)]
    second = [
        [
            [chain(p, (i, k)) if max(i, k) <= p else np.zeros((4, 4)) for k in range(count)]
            for i in range(count)
        ]
        for p in range(count)
    ]
    return first, second


def terms(q, load=None):
    """D_ij, D_ijk and D_i."""
    first, second = derivatives(q)
    count, inertias = len(q), [pseudo_inertia(k, load) for k in range(5)]
    own = np.zeros((count, count))
    cross = np.zeros((count, count, count))
    weight = np.zeros(count)
    for p, inertia in enumerate(inertias):
        for i in range(count):
            for j in range(count):
                own[i, j] += np.trace(first[p][j] @ inertia @ first[p][i].T)
                for k in range(count):
                    cross[i, j, k] += np.trace(second[p][j][k] @ inertia @ first[p][i].T)
            weight[i] -= GRAVITY @ first[p][i] @ inertia[:, 3]
    return own, cross, weight


def joints(alpha, beta, gamma, psi=0.0, phi=0.0):
    return np.array([phi, alpha, 2 * np.pi + beta - alpha, gamma - beta, psi])


def levers(q):
    """DL_k and DDL_k in the order L1, L2, L3, L4, and the angles' sums that each acts on (rows by joint)."""
    alpha, beta = q[1], q[1] + q[2] - 2 * np.pi
    gamma, psi = beta + q[3], q[4]
    first, second = [], []
    for x in (gamma, psi + beta, None, beta):
        square, twice, angle, sign = (
            (SQUARE_3, -TWICE_3, alpha + PSI_0, 1) if x is None else (SQUARE, TWICE, x + THETA_0, 1)
        )
        length = np.sqrt(square - twice * np.cos(angle))
        dl = sign * twice / 2 * np.sin(angle) / length
        first.append(dl)
        second.append((twice / 2 * np.cos(angle) - dl**2) / length)
    sums = np.array(
        [[0, 1, 1, 1, 0], [0, 1, 1, 0, 1], [0, 1, 0, 0, 0], [0, 1, 1, 0, 0], [1, 0, 0, 0, 0]], float
    )
    return np.array([*first, 1.0]), np.array([*second, 0.0]), sums


def split(q, rate, acceleration, load=None):
    """T_* of the joints and F_* of the actuators, as tables 8.2.4 have them."""
    own, cross, weight = terms(q, load)
    count = len(q)
    square = np.einsum("ijj,j->ij", cross, rate**2)
    mixed = np.einsum("ijk,j,k->ijk", cross, rate, rate)
    torque = {"in": np.diag(own) * acceleration, "grav": weight, "cen": square.sum(axis=1)}
    torque["cin"] = own @ acceleration - torque["in"]
    torque["cor"] = mixed.sum(axis=(1, 2)) - torque["cen"]
    torque["tot"] = sum(torque[name] for name in ("in", "cin", "cen", "cor", "grav"))
    torque["vis"] = np.array(
        [sum(mixed[i, i, k] + mixed[i, k, i] for k in range(count) if k != i) for i in range(count)]
    )
    torque["ext"] = torque["tot"] - torque["in"] - torque["vis"]
    dl, ddl, sums = levers(q)
    jacobian = dl[:, None] * sums
    back = np.linalg.inv(jacobian)
    mass = back.T @ own @ back
    length_rate = jacobian @ rate
    length_acceleration = jacobian @ acceleration + ddl * (sums @ rate) ** 2
    # joint accelerations of lengths that do not accelerate: B (L'^2)
    bend = -back * (ddl * (sums @ rate) ** 2)[None, :]
    force = {"in": np.diag(mass) * length_acceleration, "tot": back.T @ torque["tot"]}
    quadratic = np.einsum("ijk,jl,km->ilm", cross, back, back)
    quadratic = np.einsum("ni,nlm->ilm", back, quadratic)  # forces per product of two lengths' rates
    unit = np.einsum("ilm,l,m->ilm", quadratic, length_rate, length_rate)
    curved = back.T @ own @ bend  # (i, l): by the square of length l's rate
    force["vis"] = np.array(
        [sum(unit[i, i, k] + unit[i, k, i] for k in range(count) if k != i) for i in range(count)]
    )
    force["V2"] = np.array([unit[i, i, i] + curved[i, i] for i in range(count)])
    force["ext"] = force["tot"] - force["in"] - force["vis"] - force["V2"]
    named = {f"T_{name}": one for name, one in torque.items()}
    return {**named, **{f"F_{name}": one for name, one in force.items()}}


def actuator_mass(q, joint_mass):
    dl, _, sums = levers(q)
    back = np.linalg.inv(dl[:, None] * sums)
    return back.T @ joint_mass @ back
