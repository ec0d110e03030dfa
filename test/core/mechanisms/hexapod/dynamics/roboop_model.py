# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The Stewart class of ROBOOP 1.32 (Gourdeau, Belanger) restated, its departures switchable.

ROBOOP follows Harib and Srinivasan (Robotica 21, 2003): part 1 of a strut hangs on the platform joint, part 2 on the
base joint, a universal joint whose first hinge is fixed in the base turns both. Where its code computes something else
than that model's mechanics, the term is named in DEPARTURES. With all of them this model gives ROBOOP's numbers, with
none of them the mechanics'.

The numbers are those of `source/bench.cpp` there: m, kg, kg m^2; y is up, angles are z-x-z (phi, theta, psi).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from transforms3d.euler import euler2mat

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.rotation import build_quaternion_from_matrix

BASE = np.array([
    [1.758, 2.8, -1.015], [1.6021, 3.07, -0.925], [-1.758, 2.8, -1.015],
    [-1.6021, 3.07, -0.925], [0.0, 2.8, 2.03], [0.0, 3.07, 1.85],
])  # fmt: skip
PLATFORM = np.array([
    [0.225, 0.0, -0.228], [0.1125, 0.1949, -0.228], [-0.1125, 0.1949, -0.228],
    [-0.225, 0.0, -0.228], [-0.1125, -0.1949, -0.228], [0.1125, -0.1949, -0.228],
])  # fmt: skip
GRAVITY = np.array([0.0, -9.81, 0.0])
# the pose q, its rates and accelerations; the lengths there with the four decimals bench.cpp has
POSE = np.array([0.2, 0.3, -0.4, 0.1, -1.4, 0.1])
RATE = POSE
ACCELERATION = np.full(6, -10.0)
LENGTH = np.array([3.0508, 3.2324, 3.2997, 3.4560, 3.5797, 3.6935])
GUESS = np.array([0.25, 0.25, -0.45, 0.07, -1.7, 0.07])
# pose at which ROBOOP fixes the first hinges: along the struts' projections on the x-z plane
HINGE_POSE = np.array([0.0, 0.0, 1.0, 0.0, np.pi / 2, 0.0])

DEPARTURES = {
    "rotation": "second row, first column of the rotation matrix has phi and psi exchanged",
    "turning": "x component of the platform's turning has cos(theta) for sin(theta)",
    "lever": "platform joints' levers are taken from the base frame's origin, not the platform's",
    "strut_rate": "direction's derivative is (L - L') s / L, not (v_P - L' s) / L",
    "gyroscopic": "I (w x w) = 0 for w x (I w), platform and struts",
    "hinge_moment": "the axial moment's reaction m c is (m, m, m)",
    "inverse": "the struts' axial forces are J^T W, not J^-T W",
}


@dataclass(frozen=True)
class Parts:
    """Masses, distances and moments of bench.cpp; `axial` and `transverse` are those of parts 1 and 2."""

    mass: float = 10.0
    center: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, -0.114]))
    inertia: np.ndarray = field(default_factory=lambda: np.diag([1.001, 0.59, 0.843]))
    part_mass: tuple[float, float] = (10.0, 12.5)
    part_center: tuple[float, float] = (0.5, 0.35)
    axial: tuple[float, float] = (3.358, 4.237)
    transverse: tuple[float, float] = (0.05, 0.1406)


BENCH = Parts()
NO_AXIAL = replace(BENCH, axial=(0.0, 0.0))
# no body has 3.358 about its axis and 0.05 across it (at most twice); exchanged they can
POSSIBLE = replace(BENCH, axial=BENCH.transverse, transverse=BENCH.axial)


def rotation_of(angles: np.ndarray, departures: set[str]) -> np.ndarray:
    """Rotation of the platform, (3, 3)."""
    rotation = euler2mat(*angles, axes="rzxz")
    if "rotation" in departures:
        phi, theta, psi = angles
        exchanged = euler2mat(*[psi, theta, phi], axes="rzxz")
        rotation[1, 0] = exchanged[1, 0]
    return rotation


