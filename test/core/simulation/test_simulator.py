# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The whole simulated machine: repeatable, obedient, honest about its limits."""

from __future__ import annotations

import numpy as np
import pytest
from core.mechanisms.hexapod.machine_variants import BUILTIN, changed, document, machine
from core.simulation.simulated import relative_rms
from scipy.spatial.transform import Rotation

from pkm_identification.control.pid import ControlSettings
from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths, strut_motion_from_platform
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.recording import RAW_COLUMNS
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import Simulator, simulate
from pkm_identification.simulation.trajectories import trajectory

pytestmark = pytest.mark.slow


def home_lengths(made: Machine) -> np.ndarray:
    return strut_lengths(made, made.home_position[None], made.home_rotation[None])[0]


def test_same_seed_same_log():
    logs = [simulate(Machine.load("uf"), "rich", 2.0, seed=seed).raw() for seed in (3, 3, 4)]
    np.testing.assert_array_equal(logs[0], logs[1])
    # the drives do not feel the noise of the current sensors
    np.testing.assert_array_equal(logs[0][:, 1:7], logs[2][:, 1:7])
    assert (logs[0][:, 7:] != logs[2][:, 7:]).mean() > 0.5


def test_reset_starts_over():
    simulator = Simulator(Machine.load("uf"), "rich")
    first = [simulator.step() for _ in range(700)]
    simulator.reset()
    for sample in first:
        again = simulator.step()
        assert again.time == sample.time
        np.testing.assert_array_equal(again.counts, sample.counts)
        np.testing.assert_array_equal(again.current, sample.current)


def test_run_is_many_steps():
    made = Machine.load("hexel")
    stepping, running = (Simulator(made, trajectory("x", made, 2.0)) for _ in range(2))
    samples = [stepping.step() for _ in range(1500)]
    recording = running.run(1.5)
    np.testing.assert_array_equal(recording.counts, [sample.counts for sample in samples])
    np.testing.assert_array_equal(recording.current, [sample.current for sample in samples])
    np.testing.assert_array_equal(recording.truth.length[-1], stepping.truth.length)
    assert not running.finished
    rest = running.run()
    assert rest.time[0] == 1.5
    assert rest.time[-1] == pytest.approx(2.0)
    assert running.finished


def test_log_in_counts_and_in_si_units():
    made = Machine.load("uf")
    recording = simulate(made, "rich", 2.0, sensors=SensorSettings(stamp_jitter=2e-5))
    raw = recording.raw()
    assert RAW_COLUMNS[:2] == ("t", "enc_1")
    assert RAW_COLUMNS[-1] == "cur_6"
    assert raw.shape == (2001, len(RAW_COLUMNS))
    log = recording.log()
    assert (np.diff(log.time) > 0).all()
    drive = made.drive
    np.testing.assert_allclose(
        log.length, drive.length_at_zero + raw[:, 1:7] / drive.counts_per_meter, rtol=1e-14
    )
    np.testing.assert_allclose(log.force, raw[:, 7:] * drive.force_per_ampere, rtol=1e-14)
    assert np.abs(log.length - recording.truth.length).max() < 0.6 / drive.counts_per_meter
    noise = (log.force - recording.truth.force).std(axis=0)
    size = np.sqrt(np.mean(recording.truth.force**2, axis=0))
    assert (noise > 0.003 * size).all()
    assert (noise < 0.05 * size).all()


@pytest.mark.parametrize("name", ["ford", "uf"])
def test_perturbed_machine_follows_and_obeys_its_own_dynamics(name):
    nominal = Machine.load(name)
    true = perturb_machine(nominal, 7)
    motion = trajectory("rich", nominal, 3.0)
    recording = Simulator(true, motion, nominal=nominal).run()
    wanted, _, _ = strut_motion_from_platform(nominal, motion.motion(recording.truth.motion.time))
    assert np.abs(recording.truth.length - wanted).max() < 0.001
    force = recording.truth.force
    own = relative_rms(strut_forces(true, recording.truth.motion) - force, force)
    others = relative_rms(strut_forces(nominal, recording.truth.motion) - force, force)
    assert own < 0.005
    assert others > 0.01  # there is something to identify
    assert recording.loop_gap < 1e-6


def test_exact_feed_forward_leaves_nothing_to_the_loops():
    made = Machine.load("hexel")
    motion = trajectory("rich", made, 3.0)
    wanted, _, _ = strut_motion_from_platform(made, motion.motion(1e-3 * np.arange(3001)))
    errors = []
    for control in (ControlSettings(), ControlSettings(feed_forward=False)):
        run = Simulator(made, motion, control=control, sensors=SensorSettings.perfect()).run()
        errors.append(np.abs(run.truth.length - wanted).max())
    assert errors[0] < 1e-6  # m; a force late by one sample would give 2e-5
    assert errors[1] > 1e-4


@pytest.mark.parametrize("name", BUILTIN)
def test_falls_with_the_drives_off(name):
    made = Machine.load(name)
    recording = simulate(made, "free", sensors=SensorSettings.perfect())
    assert not recording.force.any()
    assert not recording.truth.resistance.any()
    needed = strut_forces(made, recording.truth.motion, friction=False)
    held = strut_forces(made, trajectory("rest", made).motion([0.0]), friction=False)
    assert np.abs(needed).max() < 1e-9 * np.abs(held).max()
    low, high = made.length_limits
    assert recording.truth.length.min() > low
    assert recording.truth.length.max() < high
    fallen = made.home_position[2] - recording.truth.motion.position[-1, 2]
    time = recording.time[-1]
    assert fallen == pytest.approx(
        0.5 * 9.81 * time**2, rel=0.6
    )  # struts swing along, their weight helps or not


