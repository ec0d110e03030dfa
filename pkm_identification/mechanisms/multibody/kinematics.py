# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Kinematics of a mechanism: configurations, motions and the numbers read off them, in batches of N samples.

A configuration is a row of the tree's coordinates with all loops closed. It is found from the driven coordinates
(forward kinematics), from the outputs (inverse kinematics) or from a body's pose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pkm_identification.errors import MotionRefused, SettingsError
from pkm_identification.numerics.rotation import build_vector_from_matrix, matrix_from_vector

from .closed import SHOWN, Closed, in_the_way
from .closed_forms import closed_form
from .kernels.closing import (
    NO_PIVOT,
    ClosedSamples,
    Readings,
    close,
    compute_complete_motion,
    read_frames,
    read_rates,
    read_rows,
)
from .kernels.codes import DEGRADED, FRAME_B, OK, ORIGIN, STATE
from .mechanism import Mechanism, room_to_close
from .numbers.arithmetic import FLOAT64

# Steps from home to a target that Newton's method did not reach at once.
_PATHS = (8, 40, 200)


@dataclass(frozen=True)
class MechanismMotion:
    """A motion with all loops closed.

    Attributes
    ----------
    configuration : ndarray, shape (N, Q)
    velocity, acceleration : ndarray, shape (N, V)
        Of the tree.
    drive, drive_rate, drive_acceleration : ndarray, shape (N, n)
        Driven coordinates and their derivatives: m or rad, by s.
    """

    configuration: Any
    velocity: Any
    acceleration: Any
    drive: Any
    drive_rate: Any
    drive_acceleration: Any

    def __len__(self) -> int:
        return len(self.configuration)


def close_drives(mechanism: Mechanism, drive: Any, start: Any = None) -> Closed:
    """Configurations of driven coordinates (N, n): forward kinematics, in home's assembly mode.

    `start` (N, Q) or (1, Q) is where Newton's method begins; home unless given.
    """
    return _close(mechanism, "drives", drive, None, start)


def close_outputs(mechanism: Mechanism, output: Any, start: Any = None) -> Closed:
    """Configurations of outputs (N, n): inverse kinematics, in home's assembly mode.

    A closed form, where the description names one, gives the start and says what is out of reach.
    """
    form = closed_form(mechanism.description, mechanism.tree) if start is None else None
    if form is None:
        return _close(mechanism, "outputs", output, None, start)
    values = _read_batch(mechanism, output, len(mechanism.places["outputs"]))
    guess, refused = form(mechanism.arithmetic, mechanism.model, mechanism.home, values)
    closed = _close(mechanism, "outputs", values, None, guess, follow=False)
    for n in np.flatnonzero([bool(text) for text in refused]):
        closed.gap[n] = refused[n]
    return closed


def close_pose(mechanism: Mechanism, position: Any, rotation: Any, start: Any = None) -> Closed:
    """Configurations that hold the body `description.pose` at positions (N, 3) and rotations (N, 3, 3).

    Raises
    ------
    SettingsError
        If the description names no such body.
    """
    _require_pose(mechanism)
    return _close(mechanism, "pose", position, rotation, start)


def _require_pose(mechanism: Mechanism) -> None:
    if not mechanism.places["pose"]:
        raise SettingsError(
            f"{mechanism.description.source}: a pose needs 'pose' and six degrees of freedom; it has "
            f"{mechanism.degrees_of_freedom}"
        )


def _close(
    mechanism: Mechanism, task: str, target: Any, wanted: Any, start: Any, follow: bool = True
) -> Closed:
    arithmetic = mechanism.arithmetic
    target = _read_batch(mechanism, target, 3 if task == "pose" else len(mechanism.places[task]))
    if task == "pose":
        target = np.concatenate([target, arithmetic.zeros(*target.shape)], axis=1)
    wanted = arithmetic.array(np.eye(3)[None]) if wanted is None else arithmetic.array(wanted)
    start = mechanism.home[None] if start is None else np.atleast_2d(start)
    side = task_side(mechanism, task)
    result = _run(mechanism, task, target, wanted, start, side)
    missed = np.flatnonzero((result.status != OK) & (result.status != DEGRADED))
    if follow and len(missed) and arithmetic == FLOAT64:
        _follow(mechanism, task, target, wanted, side, result, missed)
    gap = np.full(len(target), "", dtype=object)
    for n in np.flatnonzero((result.status != OK) & (result.status != DEGRADED)):
        values = _read(mechanism, mechanism.task_rows(task), result.configuration[n])[0]
        gap[n] = in_the_way(mechanism, task, values, target[n])
    return Closed(result.configuration, result.status, result.iterations, result.residual, result.pivot, gap)


