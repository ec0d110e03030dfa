# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Acting forces and strut lengths from what drives report: signals known in closed form, and the simulator."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import butter, cont2discrete, sosfiltfilt

from pkm_identification.machines.contract import Drive
from pkm_identification.mechanisms.actuators.friction_inside import InnerFriction
from pkm_identification.mechanisms.actuators.transfer import Transfer, lateness
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.transfers import transfers_of
from pkm_identification.motion import DriveLog
from pkm_identification.signals.forces.acting import (
    acting,
    acting_within_periods,
    compute_motor_side_compliance,
    corrections_of,
    noise_passed,
)
from pkm_identification.signals.forces.correction import CorrectionStream, corrected_log
from pkm_identification.signals.forces.drive_transfer import DriveTransfer
from pkm_identification.signals.input_validation import InputValidator, ValidationSettings

PERIOD = 1e-3
DRIVES = tuple(Drive(f"length_{i}", f"strut_{i}", "m", f"force_{i}") for i in range(1, 7))
TIME = PERIOD * np.arange(1500)
PHASES = np.arange(6.0)
SCREW = Transfer(5e-4, 0.9, 0.8, InnerFriction(300.0, 20.0, 0.002))
BELT = Transfer(
    5e-4, compliance=2e-6, damping_time=2e-4, motor_mass=5.0, motor_friction=InnerFriction(100.0, 8.0, 0.01),
    on_motor=True,
)  # fmt: skip


def wave(time, rate, derivative=0):
    """sin(rate t + phase) of six struts, or a derivative of it."""
    return rate**derivative * np.sin(rate * time[:, None] + PHASES + derivative * np.pi / 2)


def course(time, derivative=0):
    """Strut lengths in m: 3 and 7 Hz."""
    whole = 0.02 * wave(time, 2 * np.pi * 3.0, derivative) + 0.004 * wave(time, 2 * np.pi * 7.0, derivative)
    return whole + (0.4 if derivative == 0 else 0.0)


def pull(time, derivative=0):
    """Force in N in front of what yields: 2 and 8 Hz."""
    return 200.0 * wave(time, 2 * np.pi * 2.0, derivative) + 60.0 * wave(time, 2 * np.pi * 8.0, derivative)


def reports(transfer):
    """What a drive shows, where its strut follows `course` and `pull` acts: encoder and force, (N, 6) each."""
    late = TIME - transfer.late
    length = course(TIME)
    if transfer.compliance > 0.0:
        deflection = [transfer.compliance * pull(late, k) for k in range(4)]
        # damping: c0 (S - T S') to first order in T, whose rest is (2 pi 8 T)^2 = 1e-4 of 0.5 mm
        lag = transfer.damping_time
        motor_rate = course(late, 1) + deflection[1] - lag * deflection[2]
        motor_second = course(late, 2) + deflection[2] - lag * deflection[3]
        force = pull(late) + transfer.motor_mass * motor_second
        friction = transfer.motor_friction
        force += friction.viscous * motor_rate
        force += friction.coulomb * np.clip(motor_rate / friction.transition_rate, -1, 1)
        shown = transfer.compliance * (pull(TIME) - lag * pull(TIME, 1))
        return length + (shown if transfer.on_motor else 0.0), force
    late_rate = course(late, 1)
    side = np.clip(late_rate / transfer.friction.transition_rate, -1, 1)
    left = pull(late) + transfer.friction.viscous * late_rate + transfer.friction.coulomb * side
    direction = side * np.where(left >= 0, 1.0, -1.0)  # of power: 1 to the load
    loss = np.where(direction >= 0, transfer.efficiency - 1.0, 1.0 - 1.0 / transfer.back_efficiency)
    return length, left / (1.0 + loss * direction)


