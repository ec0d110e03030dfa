"""Machines with drives that have states: a simulated second, and a servo's step beside SciPy's stiff integrators."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.reproduction.machielsen1983.actuators import TEST_SERVO
from pkm_identification.simulation.actuated.rig import Rig
from pkm_identification.simulation.simulator import Simulator

from .results import Effort, Findings, Item, Peer, agree
from .timing import Case, interleaved

SAMPLES = 50
MASS, STEP, DURATION = 5.1, 0.3, 0.03  # kg, V, s
PERIOD = 1e-3  # s
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


def _servo(effort: Effort, findings: Findings) -> None:
    """The test set-up without its delays, which SciPy's integrators do not know."""
    servo = replace(TEST_SERVO, valve_delay=0.0, loop=replace(TEST_SERVO.loop, sensor_delay=0.0))
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
