# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the identified model is worth to the controller: `python -m benchmarks.tracking [--out DIR]`.

A machine whose masses, inertias and friction are up to 15 % off its file follows an exciting motion under computed
torque, first with the file's model. The estimator runs beside it, as the nodes do, on nothing but the drives' lengths
and forces; its estimates are taken over as they come. A second motion, not used for the estimate, is followed with each
model. Errors and feedback forces are root mean squares over all struts.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.control.controller import MachineController
from pkm_identification.control.model import EstimateReader
from pkm_identification.control.motions import Motion, Outcome
from pkm_identification.control.paths.waypoints import Waypoints
from pkm_identification.control.settings import ControllerSettings
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.dynamics import basis_parameters
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.report.figures.style import (
    ESTIMATE,
    NOMINAL,
    apply_style,
    png,
)
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.simulator import Simulator
from pkm_identification.simulation.trajectories import trajectory

SPACING = 0.02  # s, between waypoints
ESTIMATES = 0.1  # s, between estimates taken over, as the estimator node publishes them
WINDOW = 0.25  # s, of the root mean squares in the figure
SETTLED = 1.0  # s at rest before a motion
LEARNING, TESTING = 30.0, 8.0  # s


def waypoints(name: str, machine: Machine, duration: float) -> Waypoints:
    """A named motion as a goal for execute_trajectory."""
    time = np.arange(0.0, duration + 0.5 * SPACING, SPACING)
    motion = trajectory(name, machine, duration).motion(time)
    return Waypoints(time, motion.position, motion.rotation, motion.twist, motion.acceleration)


class Loop:
    """A simulated machine, its controller and, if asked, the estimator beside it."""

    def __init__(self, true: Machine, nominal: Machine, learn: bool = False, **settings: Any) -> None:
        self.simulator = Simulator(true, None, nominal=nominal, seed=1)
        self.controller = MachineController(
            load_machine(nominal), self.simulator.period, ControllerSettings(**settings)
        )
        self.pipeline = OnlinePipeline(nominal) if learn else None
        self._reader = EstimateReader(load_machine(nominal))
        self._due = 0.0
        self.rows: list[FloatArray] = []
        self.rest(SETTLED)

    def rest(self, duration: float) -> None:
        """Hold the machine for `duration` s."""
        for _ in range(round(duration / self.simulator.period)):
            self._sample()

    def follow(self, points: Waypoints) -> Outcome:
        """Follow a motion to its end."""
        motion = Motion(points)
        self.controller.submit(motion)
        while motion.outcome is None:
            self._sample()
        if motion.outcome.code != 0:
            raise SystemExit(f"the motion failed: {motion.outcome.text}")
        return motion.outcome

    def _sample(self) -> None:
        sample = self.simulator.measure()
        command = self.controller.step(1.0 + sample.time, sample.length)
        self.simulator.command_forces(command.force)
        self.simulator.advance()
        mean_square = [np.mean(command.error**2), np.mean(command.feedback**2)]
        self.rows.append(np.array([sample.time, *mean_square]))
        if self.pipeline is None:
            return
        self.pipeline.step(1.0 + sample.time, sample.length, sample.force)
        if sample.time >= self._due:
            self._due = sample.time + ESTIMATES
            estimate = self.pipeline.estimate
            if estimate.count:
                shown = np.array([status != "unidentifiable" for status in estimate.status])
                nominal = self.controller.machine
                basis = self._reader.basis(nominal.hash, estimate.names, estimate.values, estimate.std, shown)
                self.controller.take_estimate(basis)


def measure(name: str, seed: int) -> tuple[list[tuple[str, Outcome]], dict[str, FloatArray]]:
    """Outcomes of the test motion by controller, and of the learning motion the rows (time, error^2, feedback^2)."""
    nominal = Machine.load(name)
    true = perturb_machine(nominal, seed)
    test, exciting = waypoints("rich2", nominal, TESTING), waypoints("rich", nominal, LEARNING)
    plain, learning, exact = Loop(true, nominal), Loop(true, nominal, learn=True), Loop(true, nominal)
    runs = {}
    for label, loop in (("model of the machine file", plain), ("model identified meanwhile", learning)):
        loop.follow(exciting)
        runs[label] = np.array(loop.rows) - [SETTLED, 0.0, 0.0]
        loop.rest(SETTLED)
    learning.pipeline = None
    exact.controller.take_estimate(basis_parameters(true))
    exact.rest(5.0)
    results = [
        ("PID", Loop(true, nominal, mode="pid", tracking_limit=0.05).follow(test)),
        ("computed torque, machine file", plain.follow(test)),
        ("computed torque, identified", learning.follow(test)),
        ("computed torque, true parameters", exact.follow(test)),
    ]
    return results, runs


@apply_style
def figure(runs: dict[str, FloatArray]) -> Figure:
    """Error and feedback force over the exciting motion, with and without estimates."""
    drawn = Figure(figsize=(8, 4.5), layout="constrained")
    axes = drawn.subplots(2, 1, sharex=True)
    for (label, rows), color in zip(runs.items(), (NOMINAL, ESTIMATE), strict=True):
        size = round(WINDOW / (rows[1, 0] - rows[0, 0]))
        count = len(rows) // size
        time, error, feedback = rows[: count * size].reshape(count, size, 3).mean(axis=1).T
        axes[0].semilogy(time, 1e6 * np.sqrt(error), color=color, label=label)
        axes[1].semilogy(time, np.sqrt(feedback), color=color)
    axes[0].set_ylabel("tracking error, rms [µm]")
    axes[1].set_ylabel("feedback force, rms [N]")
    axes[1].set_xlabel("time since the motion began [s]")
    axes[0].legend(loc="center right")
    return drawn


def main() -> None:
    """Measure, print the table, write the figure."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tracking", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--machine", default="uf")
    parser.add_argument("--seed", type=int, default=1, help="of the true parameters")
    parser.add_argument("--out", metavar="DIR", help="write tracking.png here")
    options = parser.parse_args()
    results, runs = measure(options.machine, options.seed)
    print(f"{'':34}  error rms   largest  feedback rms")
    for name, outcome in results:
        rms, largest = 1e6 * outcome.rms_error, 1e6 * outcome.max_error
        print(f"{name:34}  {rms:6.2f} µm  {largest:5.0f} µm  {outcome.rms_feedback:10.2f} N")
    if options.out:
        folder = Path(options.out)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "tracking.png").write_bytes(png(figure(runs)))


if __name__ == "__main__":
    main()
