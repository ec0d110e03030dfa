# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Waypoints, runs of a controlled simulated machine, and what is asked of them."""

from __future__ import annotations

import numpy as np

from pkm_identification.control.controller import MachineController
from pkm_identification.control.motions import Motion
from pkm_identification.control.paths.waypoints import Waypoints
from pkm_identification.control.settings import ControllerSettings
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.rotation import matrix_from_vector
from pkm_identification.simulation.simulator import Simulator


def waypoints(machine: Machine, time, shift, turn=None, twist=None, acceleration=None) -> Waypoints:
    """Waypoints displaced (m) and turned (rotation vectors, rad) from home; derivatives free unless given."""
    time = np.asarray(time, dtype=float)
    count = len(time)
    shift = np.asarray(shift, dtype=float)
    turn = np.zeros((count, 3)) if turn is None else np.asarray(turn, dtype=float)
    free = np.full((count, 6), np.nan)
    return Waypoints(
        time,
        machine.home_position + shift,
        matrix_from_vector(turn) @ machine.home_rotation,
        free if twist is None else np.asarray(twist, dtype=float),
        free if acceleration is None else np.asarray(acceleration, dtype=float),
    )


def there_and_back(machine: Machine, time: float = 0.6, shift=(0.02, -0.01, 0.01), turn=(0.0, 0.06, 0.03)):
    """Out and home again."""
    still = np.zeros(3)
    return waypoints(machine, [0.5 * time, time], [shift, still], [turn, still])


class Run:
    """A simulated machine under a controller, in exact step with it.

    Attributes
    ----------
    commands : list of Command
    lengths : list of ndarray
        True lengths at the samples.
    """

    def __init__(self, true: Machine, nominal: Machine, sensors=None, **settings) -> None:
        self.simulator = Simulator(true, None, nominal=nominal, sensors=sensors, seed=1)
        believed = load_machine(nominal)
        self.controller = MachineController(believed, self.simulator.period, ControllerSettings(**settings))
        self.commands, self.lengths = [], []

    def step(self, count: int = 1):
        """So many samples; the last command."""
        for _ in range(count):
            sample = self.simulator.measure()
            command = self.controller.step(100.0 + sample.time, sample.length)
            if command is not None:
                self.simulator.command_forces(command.force)
            self.commands.append(command)
            self.lengths.append(self.simulator.truth.length)
            self.simulator.advance()
        return command

    def follow(self, points: Waypoints, most: int = 20000):
        """A motion to its end; its outcome."""
        if not self.commands:
            self.step()
        motion = Motion(points)
        self.controller.submit(motion)
        for _ in range(most):
            if motion.outcome is not None:
                return motion.outcome
            self.step()
        raise AssertionError("the motion does not end")

    @property
    def forces(self) -> np.ndarray:
        return np.array([command.force for command in self.commands])
