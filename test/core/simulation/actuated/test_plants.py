# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Actuators under whole machines: against the analytic hexapod, and linearised against `pkm modes`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core.simulation.actuated.servos import ALL, LAG, SERVO
from scipy.integrate import solve_ivp
from scipy.signal import butter, dfreqresp, dlti, sosfiltfilt

from pkm_identification.control.drives import cascade
from pkm_identification.errors import SettingsError
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.actuators import Ideal, Motor, PositionLoop, Screw
from pkm_identification.mechanisms.hexapod.analysis.effective_mass import effective_mass
from pkm_identification.mechanisms.hexapod.dynamics.forward import forward_dynamics
from pkm_identification.mechanisms.hexapod.kinematics.inverse import strut_lengths
from pkm_identification.mechanisms.hexapod.kinematics.jacobian import jacobian
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody.kinematics import close_drives
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.rotation import matrix_from_vector
from pkm_identification.signals.power_density import harmonic
from pkm_identification.simulation.actuated.modes import modes
from pkm_identification.simulation.actuated.rig import Rig
from pkm_identification.simulation.actuated.subject import Subject
from pkm_identification.simulation.multibody.plant import MechanismPlant
from pkm_identification.simulation.plant import Plant
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate


def belt():
    """The belt machine without loops in its drives: commands are currents."""
    return replace(Machine.load("uf_belt"), control=None)


def test_a_push_is_that_of_the_analytic_machine():
    """Motors, belts and the platform in one system of equations, by SciPy: poses within 1e-6 m after 20 ms."""
    machine = belt()
    plant = Plant(machine, friction=False)
    holding = plant.holding_force()
    plant.set_force(holding)
    states, command = plant.actuated.bank.equilibrium(holding, plant.length)
    command = command + np.array([3.0, -1.0, 2.0, 0.0, -2.0, 1.0])
    for _ in range(20):
        plant.command(command, 1e-3)

    bodies = replace(machine, actuators=None)  # motors are in the actuators' own equations

    def change(t, y):
        turn = matrix_from_vector(y[3:6]) @ machine.home_rotation
        twist, inner = y[6:12], y[12:].reshape(6, -1)
        position, rotation = y[None, :3], turn[None]
        length = strut_lengths(machine, position, rotation)[0]
        rate = jacobian(machine, position, rotation)[0] @ twist
        parts = list(zip(machine.actuators, inner, command, length, rate, strict=True))
        force = np.array([actuator.force(*rest) for actuator, *rest in parts])
        acceleration = forward_dynamics(bodies, position, rotation, twist[None], force[None], friction=False)
        inside = np.concatenate([actuator.derivative(*rest) for actuator, *rest in parts])
        # rotation vectors stay below 1e-3: their rate is the angular velocity to second order
        turning = twist[3:] - 0.5 * np.cross(y[3:6], twist[3:])
        return np.concatenate([twist[:3], turning, np.ravel(acceleration), inside])

    start = np.concatenate([machine.home_position, np.zeros(9), states[:, :2].ravel()])
    exact = solve_ivp(change, (0.0, 0.02), start, "DOP853", rtol=1e-7, atol=1e-10).y[:, -1]
    state = plant.state
    assert np.linalg.norm(exact[:3] - machine.home_position) > 1e-5
    np.testing.assert_allclose(state.position, exact[:3], atol=1e-6)
    np.testing.assert_allclose(state.twist, exact[6:12], atol=2e-4)

    mechanism = Mechanism.from_machine(machine)
    other = MechanismPlant(mechanism, friction=False)
    other.set_force(other.holding_force())
    for _ in range(20):
        other.command(command, 1e-3)
    np.testing.assert_allclose(other.coordinate, state.length, atol=1e-6)


