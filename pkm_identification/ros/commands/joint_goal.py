# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Goals of FollowJointTrajectory: what they mean, and why one is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pkm_identification.control.motions import INVALID_GOAL, INVALID_JOINTS, OLD_STAMP, Motion
from pkm_identification.control.paths.joint_waypoints import joint_waypoints
from pkm_identification.control.paths.waypoints import LONGEST, SHORTEST_STEP
from pkm_identification.control.tolerances import Tolerances
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray

from ..clock import seconds
from .goal_request import MOST_POINTS
from .joint_goal_request import PARTS, JointGoal
from .motion_action import GoalRefused

ERASED = -1.0  # of a tolerance: there is none


def compute_joint_motion(
    wanted: JointGoal, machine: Machine, joint_names: Sequence[str], now: float | None, usual: Tolerances
) -> Motion:
    """Return the motion of a goal.

    Parameters
    ----------
    wanted : JointGoal
    machine : Machine
    joint_names : sequence of str
        Of the drives, in the order of the machine file.
    now : float or None
        Stamp of the newest sample, s.
    usual : Tolerances
        Where the goal does not say.

    Raises
    ------
    MotionRefused
        If it makes no sense; GoalRefused where the standard has a code for it.
    """
    goal = wanted.message
    trajectory = goal.trajectory
    if wanted.others or goal.multi_dof_trajectory.joint_names:
        raise GoalRefused(INVALID_GOAL, "multi_dof_trajectory is not taken: poses go to execute_trajectory")
    if goal.component_path_tolerance or goal.component_goal_tolerance:
        raise GoalRefused(INVALID_GOAL, "component tolerances belong to multi_dof_trajectory: not taken")
    order = _order(trajectory.joint_names, joint_names)
    if not wanted.given:
        raise GoalRefused(INVALID_GOAL, "the trajectory has no points")
    if wanted.given > MOST_POINTS:
        raise GoalRefused(INVALID_GOAL, f"{wanted.given} points: at most {MOST_POINTS} are taken")
    if (efforts := wanted.counts[:, PARTS.index("effort")] > 0).any():
        raise GoalRefused(INVALID_GOAL, f"point {int(np.argmax(efforts)) + 1}: efforts are not taken")
    time = wanted.time
    coordinate, rate, acceleration = (_read_rows(wanted, k)[:, order] for k in range(3))
    # a planner's last segment brakes up to its end; here the end is at rest
    acceleration[-1] = np.nan
    start, past = _start(seconds(trajectory.header.stamp), float(time[-1]), now)
    left = time >= past + SHORTEST_STEP if past else np.ones(len(time), dtype=bool)
    waypoints = joint_waypoints(machine, time[left] - past, coordinate[left], rate[left], acceleration[left])
    return Motion(waypoints, _read_tolerances(goal, joint_names, usual), start)


def _order(given: Sequence[str], joint_names: Sequence[str]) -> list[int]:
    if sorted(given) != sorted(joint_names):
        unknown = [name for name in given if name not in joint_names]
        missing = [name for name in joint_names if name not in given]
        what = [
            f"unknown {', '.join(unknown)[:80]}" if unknown else "",
            f"missing {', '.join(missing)[:80]}" if missing else "",
            "" if unknown or missing else "a name comes twice",
        ]
        raise GoalRefused(
            INVALID_JOINTS,
            f"joints: {'; '.join(filter(None, what))}; expected {', '.join(joint_names)}, in any order",
        )
    return [list(given).index(name) for name in joint_names]


def _read_rows(wanted: JointGoal, part: int) -> FloatArray:
    """Positions, velocities or accelerations as (N, n), NaN where there are none; positions must be there."""
    points, counts, name = wanted.parts[part], wanted.counts[:, part], PARTS[part]
    drives = points.shape[1]
    wrong = (counts != drives) & ((counts > 0) | (part == 0))
    endless = (counts == drives) & ~np.isfinite(points).all(axis=1) & (part > 0)
    if (bad := wrong | endless).any():
        i = int(np.argmax(bad))
        what = f"has {counts[i]} {name}, needs {drives}" if wrong[i] else f"one of its {name} is not finite"
        raise GoalRefused(INVALID_GOAL, f"point {i + 1}: {what}")
    return points


def _start(stamp: float, duration: float, now: float | None) -> tuple[float | None, float]:
    """Stamp at which the motion begins, None for at once, and how much (s) of it is over already."""
    if stamp == 0.0 or now is None:
        return None, 0.0
    past = now - stamp
    if past <= 0.0:
        if past < -LONGEST:
            raise GoalRefused(
                INVALID_GOAL,
                f"the trajectory begins in {-past:.0f} s, {LONGEST:.0f} s are allowed: is its stamp of the clock that "
                "stamps strut_states?",
            )
        return stamp, 0.0
    if past + SHORTEST_STEP > duration:
        raise GoalRefused(
            OLD_STAMP,
            f"the trajectory's stamp is {past:.3f} s old: it ended {max(past - duration, 0.0):.3f} s ago",
        )
    return None, past


def _read_tolerances(goal: Any, joint_names: Sequence[str], usual: Tolerances) -> Tolerances:
    path, path_rate = _choose_tolerance(
        goal.path_tolerance, "path_tolerance", joint_names, usual.path, usual.path_rate
    )
    end, end_rate = _choose_tolerance(
        goal.goal_tolerance, "goal_tolerance", joint_names, usual.goal, usual.goal_rate
    )
    time = _resolve(seconds(goal.goal_time_tolerance), usual.goal_time, "goal_time_tolerance")
    return Tolerances(usual.drives, path, path_rate, end, end_rate, time)


def _choose_tolerance(
    given: Sequence[Any], what: str, joint_names: Sequence[str], usual: FloatArray, usual_rate: FloatArray
) -> tuple[FloatArray, FloatArray]:
    length, rate = usual.copy(), usual_rate.copy()
    for tolerance in given:
        if tolerance.name not in joint_names:
            raise GoalRefused(
                INVALID_JOINTS,
                f"{what}: no joint '{tolerance.name[:80]}'; there are {', '.join(joint_names)}",
            )
        i = list(joint_names).index(tolerance.name)
        for numbers, field in ((length, "position"), (rate, "velocity")):
            value = getattr(tolerance, field)
            numbers[i] = _resolve(value, numbers[i], f"{what} of {tolerance.name}: {field}")
        # no acceleration is measured: as with other controllers without that interface, it is free
        _resolve(tolerance.acceleration, 0.0, f"{what} of {tolerance.name}: acceleration")
    return length, rate


def _resolve(given: float, usual: float, what: str) -> float:
    """JointTolerance's rule: 0 leaves it at what is usual, -1 lifts it."""
    if given == 0.0:
        return usual
    if abs(given - ERASED) < 1e-6:
        return np.inf
    if not 0.0 < given < np.inf:
        raise GoalRefused(INVALID_GOAL, f"{what} = {given:g}: more than 0, 0 for the usual one, -1 for none")
    return given