def turning_of(angles: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Matrix from the angles' rates to the angular velocity, and its derivative, (3, 3) each."""
    (phi, theta, _), (phi_rate, theta_rate, _) = angles, rates
    cp, sp, ct, st = np.cos(phi), np.sin(phi), np.cos(theta), np.sin(theta)
    matrix = np.array([[0, cp, sp * st], [0, sp, -cp * st], [1, 0, ct]])
    by_phi = np.array([[0, -sp, cp * st], [0, cp, sp * st], [0, 0, 0]])
    by_theta = np.array([[0, 0, sp * ct], [0, 0, -cp * ct], [0, 0, -st]])
    return matrix, phi_rate * by_phi + theta_rate * by_theta


def first_hinges(departures: set[str]) -> np.ndarray:
    """Unit vectors of the hinges fixed in the base, (6, 3)."""
    strut = HINGE_POSE[:3] + PLATFORM @ rotation_of(HINGE_POSE[3:], departures).T - BASE
    hinge = -strut * [1, 0, 1]
    return hinge / np.linalg.norm(hinge, axis=1, keepdims=True)


def forces(
    q: np.ndarray, dq: np.ndarray, ddq: np.ndarray, parts: Parts = BENCH, departures: set[str] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Strut forces in N and generalised forces of (x, y, z, phi, theta, psi), (6,) each; all DEPARTURES by default."""
    departures = set(DEPARTURES) if departures is None else departures
    x, v, a = q[:3], dq[:3], ddq[:3]
    rotation = rotation_of(q[3:], departures)
    arm = PLATFORM @ rotation.T
    lever = x + arm if "lever" in departures else arm
    strut = x + arm - BASE
    length = np.linalg.norm(strut, axis=1)[:, None]
    s = strut / length
    matrix, matrix_rate = turning_of(q[3:], dq[3:])
    euler = matrix.copy()
    if "turning" in departures:
        euler[0, 2] = np.sin(q[3]) * np.cos(q[4])
    w, al = euler @ dq[3:], euler @ ddq[3:] + matrix_rate @ dq[3:]

    # strut rates by J q', accelerations by J q'' + J' q'
    first = np.hstack([s, np.cross(arm, s)])
    second, second_rate = np.eye(6), np.zeros((6, 6))
    second[3:, 3:], second_rate[3:, 3:] = matrix, matrix_rate
    rate = (first @ second @ dq)[:, None]
    joint_rate = v + np.cross(w, lever)
    joint_acceleration = a + np.cross(al, lever) + np.cross(w, np.cross(w, lever))
    s_rate = ((strut if "strut_rate" in departures else joint_rate) - rate * s) / length
    first_rate = np.hstack([s_rate, np.cross(np.cross(w, lever), s) + np.cross(lever, s_rate)])
    acceleration = (first @ second @ ddq + (first_rate @ second + first @ second_rate) @ dq)[:, None]

    # turning of the struts about the hinges u (fixed in the base) and v
    u = first_hinges(departures)
    across = np.cross(u, s)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    normal = np.cross(u, across)
    reach = length * dots(s, normal)
    sideways = joint_rate - rate * s
    about_u, about_v = -dots(sideways, across) / reach, dots(sideways, u) / reach
    turn = about_u * u + about_v * across
    centripetal = np.cross(turn, np.cross(turn, s))
    rest = joint_acceleration - about_u * about_v * length * np.cross(normal, s) - acceleration * s
    rest = rest - 2 * rate * np.cross(turn, s) - length * centripetal
    turn_rate = (-dots(rest, across) * u + dots(rest, u) * across) / reach + about_u * about_v * normal

    # moments about the base joints
    (m1, m2), (l1, l2) = parts.part_mass, parts.part_center
    bend = centripetal + np.cross(turn_rate, s)
    a1 = (length - l1) * bend + 2 * rate * np.cross(turn, s) + acceleration * s
    axial, transverse = sum(parts.axial), sum(parts.transverse)
    moment = m1 * (length - l1) * np.cross(s, a1 - GRAVITY) + m2 * l2 * np.cross(s, l2 * bend - GRAVITY)
    moment = moment + transverse * turn_rate + (axial - transverse) * dots(turn_rate, s) * s
    if "gyroscopic" not in departures:
        moment = moment + (axial - transverse) * dots(turn, s) * np.cross(turn, s)
    reaction = dots(moment, s) / dots(normal, s) * (1.0 if "hinge_moment" in departures else normal)
    sideways_force = np.cross(moment - reaction, s) / length

    # platform
    centre = rotation @ parts.center
    inertia = rotation @ parts.inertia @ rotation.T
    pull = parts.mass * (GRAVITY - a - np.cross(al, centre) - np.cross(w, np.cross(w, centre)))
    twist = np.cross(centre, pull) - inertia @ al
    if "gyroscopic" not in departures:
        twist = twist - np.cross(w, inertia @ w)
    wrench = np.concatenate([pull - sideways_force.sum(0), twist - np.cross(lever, sideways_force).sum(0)])
    along = first.T @ wrench if "inverse" in departures else np.linalg.solve(first.T, wrench)
    force = m1 * dots(a1 - GRAVITY, s)[:, 0] - along
    return force, (first @ second).T @ force


def accelerations(
    q: np.ndarray,
    dq: np.ndarray,
    torque: np.ndarray,
    parts: Parts = BENCH,
    departures: set[str] | None = None,
) -> np.ndarray:
    """Second derivatives of (x, y, z, phi, theta, psi) under generalised forces, (6,)."""
    still, zero = forces(q, dq, np.zeros(6), parts, departures)[1], np.zeros(6)
    weight = forces(q, zero, zero, parts, departures)[1]
    mass = np.array([forces(q, zero, e, parts, departures)[1] - weight for e in np.eye(6)]).T
    return np.linalg.solve(mass, torque - still)


def hexapod(parts: Parts, first_axis: np.ndarray | None = None, **more: object) -> Machine:
    """The same as a machine of this package; struts do not spin unless a first hinge is given."""
    joint = (
        {"type": "no_spin"} if first_axis is None else {"type": "universal", "first_axis": list(first_axis)}
    )
    bodies = [
        {"mass": mass, "center_of_mass": center, "inertia": [transverse, axial]}
        for mass, center, transverse, axial in zip(
            parts.part_mass, parts.part_center, parts.transverse, parts.axial, strict=True
        )
    ]
    home = build_quaternion_from_matrix(euler2mat(*POSE[3:], axes="rzxz"))
    return Machine.from_document(
        {
            "schema": 1,
            "name": "roboop",
            "gravity": GRAVITY.tolist(),
            "geometry": {
                "base_joints": BASE.tolist(),
                "platform_joints": PLATFORM.tolist(),
                "base_joint": joint,
                "home": {"position": POSE[:3].tolist(), "quaternion": home.tolist()},
                "length_limits": [2.0, 5.0],
            },
            "platform": {
                "mass": parts.mass,
                "center_of_mass": parts.center.tolist(),
                "inertia": [*np.diag(parts.inertia).tolist(), 0.0, 0.0, 0.0],
            },
            "strut": {"body_e": bodies[0], "body_b": bodies[1]},
            "friction": {"viscous": [0.0] * 6, "coulomb": [0.0] * 6, "transition_rate": 0.002},
            **more,
        }
    )


def motion_of(q: np.ndarray, dq: np.ndarray, ddq: np.ndarray) -> PlatformMotion:
    """One sample of motion from position and angles and their derivatives."""
    matrix, matrix_rate = turning_of(q[3:], dq[3:])
    twist = np.concatenate([dq[:3], matrix @ dq[3:]])
    acceleration = np.concatenate([ddq[:3], matrix @ ddq[3:] + matrix_rate @ dq[3:]])
    rotation = euler2mat(*q[3:], axes="rzxz")
    return PlatformMotion(np.zeros(1), q[None, :3], rotation[None], twist[None], acceleration[None])


def dots(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Row by row products, (6, 1)."""
    return np.sum(one * other, axis=1, keepdims=True)
