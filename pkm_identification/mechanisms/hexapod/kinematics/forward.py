# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forward kinematics: Newton with line search on the six lengths, warm start first, home start second."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from pkm_identification.mechanisms.threads import in_threads, one_thread, row_parts
from pkm_identification.motion import PlatformMotion, StrutMotion
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import invert6
from pkm_identification.numerics.rotation import orthonormalize, turn
from pkm_identification.numerics.rows import copy_matrix, copy_vector
from pkm_identification.numerics.vector3 import (
    add,
    at,
    cross,
    dot,
    rotate,
)

from ..machine import Machine
from .assembly.mode_proof import joined_to_start
from .jacobian import compute_frobenius_condition, fill_jacobian
from .records import Joints, Pose, build_pose_matrices

OK, DEGRADED, FAILED = 0, 1, 2

TOLERANCE = 1e-12  # m, largest error of a length: about the rounding of the lengths themselves
MAX_ITERATIONS = 50
DEGRADED_CONDITION = 100.0
COARSE = 2.0**-28  # of the platform's radius, and rad: how exactly the next row's search starts at a pose


@dataclass(frozen=True)
class ForwardResult:
    """Poses found for strut lengths.

    Attributes
    ----------
    position : ndarray, shape (N, 3)
        Platform origin in the base frame, m; NaN where the status is FAILED.
    rotation : ndarray, shape (N, 3, 3)
        NaN where the status is FAILED.
    status : ndarray of uint8, shape (N,)
        OK, DEGRADED (found, but near a singularity) or FAILED.
    iterations : ndarray of int32, shape (N,)
        Newton steps, over all starts tried.
    residual : ndarray, shape (N,)
        Largest error of a length in m.
    condition : ndarray, shape (N,)
        Frobenius condition number / 6 of the Jacobian with the machine's length scale; inf when singular.
    """

    position: FloatArray
    rotation: FloatArray
    status: NDArray[np.uint8]
    iterations: NDArray[np.int32]
    residual: FloatArray
    condition: FloatArray
    _proof: Callable[[], NDArray[np.bool_]] = field(repr=False, compare=False)

    @cached_property
    def joined(self) -> NDArray[np.bool_]:
        """Where the pose is proved to be of the start's assembly mode, shape (N,); see `joined_to_start`.

        Computed when first asked for: 0.2 us a row along a motion, 10 to 50 us a row for poses in random order.
        Large jumps of the lengths can lead Newton to another mode, and there it is False; `follow_lengths` never
        leaves the mode.
        """
        return self._proof()

    @property
    def found(self) -> NDArray[np.bool_]:
        """Where a pose was found, shape (N,)."""
        return self.status != FAILED


@kernel
def newton(joints, target, pose, limit, matrices):
    """Solve one pose in place, from the pose given.

    Returns (converged, iterations, residual). On return Jacobian and length of `matrices` belong to the pose returned
    and the inverse is that of the Jacobian at the last step's start.
    """
    base, platform = joints.base, joints.platform
    position, rotation = pose.position, pose.rotation
    jac, inverse, work, length = matrices.jacobian, matrices.inverse, matrices.work, matrices.length
    trial_position = np.empty(3)
    trial_rotation = np.empty((3, 3))
    step = np.empty(6)
    fill_jacobian(base, platform, position, rotation, jac, length)
    error = 0.0
    worst = 0.0
    for i in range(6):
        e = target[i] - length[i]
        error += e * e
        worst = max(worst, abs(e))
    if not np.isfinite(error):
        return False, 0, np.inf
    for iteration in range(limit):
        if worst <= TOLERANCE:
            return True, iteration, worst
        if not invert6(jac, inverse, work):
            return False, iteration, worst
        for i in range(6):
            step[i] = 0.0
            for j in range(6):
                step[i] += inverse[i, j] * (target[j] - length[j])
        # no step turns the platform by more than 0.5 rad: lengths are nearly linear up to there
        angle = np.sqrt(step[3] ** 2 + step[4] ** 2 + step[5] ** 2)
        fraction = min(1.0, 0.5 / angle) if angle > 0.0 else 1.0
        improved = False
        for _ in range(12):
            for k in range(3):
                trial_position[k] = position[k] + fraction * step[k]
            turn(rotation, fraction * step[3], fraction * step[4], fraction * step[5], trial_rotation)
            fill_jacobian(base, platform, trial_position, trial_rotation, jac, length)
            trial_error = 0.0
            worst = 0.0
            for i in range(6):
                e = target[i] - length[i]
                trial_error += e * e
                worst = max(worst, abs(e))
            if trial_error < error:
                improved = True
                break
            fraction *= 0.5
        if not improved:
            # rounding stops the descent just above the tolerance at long struts: that is convergence too
            fill_jacobian(base, platform, position, rotation, jac, length)
            worst = np.sqrt(error)
            return worst <= 10.0 * TOLERANCE, iteration + 1, worst
        error = trial_error
        copy_vector(trial_position, position)
        copy_matrix(trial_rotation, rotation)
    return worst <= TOLERANCE, limit, worst


