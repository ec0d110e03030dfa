# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The controller on a simulated machine: what it tracks, what it learns from an estimate, when it stops."""

from __future__ import annotations

import numpy as np
import pytest
from core.control.moved import Run, there_and_back, waypoints

from pkm_identification.control.laws.workspace import WorkspaceErrors
from pkm_identification.control.model import EstimateReader
from pkm_identification.control.motions import (
    LIMIT,
    PATH_TOLERANCE,
    STOPPED,
    SUCCESSFUL,
    Motion,
)
from pkm_identification.errors import PkmError
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.dynamics import (
    basis_parameters,
    strut_dynamics,
    strut_forces,
)
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.rotation import matrix_from_vector
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import Simulator
from pkm_identification.simulation.trajectories import trajectory

pytestmark = pytest.mark.slow

UF = Machine.load("uf")
WHOLE = load_machine(UF)
TRUE = perturb_machine(UF, 1)
HOME = strut_lengths(UF, UF.home_position[None], UF.home_rotation[None])[0]


def rich(name, duration):
    """A named motion as waypoints every 20 ms."""
    time = np.arange(0.0, duration + 1e-9, 0.02)
    motion = trajectory(name, UF, duration).motion(time)
    points = waypoints(
        UF, time, motion.position - UF.home_position, twist=motion.twist, acceleration=motion.acceleration
    )
    return type(points)(time, motion.position, motion.rotation, motion.twist, motion.acceleration)


def test_the_tracking_error_and_the_feedback_fall_once_the_estimate_arrives():
    """The purpose of it all: identified online from this controller's own motion, no truth used."""
    run = Run(TRUE, UF)
    pipeline = OnlinePipeline(UF)
    reader = EstimateReader(WHOLE)
    before = run.follow(rich("rich2", 3.0))
    motion = Motion(rich("rich", 6.0))
    run.controller.submit(motion)
    while motion.outcome is None:
        sample = run.simulator.measure()
        run.simulator.command_forces(run.controller.step(100.0 + sample.time, sample.length).force)
        run.simulator.advance()
        pipeline.step(100.0 + sample.time, sample.length, sample.force)
        if round(sample.time / 1e-3) % 100 == 0:
            estimate = pipeline.estimate
            if estimate.count:
                shown = np.array([status != "unidentifiable" for status in estimate.status])
                basis = reader.basis(UF.hash, estimate.names, estimate.values, estimate.std, shown)
                run.controller.take_estimate(basis)
    assert run.controller.model.accepted > 30
    after = run.follow(rich("rich2", 3.0))
    assert before.code == motion.outcome.code == after.code == SUCCESSFUL
    # 15 % wrong masses and friction; what is left is quantisation and the errors of the estimate, some 1 %
    assert after.rms_error < 0.2 * before.rms_error
    assert after.rms_feedback < 0.4 * before.rms_feedback


def test_with_the_true_model_only_the_sensors_are_left():
    run = Run(TRUE, UF, sensors=SensorSettings.perfect())
    run.step(10)
    run.controller.take_estimate(basis_parameters(TRUE))
    run.step(3000)
    outcome = run.follow(there_and_back(UF))
    assert outcome.code == SUCCESSFUL
    # forces are ramps of 1 ms between samples: second order in the period
    assert outcome.max_error < 2e-6


def test_feedback_is_the_mass_matrix_times_the_error_dynamics():
    """u = M_L (w0^2 e + 2 D w0 e') + c_v w0 e for any error, M_L from the forward dynamics' own mass matrix."""
    run = Run(UF, UF)
    run.step(5)
    controller = run.controller
    law, setpoint = controller._law, controller.motions.follower.setpoint()
    rng = np.random.default_rng(0)
    omega = 2 * np.pi * 16.0
    mass = strut_dynamics(UF, *setpoint.now.state[:2]).mass[0]
    for _ in range(10):
        error, rate = 1e-4 * rng.normal(size=6), 1e-3 * rng.normal(size=6)
        forward, back = law.forces(setpoint, error, rate, basis_parameters(UF))
        wanted = mass @ (omega**2 * error + 1.6 * omega * rate) + UF.friction.viscous * omega * error
        np.testing.assert_allclose(back, wanted, rtol=1e-9)
        np.testing.assert_allclose(
            forward, strut_forces(UF, PlatformMotion(np.zeros(1), *setpoint.upcoming.state))[0], rtol=1e-12
        )