def task_side(mechanism: Mechanism, task: str) -> int:
    """Return the sign of the determinant of a task ("drives", "outputs", "pose") at home."""
    if task in mechanism.sides:
        return mechanism.sides[task]
    zeros = mechanism.arithmetic.zeros
    rows = mechanism.task_rows(task)
    count = len(mechanism.places[task])
    pivot = zeros(1)
    velocities = zeros(1, mechanism.tree.velocities)
    mechanism.arithmetic.compile(compute_complete_motion)(
        mechanism.model,
        rows,
        mechanism.home[None],
        zeros(1, count),
        zeros(1, count),
        velocities,
        velocities.copy(),
        pivot,
        Readings(np.zeros(0, dtype=np.int64), zeros(1, 0), zeros(1, 0), zeros(1, 0)),
    )
    mechanism.sides[task] = int(np.sign(float(pivot[0])))
    return mechanism.sides[task]


def _run(mechanism: Mechanism, task: str, target: Any, wanted: Any, start: Any, side: int) -> ClosedSamples:
    result = room_to_close(mechanism, len(target))
    mechanism.arithmetic.compile(close)(
        mechanism.model,
        mechanism.task_rows(task),
        target.shape[1],
        target,
        wanted,
        start,
        mechanism.limits(side),
        result,
    )
    return result


def _follow(
    mechanism: Mechanism,
    task: str,
    target: Any,
    wanted: Any,
    side: int,
    result: ClosedSamples,
    missed: np.ndarray,
) -> None:
    """Reach missed targets from home in small steps, which stays in home's assembly mode as far as there is a path."""
    begin = read(mechanism, task, mechanism.home[None])
    turned = task == "pose"
    if turned:
        body = mechanism.model.row[mechanism.row_numbers("pose")[-1], FRAME_B]
        rotation, position = frames(mechanism, mechanism.home[None])
        begin[:, :3] = position[:, body]
        here = rotation[:, body]
    for steps in _PATHS:
        if not len(missed):
            return
        q = np.repeat(mechanism.home[None], len(missed), axis=0)
        for step in range(1, steps + 1):
            share = step / steps
            aim = begin + share * (target[missed] - begin)
            turn = wanted
            if turned:
                aim[:, 3:] = 0.0
                whole = here.transpose(0, 2, 1) @ wanted[missed if len(wanted) > 1 else [0]]
                turn = here @ matrix_from_vector(share * build_vector_from_matrix(whole))
            part = _run(mechanism, task, aim, turn, q, side)
            q = part.configuration
        good = (part.status == OK) | (part.status == DEGRADED)
        for all_rows, some in zip(result, part, strict=True):
            all_rows[missed[good]] = some[good]
        missed = missed[~good]


def read(mechanism: Mechanism, part: str, configuration: Any) -> Any:
    """Return values (N, n) of the `drives`, `outputs` or `readings` at configurations (N, Q)."""
    return _read(mechanism, mechanism.row_numbers(part), configuration)


def _read(mechanism: Mechanism, rows: np.ndarray, configuration: Any) -> Any:
    q = np.atleast_2d(configuration)
    values = mechanism.arithmetic.zeros(len(q), len(rows))
    mechanism.arithmetic.compile(read_rows)(
        mechanism.model, rows, q, values, mechanism.arithmetic.zeros(0, 0, 0)
    )
    return values


def rates(mechanism: Mechanism, part: str, motion: MechanismMotion) -> tuple[Any, Any]:
    """First and second derivatives (N, n) of the `drives`, `outputs` or `readings` in a motion."""
    rows = mechanism.row_numbers(part)
    zeros = mechanism.arithmetic.zeros
    first, second = zeros(len(motion), len(rows)), zeros(len(motion), len(rows))
    if len(motion):
        mechanism.arithmetic.compile(read_rates)(
            mechanism.model,
            rows,
            motion.configuration,
            motion.velocity,
            motion.acceleration,
            first,
            second,
        )
    return first, second


def frames(mechanism: Mechanism, configuration: Any) -> tuple[Any, Any]:
    """Rotations (N, F, 3, 3) and origins (N, F, 3), m, of all frames of the tree in the ground frame."""
    q = np.atleast_2d(configuration)
    state = mechanism.arithmetic.zeros(len(q), len(mechanism.tree.frames), STATE, 3)
    mechanism.arithmetic.compile(read_frames)(mechanism.model, q, state)
    return state[:, :, :3], state[:, :, ORIGIN]


def body_poses(mechanism: Mechanism, configuration: Any) -> tuple[Any, Any]:
    """Rotations (N, B, 3, 3) and origins (N, B, 3) of the bodies' frames, in the order of the description."""
    rotation, position = frames(mechanism, configuration)
    return rotation[:, mechanism.model.body], position[:, mechanism.model.body]


