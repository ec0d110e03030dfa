# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions asked for, one after the other: checked before they begin, stopped smoothly, followed to their end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.errors import MotionRefused, one_line
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.contract import Motion as MachineMotion
from pkm_identification.numerics.arrays import FloatArray

from .follower import Follower, Setpoint
from .limits import MotionLimits, Violation
from .paths.background_call import BackgroundCall
from .paths.path import Slowing
from .paths.timed_path import Rest, TimedPath, plan_timed_path
from .paths.waypoints import DriveWaypoints, Waypoints
from .tolerances import Tolerances

# How a motion ended. What FollowJointTrajectory knows has its numbers.
SUCCESSFUL, INVALID_GOAL, INVALID_JOINTS, OLD_STAMP, PATH_TOLERANCE, GOAL_TOLERANCE = 0, -1, -2, -3, -4, -5
LIMIT, PREEMPTED, CANCELED, STOPPED = -10, -11, -12, -13

# Samples looked at in one period, within control, as a share of the rows that take some milliseconds
CHECK_SHARE = 1 / 20
# and in one go beside control: short enough to give a motion up between two
BACKGROUND_SHARE = 2.5
MOST_BLOCKS = 4  # at once, where several periods are answered together
SPARE = 5  # periods a check may take longer than foreseen
LATEST = 0.07  # part of a stop's duration it may begin late: s and s' are off by 1e-4 of it and 1.5 % then
SLOWER = 5  # times a stop may be made twice as long, to keep to the force limit
SAME_PLACE = 1e-6  # m and rad
LONG = 100  # waypoints: the path through more takes longer than a period
LONG_CHECK = 100  # blocks of samples: looking at more would load control for many periods
PLANNING, LOOKING = (
    1e-5,
    6e-6,
)  # s for each of those, and for each sample of their motion: five times what it takes
_LOOKED_AT = object()


@dataclass(frozen=True)
class Outcome:
    """How a motion ended: one of the codes above, a text, and how well it was followed.

    Attributes
    ----------
    rms_error, max_error : float
        Of the drives' coordinates over the motion, m and rad alike.
    rms_feedback : float
        Of the forces that are not the model's, all drives, N and N m alike.
    unforeseen : bool
        Whether an error ended it that nobody has foreseen: of this program, not of the goal.
    """

    code: int
    text: str
    rms_error: float = 0.0
    max_error: float = 0.0
    rms_feedback: float = 0.0
    unforeseen: bool = False

    @classmethod
    def of_error(cls, error: Exception) -> Outcome:
        """Return how a motion ends that could not be worked out; it alone: control goes on whatever the error is."""
        if isinstance(error, MotionRefused):
            return cls(INVALID_GOAL, str(error))
        return cls(
            INVALID_GOAL,
            one_line(f"the motion cannot be worked out: {type(error).__name__}: {error}"),
            unforeseen=True,
        )


class Motion:
    """One motion asked for.

    Attributes
    ----------
    waypoints : Waypoints or DriveWaypoints
    tolerances : Tolerances or None
        None: those of all motions.
    start : float or None
        Stamp (s) of the sample it begins with, or of the first after it; None: as soon as possible.
    outcome : Outcome or None
        None until it has ended.
    started : bool
        Whether the machine moves for it.
    """

    def __init__(
        self,
        waypoints: Waypoints | DriveWaypoints,
        tolerances: Tolerances | None = None,
        start: float | None = None,
    ) -> None:
        self.waypoints = waypoints
        self.tolerances = tolerances
        self.start = start
        self.outcome: Outcome | None = None
        self.started = False
        self.ending: Outcome | None = None
        """How it ends once the machine stands still."""
        self._sums = np.zeros(3)
        self._largest = 0.0

    def note(self, error: FloatArray, feedback: FloatArray) -> None:
        """Count one sample: errors and feedback (n,)."""
        self._sums += np.array([error.size, error @ error, feedback @ feedback])
        self._largest = max(self._largest, float(np.abs(error).max()))

    def end(self, outcome: Outcome) -> None:
        """It is over."""
        count, errors, forces = self._sums
        if self.outcome is None:
            self.outcome = replace(
                outcome,
                rms_error=float(np.sqrt(errors / max(count, 1.0))),
                max_error=self._largest,
                rms_feedback=float(np.sqrt(forces / max(count, 1.0))),
            )


@dataclass(frozen=True)
class _Planned:
    """A path, and what is still to be asked about it: verdicts on its blocks, one in each period."""

    path: TimedPath
    check: Iterator[Violation | None]


@dataclass
class _Plan:
    """A motion being looked at: where it would begin, how far the check is, and when what moves now must stop.

    A long motion, or one of many waypoints, is worked out and looked at alongside control: its check is over by then.
    """

    motion: Motion
    earliest: int  # period in which it may begin
    place: MachineMotion  # where it would begin
    planning: BackgroundCall[_Planned]
    stop: Slowing | None
    spare: int
    check: Iterator[Violation | None] | None = None
    good: bool = False

    @property
    def path(self) -> TimedPath:
        """The course; waits for it."""
        return self.planning.answer().path


