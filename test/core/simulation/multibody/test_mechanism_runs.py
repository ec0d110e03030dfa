# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Generated motions fit their mechanism, and a controlled run shows what inverse dynamics says."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from core.simulation.multibody.built import document, mechanism, rocker_driven, rubbing

from pkm_identification.errors import MotionRefused, SettingsError
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.numbers.arithmetic import FLOAT64
from pkm_identification.mechanisms.multibody.series import compute_series_motion
from pkm_identification.simulation.multibody.motions import NAMES, compute_own_motion, generate_motion
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import Simulator, simulate
from pkm_identification.simulation.waveforms import MultiSine

PERIOD = 1e-3  # s
MOVED = ("four-bar", "mast", "suspension", "epaas")


@pytest.mark.parametrize("name", ["rich", "rich2", "slow"])
@pytest.mark.parametrize("machine", MOVED)
def test_a_generated_motion_stays_within_limits_and_starts_and_ends_at_rest_at_home(machine, name):
    made = mechanism(machine)
    motion = generate_motion(name, made, 22.0)
    time = np.arange(0.0, motion.duration, 0.01)
    drive, rate, _ = motion.drives(time)
    assert kinematics.close_drives(made, drive).found.all()
    for values, stated_drive in zip(drive.T, made.description.drives, strict=True):
        assert np.ptp(values) > 0
        if stated_drive.limits is not None:
            low, high = FLOAT64.array(stated_drive.limits)
            assert low < values.min()
            assert values.max() < high
    ends, at_rest, _ = motion.drives(np.array([0.0, 0.4, motion.duration - 0.4, motion.duration]))
    np.testing.assert_allclose(
        ends, np.repeat(kinematics.read(made, "drives", made.home), 4, axis=0), atol=1e-12
    )
    np.testing.assert_allclose(at_rest, 0.0, atol=1e-12)
    assert np.abs(rate).max() > 0


@pytest.mark.parametrize("name", ["rich", "slow"])
def test_where_home_is_at_a_limit_a_motion_goes_further_in(name):
    given = document("mast")
    given["drives"]["length_1"]["limits"] = ["0.14", "0.3"]
    motion = generate_motion(name, Mechanism.from_document(given), 22.0)
    drive = motion.drives(np.arange(0.0, motion.duration, 0.01))[0][:, 0]
    assert 0.14 < drive.min() < drive.max() < 0.3
    assert np.ptp(drive) > 0.01


def test_rates_and_accelerations_are_the_derivatives():
    motion = generate_motion("rich", mechanism("mast"), 10.0)
    time, h = np.linspace(1.0, 9.0, 50), 1e-5
    _, rate, second = motion.drives(time)
    before, after = motion.drives(time - h), motion.drives(time + h)
    np.testing.assert_allclose((after[0] - before[0]) / (2 * h), rate, atol=1e-7)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), second, atol=1e-6)


def test_rich_motions_differ_and_slow_ones_have_plateaus():
    made = mechanism("mast")
    time = np.arange(0.0, 20.0, 0.01)
    rich, other, slow = (generate_motion(name, made, 21.0).drives(time) for name in ("rich", "rich2", "slow"))
    assert np.abs(rich[0] - other[0]).max() > 0.01
    # away from the fades: most of the time a triangle's rate is near its largest
    rate = slow[1][(time > 2) & (time < 18)]
    assert np.all(np.abs(rate).max(axis=0) < 0.3 * np.abs(rich[1]).max(axis=0))
    fast = np.abs(rate) > 0.8 * np.abs(rate).max(axis=0)
    assert fast.mean() > 0.5
    again = generate_motion("rich", made, 21.0).drives(time)
    np.testing.assert_array_equal(again[0], rich[0])
    assert np.abs(generate_motion("rich", made, 21.0, seed=1).drives(time)[0] - rich[0]).max() > 0.01


