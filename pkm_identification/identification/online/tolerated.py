# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the tolerances of a machine file add to the online estimate: covariance J diag(tolerance^2) J^T, as it learns.

For a weighted fit, J = (P0^-1 + sum Y^T W Y)^-1 sum Y^T W S, with S the change of an equation's residual when a
quantity is off. S varies slowly in the estimation band, hence it is taken at the instant that a causal band shows (one
group delay ago) without the band, and not of every equation: samples are gathered into blocks, and a block's quantities
are worked off a few at a time, so that no sample has to wait for all of them.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import numpy as np

from pkm_identification.machines.contract import Machine, Motion
from pkm_identification.machines.knowledge import KnownNumber
from pkm_identification.machines.knowledge.build import NUMBERS
from pkm_identification.machines.knowledge.records import WIDTH
from pkm_identification.machines.motions import compute_nearby_motion, split_states
from pkm_identification.mechanisms.tolerances import OF_DRIVES, OF_MACHINES
from pkm_identification.motion import TrackedSample
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.sections import filtered

from ..regression.friction import DriveFriction

BLOCK = 8  # equations
SLOPE = 0.005  # s, to either side, over which the slope of a force is taken
AT_ONCE = 6  # quantities of a block that one equation may cost: about a millisecond


class Tolerated:
    """Follows how the estimate answers to the tolerances of a machine file.

    Parameters
    ----------
    machine : Machine
        With tolerances.
    parameters : ParameterSet
        What is estimated, nuisance parameters included.
    band : BandSettings
    """

    def __init__(self, machine: Machine, parameters: ParameterSet, band: BandSettings) -> None:
        self._machine = machine
        self._shapes = machine.create_tracker(np.zeros((len(machine.basis), 0))).shapes
        # machines with other numbers in their files take milliseconds each: made once
        self._numbers: list[tuple[KnownNumber, Machine]] = [
            (one, machine.with_changes({path: one.width * size for path, size in one.paths.items()}))
            for one in list_tolerances(machine)
        ]
        self._parameters = parameters
        impulse = np.zeros(4 * band.settling)
        impulse[0] = 1.0
        response = filtered(band.sections, impulse)
        delay = np.arange(len(response)) @ response / response.sum()
        self._reach = max(1, round(SLOPE / band.period))
        self._past: deque[TrackedSample] = deque(
            maxlen=max(self._reach, round(float(delay))) + self._reach + 1
        )
        self._precision = 1.0 / Prior.of(parameters).std ** 2
        self.reset()

    def reset(self) -> None:
        """Forget everything learned."""
        self._past.clear()
        self._information = np.zeros((len(self._parameters), len(self._parameters)))
        self._answers: dict[int, FloatArray] = {}
        self._begin_block()
        self._pending: deque[int] = deque()

    def note(self, sample: TrackedSample) -> None:
        """Keep a sample, whether it completes an equation or not."""
        if self._past and self._past[-1].segment != sample.segment:
            self._past.clear()
        self._past.append(sample)

    def step(self, regressor: FloatArray, noise: FloatArray, values: FloatArray) -> None:
        """Take an equation that was learned from.

        Parameters
        ----------
        regressor : ndarray, shape (n, P)
        noise : ndarray, shape (n, n)
            Covariance the estimator took, in the drives' units.
        values : ndarray, shape (P,)
            Present estimate.
        """
        if self._pending:
            for _ in range(min(AT_ONCE, len(self._pending))):
                self._answer(self._pending.popleft())
            if not self._pending:
                self._end_block()
            return
        if len(self._past) < (self._past.maxlen or 1):
            return
        first, here, last = self._past[0], self._past[self._reach], self._past[2 * self._reach]
        if first.force is None or here.force is None or last.force is None:
            return
        weighted = np.linalg.solve(noise, regressor).T
        self._samples.append(here)
        self._slopes.append((last.force - first.force) / (last.time - first.time))
        self._columns.append(weighted)
        self._new_information += weighted @ regressor
        if len(self._samples) == BLOCK:
            self._begin(values)

    def covariance(self) -> FloatArray:
        """Return what the tolerances add to the covariance, shape (P, P), SI units."""
        if not self._answers:
            return np.zeros_like(self._information)
        scale = 1.0 / np.sqrt(self._precision)
        information = self._information * np.outer(scale, scale) + np.eye(len(scale))
        changes = np.linalg.solve(information, np.array(list(self._answers.values())).T * scale[:, None])
        changes *= scale[:, None]
        return changes @ changes.T

    def _begin_block(self) -> None:
        self._samples: list[TrackedSample] = []
        self._slopes: list[FloatArray] = []
        self._columns: list[FloatArray] = []
        self._new_information = np.zeros_like(self._information)
        self._new_answers: dict[int, FloatArray] = {}

    def _end_block(self) -> None:
        """Count a block whose quantities are all worked off."""
        self._information += self._new_information
        for number, answer in self._new_answers.items():
            self._answers[number] = self._answers.get(number, 0.0) + answer
        self._begin_block()

    def _begin(self, values: FloatArray) -> None:
        """Prepare the quantities of a full block."""
        samples = self._samples
        coordinate, rate, acceleration, self._force, rows = (
            np.array([getattr(sample, name) for sample in samples])
            for name in ("coordinate", "rate", "acceleration", "force", "state")
        )
        good = np.zeros(len(samples), dtype=np.uint8), np.zeros(len(samples))
        self._motion = Motion(coordinate, rate, acceleration, split_states(rows, self._shapes), *good)
        self._slope = np.array(self._slopes)
        own = len(self._parameters) - self._parameters.nuisance
        self._basis = self._parameters.mapping[:, :own] @ values[:own] + self._parameters.known
        self._solve = self._machine.create_neighbour_solver(self._motion)
        self._needed = self._compute_forces(self._machine, self._motion)
        self._pending.extend(range(len(self._numbers)))

    def _compute_forces(self, machine: Machine, motion: Motion) -> FloatArray:
        """Return what the present estimate needs for the motion of a block, (K, n), friction of the drives included."""
        force = machine.compute_forces(motion, self._basis)[:, :, None].copy()
        DriveFriction.of(machine, self._basis[:, None]).add(motion.rate, force)
        return force[:, :, 0]

    def _change(self, one: KnownNumber, changed: Machine) -> FloatArray:
        """Return what forces lack, (K, n), where a number is off by its tolerance."""
        motion, drives = self._motion, list(one.drives)
        if one.paths:
            drives_motion = motion.coordinate, motion.rate, motion.acceleration
            return self._needed - self._compute_forces(changed, self._solve(changed, *drives_motion))
        lacking = np.zeros_like(self._force)
        if one.kind in ("coordinate_offset", "coordinate_scale"):
            size = np.zeros(lacking.shape[1])
            size[drives] = one.width
            zero = np.array([drive.zero for drive in self._machine.drives])
            scaled = one.kind == "coordinate_scale"
            moved = replace(
                motion,
                coordinate=motion.coordinate + size * (motion.coordinate - zero if scaled else 1.0),
                rate=motion.rate * (1.0 + size * scaled),
                acceleration=motion.acceleration * (1.0 + size * scaled),
            )
            there = compute_nearby_motion(
                self._machine, motion, moved.coordinate, moved.rate, moved.acceleration
            )
            return self._needed - self._compute_forces(self._machine, there)
        added = {
            "force_delay": self._slope, "force_gain": -self._force, "motor_inertia": -motion.acceleration,
            "force_offset": -np.ones_like(self._force),
        }  # fmt: skip
        lacking[:, drives] = one.width * added[one.kind][:, drives]
        return lacking

    def _answer(self, number: int) -> None:
        change = self._change(*self._numbers[number])
        if np.all(np.isfinite(change)):
            answer = sum(column @ row for column, row in zip(self._columns, change, strict=True))
            self._new_answers[number] = answer


def follow_tolerances(machine: Machine, parameters: ParameterSet, band: BandSettings) -> Tolerated | None:
    """Return a follower of the machine file's tolerances; None where it has none."""
    return Tolerated(machine, parameters, band) if list_tolerances(machine) else None


def list_tolerances(machine: Machine) -> list[KnownNumber]:
    """Return the numbers that a machine's file states a width of, and a stream does not estimate."""
    kinds = (*OF_DRIVES, *OF_MACHINES, NUMBERS)
    return [one for one in machine.knowledge.numbers if one.kind in kinds and one.how == WIDTH]