class Motions:
    """What the machine does: rests, follows a motion, and goes over to the next.

    A new motion is looked at while the present one goes on. If it breaks a limit, it ends and nothing else changes;
    otherwise the present motion is slowed down on its own path, ends as preempted, and the new one starts from there.

    Parameters
    ----------
    machine : Machine
    period : float
        s.
    limits : MotionLimits
    place : Motion
        Where the machine rests now, one row.
    lead : int
        See `Follower`.
    stop_time : float
        s, of a smooth stop; longer where the drives' forces ask for it.
    goal_tolerance, settling_time : float
        A motion succeeds when all drives are within the tolerance (m, see `spread_over_drives`) at most so long (s)
        after its end.
    """

    def __init__(
        self,
        machine: Machine,
        period: float,
        limits: MotionLimits,
        start: MachineMotion,
        *,
        lead: int = 1,
        stop_time: float = 0.3,
        goal_tolerance: float = 5e-4,
        settling_time: float = 1.0,
    ) -> None:
        self._machine = machine
        self._period = period
        self._limits = limits
        self._lead = lead
        self._stop_time = stop_time
        self._tolerances = Tolerances.at_goal(machine.drives, goal_tolerance, settling_time)
        self._still = np.zeros(len(machine.drives))
        rows = machine.rows_at_once
        self._block, self._background_block = (
            max(1, round(CHECK_SHARE * rows)),
            round(BACKGROUND_SHARE * rows),
        )
        self._now = 0  # periods
        self.parameters: FloatArray | None = None
        """Basis values (B,) for forces of new motions; the machine file's by default."""
        self.follower = self._follower(Rest(start))
        self.running: Motion | None = None
        self._plan: _Plan | None = None

    @property
    def moving(self) -> bool:
        """Whether the reference moves."""
        return not self.follower.at_rest

    def submit(self, motion: Motion, wait: int = 0) -> None:
        """Ask for a motion, to begin after `wait` periods; one that waits is preempted. A bad one ends at once."""
        if self._plan is not None:
            self._plan.motion.end(Outcome(PREEMPTED, "preempted by a newer motion before it began"))
        self._plan = self._planned(motion, self._now + wait)

    def cancel(self, motion: Motion) -> None:
        """Give a motion up: it never begins, or comes to rest on its path."""
        if self._plan is not None and self._plan.motion is motion:
            self._plan = None
            motion.end(Outcome(CANCELED, "canceled before it began"))
        elif motion is self.running:
            self._stop(Outcome(CANCELED, "canceled"))

    def abort(self, outcome: Outcome) -> None:
        """All motions end now; what the machine does then is not decided here."""
        for motion in (self.running, self._plan.motion if self._plan else None):
            if motion is not None:
                motion.end(outcome)
        self.running = self._plan = None

    def step(self, periods: int = 1) -> Setpoint:
        """Return the setpoint of a sample so many periods later."""
        self.follower.advance(periods)
        self._now += periods
        for _ in range(min(max(periods, 1), MOST_BLOCKS)):
            self._look_ahead()
        return self.follower.setpoint()

    def note(self, error: FloatArray, feedback: FloatArray, rate_error: FloatArray | None = None) -> None:
        """Note what came of the setpoint: errors, feedback and errors of rates (n,). Ends a motion that is done."""
        motion = self.running
        if motion is None:
            return
        motion.note(error, feedback)
        rate_error = self._still if rate_error is None else rate_error
        asked = motion.tolerances or self._tolerances
        if not self.follower.at_rest:
            if motion.ending is None and (trouble := asked.off_path(error, rate_error)) is not None:
                time = self.follower.index * self._period
                self._stop(Outcome(PATH_TOLERANCE, f"{trouble}; {time:.3f} s after the motion began"))
            return
        if motion.ending is not None:
            self._end(motion.ending)
        elif (trouble := asked.off_goal(error, rate_error)) is None:
            self._end(Outcome(SUCCESSFUL, "done"))
        elif (self.follower.index - self.follower.end) * self._period > asked.goal_time:
            self._end(Outcome(GOAL_TOLERANCE, f"{trouble}; {asked.goal_time:g} s were given to settle"))

    def _end(self, outcome: Outcome) -> None:
        if self.running is not None:
            self.running.end(outcome)
        self.running = None

    def _follower(self, path: TimedPath) -> Follower:
        return Follower(self._machine, path, self._period, self._lead)

    def _look_ahead(self) -> None:
        """One period's worth of checking, and the change to the next motion when it is time."""
        plan = self._plan
        if plan is None:
            return
        if plan.check is None:
            if not plan.planning.done:
                return
            try:
                plan.check = plan.planning.answer().check
            except Exception as error:  # control must not end with a goal
                self._refuse(plan, error)
                return
        if not plan.good:
            try:
                verdict = next(plan.check, _LOOKED_AT)
            except Exception as error:
                self._refuse(plan, error)
                return
            plan.good = verdict is _LOOKED_AT
            if isinstance(verdict, Violation):
                self._plan = None
                plan.motion.end(Outcome(LIMIT, str(verdict)))
            if not plan.good:
                return
        if self.follower.at_rest:
            if self._now >= plan.earliest:
                asked = None if self.running is None else self.running.tolerances
                if asked is not None and np.isinf(asked.goal_time):
                    self._end(Outcome(PREEMPTED, "preempted by a newer motion before it had settled"))
                if self.running is None:
                    self._begin(plan)
            return
        if plan.stop is None or self.follower.slowing is not None:
            return
        late = self.follower.index * self._period - plan.stop.begin
        if late < -1e-9:
            return
        if late > LATEST * plan.stop.duration:
            # samples came in bursts and the check took longer than foreseen: that stop would be a jump now
            self._plan = self._planned(
                plan.motion, plan.earliest, 2 * plan.spare + round(late / self._period)
            )
        else:
            self._stop(Outcome(PREEMPTED, "preempted by a newer motion"), plan.stop)

    def _refuse(self, plan: _Plan, error: Exception) -> None:
        self._plan = None
        plan.motion.end(Outcome.of_error(error))

    def _begin(self, plan: _Plan) -> None:
        start = self.follower.find_rest(self.follower.slowing)
        if np.abs(start.coordinate - plan.place.coordinate).max() > SAME_PLACE:
            # it came to rest elsewhere than foreseen (canceled meanwhile): look at the motion from here
            self._plan = self._planned(plan.motion, plan.earliest)
            return
        self._plan = None
        self.running = plan.motion
        plan.motion.started = True
        self.follower = self._follower(plan.path)

    def _planned(self, motion: Motion, earliest: int, spare: int = SPARE) -> _Plan | None:
        samples = int(np.ceil(motion.waypoints.time[-1] / self._period)) + 1
        many = len(motion.waypoints.time) > LONG or samples > LONG_CHECK * self._block
        stop = self.follower.slowing
        if stop is None and self.moving:
            checking = spare
            if many:
                in_background = PLANNING * len(motion.waypoints.time) + LOOKING * samples
                checking += int(np.ceil(in_background / self._period))
            else:
                checking += -(-samples // self._block)
            late_enough = earliest - self._now - round(self._stop_time / self._period)
            stop = self._slowing((self.follower.index + max(checking, late_enough)) * self._period)
        start = self.follower.find_rest(stop)
        planning = BackgroundCall(many, self._plan_path, many, motion, samples, self.parameters, start)
        plan = _Plan(motion, earliest, start, planning, stop, spare)
        if not many:
            try:
                plan.check = planning.answer().check
            except Exception as error:
                motion.end(Outcome.of_error(error))
                return None
        return plan

    def _plan_path(
        self,
        in_background: bool,
        motion: Motion,
        samples: int,
        parameters: FloatArray | None,
        start: MachineMotion,
    ) -> _Planned:
        """Return the course of a motion from a place; beside control also what its check says, as far as one asks."""
        path = plan_timed_path(self._machine, start, motion.waypoints)
        if not in_background:
            return _Planned(path, self._checks(path, samples))
        for block in _iterate_blocks(samples, self._background_block):
            if motion.outcome is not None:  # given up meanwhile
                break
            time = block * self._period
            violation = self._limits.check(path.move(time), time, parameters)
            if violation is not None:
                return _Planned(path, iter((violation,)))
        return _Planned(path, iter(()))

    def _checks(self, path: TimedPath, samples: int) -> Iterator[Violation | None]:
        for block in _iterate_blocks(samples, self._block):
            # the very samples the machine will be asked for
            time = block * self._period
            yield self._limits.check(path.move(time), time, self.parameters)

    def _slowing(self, begin: float) -> Slowing:
        """Return a stop from a time on that keeps to the force limit, if any length of it does."""
        slowing = Slowing(begin, self._stop_time)
        for _ in range(SLOWER):
            time = begin + np.linspace(0.0, slowing.duration, 61)
            violation = self._limits.check(self.follower.path.move(time, slowing), time, self.parameters)
            if violation is None:
                break
            slowing = Slowing(begin, 2.0 * slowing.duration)
        return slowing

    def _stop(self, ending: Outcome, slowing: Slowing | None = None) -> None:
        if self.running is not None:
            self.running.ending = ending
        if self.follower.at_rest or self.follower.slowing is not None:
            return
        self.follower.slow_down(slowing or self._slowing(self.follower.index * self._period))


def _iterate_blocks(samples: int, size: int) -> Iterator[FloatArray]:
    """Yield indices 0, 1, ... of so many samples, block by block."""
    for first in range(0, samples, size):
        yield np.arange(first, min(first + size, samples), dtype=float)