@pytest.mark.parametrize("mode", ["pid", "workspace"])
def test_pid_holds_and_moves_without_a_model(mode):
    run = Run(TRUE, UF, mode=mode, tracking_limit=0.01)
    assert run.follow(there_and_back(UF, 2.0)).code == SUCCESSFUL
    assert all(np.abs(command.feed_forward).max() == 0.0 for command in run.commands)


def test_workspace_control_acts_on_the_platform_s_error():
    """J^-1 (X_c - X) of a platform that is 4 mm and 10 mrad away, and nothing of poses that are none."""
    run = Run(UF, UF)
    run.step(5)
    setpoint = run.controller.motions.follower.setpoint()
    errors = WorkspaceErrors(WHOLE)
    away, turn = np.array([0.003, -0.002, 0.001]), np.array([0.004, 0.006, -0.007])
    there = setpoint.now.state
    position, rotation = there[0][0] + away, matrix_from_vector(turn) @ there[1][0]
    length = strut_lengths(UF, position[None], rotation[None])[0]
    wanted = jacobian(UF, position[None], rotation[None])[0] @ np.concatenate([-away, -turn])
    found = errors(setpoint, length)
    np.testing.assert_allclose(found, wanted, atol=1e-12)
    # the lengths' own errors are others, to second order
    assert 1e-6 < np.abs(found - (setpoint.coordinate - length)).max() < 1e-4
    assert np.isnan(errors(setpoint, setpoint.coordinate + 1.5 * np.eye(6)[2])).all()


def test_workspace_control_stops_where_the_platform_has_no_pose(monkeypatch):
    run = Run(UF, UF, mode="workspace")
    run.step(5)
    monkeypatch.setattr(run.controller, "_workspace", lambda setpoint, length: np.full(6, np.nan))
    run.step(2)
    assert run.controller.stop.reason == "no_pose"
    assert run.controller.stop.holding is not None
    assert np.isfinite(run.commands[-1].force).all()


def test_workspace_control_is_content_with_a_platform_that_comes_straight_home():
    """Moving by X' = k_p (X_c - X), the velocity loops ask for what friction takes at these rates, and no more."""
    run = Run(UF, UF, mode="workspace")
    run.step(5)
    controller = run.controller
    setpoint, loops = controller.motions.follower.setpoint(), controller._loops
    k_p = 2 * np.pi * 16.0 / 1.6
    away = np.array([0.002, -0.001, 0.0015, 0.003, 0.004, -0.002])
    error = jacobian(UF, *setpoint.now.state[:2])[0] @ away
    loops.error_rate = -k_p * error
    _, back = controller._forces("workspace", setpoint, error)
    np.testing.assert_allclose(back, UF.friction.viscous * k_p * error, rtol=1e-9)
    loops.error_rate = -0.5 * k_p * error
    _, slow = controller._forces("workspace", setpoint, error)
    assert np.all(slow * error > back * error)


def test_changing_the_mode_does_not_jump():
    run = Run(TRUE, UF, sensors=SensorSettings.perfect())
    run.controller.submit(Motion(there_and_back(UF, 2.0)))
    for mode in ("pid", "computed_torque", "workspace"):
        run.step(300)
        run.controller.mode = mode
    run.step(300)
    steps = np.abs(np.diff(run.forces, axis=0)).max(axis=1)
    changes = [steps[k - 1 : k + 2].max() for k in (300, 600, 900)]
    # a jump would be that of the weight and friction, tens of newtons
    assert max(changes) < 2.0 * np.median(steps[250:]) + 1.0
    with pytest.raises(ValueError, match="mode 'fuzzy'"):
        run.controller.mode = "fuzzy"


