# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Reach of a machine: motions along straight lines of its drives from home, until something is in the way.

What lies on such a line is reached from home without another assembly mode and without a singularity before. It needs
a platform with a pose or outputs with names.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_vector_from_matrix
from pkm_identification.progress import steps

from .capabilities import BodiesFile, NamedOutputs, PlatformPose, has
from .contract import FAILED, OK, Machine, Motion
from .motions import compute_nearby_motion

POSE = (("px", "m"), ("py", "m"), ("pz", "m"), ("rx", "rad"), ("ry", "rad"), ("rz", "rad"))
# What ends a line
LIMIT, RANGE, JOINT = "limit of a drive", "end of a range that the file does not state", "limit of a joint"
SINGULAR, UNREACHABLE = "singularity", "no motion"
STEPS = 60  # along a line: a fiftieth of a range changes directions by some degrees
AT_ONCE = (
    5  # of them: where a machine has no motion, to find that out takes a hundred times as long as a motion
)
TURN = np.pi  # rad to either side of home, of a drive that states no limits; in m its machine's size


@dataclass(frozen=True)
class Reach:
    """Where lines from home lead.

    Attributes
    ----------
    names, units : tuple of str
        Of the outputs; of a pose position and rotation vector from home in the ground's axes.
    line : ndarray of int64, shape (N,)
        Number of each point's line.
    coordinate : ndarray, shape (N, n)
        Of the drives.
    value : ndarray, shape (N, k)
        Of the outputs.
    dexterity : ndarray, shape (N,)
        1 / condition number of the outputs' rates by the drives', from 0 (singular) to 1; drives in large changes,
        angles of outputs in halves of the machine's size.
    ends : tuple of str
        What ends each line.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    line: NDArray[np.int64]
    coordinate: FloatArray
    value: FloatArray
    dexterity: FloatArray
    ends: tuple[str, ...]

    def count_ends(self) -> dict[str, int]:
        """Return how many lines each reason ends, the most frequent first."""
        return dict(Counter(self.ends).most_common())


def follow_lines(machine: Machine, lines: int, asker: str = "workspace") -> Reach:
    """Return where straight lines of the drives lead from home, evenly in all directions.

    Raises
    ------
    SettingsError
        If the machine has neither a platform with a pose nor outputs with names.
    """
    if not (has(machine, PlatformPose) or has(machine, NamedOutputs)):
        raise SettingsError(
            f"{asker}: needs a platform with a pose or outputs with names; '{machine.name}' names neither "
            "('pose' or 'outputs' in its file)"
        )
    names, units = zip(*_list_outputs(machine), strict=True)
    low, high, stated = _find_ranges(machine)
    line, coordinate, value, dexterity, ends = [], [], [], [], []
    for number, direction in enumerate(steps("lines", list(_spread_directions(lines, len(low))))):
        way = np.where(direction > 0.0, high, low) - machine.home
        fraction = np.max(np.abs(direction))
        path = machine.home + np.linspace(0.0, 1.0, STEPS)[:, None] * np.abs(direction) / fraction * way
        motion, jacobian, end = _follow(machine, path)
        ends.append(end or (LIMIT if stated[np.argmax(np.abs(direction))] else RANGE))
        line.append(np.full(len(motion), number))
        coordinate.append(path[: len(motion)])
        value.append(_read_outputs(machine, motion))
        dexterity.append(_compute_dexterity(jacobian))
    return Reach(
        names, units, np.concatenate(line), np.concatenate(coordinate), np.concatenate(value),
        np.concatenate(dexterity), tuple(ends),
    )  # fmt: skip


def _follow(machine: Machine, path: FloatArray) -> tuple[Motion, FloatArray, str]:
    """Return the motion along a path (N, n) and rates of outputs up to where it ends, and why; empty at its own end."""
    motions: list[Motion] = []
    jacobians: list[FloatArray] = []
    sign = np.zeros(0)
    for first in range(0, len(path), AT_ONCE):
        piece = path[first : first + AT_ONCE]
        still = np.zeros_like(piece)
        start = tuple(part[-1:] for part in motions[-1].state) if motions else None
        motion = machine.compute_motion(piece, still, still, start)
        jacobian = _differentiate_outputs(machine, motion)
        if jacobian.shape[1] == jacobian.shape[2]:
            sign = np.concatenate([sign[:1], np.sign(np.linalg.det(jacobian))])
        else:
            sign = np.ones(len(piece) + 1)
        reasons = np.full(len(piece), "", dtype=object)
        reasons[_is_joint_over(machine, motion)] = JOINT
        reasons[(sign[-len(piece) :] != sign[0]) | (motion.status != OK)] = SINGULAR
        reasons[motion.status >= FAILED] = UNREACHABLE
        stop = int(np.argmax(reasons != "")) if np.any(reasons != "") else len(piece)
        motions.append(motion[slice(0, stop)])
        jacobians.append(jacobian[:stop])
        if stop < len(piece):
            return Motion.concatenate(motions), np.concatenate(jacobians), reasons[stop]
    return Motion.concatenate(motions), np.concatenate(jacobians), ""


def _list_outputs(machine: Machine) -> tuple[tuple[str, str], ...]:
    if has(machine, PlatformPose):
        return POSE
    if has(machine, NamedOutputs):
        return tuple((one.name, one.unit) for one in machine.outputs)
    return ()


def _find_ranges(machine: Machine) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Return the lowest and highest coordinates (n,), and whether the file states both."""
    low, high = (np.array([getattr(drive, end) for drive in machine.drives]) for end in ("lowest", "highest"))
    stated = np.isfinite(low) & np.isfinite(high)
    room = np.array([TURN if drive.unit == "rad" else machine.size for drive in machine.drives])
    low = np.where(np.isfinite(low), low, machine.home - room)
    return low, np.where(np.isfinite(high), high, machine.home + room), stated