def transition(subject, period=1e-3, size=1e-6):
    """d(state after a period) / d(state before) of the simulated machine, commands held: shape (K, K)."""
    mechanism, home = subject.mechanism, subject.home
    plant = MechanismPlant(mechanism, friction=False)
    drives, count = plant.actuated, len(home)
    inner = [len(actuator.state_names) for actuator in subject.actuators]
    columns = []

    def after(k, step):
        place, rate = home.copy(), np.zeros(count)
        plant.reset()
        plant.set_force(plant.holding_force())
        hold, states = drives.command, drives.states.copy()
        if k < count:
            place[k] += step
        elif k < 2 * count:
            rate[k - count] += step
        plant.reset(close_drives(mechanism, place[None]).configuration[0], rate)
        drives.states[:] = states
        drives._drives.command[:] = hold
        if k >= 2 * count:
            i, j = divmod(k - 2 * count, inner[0])
            drives.states[i, j] += step * (1e3 if j == inner[0] - 1 and inner[0] == 3 else 1.0)
        plant.command(hold, period)
        return np.concatenate([plant.coordinate, plant.state.rate, drives.states[:, : inner[0]].ravel()])

    for k in range(2 * count + sum(inner)):
        scale = 1e3 if k >= 2 * count and inner[0] == 3 and (k - 2 * count) % 3 == 2 else 1.0
        columns.append((after(k, size) - after(k, -size)) / (2 * size * scale))
    return np.array(columns).T


@pytest.mark.slow
def test_an_arm_that_swings_on_its_oil_moves_as_inverse_dynamics_says():
    """Loops that let a cylinder swing at 30 Hz and a metre a second: its force in the band of identification."""
    machine = load_machine("epaas_hydraulic")
    run = simulate(machine, "rich", 8.0, sensors=SensorSettings.perfect())
    c = {k: run.length[2 + k : len(run) - 2 + k] for k in range(-2, 3)}
    rate = (-c[2] + 8 * c[1] - 8 * c[-1] + c[-2]) / 12e-3
    acceleration = (-c[2] + 16 * c[1] - 30 * c[0] + 16 * c[-1] - c[-2]) / 12e-6
    assert np.std(rate[:, 2]) > 0.5
    needed = machine.compute_forces(machine.compute_motion(c[0], rate, acceleration), machine.basis.nominal)
    band = butter(4, 10.0, fs=1000.0, output="sos")
    given, needed = (sosfiltfilt(band, one[:, 3])[300:-300] for one in (run.truth.force[2:-2], needed))
    # with the dynamics at a period's end guessed from the period before it is 3 %
    assert np.std(given - needed) < 0.01 * np.std(needed)


def test_modes_are_the_eigenvalues_of_the_linearised_simulator():
    machine = belt()
    subject = Subject(Mechanism.from_machine(machine), machine.home_position, machine.home_rotation)
    made = modes(subject)
    values = np.log(np.linalg.eigvals(transition(subject)).astype(complex)) / 1e-3
    seen = np.sort(np.abs(values[values.imag > 100.0])) / (2 * np.pi)
    expected = np.sort([mode.natural for mode in made.modes])
    assert len(seen) == 6
    np.testing.assert_allclose(seen, expected, rtol=0.01)
    np.testing.assert_allclose([mode.share.sum() for mode in made.modes], 1.0)


def test_oil_modes_of_the_arm_are_those_of_mass_and_compliance():
    machine = Machine.load("uf_hydraulic")
    subject = Subject(Mechanism.from_machine(machine), machine.home_position, machine.home_rotation)
    made = modes(subject)
    oil = machine.actuators[0].oil_compliance
    expected = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.inv(made.mass) / oil).real)) / (2 * np.pi)
    np.testing.assert_allclose([mode.frequency for mode in made.modes], expected, rtol=1e-9)


def test_rigid_drives_have_no_modes():
    machine = replace(Machine.load("uf"), actuators=(Ideal(),) * 6)
    subject = Subject(Mechanism.from_machine(machine), machine.home_position, machine.home_rotation)
    with pytest.raises(SettingsError, match="no compliance in this file"):
        modes(subject)


def test_drives_switched_off_let_go_or_lock():
    """Oil behind closed valves holds the platform; motors without current let it fall."""
    dropped = {}
    for name in ("uf_hydraulic", "uf_belt"):
        plant = Plant(replace(Machine.load(name), control=None), friction=False)
        plant.set_force(plant.holding_force())
        plant.enable(False)
        before = plant.length
        for _ in range(30):
            plant.follow(before, before, 1e-3) if name == "uf_hydraulic" else plant.command(np.zeros(6), 1e-3)
        dropped[name] = np.abs(plant.length - before).max()
    assert dropped["uf_hydraulic"] < 1e-4 < 1e-3 < dropped["uf_belt"]