def test_a_known_delay_is_looked_ahead():
    """Commands that act 5 ms after their sample: the default bandwidth stands that, and the model comes in time."""
    run = Run(UF, UF, sensors=SensorSettings.perfect(), lead=5)
    late: list[np.ndarray] = []
    motion = Motion(there_and_back(UF, 1.0))
    for k in range(1400):
        sample = run.simulator.measure()
        late.append(run.controller.step(100.0 + sample.time, sample.length).force)
        run.simulator.command_forces(late[max(0, k - 4)])
        run.simulator.advance()
        if k == 100:
            run.controller.submit(motion)
    assert motion.outcome.code == SUCCESSFUL
    # without the look ahead the forces would be 4 ms late: 50 um
    assert motion.outcome.max_error < 5e-6


def test_taking_over_and_a_motion_start_without_a_bump():
    run = Run(TRUE, UF)
    run.step(500)
    lengths = np.array(run.lengths)
    assert np.abs(lengths - HOME).max() < 2e-4


def emergency(run, reason):
    assert run.controller.state == "emergency"
    assert run.controller.trouble[0] == reason
    return run.controller.safe()


WEIGHT = {
    "hold": lambda: strut_forces(UF, trajectory("rest", UF).motion(np.zeros(1)), friction=False)[0],
    "zero": lambda: np.zeros(6),
}


@pytest.mark.parametrize("safe", ["hold", "zero"])
def test_lost_samples_stop_the_machine_until_it_is_released(safe):
    run = Run(UF, UF, safe_command=safe)
    motion = Motion(there_and_back(UF, 4.0))
    run.step(5)
    controller = run.controller
    time = 100.0 + run.simulator.time
    assert controller.step(time + 0.099, HOME) is not None
    assert controller.state == "holding"  # 0.1 s are allowed
    controller.submit(motion)
    controller.step(time + 0.202, HOME)
    command = emergency(run, "lost_input")
    np.testing.assert_allclose(command.force, WEIGHT[safe](), atol=0.01)  # held where whole counts say
    np.testing.assert_array_equal(command.coordinate, HOME)
    assert motion.outcome.code == STOPPED
    with pytest.raises(PkmError, match="not back"):
        controller.release()
    with pytest.raises(PkmError, match="reset first"):
        controller.mode = "pid"
    refused = Motion(there_and_back(UF))
    controller.submit(refused)
    assert refused.outcome.code == STOPPED
    assert "lost" in refused.outcome.text
    for k in range(12):
        answer = controller.step(time + 0.3 + 1e-3 * k, HOME)
        np.testing.assert_array_equal(answer.force, command.force)
        assert answer.time == time + 0.3 + 1e-3 * k
    controller.release()
    assert controller.state == "waiting"
    assert controller.step(time + 0.4, HOME).force.any()
    assert controller.state == "holding"
    with pytest.raises(PkmError, match="no emergency"):
        controller.release()


def test_silence_is_an_emergency_only_once_the_machine_is_held():
    run = Run(UF, UF)
    run.controller.lost()
    assert run.controller.state == "waiting"
    assert run.controller.safe() is None
    run.step(2)
    run.controller.lost()
    emergency(run, "lost_input")


def test_a_clock_set_back_is_an_emergency():
    run = Run(UF, UF)
    run.step(20)
    for k in range(30):
        run.controller.step(50.0 + 1e-3 * k, HOME)
    emergency(run, "lost_input")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_an_input_that_is_not_finite_is_an_emergency(bad):
    run = Run(UF, UF)
    assert run.controller.step(99.0, np.full(6, bad)) is None
    assert run.controller.state == "waiting"  # a driver may need a moment
    run.step(5)
    run.controller.step(100.1, np.array([*HOME[:5], bad]))
    assert np.isfinite(emergency(run, "not_finite").force).all()


def test_single_bad_samples_are_passed_over():
    run = Run(UF, UF)
    run.step(50)
    time = 100.0 + run.simulator.time
    spike = HOME + np.array([0, 0.01, 0, 0, 0, 0])
    assert run.controller.step(time, spike) is None
    assert run.controller.validation.last_rejection[0] == "spike"
    assert run.controller.step(time - 1e-3, HOME) is None  # twice the same stamp
    assert run.controller.step(time + 1e-3, HOME) is not None
    assert run.controller.state == "holding"