def _spread_directions(lines: int, drives: int) -> FloatArray:
    """Return directions (lines, n) that fill all around evenly."""
    from scipy.special import ndtri
    from scipy.stats import qmc

    if drives == 1:
        return np.array([[1.0], [-1.0]])
    exponent = int(np.ceil(np.log2(max(lines, 2))))
    points = qmc.Sobol(drives, seed=0).random_base2(exponent)[:lines]
    return np.asarray(ndtri(np.clip(points, 1e-9, 1.0 - 1e-9)))


def _is_joint_over(machine: Machine, motion: Motion) -> NDArray[np.bool_]:
    """Return in which rows a passive joint is beyond its limits, (N,)."""
    over = np.zeros(len(motion), dtype=bool)
    if has(machine, BodiesFile):
        good = motion.status < FAILED
        over[good] = np.any(np.abs(machine.mechanism.joint_use(motion.state[0][good])) > 1.0, axis=1)
    return over


def _read_outputs(machine: Machine, motion: Motion) -> FloatArray:
    if has(machine, PlatformPose):
        position, rotation = machine.compute_pose(motion)
        turned = rotation @ machine.home_pose[1].T
        return np.column_stack([position, build_vector_from_matrix(turned)])
    if has(machine, NamedOutputs):
        return machine.compute_outputs(motion)[0]
    raise ValueError(f"'{machine.name}' has no outputs")


def _differentiate_outputs(machine: Machine, motion: Motion) -> FloatArray:
    """Return rates (N, k, n) of the outputs for large changes of each drive per second, lengths; 0 where none is."""
    columns = []
    angular = np.array([unit == "rad" for _, unit in _list_outputs(machine)])
    scale = np.where(angular, 0.5 * machine.size, 1.0) if not angular.all() else np.ones(len(angular))
    for drive, one in enumerate(machine.drives):
        rate = np.zeros_like(motion.rate)
        rate[:, drive] = one.size
        moved = compute_nearby_motion(machine, motion, motion.coordinate, rate, np.zeros_like(rate))
        if has(machine, PlatformPose):
            columns.append(machine.compute_twist(moved)[0] * scale)
        elif has(machine, NamedOutputs):
            columns.append(machine.compute_outputs(moved)[1] * scale)
    return np.nan_to_num(np.stack(columns, axis=2), posinf=0.0, neginf=0.0)


def _compute_dexterity(jacobian: FloatArray) -> FloatArray:
    sigma = np.linalg.svd(jacobian, compute_uv=False)
    return np.divide(sigma[:, -1], sigma[:, 0], out=np.zeros(len(sigma)), where=sigma[:, 0] > 0.0)
