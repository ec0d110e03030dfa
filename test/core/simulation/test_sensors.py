# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Sensors: quantised, noisy and stamped as their settings say."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.actuators import Drives, completed_drive, fallback_drive
from pkm_identification.simulation.sensors import Sensors, SensorSettings

DRIVE = Machine.load("uf").drive
TYPICAL = np.array([100.0, 200.0, 50.0, 400.0, 10.0, 30.0])


def sensors(settings: SensorSettings, seed: int = 0) -> Sensors:
    return Sensors(DRIVE, settings, TYPICAL, seed)


def test_encoders_count_whole_steps():
    length = np.random.default_rng(0).uniform(0.3, 0.5, 6)
    made = sensors(SensorSettings())
    counts = made.counts(length)
    np.testing.assert_array_equal(counts, np.round(counts))
    assert np.abs(made.length(counts) - length).max() <= 0.5 / DRIVE.counts_per_meter * (1 + 1e-9)


def test_perfect_sensors_lose_nothing():
    made = sensors(SensorSettings.perfect())
    length, force = np.linspace(0.3, 0.5, 6), np.linspace(-500.0, 800.0, 6)
    sample = made.sample(1.25, 1e-3, made.counts(length), force)
    assert sample.time == 1.25
    np.testing.assert_allclose(sample.length, length, rtol=1e-14)
    np.testing.assert_allclose(sample.force, force, rtol=1e-14)
    np.testing.assert_allclose(sample.current * DRIVE.force_per_ampere, force, rtol=1e-14)


def test_current_noise_is_relative_to_each_drive():
    made = sensors(SensorSettings(current_noise=0.02, current_bits=None))
    force = np.array([made.current(np.zeros(6)) for _ in range(4000)]) * DRIVE.force_per_ampere
    np.testing.assert_allclose(force.std(axis=0), 0.02 * TYPICAL, rtol=0.05)
    assert (np.abs(force.mean(axis=0)) < 0.02 * TYPICAL * 5 / np.sqrt(4000)).all()


def test_current_resolution_and_range():
    made = sensors(SensorSettings(current_noise=0.0))
    step = 2 * DRIVE.force_limit / 2**12
    force = np.array(
        [0.0, 0.4 * step, 0.6 * step, -7.2 * step, 5 * DRIVE.force_limit, -5 * DRIVE.force_limit]
    )
    measured = made.current(force) * DRIVE.force_per_ampere
    expected = [0.0, 0.0, step, -7 * step, DRIVE.force_limit, -DRIVE.force_limit]
    np.testing.assert_allclose(measured, expected, atol=1e-9 * step)


def test_stamps_jitter_but_never_swap():
    made = sensors(SensorSettings(stamp_jitter=2e-5))
    times = 1e-3 * np.arange(5000)
    stamps = np.array([made.stamp(time, 1e-3) for time in times])
    assert (stamps - times).std() == pytest.approx(2e-5, rel=0.05)
    wild = sensors(SensorSettings(stamp_jitter=1.0))
    assert (np.diff([wild.stamp(time, 1e-3) for time in times]) > 0).all()


def test_samples_measured_together_have_the_noise_of_one_after_the_other():
    force = np.random.default_rng(0).uniform(-300.0, 300.0, (5, 6))
    one, together = sensors(SensorSettings(), seed=3), sensors(SensorSettings(), seed=3)
    np.testing.assert_array_equal(together.current(force), [one.current(row) for row in force])


def test_same_seed_same_noise():
    currents = [sensors(SensorSettings(), seed).current(np.zeros(6)) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(currents[0], currents[1])
    assert (currents[0] != currents[2]).any()


@pytest.mark.parametrize(
    "wrong", [{"current_noise": -0.1}, {"current_noise": np.nan}, {"stamp_jitter": -1.0}, {"current_bits": 2}]
)
def test_impossible_settings(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SensorSettings(**wrong)


def test_drives_saturate_and_switch_off():
    drives = Drives(DRIVE)
    command = np.array([0.0, 10.0, -10.0, 2 * DRIVE.force_limit, -2 * DRIVE.force_limit, DRIVE.force_limit])
    np.testing.assert_array_equal(
        drives.force(command), np.clip(command, -DRIVE.force_limit, DRIVE.force_limit)
    )
    np.testing.assert_array_equal(drives.saturated, [False, False, False, True, True, False])
    drives.enabled = False
    assert not drives.force(command).any()
    assert not drives.saturated.any()


def test_fallback_drive_has_reserve():
    drive = fallback_drive(np.array([100.0, -300.0, 0.0, 0.0, 0.0, 0.0]))
    assert drive.force_limit == 6000.0
    assert drive.force_per_ampere == pytest.approx(600.0)
    assert fallback_drive(np.zeros(6)).force_limit > 0


def test_forces_of_actuators_are_reported_up_to_friction_at_the_highest_rate():
    """A machine file with cylinders and no motor: 20 times its weight was less than strut 4's friction."""
    machine = Machine.load("uf_hydraulic")
    rubbing = machine.friction.viscous * machine.rate_limit + machine.friction.coulomb
    assert np.all(completed_drive(machine).force_limit > rubbing)
    plain = {key: part for key, part in machine.document.items() if key != "actuator"}
    ideal = completed_drive(Machine.from_document(plain, "plain"))
    assert ideal.force_limit < rubbing.max()