def test_a_delay_shorter_than_the_small_step_is_refused():
    with pytest.raises(SettingsError, match="shorter than the small step"):
        Rig([replace(SERVO, valve_delay=1e-5)], 5.0)


@pytest.mark.parametrize("valve", [SERVO, replace(SERVO, loop=PositionLoop(0.0, 0.29))])
def test_drives_that_nothing_controls_are_refused(valve):
    """One of six has a valve: forces mean nothing to it, wanted lengths nothing to the others."""
    plant = Plant(replace(Machine.load("uf"), actuators=(*[Ideal()] * 5, valve)), friction=False)
    before = plant.length
    with pytest.raises(SettingsError, match=r"drive 6 (takes a wanted coordinate|has a valve and nothing)"):
        plant.advance(plant.holding_force(), 1e-3)
    with pytest.raises(SettingsError, match="drive 1 takes a command in N"):
        plant.follow(before, before, 1e-3)
    np.testing.assert_array_equal(plant.length, before)


def test_stiff_limits_become_an_ideal_drive():
    """A lag of a microsecond is none: forces of a source and of the lag move a mass alike."""
    runs = []
    for actuator in (Ideal(500.0), replace(LAG, time_constant=1e-6)):
        run = Rig([actuator], 4.0).run(lambda t: np.array([60.0]), 0.02, 1e-3)
        runs.append(run.position[-1, 0])
    np.testing.assert_allclose(runs[1], runs[0], rtol=2e-4)
    assert runs[0] > 1e-3


@pytest.mark.slow
def test_a_second_of_random_commands_keeps_every_number_finite():
    rng = np.random.default_rng(3)
    rig = Rig(list(ALL), np.full(len(ALL), 3.0) * np.eye(len(ALL)))
    for _ in range(500):
        rig.advance(rng.normal(0.0, 20.0, len(ALL)), 2e-3)
    assert np.all(np.isfinite(rig.drives.states))


def cascade_by_hand(gains, inertia, constant, reference, count):
    """A cascade on a rigid motor, ticks of 1 ms and position ticks of 2 ms, motion between them exact."""
    angle = speed = last = total = rate = past = 0.0
    seen, queue = [], [0.0] * (gains["late"] + 1)
    for k in range(count):
        seen.append(angle)
        if k % 2 == 0:
            queue = [*queue[1:], gains["kv"] * (reference(k * 1e-3) - angle)]
            past, rate = rate, queue[0]
        error = rate - (angle - last) / 1e-3
        last = angle
        ahead = gains["fv"] * rate + gains["fa"] * (rate - past) / 2e-3
        wanted = gains["kp"] * error + total + gains["ki"] * 1e-3 * error + ahead
        if abs(wanted) <= gains["limit"] or wanted * error < 0:
            total += gains["ki"] * 1e-3 * error
        torque = constant * min(max(wanted, -gains["limit"]), gains["limit"]) / inertia
        angle += 1e-3 * speed + 0.5e-6 * torque
        speed += 1e-3 * torque
    return np.array(seen)


