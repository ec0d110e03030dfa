# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The controller over machines of every kind: what its law asks for, what it believes, and motions in the loop."""

from __future__ import annotations

import numpy as np
import pytest
from core.machines.every_machine import AS_MULTIBODY, EVERY, machine, smooth_motion

from benchmarks.field.parallel_machines import rss
from pkm_identification.control.controller import MachineController
from pkm_identification.control.inverse_dynamics import InverseDynamics
from pkm_identification.control.limits import LimitSettings, MotionLimits
from pkm_identification.control.model import EstimateReader, EstimateRefused
from pkm_identification.control.motions import SUCCESSFUL, Motion
from pkm_identification.control.paths.joint_waypoints import joint_waypoints
from pkm_identification.control.settings import ControllerSettings
from pkm_identification.errors import MotionRefused, SettingsError
from pkm_identification.machines.capabilities import PlatformPose, has
from pkm_identification.machines.load import read_machine
from pkm_identification.machines.motions import compute_accelerated_motion
from pkm_identification.mechanisms.friction import friction_force
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.simulator import Simulator

MOVED = ("mast", "four-bar", "pus", "serial_arm", "arm_7", AS_MULTIBODY)
FORCED = [name for name in EVERY if not machine(name).place_drives]


@pytest.mark.parametrize("name", FORCED)
def test_forces_of_other_accelerations_are_those_of_the_mass_matrix(name):
    one = machine(name)
    motion = smooth_motion(one, count=3)[:1]
    values = one.basis.nominal
    acceleration = motion.acceleration + np.array([np.zeros(len(one.drives)), [d.size for d in one.drives]])
    mass, bias = one.compute_mass_and_bias(motion, values)
    friction = [friction_force(motion.rate[0, i : i + 1], law)[0] for i, law in enumerate(one.friction)]
    expected = acceleration @ mass[0].T + bias[0] + friction
    found = InverseDynamics(one).compute_accelerated(motion, acceleration, values)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8 * one.force_size.max())
    moved = compute_accelerated_motion(one, motion, acceleration)
    again = one.compute_motion(moved.coordinate, moved.rate, acceleration, motion.state)
    for part, other in zip(moved.state, again.state, strict=True):
        np.testing.assert_allclose(part, other, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("name", ["mast", "delta", "uf"])
def test_an_estimate_of_another_machine_is_refused(name):
    one = machine(name)
    reader, known = EstimateReader(one), one.build_parameter_set(one.parameter_sets[0])
    given = (known.names, known.nominal, np.ones(len(known.names)), np.ones(len(known.names), dtype=bool))
    motion = smooth_motion(one)
    dynamics = InverseDynamics(one)
    found = dynamics.compute(motion, reader.basis(one.hash, *given))
    expected = dynamics.compute(motion, one.basis.nominal)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8 * one.force_size.max())
    with pytest.raises(EstimateRefused, match="is of the machine description 1234"):
        reader.basis("1234", *given)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "mode"), [*((one, "computed_torque") for one in MOVED), ("four-bar", "pid"), ("arm_7", "pid")]
)
def test_a_machine_off_its_file_is_moved_there_and_back(name, mode):
    one = machine(name)
    simulator = Simulator(perturb_machine(one, 1), None, nominal=one, seed=1)
    controller = MachineController(one, simulator.period, ControllerSettings(mode=mode))
    size = np.array([drive.size for drive in one.drives])
    away = one.home + 0.1 * size * np.cos(np.arange(len(size)))
    points = joint_waypoints(
        one, np.array([0.15, 0.3]), np.array([away, one.home]), np.full((2, len(size)), np.nan)
    )
    motion, farthest = Motion(points), np.zeros(len(size))
    for k in range(1500):
        sample = simulator.measure()
        if k == 5:
            controller.submit(motion)
        command = controller.step(1.0 + sample.time, sample.length)
        farthest = np.maximum(farthest, np.abs(sample.length - one.home))
        if motion.outcome is not None:
            break
        simulator.command_forces(command.force)
        simulator.advance()
    assert motion.outcome is not None
    assert motion.outcome.code == SUCCESSFUL, motion.outcome.text
    assert (farthest > 0.5 * np.abs(away - one.home)).all()


