# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Trajectories: exact derivatives, within every machine's limits, at rest at both ends."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import BUILTIN, changed, machine

from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import TRAJECTORIES
from pkm_identification.simulation.trajectories import trajectory

pytestmark = pytest.mark.slow

MOVING = tuple(name for name in TRAJECTORIES if name not in ("free", "rest"))


@pytest.mark.parametrize("name", MOVING)
def test_derivatives_are_those_of_the_pose(name):
    made = trajectory(name, Machine.load("uf"), 6.0)
    # within the fades and the body; not at the instants where the fade's pieces meet
    time = np.linspace(0.6, 5.4, 37) + 0.0031
    h = 1e-5
    now, before, after = (made.motion(time + shift) for shift in (0, -h, h))
    rate = (after.position - before.position) / (2 * h)
    np.testing.assert_allclose(now.twist[:, :3], rate, atol=1e-7)
    turn = (after.rotation - before.rotation) @ now.rotation.transpose(0, 2, 1) / (2 * h)
    omega = np.stack([turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]], axis=1)
    np.testing.assert_allclose(now.twist[:, 3:], omega, atol=1e-6)
    second = (after.twist - before.twist) / (2 * h)
    np.testing.assert_allclose(now.acceleration, second, atol=1e-5)
    np.testing.assert_allclose(now.rotation @ now.rotation.transpose(0, 2, 1), [np.eye(3)] * 37, atol=1e-12)


@pytest.mark.parametrize("which", BUILTIN)
@pytest.mark.parametrize("name", TRAJECTORIES)
def test_limits_are_respected(name, which):
    made = Machine.load(which)
    duration = None if name == "free" else 25.0
    motion = trajectory(name, made, duration).motion(np.arange(0.0, 25.0, 0.0037))
    length, rate, _ = strut_motion_from_platform(made, motion)
    low, high = made.length_limits
    assert length.min() > low
    assert length.max() < high
    assert np.abs(rate).max() < made.rate_limit
    assert np.abs(strut_forces(made, motion)).max() < made.drive.force_limit


@pytest.mark.parametrize("which", BUILTIN)
@pytest.mark.parametrize("name", MOVING)
def test_rest_at_both_ends(name, which):
    made = Machine.load(which)
    time = np.concatenate([np.linspace(-1.0, 0.5, 50), np.linspace(5.5, 7.0, 50)])
    motion = trajectory(name, made, 6.0).motion(time)
    np.testing.assert_array_equal(motion.position, np.broadcast_to(made.home_position, (100, 3)))
    np.testing.assert_array_equal(motion.rotation, np.broadcast_to(made.home_rotation, (100, 3, 3)))
    assert not motion.twist.any()
    assert not motion.acceleration.any()


@pytest.mark.parametrize("which", BUILTIN)
def test_rich_motion_moves_every_axis(which):
    made = Machine.load(which)
    motion = trajectory("rich", made, 23.0).motion(np.arange(1.5, 21.5, 0.01))
    angles = np.linalg.norm(motion.twist[:, 3:], axis=1)
    assert (np.ptp(motion.position, axis=0) > 0.05).all()  # m
    assert np.sqrt(np.mean(angles**2)) > 0.1  # rad/s
    assert np.abs(motion.acceleration[:, :3]).max() > 0.8  # m/s^2
    spread = motion.acceleration / np.std(motion.acceleration, axis=0)
    correlation = spread.T @ spread / len(spread)
    assert np.abs(correlation - np.diag(np.diag(correlation))).max() < 0.5  # no axis copies another


@pytest.mark.parametrize("name", ["rich", "rich2", "slow"])
def test_period(name):
    made = trajectory(name, Machine.load("hexel"), 60.0)
    time = np.linspace(2.0, 18.0, 100)
    np.testing.assert_allclose(made.motion(time).position, made.motion(time + 20.0).position, atol=1e-12)


def test_source_motions_are_the_sources():
    made = Machine.load("uf")
    time = np.linspace(3.0, 3.5, 201)
    for name, axes in (("x", [0]), ("z", [2]), ("xy", [0, 1])):
        away = trajectory(name, made).motion(time).position - made.home_position
        np.testing.assert_allclose(np.abs(away[:, axes]).max(axis=0), 0.0254, rtol=1e-3)
        np.testing.assert_allclose(away[:, axes], -away[:, axes][::-1], atol=1e-9)  # one period, odd
        assert not np.delete(away, axes, axis=1).any()


def test_slow_motion_stays_on_plateaus_in_both_directions():
    made = Machine.load("uf")
    motion = trajectory("slow", made, 23.0).motion(np.arange(1.5, 21.5, 0.005))
    _, rate, acceleration = strut_motion_from_platform(made, motion)
    assert np.abs(rate).max() < 0.05
    assert (np.mean(np.abs(acceleration) < 0.05, axis=0) > 0.8).all()  # plateaus of 10 mm/s, on and on
    assert ((rate > 0.004).mean(axis=0) > 0.2).all()
    assert ((rate < -0.004).mean(axis=0) > 0.2).all()


def test_seeds_and_names_give_different_motions():
    made = Machine.load("uf")
    time = np.linspace(2.0, 8.0, 50)
    places = [
        trajectory(name, made, 10.0, seed).motion(time).position
        for name, seed in (("rich", 0), ("rich", 1), ("rich2", 0), ("rich", 0))
    ]
    np.testing.assert_array_equal(places[0], places[3])
    assert np.abs(places[0] - places[1]).max() > 0.01
    assert np.abs(places[0] - places[2]).max() > 0.01


def test_small_machines_get_small_motions():
    tight = machine(changed("uf", geometry__length_limits=[0.36, 0.475]))
    for name in ("z", "rich"):
        wide_reach, tight_reach = (
            np.ptp(trajectory(name, made, 10.0).motion(np.linspace(0, 10, 500)).position[:, 2])
            for made in (Machine.load("uf"), tight)
        )
        assert 0 < tight_reach < 0.7 * wide_reach


@pytest.mark.parametrize(
    ("name", "duration", "words"),
    [
        ("round", None, "not one of x, z"),
        ("rich", 1.2, "must be more than 1.5 s"),
        ("x", np.nan, "must be more"),
    ],
)
def test_impossible_requests(name, duration, words):
    with pytest.raises(ValueError, match=words):
        trajectory(name, Machine.load("uf"), duration)
