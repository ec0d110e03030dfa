# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Machines with drives that have states: simulated time, tests, and single drives beside peers on the same equations.

A servo's step stands beside SciPy's stiff integrators, a soft shaft beside python-control's response of the linear
system, a force that lags beside MuJoCo's own actuator. Tests are what `pkm step` of `uf_hydraulic` and `pkm response`
of the 3PRS table on its printed axes do, in processor time; so are steps of the EPAAS, whole and with its mass frozen.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any

import control
import mujoco
import numpy as np
from scipy.integrate import solve_ivp

from pkm_identification.mechanisms.actuators import FirstOrder, Motor, TwoInertia
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody import dynamics
from pkm_identification.mechanisms.multibody.kinematics import at_rest
from pkm_identification.reproduction.machielsen1983.steps import servo_of
from pkm_identification.simulation.actuated.frequency_response import response
from pkm_identification.simulation.actuated.modes import mass_of_drives
from pkm_identification.simulation.actuated.rig import Rig
from pkm_identification.simulation.actuated.step_test import step_answer
from pkm_identification.simulation.actuated.subject import Subject
from pkm_identification.simulation.simulator import Simulator

from .results import Effort, Findings, Item, Peer, agree
from .timing import Case, interleaved

SAMPLES = 50
MASS, STEP, DURATION = 5.1, 0.3, 0.03  # kg, V, s
PERIOD = 1e-3  # s
FREQUENCIES = 5  # of a response, .4 to 10 Hz
ROBOT_STEP = 0.06  # s
EXACT = 2.5e-4  # s between evaluations of the arm
# s of processor time for a millisecond: twice real time with states, as fast as without for ideal drives
BUDGETS = {"uf_hydraulic": 0.5e-3, "uf_belt": 0.5e-3, "uf": None}


def measure(machine: Machine, effort: Effort, findings: Findings) -> None:
    simulators = {name: Simulator(Machine.load(name), "rich") for name in BUDGETS}

    def moving(simulator: Simulator) -> None:
        for _ in range(SAMPLES):
            simulator.step()

    cases = [Case(name, partial(moving, simulator), SAMPLES) for name, simulator in simulators.items()]
    timings = interleaved(cases, effort.rounds)
    for name, budget in BUDGETS.items():
        findings.items.append(Item(f"a simulated millisecond of {name}", timings[name], budget))
    _servo(effort, findings)
    _shaft(effort, findings)
    _lag(effort, findings)
    _tests(findings)
    _robot(effort, findings)


def _tests(findings: Findings) -> None:
    servos, table = Subject.load("uf_hydraulic"), Subject.load("mast_belt")
    cases = [
        Case("step", partial(step_answer, servos, "z", 2e-3, 0.3)),
        Case("response", partial(response, table, "z", np.geomspace(0.4, 10.0, FREQUENCIES).tolist(), 2e-3)),
    ]
    timings = interleaved(cases, 1, time.process_time)
    note = "processor time, once"
    for name, words, budget in (
        ("step", "a step of uf_hydraulic along z, 0.3 s", 3.0),
        ("response", f"response of mast_belt along z at {FREQUENCIES} frequencies", 30.0),
    ):
        findings.items.append(Item(words, timings[name], budget, note=note))


