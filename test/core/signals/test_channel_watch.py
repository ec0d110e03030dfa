# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is wrong with one channel shows in its samples alone, and nothing else is taken for it."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.signals.channel_watch import ChannelWatch
from pkm_identification.simulation.trajectories import trajectory

UF = Machine.load("uf")
COUNT = 1.25e-6  # m


def rich(rate, seconds=3.0):
    motion = trajectory("rich", UF).motion(np.arange(round(seconds * rate)) / rate)
    length = strut_lengths(UF, motion.position, motion.rotation)
    noise = np.random.default_rng(1).standard_normal(length.shape)
    force = np.rint(strut_forces(UF, motion) + noise) * 1.5
    return motion.time, COUNT * np.rint(length / COUNT), force


def found(time, length, force, rate):
    watch = ChannelWatch(1.0 / rate, load_machine("uf").drives)
    windows = [watch.step(*sample) for sample in zip(time, length, force, strict=True)]
    return [(f.reason, f.drive + 1, f.size) for window in windows for f in window or ()]


@pytest.mark.slow
@pytest.mark.parametrize("rate", [1000.0, 250.0])
@pytest.mark.parametrize("size", [1e-3, -2e-4, 5e-5])
# in the middle of a window, at its end, across it
@pytest.mark.parametrize("place", [0.5, 0.99, 0.998, 1.0, 1.004])
def test_a_step_is_found_once_with_its_size(rate, size, place):
    time, length, force = rich(rate)
    length[round(place * rate) :, 1] += size
    ((reason, strut, shown),) = found(time, length, force, rate)
    assert (reason, strut) == ("length_step", 2)
    # the motion's own third difference is in it
    assert shown == pytest.approx(size, rel=0.1, abs=1e-5)


@pytest.mark.slow
def test_outliers_late_samples_and_shocks_are_no_steps():
    time, length, force = rich(1000.0)
    length[300, 2] += 5e-4  # one sample alone
    length[700] = length[699]  # taken late: all struts
    length[800:] = length[799:-1]  # taken twice
    length[1200:, 4] += 2e-5 * np.arange(len(length) - 1200) / 1e3  # drift
    assert found(time, length, force, 1000.0) == []


@pytest.mark.slow
def test_stuck_and_clipped_channels_are_found_and_rest_is_neither():
    time, length, force = rich(1000.0)
    stuck, clipped = length.copy(), force.copy()
    stuck[:, 2] = stuck[0, 2]
    clipped[:, 3] = np.clip(clipped[:, 3], -1e9, np.percentile(clipped[:, 3], 85))
    assert {f[:2] for f in found(time, stuck, force, 1000.0)} == {("length_stuck", 3)}
    assert {f[:2] for f in found(time, length, clipped, 1000.0)} == {("force_clipped", 4)}
    dead = force.copy()  # below its median a force is reported as 0: that is no end of a range
    dead[:, 3] = np.maximum(dead[:, 3] - np.median(dead[:, 3]), 0.0)
    assert found(time, length, dead, 1000.0) == []
    still = np.repeat(length[:1], 3000, axis=0)
    assert found(time, still, np.repeat(force[:1], 3000, axis=0), 1000.0) == []


@pytest.mark.parametrize("spread", [0.28, 0.32, 1.0])
def test_the_few_levels_of_a_coarse_force_at_rest_are_not_clipped(spread):
    """A current of 12 bits while an encoder flickers between two counts: the outermost level comes again and again."""
    rng, level, count = np.random.default_rng(2), 1.46, 5000
    time, length = 0.001 * np.arange(count), 0.4 + 1.25e-6 * rng.integers(0, 2, (count, 6))
    force = level * np.round(rng.normal(20.0, spread, (count, 6)))
    assert found(time, length, force, 1000.0) == []