@pytest.mark.parametrize(
    ("transfer", "length_error", "force_error"),
    [
        # where friction jumps, within 0.1 ms, a sample lies between two forces: the rest counts
        (SCREW, 1e-15, 0.02),
        # parabolas over 25 ms bend 8 Hz: of 0.12 mm, and of 5 kg times its acceleration
        (BELT, 1.2e-6, 0.05),
        (replace(BELT, on_motor=False), 1e-15, 0.1),
    ],
)
def test_what_acts_comes_back(transfer, length_error, force_error):
    length, force = reports(transfer)
    correction = DriveTransfer([transfer] * 6, PERIOD)
    found_length, found_force = correction.correct(length, force)
    inner = slice(correction.before, len(TIME) - correction.after)
    time = TIME[inner]
    np.testing.assert_allclose(found_length, course(time), atol=length_error)
    expected = pull(time) + transfer.motor_mass * course(time, 2)
    off = np.abs(found_force - expected)
    assert np.quantile(off, 0.85) < force_error
    # the same without a word about the drive is another matter
    assert np.median(np.abs(force[inner] - expected)) > 20 * force_error


def validated(length, force, hole=False):
    time = np.delete(TIME, slice(700, 760)) if hole else TIME
    rows = np.searchsorted(TIME, time)
    settings = ValidationSettings(period=PERIOD, drives=DRIVES)
    stream = InputValidator(settings)
    stepped = [
        sample
        for row, stamp in zip(rows, time, strict=True)
        for sample in stream.step(stamp, length[row], force[row])
    ]
    return InputValidator(settings).validation(DriveLog(time, length[rows], force[rows], "made")), stepped


