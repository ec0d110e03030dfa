# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Platform paths, what a follower makes of them, and smooth stops."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from core.control.moved import there_and_back, waypoints

from pkm_identification.control.follower import Follower
from pkm_identification.control.paths.path import PlatformPath, Slowing
from pkm_identification.control.paths.timed_path import TimedPlatformPath
from pkm_identification.errors import MotionRefused
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.rotation import matrix_from_vector
from pkm_identification.simulation.trajectories import trajectory

UF = Machine.load("uf")
WHOLE = load_machine(UF)
PERIOD = 1e-3


def path(points, machine=UF):
    return PlatformPath(machine.home_position, machine.home_rotation, points)


def differences(motion, h):
    """Twist and acceleration of a densely sampled motion, from its poses alone."""
    v = np.gradient(motion.position, h, axis=0)
    turned = motion.rotation[2:] @ np.swapaxes(motion.rotation[:-2], 1, 2)
    odd = turned - np.swapaxes(turned, 1, 2)
    w = odd[:, [2, 0, 1], [1, 2, 0]]
    twist = np.hstack([v[1:-1], w / (4 * h)])
    return twist, np.gradient(twist, h, axis=0)


def test_passes_the_waypoints_from_rest_to_rest():
    turn = [[0.1, 0.0, 0.2], [0.0, -0.3, 0.1], [0.05, 0.0, 0.0]]
    points = waypoints(UF, [0.5, 1.1, 2.0], [[0.01, 0, 0], [0, 0.02, 0.01], [0, 0, -0.01]], turn)
    made = path(points)
    motion = made.motion(np.concatenate([[-1.0, 0.0], points.time, [3.0]]))
    np.testing.assert_allclose(motion.position[2:5], points.position, atol=1e-14)
    np.testing.assert_allclose(motion.rotation[2:5], points.rotation, atol=1e-14)
    for row in (0, 1, 4, 5):
        assert np.abs(motion.twist[row]).max() < 1e-12
        assert np.abs(motion.acceleration[row]).max() < 1e-11
    np.testing.assert_allclose(motion.position[5], points.position[-1], atol=1e-14)


def test_twist_and_acceleration_are_those_of_the_poses():
    turn = [[0.5, -1.0, 0.2], [0.0, -0.3, 1.1], [0.05, 0.0, 0.0]]
    made = path(waypoints(UF, [0.5, 1.1, 2.0], [[0.1, 0, 0], [0, 0.2, 0.1], [0, 0, -0.1]], turn))
    h = 1e-4
    motion = made.motion(np.arange(0, 2.0, h))
    twist, acceleration = differences(motion, h)
    # errors of central differences: h^2 times third derivatives of some 100
    np.testing.assert_allclose(motion.twist[1:-1], twist, atol=1e-5)
    np.testing.assert_allclose(motion.acceleration[3:-3], acceleration[2:-2], atol=2e-3)


def test_given_twists_and_accelerations_reproduce_a_known_motion():
    """A rich motion of six axes, handed over every 20 ms, comes back to a micrometre."""
    known = trajectory("rich", UF, 6.0)
    time = np.arange(0.0, 6.0 + 1e-9, 0.02)
    at = known.motion(time)
    points = waypoints(UF, time, at.position - UF.home_position, twist=at.twist, acceleration=at.acceleration)
    points = type(points)(time, at.position, at.rotation, at.twist, at.acceleration)
    dense = np.arange(0.0, 6.0, 0.0013)
    ours, theirs = path(points).motion(dense), known.motion(dense)
    lengths = [strut_lengths(UF, m.position, m.rotation) for m in (ours, theirs)]
    assert np.abs(lengths[0] - lengths[1]).max() < 1e-6
    size = np.abs(theirs.acceleration).max()
    assert np.abs(ours.acceleration - theirs.acceleration).max() < 0.01 * size


def test_the_path_does_not_depend_on_the_base_frame_chosen():
    """Turned and shifted waypoints give the turned and shifted motion."""
    made = path(there_and_back(UF))
    turn, shift = matrix_from_vector(np.array([0.3, -0.5, 1.0])), np.array([1.0, 2.0, -0.5])
    points = there_and_back(UF)
    moved = type(points)(
        points.time,
        points.position @ turn.T + shift,
        turn @ points.rotation,
        points.twist,
        points.acceleration,
    )
    other = PlatformPath(turn @ UF.home_position + shift, turn @ UF.home_rotation, moved)
    t = np.linspace(0, 0.6, 40)
    ours, theirs = made.motion(t), other.motion(t)
    np.testing.assert_allclose(ours.position @ turn.T + shift, theirs.position, atol=1e-12)
    np.testing.assert_allclose(turn @ ours.rotation, theirs.rotation, atol=1e-12)
    np.testing.assert_allclose(ours.twist[:, 3:] @ turn.T, theirs.twist[:, 3:], atol=1e-10)


