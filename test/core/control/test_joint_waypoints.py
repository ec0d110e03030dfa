# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Waypoints given as strut lengths are the poses that have them."""

from __future__ import annotations

import numpy as np
import pytest
from core.control.moved import Run, there_and_back

from pkm_identification.control.motions import LIMIT, SUCCESSFUL
from pkm_identification.control.paths.joint_waypoints import joint_waypoints
from pkm_identification.errors import MotionRefused
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths, strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.trajectories import trajectory

UF = Machine.load("uf")
WHOLE = load_machine(UF)
HOME = strut_lengths(UF, UF.home_position[None], UF.home_rotation[None])[0]
FREE = np.full((1, 6), np.nan)


@pytest.mark.parametrize("name", ["uf", "hexel", "ford"])
def test_a_motion_given_by_lengths_and_rates_comes_back(name):
    machine = Machine.load(name)
    time = np.linspace(0.0, 2.0, 41)
    motion = trajectory("rich", machine, 4.0).motion(time)
    length, rate, acceleration = strut_motion_from_platform(machine, motion)
    rate[7], motion.twist[7] = np.nan, np.nan
    acceleration[[7, 9, -1]], motion.acceleration[[7, 9, -1]] = np.nan, np.nan
    motion.twist[-1] = rate[-1] = 0.0
    made = joint_waypoints(load_machine(machine), time, length, rate, acceleration)
    np.testing.assert_allclose(made.acceleration, motion.acceleration, atol=1e-7)
    made = joint_waypoints(load_machine(machine), time, length, rate)
    np.testing.assert_allclose(made.position, motion.position, atol=1e-10)
    np.testing.assert_allclose(made.rotation, motion.rotation, atol=1e-10)
    np.testing.assert_allclose(made.twist, motion.twist, atol=1e-8)
    assert np.isnan(made.acceleration).all()


@pytest.mark.slow
def test_the_machine_goes_there():
    points = there_and_back(UF, 1.0)
    length = strut_lengths(UF, points.position[:1], points.rotation[:1])
    run = Run(UF, UF)
    assert run.follow(joint_waypoints(WHOLE, np.array([0.5]), length, FREE)).code == SUCCESSFUL
    np.testing.assert_allclose(run.simulator.truth.length, length[0], atol=1e-5)


def test_a_length_beyond_the_limits_is_judged_like_any_motion():
    run = Run(UF, UF)
    outcome = run.follow(joint_waypoints(WHOLE, np.array([5.0]), HOME[None] + 0.2, FREE))
    assert outcome.code == LIMIT
    assert "length limit: strut" in outcome.text


BAD = {
    "no waypoints": np.empty((0, 6)),
    "waypoint 2: coordinates must be finite": np.array([HOME, [*HOME[:5], np.nan]]),
    "waypoint 1: length = .*must be six positive": np.array([[*HOME[:5], -0.1]]),
    "waypoint 1: no pose has these lengths: struts": np.array([[*HOME[:5], 9.0]]),
    "waypoint 2: no pose of home's assembly mode": np.array([HOME, [*HOME[:5], HOME[5] + 0.6]]),
}


@pytest.mark.parametrize("reason", BAD)
def test_lengths_without_a_pose_are_refused(reason):
    length = BAD[reason]
    with pytest.raises(MotionRefused, match=reason):
        joint_waypoints(WHOLE, 1.0 + np.arange(len(length)), length, np.full(length.shape, np.nan))


def test_rates_and_accelerations_that_mean_nothing_are_refused():
    broken, still = np.array([[0, 0, 0, np.nan, 0, 0.0]]), np.zeros((1, 6))
    for text, rates in {
        "waypoint 1: a rate is not finite": (broken, None),
        "waypoint 1: an acceleration is not finite": (still, broken),
        "waypoint 1: accelerations need rates": (FREE, still),
    }.items():
        with pytest.raises(MotionRefused, match=text):
            joint_waypoints(WHOLE, np.ones(1), HOME[None], *rates)