@pytest.mark.slow
@pytest.mark.parametrize("transfer", [SCREW, BELT, Transfer(3e-4)])
def test_a_stream_gives_what_a_log_does(transfer):
    log, stepped = validated(*reports(transfer), hole=True)
    correction = DriveTransfer([transfer, *[SCREW] * 5], PERIOD)
    whole = corrected_log(log, correction)
    stream = CorrectionStream(correction, PERIOD)
    passed = [sample for each in stepped for sample in stream.step(each)]
    np.testing.assert_array_equal([sample.time for sample in passed], whole.time)
    np.testing.assert_array_equal([sample.segment for sample in passed], whole.segment)
    np.testing.assert_allclose([sample.force for sample in passed], whole.force, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose([sample.coordinate for sample in passed], whole.length, rtol=1e-12)
    assert stream.delay == pytest.approx(correction.after * PERIOD)


@pytest.mark.parametrize("lag", [0.0, 2e-4, 1e-3, 5e-3])
def test_lateness_is_the_phase_of_a_held_command(lag):
    """Held and lagged force in the mean against its samples at the periods' ends, at 1 Hz, both by their responses."""
    held, rate = 1e-3, 2 * np.pi
    if lag:
        lagged = np.array([[-1 / lag]]), np.array([[1 / lag]]), np.eye(1), np.zeros((1, 1))
        a = float(cont2discrete(lagged, held)[0][0, 0])
    else:
        a = 0.0
    z = np.exp(1j * rate * held)
    seen = (1 - a) / (z - a)  # of commands, at the ends of the periods they are held in
    acts = (1 - np.exp(-1j * rate * held)) / (1j * rate * held) / (1j * rate * lag + 1)
    expected = -np.angle(seen / acts) / rate
    assert lateness(held, lag) == pytest.approx(expected, abs=1e-4 * held)
    assert lateness(held, np.inf) == 0.0


def test_what_a_file_says_is_known():
    """Held commands of the belt machine's velocity loop; of servos the swing that held setpoints leave."""
    belt, oil = Machine.load("uf_belt"), Machine.load("uf_hydraulic")
    transfers = transfers_of(belt, PERIOD)
    assert transfers is not None
    actuator = belt.actuators[0]
    assert transfers[0].late == pytest.approx(0.5e-3)
    assert transfers[0].compliance == pytest.approx(1.0 / (5.4 * actuator.motor.ratio**2))
    assert transfers[0].motor_mass == pytest.approx(actuator.inertia_behind)
    assert [one.acts for one in transfers_of(oil, PERIOD)] == [True] * 6
    assert transfers_of(Machine.load("uf"), PERIOD) is None
    validation = ValidationSettings.of(belt, PERIOD)
    np.testing.assert_allclose(compute_motor_side_compliance(validation), transfers[0].compliance)
    assert not np.any(compute_motor_side_compliance(ValidationSettings.of(oil, PERIOD)))


def test_a_held_setpoint_swings_the_oil_by_what_is_taken_from_its_force():
    """Valve and oil under a saw tooth of setpoints less their ramp, stepped exactly until nothing changes any more."""
    servo = Machine.load("uf_hydraulic").actuators[0]
    w, slope, fine = servo.valve_rate, servo.no_load.slope, 200
    oil, leak = servo.oil_compliance, servo.hydraulic_compliance
    valve = [[0, 1, 0], [-(w**2), -2 * servo.valve_damping * w, 0], [slope / oil, 0, -leak / oil]]
    into = np.array([[0.0], [w**2], [0.0]])
    a, b, *_ = cont2discrete((np.array(valve), into, np.eye(3), np.zeros((3, 1))), PERIOD / fine)
    gain = servo.loop.gain * servo.loop.sensor_gain
    late = round(servo.valve_delay / PERIOD * fine)
    state, swing = np.zeros(3), np.zeros(fine)
    for n in range(400 * fine):  # the leak forgets with 13 ms
        place = (n - late) % fine
        state = a @ state + b[:, 0] * gain * PERIOD * (0.5 - (place + 0.5) / fine)
        swing[(n + 1) % fine] = state[2]
    assert servo.transfer(PERIOD).ripple == pytest.approx(swing[0] - swing.mean(), rel=0.01)
    assert servo.transfer(PERIOD).at(PERIOD).ripple == servo.transfer(PERIOD).ripple
    held = replace(servo.transfer(PERIOD), held=PERIOD)
    assert held.at(2 * PERIOD).ripple == held.ripple  # every other step is one, too
    assert held.at(0.2 * PERIOD).ripple == 0.0
    assert replace(servo, loop=replace(servo.loop, gain=0.0)).transfer(PERIOD).ripple == 0.0


def test_interpolation_leaves_less_noise_above_all_motion():
    """White noise through the half-sample cubic, its power between two frequencies against that at rest."""
    validation = replace(ValidationSettings(period=PERIOD, drives=DRIVES), transfers=(Transfer(5e-4),) * 6)
    noise = np.random.default_rng(2).normal(size=(1 << 17, 6))
    _, left = corrections_of(validation, PERIOD)[0].correct(np.zeros_like(noise), noise)
    power = np.abs(np.fft.rfft(left[: 1 << 16], axis=0)) ** 2 / (1 << 16)
    frequency = np.fft.rfftfreq(1 << 16)
    seen = power[(frequency > 0.2) & (frequency < 0.45)].mean(axis=0)
    # 16000 lines of the spectrum: 1 %
    np.testing.assert_allclose(noise_passed(validation, PERIOD, 0.2, 0.45), seen, rtol=0.05)


def test_ideal_drives_keep_their_logs():
    log, _ = validated(*reports(SCREW))
    assert acting(log, ValidationSettings.of(Machine.load("uf"), PERIOD)) is log


def test_samples_faster_than_commands_see_no_swing():
    """The swing is that of setpoints held for a millisecond; over all of it its mean is zero."""
    oil = Machine.load("uf_hydraulic")
    transfers = transfers_of(oil, PERIOD)
    assert transfers is not None
    assert transfers[0].ripple == pytest.approx(-0.423, abs=2e-3)
    often = transfers_of(oil, 0.5 * PERIOD)
    assert often is None or [one.ripple for one in often] == [0.0] * 6
    seldom = transfers_of(oil, 2.0 * PERIOD)
    assert seldom is not None
    assert seldom[0].ripple == pytest.approx(transfers[0].ripple)


def slide_with_friction(friction, mass=0.5, stiffness=2e5, steps=20):
    """Return coordinate and force at the drive of a light mass that sticks and slips, and the force that moves it.

    A spring of which one end moves pulls it; friction is implicit, `steps` a sample.
    """
    h, x, v, log = PERIOD / steps, 0.0, 0.0, []
    steep = friction.viscous + friction.coulomb / friction.transition_rate
    for n in range(3000 * steps):
        force = stiffness * (0.003 * np.sin(2 * np.pi * 0.7 * n * h) - x)
        if n % steps == 0:
            log.append((x, force, force - friction(v)))
        following = (mass * v + h * force) / (mass + h * steep)
        if abs(following) > friction.transition_rate:
            sliding = force - np.sign(following) * friction.coulomb
            following = (mass * v + h * sliding) / (mass + h * friction.viscous)
        v = following
        x += h * v
    return np.array(log).T


def test_a_drive_that_sticks_and_slips_gives_the_force_behind_its_friction():
    """Where it breaks away its rate has a kink: what is taken off there must not go before it."""
    friction = InnerFriction(500.0, 200.0, 0.001)
    x, force, acting_force = slide_with_friction(friction)
    assert 0.03 < np.mean(np.abs(np.gradient(x, PERIOD)) < 0.001) < 0.6
    through = DriveTransfer([Transfer(friction=friction)], PERIOD)
    _, found = through.correct(x[:, None], force[:, None])
    inner = slice(through.before, len(x) - through.after)
    sections = butter(4, 10.0, fs=1.0 / PERIOD, output="sos")
    error = sosfiltfilt(sections, found[:, 0] - acting_force[inner])[200:-200]
    # with a polynomial over 3 ms to either side it is .2 N
    assert np.sqrt(np.mean(error**2)) < 0.03


def test_friction_inside_is_that_of_whole_samples_where_a_drive_turns_round():
    """A drive that swings turns round between samples: friction of instants makes noise of that."""
    friction, fine = InnerFriction(100.0, 200.0, 0.001), 51
    time = PERIOD * (np.arange(6000 * fine) - fine // 2) / fine
    swing, drift = 2 * np.pi * 61.3, 2 * np.pi * 0.9
    x = 1e-3 * np.sin(swing * time) + 0.02 * np.sin(drift * time)
    v = 1e-3 * swing * np.cos(swing * time) + 0.02 * drift * np.cos(drift * time)
    lost = 100.0 * v + 200.0 * np.clip(v / 0.001, -1.0, 1.0)
    shown = x[fine // 2 :: fine, None]
    through = DriveTransfer([Transfer(friction=friction)], PERIOD)
    _, found = through.correct(shown, np.zeros_like(shown))
    inner = slice(through.before, len(shown) - through.after)
    sections = butter(4, 10.0, fs=1.0 / PERIOD, output="sos")

    def find_error(removed):
        error = sosfiltfilt(sections, removed - lost.reshape(-1, fine).mean(axis=1)[inner])[200:-200]
        return np.sqrt(np.mean(error**2))

    # of instants: 2.4 N
    assert find_error(lost[fine // 2 :: fine][inner]) > 4.0 * find_error(-found[:, 0])


def test_a_held_command_is_the_force_of_all_its_period():
    """Steps at random, shown at the end of each period; the two segments know nothing of each other."""
    held = np.random.default_rng(3).normal(size=(len(TIME), 6))
    settings = ValidationSettings(period=PERIOD, drives=DRIVES, transfers=(Transfer(0.5 * PERIOD),) * 6)
    log = InputValidator(settings).validation(DriveLog(TIME, course(TIME), held, "made"))
    log = replace(log, segment=(np.arange(len(log)) >= 700).astype(np.int64))
    acted = acting(log, settings)
    within = acting_within_periods(log, acted, settings)
    place = np.searchsorted(log.time, acted.time)
    follows = np.append(np.diff(acted.segment) == 0, False)
    inner = np.flatnonzero(follows & np.roll(follows, -1))
    np.testing.assert_allclose(within[inner[:-1]], held[place[inner[:-1]] + 1], atol=1e-9)
    ends = np.flatnonzero(~follows)
    np.testing.assert_array_equal(within[ends], acted.force[ends])


def test_forces_within_periods_of_unknown_drives_are_means_of_ends():
    settings = ValidationSettings(period=PERIOD, drives=DRIVES)
    log = InputValidator(settings).validation(DriveLog(TIME, course(TIME), pull(TIME), "made"))
    within = acting_within_periods(log, log, settings)
    np.testing.assert_allclose(within[:-1], 0.5 * (log.force[1:] + log.force[:-1]))