REFUSED = {
    "no waypoints": ([], np.zeros((0, 3)), {}),
    "waypoint 2: its time must be 0 or more": ([0.5, 0.4], np.zeros((2, 3)), {}),
    "waypoint 1: its time": ([-0.1], np.zeros((1, 3)), {}),
    "waypoint 1: time or position is not finite": ([0.5], [[0, np.nan, 0]], {}),
    "waypoint 2: time or position is not finite": ([0.5, np.inf], np.zeros((2, 3)), {}),
    "waypoint 1: the twist is not finite": ([0.5], np.zeros((1, 3)), {"twist": [[0, 0, 0, np.nan, 0, 0]]}),
    "waypoint 1: it has an acceleration, but no twist": (
        [0.5],
        np.zeros((1, 3)),
        {"acceleration": np.zeros((1, 6))},
    ),
    "waypoint 1: a motion ends at standstill": ([0.5], np.zeros((1, 3)), {"twist": [[0.1, 0, 0, 0, 0, 0]]}),
    "takes 0.001 to 3600 s": ([7200.0], np.zeros((1, 3)), {}),
    "waypoint 1: is turned by 3.00 rad": ([1.0], np.zeros((1, 3)), {"turn": [[3.0, 0, 0]]}),
    "waypoint 1: is at time 0, but 0.0100 m": ([0.0, 1.0], [[0.01, 0, 0], [0, 0, 0]], {}),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_is_no_motion_is_refused(reason):
    time, shift, more = REFUSED[reason]
    with pytest.raises(MotionRefused, match=reason):
        path(waypoints(UF, time, shift, **more))


def test_a_waypoint_at_time_zero_may_be_where_the_platform_is():
    made = path(waypoints(UF, [0.0, 1.0], [[0.001, 0, 0], [0.01, 0, 0]]))
    np.testing.assert_array_equal(made.motion(np.zeros(1)).position[0], UF.home_position)


def follow(made, lead=1):
    return Follower(WHOLE, TimedPlatformPath(WHOLE, made), PERIOD, lead)


def setpoints(follower, count, stop_at=None, slowing=None):
    rows = []
    for k in range(count):
        if k:
            follower.advance()
        if k == stop_at:
            follower.slow_down(slowing)
        rows.append(follower.setpoint())
    return rows


def test_a_follower_gives_the_path_sample_by_sample_and_what_comes():
    made = path(there_and_back(UF))
    rows = setpoints(follow(made, lead=3), 700)
    motion = made.motion(PERIOD * np.arange(703))
    wanted = strut_lengths(UF, motion.position, motion.rotation)
    np.testing.assert_allclose([row.coordinate for row in rows], wanted[:700], atol=1e-13)
    np.testing.assert_allclose([row.upcoming.state[2][0] for row in rows], motion.twist[3:], atol=1e-12)
    np.testing.assert_allclose(
        np.diff([row.coordinate for row in rows], axis=0) / PERIOD,
        0.5 * np.array([a.rate + b.rate for a, b in pairwise(rows)]),
        atol=1e-5,
    )


def test_lost_samples_do_not_shift_the_path():
    made = path(there_and_back(UF))
    follower = follow(made)
    for periods in (1, 7, 60, 2, 130):
        follower.advance(periods)
    np.testing.assert_allclose(
        follower.setpoint().now.state[0][0], made.motion(np.array([0.2])).position[0], atol=1e-14
    )


@pytest.mark.parametrize("begin", [0.05, 0.17, 0.55])
def test_a_stop_stays_on_the_path_and_is_smooth(begin):
    made = path(there_and_back(UF))
    follower = follow(made)
    rows = setpoints(follower, 900, round(begin / PERIOD), Slowing(begin, 0.2))
    assert follower.at_rest
    assert np.abs(rows[-1].rate).max() == 0.0
    there = follower.find_rest(follower.slowing)
    np.testing.assert_allclose(rows[-1].coordinate, there.coordinate[0], atol=1e-12)
    np.testing.assert_array_equal(there.rate, 0.0)
    # every pose is one of the path
    dense = made.motion(np.linspace(0, 0.6, 60001)).position
    for row in rows[::50]:
        assert np.linalg.norm(dense - row.now.state[0], axis=1).min() < 1e-6
    # accelerations change by no more per sample than along the path and the slowing: a jump would be some m/s^2
    acceleration = np.array([row.upcoming.state[3][0] for row in rows])
    usual = np.abs(np.diff(made.motion(PERIOD * np.arange(600)).acceleration, axis=0)).max()
    assert np.abs(np.diff(acceleration, axis=0)).max() < 3.0 * usual
    # and they are the derivatives of the rates
    rate = np.array([row.upcoming.state[2][0] for row in rows])
    np.testing.assert_allclose(np.gradient(rate, PERIOD, axis=0)[2:-2], acceleration[2:-2], atol=0.05)