@kernel
def solve_pose(joints, target, warm, pose, home, limit, matrices):
    """Pose of one row of lengths: from the pose given if `warm`, then from home; (converged, iterations, residual)."""
    tried = 0
    if warm:
        good, used, residual = newton(joints, target, pose, limit, matrices)
        tried += used
        if good:
            return True, tried, residual
    copy_vector(home.position, pose.position)
    copy_matrix(home.rotation, pose.rotation)
    good, used, residual = newton(joints, target, pose, limit, matrices)
    return good, tried + used, residual


@kernel
def compute_platform_rates(platform, rotation, matrices, rate, second, twist, acceleration):
    """Twist and acceleration of one pose from strut rates and accelerations; all `matrices` are those of this pose.

    J (v, w) = L'; J (a, alpha) = L'' - s . (w x (w x r)) - |v_P perpendicular|^2 / L (Oh 2003, 2.28-2.31 solved for
    the platform).
    """
    jac, inverse, length = matrices.jacobian, matrices.inverse, matrices.length
    for i in range(6):
        twist[i] = 0.0
        for j in range(6):
            twist[i] += inverse[i, j] * rate[j]
    v = (twist[0], twist[1], twist[2])
    w = (twist[3], twist[4], twist[5])
    for i in range(6):
        acceleration[i] = 0.0
    for j in range(6):
        r = rotate(rotation, at(platform, j))
        s = (jac[j, 0], jac[j, 1], jac[j, 2])
        turning = cross(w, r)
        v_p = add(v, turning)
        l_dot = dot(v_p, s)
        rest = second[j] - dot(cross(w, turning), s) - (dot(v_p, v_p) - l_dot * l_dot) / length[j]
        for i in range(6):
            acceleration[i] += inverse[i, j] * rest


@kernel
def _coarsen(pose, scale):
    """Round a pose far above its last digits, which say where its own search began.

    What starts from it is then the same however it was found: parts of a batch can be searched at once, with the
    numbers of one search. It costs the next search nothing where lengths change, and a step where they rest.
    """
    grid = COARSE * scale
    for i in range(3):
        pose.position[i] = np.rint(pose.position[i] / grid) * grid
        for k in range(3):
            pose.rotation[i, k] = np.rint(pose.rotation[i, k] / COARSE) * COARSE
    orthonormalize(pose.rotation)


@kernel
def _forward(joints, home, scale, lengths, start, warm, result):
    """Poses of rows of lengths; `result` as in `ForwardResult`, other tuples as in `records`.

    The first search begins at `start`, or at home if not `warm`.
    """
    joints, home = Joints(*joints), Pose(*home)
    position, rotation, status, iterations, residual, condition = result
    matrices = build_pose_matrices()
    pose = Pose(start[0].copy(), start[1].copy())
    for n in range(lengths.shape[0]):
        good, used, error = solve_pose(joints, lengths[n], warm, pose, home, MAX_ITERATIONS, matrices)
        iterations[n] = used
        residual[n] = error
        condition[n] = np.inf
        warm = good
        if not good:
            status[n] = FAILED
            position[n, :] = np.nan
            rotation[n, :, :] = np.nan
            continue
        orthonormalize(pose.rotation)
        if invert6(matrices.jacobian, matrices.inverse, matrices.work):
            condition[n] = compute_frobenius_condition(matrices.jacobian, matrices.inverse, scale)
        status[n] = OK if condition[n] <= DEGRADED_CONDITION else DEGRADED
        position[n] = pose.position
        rotation[n] = pose.rotation
        _coarsen(pose, scale)


@kernel
def _compute_rates(joints, poses, struts, result):
    """Twist and acceleration, `result`, of `poses` (position, rotation, status) from `struts` (rate, acceleration)."""
    joints = Joints(*joints)
    position, rotation, status = poses
    rate, second = struts
    twist, acceleration = result
    matrices = build_pose_matrices()
    for n in range(position.shape[0]):
        fill_jacobian(
            joints.base, joints.platform, position[n], rotation[n], matrices.jacobian, matrices.length
        )
        if status[n] == FAILED or not invert6(matrices.jacobian, matrices.inverse, matrices.work):
            twist[n, :] = np.nan
            acceleration[n, :] = np.nan
            continue
        compute_platform_rates(
            joints.platform, rotation[n], matrices, rate[n], second[n], twist[n], acceleration[n]
        )


