# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a log of drives has to look like by numbers of theirs: drives and their loops on the machine's mass and load.

Mass and load are the machine file's along the motion that was recorded, so that only the drives are simulated; the
wanted coordinates are the log's.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from pkm_identification.control.drives.settings import drive_settings
from pkm_identification.errors import LogError, NotConverged, SettingsError
from pkm_identification.machines.capabilities import ActuatedDrives
from pkm_identification.machines.contract import DEGRADED
from pkm_identification.mechanisms.actuators import Bank
from pkm_identification.mechanisms.actuators.base import Actuator
from pkm_identification.mechanisms.friction.friction import Friction
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.commanded_log import CommandedLog
from pkm_identification.simulation.actuated.drives import STEP
from pkm_identification.simulation.actuated.rig import Rig
from pkm_identification.simulation.actuated.stepping import Dynamics

from .thresholds import MAX_JITTER, MAX_MASS_CHANGE


class ResponseModel:
    """Simulates the drives of a machine with the wanted coordinates of a log.

    Parameters
    ----------
    log : CommandedLog
        Of an even clock, from rest.
    machine : ActuatedDrives

    Raises
    ------
    LogError
        If the clock is not even, or the machine cannot be where the log says.
    SettingsError
        If the drives take no wanted coordinates, or a loop's period does not go into the samples'.
    """

    def __init__(self, log: CommandedLog, machine: ActuatedDrives) -> None:
        self.log, self.machine = log, machine
        self.period = _find_period(log)
        # a whole number of small steps in a sample
        self._small = self.period / np.ceil(self.period / STEP - 1e-9)
        rest = log.rest_rows
        self.start = np.mean(log.coordinate[rest], axis=0)
        self._wanted = log.command - log.command[0] + self.start
        rate = np.gradient(log.coordinate, self.period, axis=0)
        rate[rest] = 0.0
        motion = machine.compute_motion(log.coordinate, rate, np.zeros_like(rate))
        lost = np.flatnonzero(motion.status > DEGRADED)
        if len(lost):
            raise LogError(
                f"{log.source}: sample {lost[0] + 1}: machine '{machine.name}' cannot be where the log says: "
                f"{machine.explain_unreachable(log.coordinate[lost[0]])}"
            )
        own = np.array([one.inertia + one.inertia_behind for one in machine.actuators])
        mass, self._load = machine.compute_mass_and_bias(motion, machine.basis.nominal)
        self._mass = mass - np.diag(own)
        self._friction = _shared_friction(machine)

    @property
    def mass(self) -> FloatArray:
        """Mass (kg, kg m^2) that each drive feels of the machine at the start, (n,)."""
        return np.diagonal(self._mass[0]).copy()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        felt = np.diagonal(self._mass, axis1=1, axis2=2)
        change = float(np.max(np.ptp(felt, axis=0) / np.mean(felt, axis=0)))
        if change <= MAX_MASS_CHANGE:
            return ()
        return (
            f"the mass that drives feel changes by {100 * change:.0f} % on the way; the model follows it",
        )

    def simulate(self, actuators: Sequence[Actuator]) -> tuple[FloatArray, FloatArray]:
        """Return what the encoders show and what current or pressure stand for, (N, n) each; NaN after it diverged."""
        count, drives = self.log.coordinate.shape
        shown, reported = np.full((count, drives), np.nan), np.full((count, drives), np.nan)
        bank = Bank(actuators)
        try:
            rig = Rig(
                actuators, self._mass[0], self._load[0], self.start, self._small,
                drive_settings(bank, self.machine.drive_loops, self._small), self._friction,
            )  # fmt: skip
        except SettingsError:
            if tuple(actuators) == tuple(self.machine.actuators):
                raise
            return shown, reported  # no drive has such numbers
        if not rig.drives.takes_places:
            raise SettingsError(
                f"the drives of machine '{self.machine.name}' take forces, and no wanted coordinates: give their "
                "loops under 'control' of the file, as they were when the log was made"
            )
        compliance = np.asarray(np.linalg.inv(self._mass + np.diag(bank.inertia)), dtype=np.float64)
        free = np.asarray(-np.einsum("kij,kj->ki", compliance, self._load), dtype=np.float64)
        eye = np.stack([np.eye(drives)] * 2)
        for k in range(count):
            shown[k], reported[k] = rig.drives.shown(), rig.drives.report_force()
            if k + 1 == count or not np.all(np.isfinite(rig.drives.states)):
                break
            rig.ends = Dynamics(free[k : k + 2], compliance[k : k + 2], eye)
            rig.drives.set_places(self._wanted[k], self._wanted[k + 1])
            with suppress(NotConverged):
                rig.move(self.period)
        return shown, reported


def _find_period(log: CommandedLog) -> float:
    steps = np.diff(log.time)
    period = float((log.time[-1] - log.time[0]) / len(steps))
    late = float(np.max(np.abs(steps - period))) / period
    if late > MAX_JITTER:
        raise LogError(
            f"{log.source}: samples come up to {100 * late:.0f} % of a period from an even clock; a log of drives' "
            "own numbers needs an even one without gaps"
        )
    return period


def _shared_friction(machine: ActuatedDrives) -> Friction | None:
    """Return the friction of all drives together; None of a machine without any."""
    own = machine.friction
    if not any(np.any(one.coefficients) for one in own):
        return None
    return Friction.join(own)