@pytest.mark.parametrize(("late", "size"), [(0, 0.5), (1, 0.5), (1, 50.0)])
def test_the_cascade_is_the_one_computed_by_hand(late, size):
    """Small steps that stay within the limits, and a large one that saturates: anti-windup included."""
    gains = {"kv": 20.0, "kp": 0.069, "ki": 2.93, "fv": 4.8e-4, "fa": 4.7e-5, "limit": 5.0, "late": late}
    settings = cascade.empty_settings(1)
    for place, value in (
        (cascade.POSITION_STEPS, 100), (cascade.VELOCITY_STEPS, 50), (cascade.STEP, 20e-6), (cascade.RATIO, 1.0),
        (cascade.POSITION_GAIN, 20.0), (cascade.RATE_LIMIT, np.inf), (cascade.CYCLES_LATE, late),
        (cascade.VELOCITY_GAIN, 0.069), (cascade.VELOCITY_INTEGRAL, 2.93), (cascade.VELOCITY_FEED, 4.8e-4),
        (cascade.ACCELERATION_FEED, 4.7e-5), (cascade.CURRENT_LIMIT, 5.0),
    ):  # fmt: skip
        settings[0, place] = value
    motor = Screw(Motor(0.0302, 1.0, 5.0), 2.27e-5)
    rig = Rig([motor], 0.0, controls=settings)
    seen = []
    for k in range(200):
        seen.append(rig.drives.coordinate[0])
        wanted = np.array([size * np.sin(30 * k * 1e-3)])
        rig.follow(wanted, np.array([size * np.sin(30 * (k + 1) * 1e-3)]), 1e-3)
    expected = cascade_by_hand(gains, 2.27e-5, 0.0302, lambda t: size * np.sin(30 * t), 200)
    np.testing.assert_allclose(seen, expected, atol=1e-9 * size)


@pytest.mark.parametrize("frequency", [4.0, 60.0])
def test_a_cascade_has_the_response_of_its_sampled_linear_system(frequency):
    """Position P and velocity PI each millisecond on a rigid motor, against scipy.signal's response of the loop."""
    period, kv, kp, ki, inertia, constant = 1e-3, 40.0, 0.069, 2.93, 2.27e-5, 0.0302
    settings = cascade.empty_settings(1)
    for place, value in (
        (cascade.POSITION_STEPS, 50), (cascade.VELOCITY_STEPS, 50), (cascade.STEP, 20e-6), (cascade.RATIO, 1.0),
        (cascade.POSITION_GAIN, kv), (cascade.RATE_LIMIT, np.inf), (cascade.VELOCITY_GAIN, kp),
        (cascade.VELOCITY_INTEGRAL, ki), (cascade.CURRENT_LIMIT, 50.0),
    ):  # fmt: skip
        settings[0, place] = value
    rig = Rig([Screw(Motor(constant, 1.0, 50.0), inertia)], 0.0, controls=settings)
    size, seen, times = 0.02, [], period * np.arange(1500)
    for t in times:
        seen.append(rig.drives.coordinate[0])
        now, then = (np.array([size * np.sin(2 * np.pi * frequency * at)]) for at in (t, t + period))
        rig.follow(now, then, period)

    # states: angle, speed, angle before, the velocity loop's sum; input: wanted angle
    error, wish = np.array([-kv - 1 / period, 0.0, 1 / period, 0.0]), kv
    summed = np.array([0.0, 0.0, 0.0, 1.0]) + ki * period * error
    current, current_wish = kp * error + summed, kp * wish + ki * period * wish
    push = constant / inertia * np.array([0.5 * period**2, period])
    matrix = np.array([[1.0, period, 0, 0], [0, 1.0, 0, 0], [1.0, 0, 0, 0], summed])
    matrix[:2] += np.outer(push, current)
    entry = np.array([[push[0] * current_wish], [push[1] * current_wish], [0.0], [ki * period * wish]])
    loop = dlti(matrix, entry, np.array([[1.0, 0, 0, 0]]), np.zeros((1, 1)), dt=period)
    _, expected = dfreqresp(loop, [2 * np.pi * frequency * period])
    settled = times >= 0.9995  # whole periods of each frequency
    found = harmonic(times[settled], np.array(seen)[settled], frequency) / size
    assert np.abs(np.linalg.eigvals(matrix)).max() ** 1000 < 1e-9
    assert found == pytest.approx(complex(expected[0]), abs=1e-6)


def test_what_drives_feel_over_poses_is_what_modes_say_at_home():
    machine = Machine.load("uf_belt")
    felt = effective_mass(machine, machine.home_position[None], machine.home_rotation[None])
    subject = Subject(Mechanism.from_machine(machine), machine.home_position, machine.home_rotation)
    made = modes(subject)
    behind = machine.actuators[0].inertia_behind
    np.testing.assert_allclose(felt.mass[0] - behind, np.diag(made.mass), rtol=1e-9)
    np.testing.assert_allclose(felt.lowest[0], made.modes[0].frequency, rtol=1e-9)
