# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Motions one after the other: checked, followed, canceled, preempted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.control.moved import there_and_back, waypoints
from core.mechanisms.hexapod.machine_variants import changed, machine

from pkm_identification.control.limits import LimitSettings, MotionLimits
from pkm_identification.control.motions import (
    CANCELED,
    GOAL_TOLERANCE,
    INVALID_GOAL,
    LIMIT,
    PATH_TOLERANCE,
    PREEMPTED,
    STOPPED,
    SUCCESSFUL,
    Motion,
    Motions,
    Outcome,
)
from pkm_identification.control.tolerances import Tolerances
from pkm_identification.machines.load import load_machine
from pkm_identification.machines.motions import compute_rest
from pkm_identification.mechanisms.hexapod.machine import Machine

UF = Machine.load("uf")
PERIOD = 1e-3
PERFECT = np.zeros(6)


class Reference:
    """A machine that does exactly what it is asked for."""

    def __init__(self, error=PERFECT, machine=UF, **settings) -> None:
        whole = load_machine(machine)
        limits = MotionLimits(whole, LimitSettings())
        self.motions = Motions(whole, PERIOD, limits, compute_rest(whole, whole.home[None]), **settings)
        self.error = error
        self.rows = []

    def submit(self, points) -> Motion:
        motion = Motion(points)
        self.motions.submit(motion)
        return motion

    def step(self, count=1):
        for _ in range(count):
            self.rows.append(self.motions.step())
            self.motions.note(self.error, np.full(6, 2.0))

    def until(self, motion, most=5000):
        for _ in range(most):
            if motion.outcome is not None:
                return motion.outcome
            self.step()
        raise AssertionError("the motion does not end")

    @property
    def rates(self):
        return np.array([row.rate for row in self.rows])


def assert_smooth(reference):
    """No jump of length, rate or acceleration anywhere: each is the sum of small changes."""
    position = np.array([row.now.state[0][0] for row in reference.rows])
    jerk = np.diff(position, 3, axis=0) / PERIOD**3
    # jerks of the motions used are below 30 m/s^3; a jump of 0.1 m/s^2 in the acceleration would give 100
    assert np.abs(jerk).max() < 60.0


def test_a_motion_is_followed_to_its_end():
    reference = Reference(error=np.array([1e-4, 0, 0, 0, 0, -2e-4]))
    motion = reference.submit(there_and_back(UF, 1.0))
    reference.step()
    assert not motion.started
    outcome = reference.until(motion)
    assert motion.started
    assert outcome.code == SUCCESSFUL
    assert outcome.rms_error == pytest.approx(np.sqrt(5e-8 / 6))
    assert outcome.max_error == 2e-4
    assert outcome.rms_feedback == pytest.approx(2.0)
    assert reference.motions.running is None
    assert not reference.motions.moving
    assert_smooth(reference)


def test_it_must_come_near_enough_to_its_goal():
    reference = Reference(error=np.array([0, 0, 1e-3, 0, 0, 0.0]), settling_time=0.1)
    outcome = reference.until(reference.submit(there_and_back(UF, 1.0)))
    assert outcome.code == GOAL_TOLERANCE
    assert "strut 3 is 0.001000 m from the goal" in outcome.text


def tolerances(**given) -> Tolerances:
    return replace(Tolerances.at_goal(load_machine(UF).drives, 5e-4, 0.1), **given)


def test_a_motion_with_tolerances_of_its_own_ends_by_them():
    reference = Reference(error=np.array([0, 0, 1e-3, 0, 0, 0.0]), stop_time=0.1)
    free, tight = np.full(6, np.inf), np.array([np.inf, np.inf, 9e-4, np.inf, np.inf, np.inf])
    points = there_and_back(UF, 1.0)
    loose = Motion(points, tolerances(goal=free))
    reference.motions.submit(loose)
    assert reference.until(loose).code == SUCCESSFUL
    late = Motion(points, tolerances(goal=tight, goal_time=0.05))
    reference.motions.submit(late)
    outcome = reference.until(late)
    assert (outcome.code, outcome.text) == (
        GOAL_TOLERANCE,
        "strut 3 is 0.001000 m from the goal, 0.0009 m is allowed; 0.05 s were given to settle",
    )
    assert reference.motions.follower.index == 1000 + 51
    off = Motion(points, tolerances(path=tight))
    reference.motions.submit(off)
    outcome = reference.until(off)
    assert outcome.code == PATH_TOLERANCE
    assert outcome.text.startswith("strut 3 is 0.001000 m from its path, 0.0009 m is allowed; 0.00")
    # at rest on its path, soon after it began
    assert not reference.motions.moving
    assert_smooth(reference)


def test_who_may_take_for_ever_to_settle_is_taken_over():
    reference = Reference(error=np.array([0, 0, 1e-3, 0, 0, 0.0]))
    patient = Motion(there_and_back(UF, 0.6), tolerances(goal_time=np.inf))
    reference.motions.submit(patient)
    reference.step(3000)
    assert patient.outcome is None
    following = Motion(there_and_back(UF, 0.6), tolerances(goal=np.full(6, np.inf)))
    reference.motions.submit(following)
    assert reference.until(following).code == SUCCESSFUL
    assert patient.outcome.code == PREEMPTED