def motion_of_drives(
    mechanism: Mechanism, drive: Any, rate: Any, acceleration: Any, start: Any = None
) -> MechanismMotion:
    """Return the motion of driven coordinates and their derivatives, (N, n) each.

    Raises
    ------
    MotionRefused
        If a row is out of reach or singular: names it.
    """
    target = _read_batch(mechanism, drive, len(mechanism.places["drives"]))
    q = close_drives(mechanism, target, start).required(target, "drives")
    return _list_moving(mechanism, "drives", q, rate, acceleration)


def motion_of_outputs(mechanism: Mechanism, output: Any, rate: Any, acceleration: Any) -> MechanismMotion:
    """Return the motion of outputs and their derivatives, (N, n) each; raises as `motion_of_drives`."""
    target = _read_batch(mechanism, output, len(mechanism.places["outputs"]))
    q = close_outputs(mechanism, target).required(target, "outputs")
    return _list_moving(mechanism, "outputs", q, rate, acceleration)


def motion_of_pose(
    mechanism: Mechanism, position: Any, rotation: Any, twist: Any, acceleration: Any
) -> MechanismMotion:
    """The motion of the body `description.pose`: position (N, 3), rotation (N, 3, 3), twist and acceleration (N, 6).

    Twist and acceleration are (v, w) and (a, alpha) at the body frame's origin, ground axes. Raises as
    `motion_of_drives` and `close_pose`.
    """
    target = _read_batch(mechanism, position, 3)
    q = close_pose(mechanism, target, rotation).required(target, "pose")
    return _list_moving(mechanism, "pose", q, twist, acceleration)


def at_rest(mechanism: Mechanism, configuration: Any) -> MechanismMotion:
    """Configurations (N, Q) without motion."""
    q = np.atleast_2d(configuration)
    nothing = mechanism.arithmetic.zeros(len(q), len(mechanism.places["drives"]))
    return _list_moving(mechanism, "drives", q, nothing, nothing)


def moving(
    mechanism: Mechanism, configuration: Any, rate: Any, acceleration: Any, task: str = "drives"
) -> MechanismMotion:
    """Return the motion of closed configurations (N, Q) by rates and accelerations (N, n) of the `drives` or `outputs`.

    Raises
    ------
    MotionRefused
        If a row is singular: names it.
    """
    return _list_moving(mechanism, task, np.atleast_2d(configuration), rate, acceleration)


def _list_moving(mechanism: Mechanism, task: str, q: Any, rate: Any, acceleration: Any) -> MechanismMotion:
    count = len(mechanism.places[task])
    zeros = mechanism.arithmetic.zeros
    rate, acceleration = _read_batch(mechanism, rate, count), _read_batch(mechanism, acceleration, count)
    if not len(rate) == len(acceleration) == len(q):
        raise ValueError(f"{len(q)} configurations, {len(rate)} rates and {len(acceleration)} accelerations")
    v, a = (zeros(len(q), mechanism.tree.velocities) for _ in range(2))
    driven = task == "drives"
    drives = mechanism.row_numbers("drives")
    drive, first, second = (
        zeros(len(q), count) for count in (len(drives), *2 * [0 if driven else len(drives)])
    )
    pivot = zeros(len(q))
    if len(q):
        mechanism.arithmetic.compile(compute_complete_motion)(
            mechanism.model,
            mechanism.task_rows(task),
            q,
            rate,
            acceleration,
            v,
            a,
            pivot,
            Readings(drives, drive, first, second),
        )
        require_regular(q, pivot, task)
    if driven:
        return MechanismMotion(q, v, a, drive, rate, acceleration)
    return MechanismMotion(q, v, a, drive, first, second)


def require_regular(configuration: Any, pivot: Any, task: str) -> None:
    """Refuse configurations (N, Q) in which a task does not decide the motion, by their pivots (N,).

    Raises
    ------
    MotionRefused
        Names the row.
    """
    bad = np.flatnonzero(np.abs(pivot) < NO_PIVOT)
    if len(bad):
        where = ", ".join(f"{float(x):.{SHOWN}g}" for x in configuration[bad[0]])
        raise MotionRefused(f"row {bad[0] + 1}: singular configuration ({where}), not decided by the {task}")


def _read_batch(mechanism: Mechanism, values: Any, width: int) -> Any:
    """Return values as an array (N, width) of the mechanism's arithmetic."""
    given = np.asarray(values)
    if mechanism.arithmetic == FLOAT64:
        array = np.ascontiguousarray(given, dtype=float)
    else:
        array = given if given.dtype == object else mechanism.arithmetic.array(given)
    array = np.atleast_2d(array)
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"values have shape {given.shape}, expected ({width},) or (N, {width})")
    return array