@dataclass(frozen=True)
class _Beginning:
    """Where a row's search begins: position (3,) and rotation (3, 3), or home if not `warm`."""

    position: FloatArray
    rotation: FloatArray
    warm: bool

    @classmethod
    def behind(cls, machine: Machine, position: FloatArray, rotation: FloatArray, status: int) -> _Beginning:
        """Return the number of the row behind one with this result."""
        pose = Pose(position.copy(), rotation.copy())
        if status != FAILED:
            _coarsen(pose, machine.length_scale)
        return cls(pose.position, pose.rotation, status != FAILED)

    def same(self, other: _Beginning) -> bool:
        """Return whether a search from here is one from there, to the last digit."""
        if not self.warm or not other.warm:
            return self.warm == other.warm
        return np.array_equal(self.position, other.position) and np.array_equal(self.rotation, other.rotation)


def forward_kinematics(
    machine: Machine,
    length: FloatArray,
    start: tuple[FloatArray, FloatArray] | None = None,
    threads: int = 1,
) -> ForwardResult:
    """Platform poses of strut lengths.

    Every row starts from the rounded pose of the row before it (the first from `start`, or from home); a row that fails
    is tried again from home. Threads search parts of the rows at once, each from where the row before it is found from
    `start`. Where that is not the pose that the part before ends with, in another assembly mode for instance, a part is
    searched again from there: the numbers are those of one thread.

    Parameters
    ----------
    machine : Machine
    length : ndarray, shape (N, 6)
        Strut lengths in m.
    start : tuple of position (3,) and rotation (3, 3), optional
        Where the first row's search starts.
    threads : int
        How many share the rows, 1 to 1024.

    Returns
    -------
    ForwardResult
        With a status per row; it raises nothing for lengths no pose can have. Its `joined` tells whether a pose is
        proved to be in the assembly mode the search started in.

    Raises
    ------
    ValueError
        If `length` is not (N, 6).
    SettingsError
        If `threads` is no such number.
    """
    length = contiguous(length)
    if length.ndim != 2 or length.shape[1] != 6:
        raise ValueError(f"length has shape {length.shape}, expected (N, 6)")
    count = len(length)
    position, rotation = np.empty((count, 3)), np.empty((count, 3, 3))
    x, turned = start if start is not None else (machine.home_position, machine.home_rotation)
    result = ForwardResult(
        position=position,
        rotation=rotation,
        status=np.empty(count, dtype=np.uint8),
        iterations=np.empty(count, dtype=np.int32),
        residual=np.empty(count),
        condition=np.empty(count),
        _proof=partial(joined_to_start, machine, length, position, rotation, (x, turned)),
    )
    joints, home = (
        (machine.base_joints, machine.platform_joints),
        (machine.home_position, machine.home_rotation),
    )
    arrays = (position, rotation, result.status, result.iterations, result.residual, result.condition)
    first = (np.array(x, dtype=float), np.array(turned, dtype=float))
    if one_thread(threads):
        _forward(joints, home, machine.length_scale, length, first, True, arrays)
        return result

    def search(part: slice, start: _Beginning) -> None:
        begin = (start.position, start.rotation)
        rows = tuple(one[part] for one in arrays)
        _forward(joints, home, machine.length_scale, length[part], begin, start.warm, rows)

    def beginning(poses: ForwardResult, row: int) -> _Beginning:
        return _Beginning.behind(machine, poses.position[row], poses.rotation[row], poses.status[row])

    parts = row_parts(count, threads)
    started = {0: _Beginning(*first, True)}

    def guess(part: slice) -> None:
        if part.start:
            before = forward_kinematics(machine, length[part.start - 1 : part.start], first)
            started[part.start] = beginning(before, 0)
        search(part, started[part.start])

    in_threads(guess, parts)
    for part in parts[1:]:
        real = beginning(result, part.start - 1)
        if not real.same(started[part.start]):
            search(part, real)
    return result


def platform_motion(
    machine: Machine,
    motion: StrutMotion,
    start: tuple[FloatArray, FloatArray] | None = None,
    threads: int = 1,
) -> tuple[PlatformMotion, ForwardResult]:
    """Platform pose, twist and acceleration of strut motion.

    Parameters
    ----------
    machine : Machine
    motion : StrutMotion
    start : tuple of position (3,) and rotation (3, 3), optional
        As of `forward_kinematics`.
    threads : int
        How many share the rows, 1 to 1024; the numbers are those of one.

    Returns
    -------
    PlatformMotion
        NaN in the rows whose pose was not found.
    ForwardResult
        Status per row.
    """
    poses = forward_kinematics(machine, motion.length, start, threads)
    twist = np.empty((len(motion), 6))
    acceleration = np.empty((len(motion), 6))
    joints = (machine.base_joints, machine.platform_joints)
    rate, second = contiguous(motion.rate), contiguous(motion.acceleration)

    def move(part: slice) -> None:
        _compute_rates(
            joints,
            (poses.position[part], poses.rotation[part], poses.status[part]),
            (rate[part], second[part]),
            (twist[part], acceleration[part]),
        )

    in_threads(move, row_parts(len(motion), threads))
    return PlatformMotion(motion.time, poses.position, poses.rotation, twist, acceleration), poses