def test_forces_stay_within_the_drives_limit():
    weak = changed("hexel", drive__motor__force_limit=260.0)  # 236 N hold it
    made = machine(weak)
    strong_motion = trajectory("rich", Machine.load("hexel"), 2.5)
    simulator = Simulator(made, strong_motion, sensors=SensorSettings.perfect())
    saturated = False
    forces = []
    for _ in range(2500):
        forces.append(simulator.step().force)
        saturated |= bool(simulator.saturated.any())
    assert saturated
    assert np.abs(forces).max() == pytest.approx(260.0)
    # and it comes back once the motion is over: the integral has not wound up
    simulator.run(2.0)
    assert np.abs(simulator.truth.length - home_lengths(made)).max() < 1e-4


@pytest.mark.parametrize("name", ["ford", "uf"])
def test_goes_to_poses_and_lengths(name):
    nominal = Machine.load(name)
    simulator = Simulator(perturb_machine(nominal, 3), nominal=nominal)
    assert np.abs(simulator.run(0.3).truth.rate).max() < 1e-4  # holds where it starts
    position = nominal.home_position + np.array([0.015, -0.01, 0.02])
    rotation = Rotation.from_rotvec([0.04, -0.03, 0.05]).as_matrix() @ nominal.home_rotation
    simulator.command_pose(position, rotation)
    recording = simulator.run(3.0)
    np.testing.assert_allclose(simulator.truth.position, position, atol=2e-5)
    np.testing.assert_allclose(simulator.truth.rotation, rotation, atol=1e-4)
    assert np.abs(recording.truth.rate).max() < 0.5 * nominal.rate_limit
    simulator.command_lengths(home_lengths(nominal))
    simulator.run(3.0)
    np.testing.assert_allclose(simulator.truth.position, nominal.home_position, atol=2e-5)


def test_streamed_lengths_are_followed_without_lag():
    simulator = Simulator(Machine.load("hexel"))
    start = simulator.truth.length.copy()
    errors = []
    for k in range(3000):
        if k % 10 == 0:
            time = simulator.time
            swing = 0.01 * np.sin(np.pi * time)
            simulator.command_lengths(start + swing, np.full(6, 0.01 * np.pi * np.cos(np.pi * time)))
        simulator.step()
        errors.append(simulator.truth.length - start - 0.01 * np.sin(np.pi * simulator.truth.time))
    assert np.abs(errors[1000:]).max() < 2e-4
    simulator.run(2.5)  # the stream ends: so does the motion
    assert np.abs(simulator.truth.rate).max() < 1e-4


@pytest.mark.parametrize(
    ("length", "rate", "words"),
    [
        ([0.4] * 5, None, "6 coordinates"),
        ([0.4] * 6, [0.0] * 5, "6 coordinates"),
        ([0.4] * 5 + [np.nan], None, "not finite"),
        ([0.4] * 5 + [0.8], None, r"drive 6: 0.8000 m is outside the limits \[0.3, 0.55\]"),
    ],
)
def test_impossible_commands_are_refused(length, rate, words):
    simulator = Simulator(Machine.load("uf"))
    with pytest.raises(ValueError, match=words):
        simulator.command_lengths(length, rate)
    assert np.abs(simulator.run(0.2).truth.rate).max() < 1e-3


def test_switching_off_and_on():
    made = Machine.load("hexel")
    simulator = Simulator(made)
    simulator.run(0.1)
    simulator.enable(False)
    assert not simulator.enabled
    fallen = simulator.run(1.5)
    assert not fallen.truth.force.any()
    assert fallen.truth.length.max() < made.length_limits[1] + 0.005
    simulator.enable(True)
    simulator.command_pose(made.home_position, made.home_rotation)
    simulator.run(2.5)
    np.testing.assert_allclose(simulator.truth.position, made.home_position, atol=2e-5)
    simulator.follow(trajectory("x", made, 2.0))
    recording = simulator.run()
    assert np.ptp(recording.truth.motion.position[:, 0]) > 0.02


def test_trajectories_start_where_the_machine_is():
    made = Machine.load("hexel")
    simulator = Simulator(made)
    simulator.command_pose(made.home_position + np.array([0.0, 0.0, 0.02]), made.home_rotation)
    simulator.run(2.0)
    with pytest.raises(ValueError, match="starts at home"):
        simulator.follow(trajectory("rich", made, 5.0))
    with pytest.raises(ValueError, match="give a duration"):
        simulator.run()


def test_a_machine_file_without_drives():
    plain = document("uf")
    del plain["drive"]
    recording = simulate(machine(plain), "x", 2.0)
    assert len(recording) == 2001
    assert np.abs(recording.length - recording.truth.length).max() < 1e-6
    assert np.abs(recording.force - recording.truth.force).max() < 30


@pytest.mark.parametrize("wrong", [{"bandwidth": 0.0}, {"integral_time": -1.0}, {"damping": np.inf}])
def test_impossible_control_settings(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ControlSettings(**wrong)