def _robot(effort: Effort, findings: Findings) -> None:
    """The EPAAS at start-up, a step of its L3: five joints, five servos of three states, nine delays."""
    robot = Subject.load("epaas_hydraulic")
    gain = servo_of(robot, 2).loop
    assert gain is not None
    wanted = robot.home + 0.4 / gain.sensor_gain * np.eye(len(robot.home))[2]
    actuators, mass = robot.actuators, mass_of_drives(robot)
    still = at_rest(robot.mechanism, robot.mechanism.home)
    frozen = Rig(actuators, mass, dynamics.forces(robot.mechanism, still)[0], robot.home)

    def at_once() -> None:
        frozen.reset()
        held = frozen.holding_command
        frozen.run(lambda _: held + 0.4 * np.eye(len(actuators))[2], ROBOT_STEP, PERIOD)

    def places(period: float) -> np.ndarray:
        place = robot.run(lambda _: wanted, ROBOT_STEP, period).drive
        return (place - place[0])[:: round(PERIOD / period)]

    text = agree("against short ones", places(PERIOD), places(EXACT), 5e-4)
    cases = [
        Case("whole", partial(places, PERIOD)),
        Case("frozen", at_once),
    ]
    timings = interleaved(cases, max(3, effort.rounds // 4), time.process_time)
    note = "processor time"
    findings.items += [
        Item(
            "60 ms of the EPAAS, 25 states, steps of 20 us, arm each ms",
            timings["whole"],
            ROBOT_STEP / 5,
            agreement=text,
            note=note,
        ),
        Item("60 ms of its servos with nine delays, mass frozen", timings["frozen"], 50e-3, note=note),
    ]


def _shaft(effort: Effort, findings: Findings) -> None:
    """A soft shaft without friction under a current held over each period: linear, of four states."""
    mass, count = 4.0, 50
    shaft = TwoInertia(Motor(0.0302, 2 * np.pi * 15 / 0.07, 1e6), 2e-5, 3e-6, 2.0, 1e-3)
    times = PERIOD * np.arange(count + 1)
    current = 0.5 * np.sin(2 * np.pi * 30.0 * times)
    g, k_t = shaft.motor.ratio, shaft.motor.torque_constant
    first, second = shaft.motor_inertia * g**2, shaft.inertia + mass
    stiff, damped = shaft.stiffness * g**2, shaft.damping * g**2
    spring = np.array([[-stiff, stiff, -damped, damped], [stiff, -stiff, damped, -damped]])
    a = np.vstack([np.eye(4)[2:], spring / [[first], [second]]])
    linear = control.ss(a, np.array([[0.0], [0.0], [g * k_t / first], [0.0]]), np.eye(4)[:1], 0.0)
    rig = Rig([shaft], mass)

    def ours() -> np.ndarray:
        rig.reset()
        shown = []
        for value in current:
            shown.append(rig.drives.shown()[0])
            rig.advance(np.array([value]), PERIOD)
        return np.array(shown)

    def theirs() -> np.ndarray:
        held = control.sample_system(linear, PERIOD, method="zoh")
        return np.asarray(control.forced_response(held, times, current).outputs)

    text = agree("python-control", ours(), theirs(), 1e-4)
    timings = interleaved([Case("ours", ours), Case("theirs", theirs)], max(3, effort.rounds // 4))
    peer = Peer("python-control", timings["theirs"], "exact for linear systems alone; sampled and answered")
    findings.items.append(Item("51 ms of a soft shaft", timings["ours"], None, (peer,), text))


_LAG = """<mujoco><option timestep="{step}" gravity="0 0 0" integrator="implicitfast"/><worldbody><body>
<joint name="slide" type="slide" axis="1 0 0"/><geom type="sphere" size=".1" mass="{mass}"/></body></worldbody>
<actuator><general joint="slide" dyntype="filterexact" dynprm="{lag}" gainprm="1"/></actuator></mujoco>"""


def _lag(effort: Effort, findings: Findings) -> None:
    """A force that lags by 3 ms on 4 kg, in small steps of 20 us; MuJoCo has it as an actuator of its own."""
    mass, lag, count, small = 4.0, 3e-3, 60, 20e-6
    command = 50.0 * np.sin(2 * np.pi * 20.0 * PERIOD * np.arange(count))
    rig = Rig([FirstOrder(time_constant=lag)], mass)
    model = mujoco.MjModel.from_xml_string(_LAG.format(step=small, mass=mass, lag=lag))
    data = mujoco.MjData(model)

    def ours() -> np.ndarray:
        rig.reset()
        place = []
        for value in command:
            rig.advance(np.array([value]), PERIOD)
            place.append(rig.drives.coordinate[0])
        return np.array(place)

    def theirs() -> np.ndarray:
        mujoco.mj_resetData(model, data)
        place = []
        for value in command:
            data.ctrl[0] = value
            mujoco.mj_step(model, data, nstep=round(PERIOD / small))
            place.append(data.qpos[0])
        return np.array(place)

    text = agree("MuJoCo", ours(), theirs(), 1e-2)
    timings = interleaved([Case("ours", ours), Case("theirs", theirs)], max(3, effort.rounds // 4))
    peer = Peer("MuJoCo", timings["theirs"], "its own actuator, steps of 20 us of first order")
    findings.items.append(Item("60 ms of a force that lags", timings["ours"], None, (peer,), text))


def _servo(effort: Effort, findings: Findings) -> None:
    """The test set-up without its delays, which SciPy's integrators do not know."""
    shipped = servo_of(Subject.load("epaas_testrig"), 0)
    assert shipped.loop is not None
    servo = replace(shipped, valve_delay=0.0, loop=replace(shipped.loop, sensor_delay=0.0))
    start, command = servo.equilibrium(0.0)
    wanted, times = command - STEP, PERIOD * np.arange(1, round(DURATION / PERIOD) + 1)

    def change(t: float, y: np.ndarray) -> np.ndarray:
        state, x, v = y[:-2], y[-2], y[-1]
        signal = servo.signal(wanted, x)
        moved = [v, servo.force(state, signal, x, v) / MASS]
        return np.concatenate([servo.derivative(state, signal, x, v), moved])

    def ours() -> np.ndarray:
        run = Rig([servo], MASS).run(lambda t: np.array([wanted]), DURATION, PERIOD)
        return np.interp(times, run.time, run.position[:, 0])

    def theirs(method: Any, tolerance: float) -> np.ndarray:
        first = np.concatenate([start, [0.0, 0.0]])
        made = solve_ivp(change, (0.0, DURATION), first, method, times, rtol=tolerance, atol=tolerance * 1e-3)
        return np.asarray(made.y[-2])

    exact = theirs("Radau", 1e-10)
    text = [agree("ours", ours(), exact, 1e-4)]
    cases = [Case("ours", ours)]
    for method in ("Radau", "LSODA"):
        text.append(agree(method, theirs(method, 1e-5), exact, 1e-2))
        cases.append(Case(method, partial(theirs, method, 1e-5)))
    timings = interleaved(cases, max(3, effort.rounds // 4))
    peers = tuple(
        Peer(
            f"SciPy {method}", timings[method], "relative tolerance 1e-5; the actuator's equations in Python"
        )
        for method in ("Radau", "LSODA")
    )
    findings.items.append(
        Item("30 ms of a hydraulic servo's step", timings["ours"], 25e-3, peers, ", ".join(text))
    )