def test_what_a_machine_is_not_is_said_in_one_line():
    plain = machine("five_bar")
    with pytest.raises(SettingsError, match=r"mode 'workspace': needs a platform .*'five-bar'"):
        MachineController(plain, 1e-3, ControllerSettings(mode="workspace"))
    for name, why in (("epaas_hydraulic", "'hydraulic' drives"), ("uf_belt", "'control'")):
        controller = MachineController(machine(name), 1e-3, ControllerSettings())
        assert controller.mode == "position"
        with pytest.raises(SettingsError, match=f"mode 'pid': .*{why}.*no other than 'position'"):
            controller.mode = "pid"


def test_a_turn_too_many_is_no_place_of_a_platform():
    one = read_machine(rss() | {"pose": "platform"})
    assert has(one, PlatformPose)
    with pytest.raises(MotionRefused, match=r"waypoint 1: .* rad: "):
        joint_waypoints(one, np.ones(1), one.home[None] + 4 * np.pi * np.eye(6)[:1], np.full((1, 6), np.nan))


def test_a_drive_that_states_no_rate_crosses_its_range_three_times_a_second_at_most():
    one = machine("mast")
    limits = MotionLimits(one, LimitSettings())
    motion = smooth_motion(one)
    assert limits.check(motion, np.zeros(len(motion))) is None
    fast = one.compute_motion(
        motion.coordinate, motion.rate + np.array([0.95, 0.0, 0.0]), motion.acceleration
    )
    found = limits.check(fast, np.zeros(len(motion)))
    assert (found.limit, found.drive.name) == ("rate", "length_1")
    assert found.allowed == pytest.approx(3 * 0.3)


# without one whose whole motion is smaller than the limit
SERVO_MACHINES = [name for name in EVERY if machine(name).place_drives and name != "epaas_testrig"]


def follow_late(name, lag, blocked=False):
    """Return a controller whose drives follow a motion with lags in s; blocked: one does not."""
    one, period = machine(name), 1e-3
    controller = MachineController(one, period, ControllerSettings())
    size = np.array([drive.size for drive in one.drives])
    away = one.home + 0.3 * size * np.cos(np.arange(len(size)))
    time = 1.6 * max(
        np.abs(away - one.home) / [min(drive.rate_limit, 10 * drive.size) for drive in one.drives]
    )
    points = joint_waypoints(one, np.array([time]), away[None], np.full((1, len(size)), np.nan))
    furthest = int(np.argmax(np.abs(away - one.home) / controller.following.limit))
    motion, measured, farthest = Motion(points), one.home.copy(), 0.0
    for k in range(round((time + 2.0) / period)):
        if k == 5:
            controller.submit(motion)
        command = controller.step(1.0 + k * period, measured)
        if motion.outcome is not None:
            break
        step = (command.coordinate - measured) * -np.expm1(-period / lag)
        if blocked:
            step[furthest] = 0.0
        measured = measured + step
        farthest = max(farthest, np.max(np.abs(command.coordinate - measured) / controller.following.limit))
    return controller, motion, farthest


@pytest.mark.parametrize("name", SERVO_MACHINES)
def test_servos_that_lag_are_not_stopped_by_the_default_limit(name):
    lag = np.random.default_rng(sum(name.encode())).uniform(0.04, 0.06, len(machine(name).drives))
    controller, motion, farthest = follow_late(name, lag)
    assert controller.trouble is None
    assert motion.outcome.code == SUCCESSFUL, motion.outcome.text
    assert farthest > 1.0  # what would be an error of a drive without a lag


@pytest.mark.parametrize("name", SERVO_MACHINES)
def test_a_servo_that_stands_still_is_stopped_all_the_same(name):
    controller, _, _ = follow_late(name, 0.05, blocked=True)
    reason, text = controller.trouble
    assert reason == "tracking"
    assert text.endswith("is allowed")