def test_a_motion_waits_for_its_time_and_then_takes_over():
    reference = Reference()
    first, second = (Motion(there_and_back(UF, time)) for time in (1.0, 2.0))
    reference.motions.submit(first, 300)
    reference.step(299)
    assert not first.started
    reference.step(1)
    assert first.started
    reference.until(first)
    reference.motions.submit(second)
    reference.step(300)
    assert second.started
    third = Motion(there_and_back(UF, 1.0))
    reference.motions.submit(third, 1000)
    reference.step(900)
    assert second.outcome is None
    assert reference.motions.moving
    reference.step(101)
    assert second.outcome.code == PREEMPTED
    assert third.started
    assert_smooth(reference)


def test_a_bad_motion_never_begins():
    reference = Reference()
    far = reference.submit(waypoints(UF, [1.0], [[0, 0, -0.25]]))
    outcome = reference.until(far)
    assert outcome.code == LIMIT
    assert "length limit: strut" in outcome.text
    turned = reference.submit(waypoints(UF, [1.0], [[0, 0, 0]], [[3.0, 0, 0]]))
    assert turned.outcome.code == INVALID_GOAL
    assert not far.started
    assert np.abs(reference.rates).max() == 0.0


def test_cancel_comes_smoothly_to_rest():
    reference = Reference(stop_time=0.2)
    motion = reference.submit(there_and_back(UF, 2.0))
    reference.step(500)
    assert reference.motions.moving
    reference.motions.cancel(motion)
    before = len(reference.rows)
    outcome = reference.until(motion)
    assert outcome.code == CANCELED
    assert len(reference.rows) - before <= 202
    assert np.abs(reference.rates[-1]).max() == 0.0
    assert np.linalg.norm(reference.rows[-1].now.state[0][0] - UF.home_position) > 0.005
    assert_smooth(reference)


def test_cancel_before_it_begins():
    reference = Reference()
    motion = reference.submit(there_and_back(UF))
    reference.motions.cancel(motion)
    assert motion.outcome == Outcome(CANCELED, "canceled before it began")
    reference.step(300)
    assert np.abs(reference.rates).max() == 0.0


def test_a_newer_motion_takes_over_without_a_jump():
    reference = Reference()
    first = reference.submit(there_and_back(UF, 2.0))
    reference.step(400)
    second = reference.submit(waypoints(UF, [1.0], [[-0.02, 0.0, 0.0]]))
    outcome = reference.until(second)
    assert first.outcome.code == PREEMPTED
    assert outcome.code == SUCCESSFUL
    np.testing.assert_allclose(
        reference.rows[-1].now.state[0][0], UF.home_position - [0.02, 0, 0], atol=1e-12
    )
    assert_smooth(reference)
    # it did not wait for the end of the first
    assert len(reference.rows) < 400 + 300 + 1000 + 100


def test_a_bad_newer_motion_changes_nothing():
    alone, disturbed = Reference(), Reference()
    motions = [reference.submit(there_and_back(UF, 1.0)) for reference in (alone, disturbed)]
    disturbed.step(300)
    bad = disturbed.submit(waypoints(UF, [1.0], [[0, 0, -0.25]]))
    for reference, motion in zip((alone, disturbed), motions):
        assert reference.until(motion).code == SUCCESSFUL
    assert bad.outcome.code == LIMIT
    np.testing.assert_array_equal(alone.rates, disturbed.rates)


def test_a_third_motion_replaces_the_one_that_waits():
    reference = Reference()
    first, second, third = (
        reference.submit(waypoints(UF, [2.0], [[x, 0.0, 0.0]])) for x in (0.01, 0.02, 0.03)
    )
    assert reference.until(third).code == SUCCESSFUL
    assert first.outcome.code == second.outcome.code == PREEMPTED
    assert not first.started
    np.testing.assert_allclose(reference.rows[-1].now.state[0][0][0], 0.03, atol=1e-12)


@pytest.mark.slow
def test_a_waiting_motion_is_looked_at_again_when_the_present_one_stops_elsewhere():
    """Canceling moves the place where the next one begins."""
    reference = Reference(stop_time=0.5)
    first = reference.submit(there_and_back(UF, 4.0))
    reference.step(800)
    second = reference.submit(waypoints(UF, [3.0], [[-0.02, 0.0, 0.0]]))
    reference.step(2)
    reference.motions.cancel(first)
    assert reference.until(second).code == SUCCESSFUL
    assert first.outcome.code == CANCELED
    assert_smooth(reference)


def test_abort_ends_all_at_once():
    reference = Reference()
    first = reference.submit(there_and_back(UF, 2.0))
    reference.step(300)
    second = reference.submit(there_and_back(UF, 2.0))
    reference.motions.abort(Outcome(STOPPED, "emergency"))
    assert [motion.outcome.code for motion in (first, second)] == [STOPPED, STOPPED]
    assert first.outcome.max_error == 0.0


def test_a_stop_takes_longer_where_the_force_limit_asks_for_it():
    """5 ms from full speed would need more than the drives have; friction would do the braking, so there is none."""
    free = {"viscous": [0.0] * 6, "coulomb": [0.0] * 6, "transition_rate": 0.002}
    weak = machine(changed("uf", drive__motor__force_limit=100.0, friction=free))
    reference = Reference(machine=weak, stop_time=0.005)
    motion = reference.submit(waypoints(weak, [0.5], [[0.0, 0.0, -0.06]]))
    reference.step(255)
    reference.motions.cancel(motion)
    assert reference.motions.follower.slowing.duration > 0.005
    limits = MotionLimits(load_machine(weak), LimitSettings())
    assert reference.until(motion).code == CANCELED
    for row in reference.rows:
        assert limits.check(row.upcoming, np.zeros(1)) is None
