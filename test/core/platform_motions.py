# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Platform poses, states and motions for tests, made without the package's kinematics of motion."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion


def lengths(machine: Machine, position: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """Strut lengths by the definition, (N, 6)."""
    joints = position[:, None, :] + np.einsum("nij,kj->nki", rotation, machine.platform_joints)
    return np.linalg.norm(joints - machine.base_joints, axis=2)


def poses(
    machine: Machine, count: int, seed: int, reach: float = 0.08, turn: float = 0.35
) -> tuple[np.ndarray, np.ndarray]:
    """Random poses around home whose strut lengths lie within the limits: position (N, 3), rotation (N, 3, 3)."""
    rng = np.random.default_rng(seed)
    low, high = machine.length_limits
    found: list[tuple[np.ndarray, np.ndarray]] = []
    while sum(len(position) for position, _ in found) < count:
        position = machine.home_position + rng.uniform(-reach, reach, (4 * count, 3))
        rotation = Rotation.from_rotvec(rng.uniform(-turn, turn, (4 * count, 3))).as_matrix()
        rotation = rotation @ machine.home_rotation
        length = lengths(machine, position, rotation)
        inside = np.all((length > low) & (length < high), axis=1)
        found.append((position[inside], rotation[inside]))
    position, rotation = (np.concatenate(parts)[:count] for parts in zip(*found, strict=True))
    return position, rotation


def states(machine: Machine, count: int, seed: int) -> PlatformMotion:
    """Random poses with random twists and accelerations, as large as a fast machine's."""
    rng = np.random.default_rng(seed + 1000)
    position, rotation = poses(machine, count, seed)
    return PlatformMotion(
        np.arange(count) * 1e-3,
        position,
        rotation,
        rng.normal(0, [0.3] * 3 + [1.0] * 3, (count, 6)),
        rng.normal(0, [5.0] * 3 + [20.0] * 3, (count, 6)),
    )


def at_rest(machine: Machine, count: int, seed: int) -> PlatformMotion:
    """Random poses without motion."""
    position, rotation = poses(machine, count, seed)
    return PlatformMotion(
        np.arange(count) * 1e-3, position, rotation, np.zeros((count, 6)), np.zeros((count, 6))
    )


class Harmonics:
    """A smooth motion: sums of sines in x, y, z and in the angles of Rz(c) Ry(b) Rx(a), derivatives by the formula.

    Parameters
    ----------
    machine : Machine
    amplitude : array_like, shape (6,)
        Bound of x, y, z (m) and a, b, c (rad).
    frequencies : array_like
        Hz.
    seed : int
        Of phases and shares.
    """

    def __init__(self, machine, amplitude, frequencies, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.machine = machine
        self.omega = 2 * np.pi * np.asarray(frequencies, dtype=float)
        share = rng.uniform(0.3, 1.0, (6, len(self.omega)))
        share /= share.sum(axis=1, keepdims=True)
        self.amplitude = share * np.asarray(amplitude, dtype=float)[:, None]
        self.phase = rng.uniform(0, 2 * np.pi, share.shape)

    def at(self, time: np.ndarray) -> PlatformMotion:
        """The motion at the given times."""
        angle = self.omega[:, None] * time + self.phase[:, :, None]
        amplitude, omega = self.amplitude[:, :, None], self.omega[:, None]
        q = np.sum(amplitude * np.sin(angle), axis=1)
        d = np.sum(amplitude * omega * np.cos(angle), axis=1)
        dd = np.sum(-amplitude * omega**2 * np.sin(angle), axis=1)
        a, b, c = q[3:]
        turn_z, turn_y, turn_x = (
            Rotation.from_rotvec(np.outer(angles, np.eye(3)[k])).as_matrix()
            for angles, k in ((c, 2), (b, 1), (a, 0))
        )
        turn_zy = turn_z @ turn_y
        turned = turn_zy @ turn_x
        e_z = np.broadcast_to([0.0, 0.0, 1.0], (len(time), 3))
        w_z = d[5][:, None] * e_z
        w_y = d[4][:, None] * turn_z[:, :, 1]
        w_x = d[3][:, None] * turn_zy[:, :, 0]
        alpha = (
            dd[5][:, None] * e_z
            + dd[4][:, None] * turn_z[:, :, 1]
            + dd[3][:, None] * turn_zy[:, :, 0]
            + np.cross(w_z, w_y)
            + np.cross(w_z + w_y, w_x)
        )
        return PlatformMotion(
            np.asarray(time, dtype=float),
            self.machine.home_position + q[:3].T,
            turned @ self.machine.home_rotation,
            np.hstack([d[:3].T, w_z + w_y + w_x]),
            np.hstack([dd[:3].T, alpha]),
        )


def six_axes(machine: Machine, seed: int = 0, scale: float = 1.0) -> Harmonics:
    """A rich motion of all six axes that stays within the built-in machines' limits."""
    amplitude = scale * np.array([0.03, 0.03, 0.02, 0.12, 0.12, 0.15])
    return Harmonics(machine, amplitude, [0.45, 0.8, 1.35, 2.1, 3.3], seed)


def along(machine: Machine, axes: str, seed: int = 0) -> Harmonics:
    """The source's single motions: 'x', 'z' or 'xy', 25.4 mm at 4 pi rad/s."""
    amplitude = np.array([0.0254 if axis in axes else 0.0 for axis in "xyzabc"])
    return Harmonics(machine, amplitude, [2.0], seed)