def test_the_top_level_of_a_coarse_force_that_moves_smoothly_is_not_clipped():
    """A current of 12 bits at 250 Hz: ten samples of its top level and two of the next one are no limit."""
    rng, time = np.random.default_rng(2), np.arange(5000) / 250.0
    length = 0.4 + 0.02 * np.sin(np.pi * time[:, None] + np.arange(6))
    size, pace = rng.uniform(20.0, 60.0, 6), 2.0 * np.pi * rng.uniform(0.3, 1.5, 6)
    smooth = size * np.sin(pace * time[:, None]) + rng.uniform(5.0, 30.0, 6) * np.sin(9.0 * time[:, None])
    force = 1.46 * np.rint((smooth + rng.normal(0.0, 0.4, smooth.shape)) / 1.46)
    assert found(time, length, force, 250.0) == []
    force[:, 1] = np.minimum(force[:, 1], 0.5 * force[:, 1].max())
    assert {f[:2] for f in found(time, length, force, 250.0)} == {("force_clipped", 2)}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_said_of_channels_for_three_minutes_at_standstill(seed):
    """Currents of 12 bits that dither by a level or two, encoders that flicker or hunt by some counts."""
    rng, rate = np.random.default_rng([seed, 4]), 250.0
    count, level = round(180.0 * rate), rng.uniform(0.5, 4.0)
    time, size = np.arange(count) / rate, rng.choice([1.25e-6, 5e-6, 20e-6])
    hunting = 2.0 * np.sin(2.0 * np.pi * rng.uniform(0.2, 5.0, 6) * time[:, None])
    length = 0.4 + size * np.rint(hunting + rng.normal(0.0, 0.7, (count, 6)))
    held = rng.uniform(-60.0, 60.0, 6) + rng.uniform(0.0, 3.0) * level * hunting
    force = level * np.rint((held + rng.normal(0.0, rng.uniform(0.1, 1.0) * level, (count, 6))) / level)
    assert found(time, length, force, rate) == []


@pytest.mark.slow
@pytest.mark.parametrize("moved", [0.25, 0.55, 0.85])
def test_the_largest_force_is_no_limit_where_a_motion_ends_with_it(moved):
    time, length, force = rich(1000.0, 1.0)
    stopped = round(1000.0 * moved)
    length[stopped:] = length[stopped] + COUNT * np.random.default_rng(3).integers(0, 2, (1000 - stopped, 6))
    force[stopped:] = np.where(force[stopped] > 0.0, force[:stopped].max(axis=0), force[:stopped].min(axis=0))
    assert found(time, length, force, 1000.0) == []


@pytest.mark.parametrize("name", ["mast", "epaas", "uf"])
def test_the_smallest_jumps_of_a_calculated_motion_are_no_steps(name):
    machine = load_machine(name)
    sizes = np.array([drive.size for drive in machine.drives])
    time = np.arange(2200) / 1e3
    moved = np.sin(2.0 * np.pi * time)[:, None] * np.linspace(0.2, 0.5, len(sizes))
    for share, expected in ((1e-6, []), (-1e-2, ["length_step"])):
        coordinate = machine.home + sizes * moved
        coordinate[500:, 1] += share * sizes[1]
        watch = ChannelWatch(1e-3, machine.drives)
        windows = [watch.step(*sample, np.zeros(len(sizes))) for sample in zip(time, coordinate, strict=True)]
        assert [f.reason for window in windows for f in window or ()] == expected


@pytest.mark.slow
@pytest.mark.parametrize("rate", [1000.0, 250.0])
@pytest.mark.parametrize("seed", [4, 5])
def test_jumps_of_drives_that_turn_round_are_no_steps_of_their_zeros(rate, seed):
    """Friction changes its sign there, and bends a drive that yields; at another instant the same jump is a step."""
    time = np.arange(round(20.0 * rate)) / rate
    random = np.random.default_rng(seed)
    turn, phase = 2.0 * np.pi * random.uniform(0.3, 1.5, (2, 6)), random.uniform(0.0, 6.3, (2, 6))
    angle = turn[:, None] * time[:, None] + phase[:, None]
    length = np.sum(0.02 * np.sin(angle), axis=0)
    speed = np.sum(0.02 * turn[:, None] * np.cos(angle), axis=0)
    bent = length + 1e-4 * np.sign(speed)
    force = 20.0 * np.sign(speed) + random.standard_normal(length.shape)
    assert found(time, COUNT * np.rint(bent / COUNT), force, rate) == []
    fast = int(np.argmax(np.abs(speed[: len(time) // 2, 3])))
    bent[fast:, 3] += 2e-4
    ((reason, strut, _),) = found(time, COUNT * np.rint(bent / COUNT), force, rate)
    assert (reason, strut) == ("length_step", 4)