def test_a_motion_is_made_smaller_before_a_dead_point():
    # the rocker's dead point is nearer to home than the half radian a drive without limits goes
    made = rocker_driven()
    motion = generate_motion("rich", made, 21.0)
    drive = motion.drives(np.arange(0.0, 21.0, 0.01))[0]
    found = kinematics.close_drives(made, drive)
    assert found.found.all()
    home = kinematics.close_drives(made, kinematics.read(made, "drives", made.home))
    assert np.abs(found.pivot).min() > 0.2 * np.abs(home.pivot).min()


def test_the_descriptions_own_motion():
    made = mechanism("four-bar")
    motion = compute_own_motion(made)
    expected = compute_series_motion(made)
    time = np.arange(40) / 40
    for found, wanted in zip(
        motion.drives(time),
        (expected.drive, expected.drive_rate, expected.drive_acceleration),
        strict=True,
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: generate_motion("xy", mechanism("mast")), "needs a hexapod; 'mast' is none"),
        (lambda: generate_motion("rich", mechanism("mast"), 1.0), "must be more than 1.5 s"),
        (lambda: compute_own_motion(mechanism("mast")), "has no 'motion'"),
    ],
)
def test_motions_that_cannot_be_are_refused(make, message):
    with pytest.raises(SettingsError, match=message):
        make()


@cache
def rich_run(name: str):
    made = rubbing() if name == "rubbing" else mechanism(name)
    return made, simulate(made, "rich", 4.0, sensors=SensorSettings(current_noise=0.02), seed=3)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*MOVED, "rubbing"])
def test_forces_of_a_run_are_those_of_inverse_dynamics(name):
    made, run = rich_run(name)
    assert run.loop_gap < 1e-12
    motion = kinematics.motion_of_drives(made, run.length, run.truth.rate, run.truth.acceleration)
    off = run.truth.force - dynamics.forces(made, motion)
    size = np.sqrt(np.mean(run.truth.force**2, axis=0))
    assert np.all(np.sqrt(np.mean(off**2, axis=0)) < 1e-3 * size.max())
    # what is recorded belongs together: the acceleration is that of the coordinates
    second = (run.length[2:] - 2 * run.length[1:-1] + run.length[:-2]) / PERIOD**2
    smooth = np.abs(second - run.truth.acceleration[1:-1]) / np.abs(run.truth.acceleration).max()
    assert np.median(smooth) < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("name", MOVED)
def test_a_run_follows_its_motion_and_has_the_noise_asked_for(name):
    made, run = rich_run(name)
    wanted = generate_motion("rich", made, 4.0).drives(run.time)[0]
    assert np.abs(run.length - wanted).max() < 0.02 * np.ptp(wanted, axis=0).min()
    noise = run.force - run.truth.force
    expected = 0.02 * np.sqrt(np.mean(run.truth.force**2, axis=0))
    np.testing.assert_allclose(noise.std(axis=0), expected, rtol=0.1)


@pytest.mark.slow
def test_a_motion_that_goes_too_far_is_refused_by_its_row():
    made = rocker_driven()
    rest = generate_motion("rest", made, 2.0)
    # the rocker's dead point is half a radian away
    wave = MultiSine(np.array([0.1]), np.ones((1, 1)), np.zeros((1, 1)))
    motion = replace(rest, signal=wave, fade=None)
    time = np.arange(2001) * PERIOD
    first = np.flatnonzero(~kinematics.close_drives(made, motion.drives(time)[0]).found)[0]
    assert first > 1000
    with pytest.raises(MotionRefused) as refused:
        Simulator(made, motion)
    told = re.search(r"at ([\d.]+) s: drives", str(refused.value))
    assert told is not None
    assert time[first] <= float(told[1]) <= time[first] + 0.01


def test_rest_is_rest_and_all_names_are_there():
    assert set(NAMES) == {"rich", "rich2", "slow", "rest", "free"}
    made = mechanism("mast")
    run = simulate(made, "rest", 0.2, sensors=SensorSettings.perfect())
    assert len(run) == 201
    np.testing.assert_allclose(run.length, run.length[:1].repeat(201, axis=0), atol=1e-9)
    np.testing.assert_allclose(run.force.sum(axis=1), 22.2687, atol=1e-6)