def test_an_estimate_that_would_make_the_forces_jump_is_an_emergency():
    wild = basis_parameters(UF)
    wild[-6:] += 500.0  # N of Coulomb friction
    run = Run(UF, UF)
    run.controller.take_estimate(wild)  # nothing moves yet: nothing to compare
    run.controller.model.reset()
    motion = Motion(there_and_back(UF, 2.0))
    run.step(5)
    run.controller.submit(motion)
    run.step(400)
    run.controller.take_estimate(wild)
    emergency(run, "estimate_jump")
    assert "would change a strut's force by 500 N; allowed: 300 N" in run.controller.trouble[1]
    assert motion.outcome.code == STOPPED
    assert run.controller.model.accepted == 0
    run.controller.take_estimate(basis_parameters(UF))
    assert run.controller.model.accepted == 0
    patient = Run(UF, UF, estimate_jump=600.0)
    patient.step(5)
    patient.controller.submit(Motion(there_and_back(UF, 2.0)))
    patient.step(400)
    patient.controller.take_estimate(wild)
    assert patient.controller.state == "moving"


def test_a_strut_too_far_off_is_an_emergency_and_the_motion_says_so():
    run = Run(UF, UF, tracking_limit=5e-4)
    motion = Motion(there_and_back(UF, 2.0))
    run.step(5)
    run.controller.submit(motion)
    run.step(300)
    run.simulator.plant.set_force(np.zeros(6))
    run.simulator.command_forces(np.array([2500.0, 0, 0, 0, 0, 0]))  # somebody else drives
    for _ in range(200):
        sample = run.simulator.measure()
        run.controller.step(100.0 + sample.time, sample.length)
        run.simulator.advance()
    emergency(run, "tracking")
    assert motion.outcome.code == PATH_TOLERANCE
    assert " 0.0005 m is allowed" in motion.outcome.text


def test_forces_stay_within_the_drives_and_the_integral_does_not_wind_up():
    run = Run(UF, UF, tracking_limit=1.0, mode="pid")
    run.step(10)
    controller = run.controller
    off = HOME + 0.02
    for k in range(1, 1001):
        # the measured length stays away, whatever the force
        command = controller.step(100.02 + 1e-3 * k, HOME + (off - HOME) * min(k / 200, 1.0))
    assert np.abs(command.force).max() == 3000.0
    assert np.abs(controller._loops.integral).max() < 3200.0


def test_a_motion_beyond_the_identified_force_limit_is_refused():
    """Limits are looked at with the model believed, not with the machine file's."""
    heavy = basis_parameters(UF)
    heavy[-12:-6] *= 6.0
    points = waypoints(UF, [0.5], [[0.0, 0.0, -0.04]])
    run = Run(UF, UF)
    run.step(5)
    assert run.follow(points).code == SUCCESSFUL
    run.follow(waypoints(UF, [0.5], [[0.0, 0.0, 0.0]]))
    run.controller.take_estimate(heavy)
    motion = Motion(points)
    run.controller.submit(motion)
    run.step(30)
    assert motion.outcome.code == LIMIT
    assert "force limit: strut 4" in motion.outcome.text


def test_forces_from_outside_are_the_drives_forces():
    """The simulator's own controller, outside: the same machine, sample by sample."""
    inside, outside = (Simulator(TRUE, "z", nominal=UF, seed=3) for _ in range(2))
    for _ in range(800):
        outside.measure()
        sample = inside.step()
        outside.command_forces(inside.plant.force)
        outside.advance()
    np.testing.assert_array_equal(outside.truth.length, inside.truth.length)
    assert not outside.finished
    outside.enable(True)
    held = outside.truth.length
    for _ in range(500):
        sample = outside.step()
    assert np.abs(sample.length - held).max() < 0.01
    with pytest.raises(ValueError, match="finite"):
        outside.command_forces(np.full(6, np.nan))
