# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What model errors need to know: a log's rows, the model's parameters as they are estimated, what it makes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.contract import Machine, Motion
from pkm_identification.machines.drives import compute_friction_inside
from pkm_identification.mechanisms.friction import Friction, friction_columns
from pkm_identification.numerics.arrays import FloatArray

from .log_rows import DriveMotion, LogRows


@dataclass(frozen=True)
class Situation:
    """A log under the present estimate.

    Attributes
    ----------
    rows : LogRows
    parameters : ndarray, shape (B,)
        Of the model's basis, SI units.
    predicted : ndarray, shape (K, n)
        The model's force in the band, in the drives' units.
    terms : ndarray, shape (K, n, P)
        What each reported parameter's present value adds to it.
    later : ndarray, shape (K,)
        1 in the second half of the experiment's equations, else 0.
    middle : ndarray, shape (n,)
        Mean of the drives' coordinates in all logs.
    """

    rows: LogRows
    parameters: FloatArray
    predicted: FloatArray
    terms: FloatArray
    later: FloatArray
    middle: FloatArray

    @classmethod
    def of_samples(cls, rows: LogRows, parameters: FloatArray) -> Situation:
        """Return that of a log whose equations do not matter, only its samples."""
        none = np.empty((0, len(rows.machine.drives)))
        middle = rows.motion.coordinate.mean(axis=0)
        return cls(rows, parameters, none, none[:, :, None], none[:, 0], middle)

    @property
    def machine(self) -> Machine:
        """As its file has it, less what was found wrong with it so far."""
        return self.rows.machine

    @cached_property
    def friction(self) -> tuple[Friction, ...]:
        """Friction of each drive as estimated, coefficients (K, 1)."""
        rows = self.machine.friction_rows
        return tuple(
            replace(one, coefficients=self.parameters[rows[: len(one.law.coefficients), i]][:, None])
            for i, one in enumerate(self.machine.friction)
        )

    def keep(self, compute: Callable[[Situation], FloatArray]) -> FloatArray:
        """Return what a function makes of this, which is computed once."""
        if compute not in self._kept:
            self._kept[compute] = compute(self)
        return self._kept[compute]

    @cached_property
    def _kept(self) -> dict[Callable[[Situation], FloatArray], FloatArray]:
        return {}

    @property
    def coulomb(self) -> FloatArray:
        """Coulomb friction as estimated, (n,)."""
        return np.concatenate([one.coulomb for one in self.friction])

    @cached_property
    def transition(self) -> FloatArray:
        """The friction laws' reversing terms at every sample, (N, n)."""
        return self.transition_of(self.friction)

    def transition_of(self, friction: Sequence[Friction]) -> FloatArray:
        """Return the reversing terms (N, n) of other laws at the samples' rates; 0 where a law has none."""
        return compute_transition(self.rows.motion.rate, friction)

    @cached_property
    def rigid(self) -> FloatArray:
        """Force that the bodies need on the thin grid, (n, drives); without friction of the drives."""
        return self.machine.compute_forces(self.rows.thin_motion, self.parameters)

    @cached_property
    def reported(self) -> FloatArray:
        """What force sensors or currents show, at every sample, (N, n): with the friction inside the drives."""
        return self.rows.force + self._inside

    @cached_property
    def expected(self) -> FloatArray:
        """What they should show by the model, in the band, (K, n)."""
        return self.predicted + self.rows.in_band(self._inside) if np.any(self._inside) else self.predicted

    @cached_property
    def _inside(self) -> FloatArray:
        return compute_friction_inside(self.machine, self.rows.motion.rate)

    def at_all_samples(self, thin: FloatArray) -> FloatArray:
        """Return values of the thin grid (n, drives) at all samples (N, drives)."""
        at, every = self.rows.thin, np.arange(len(self.rows.samples))
        if not len(at):  # a log too short for the band
            return np.zeros((len(every), thin.shape[1]))
        return np.stack([np.interp(every, at, column) for column in thin.T], axis=1)

    def of_machine(self, changed: Machine, moved: bool) -> FloatArray:
        """Return what other numbers of the file change about the force in the band, (K, n); see `changed_in`."""
        return self.rows.thin_in_band(self.changed_in(changed, moved))

    def changed_in(self, machine: Machine, moved: bool) -> FloatArray:
        """Return the same on the thin grid, unfiltered, (n, drives); `moved`: whether places or axes are other ones."""
        motion = self.rows.thin_motion
        if moved:
            motion = self.rows.thin_motion_of(machine, self.rows.thin_drives)
        return self._force(machine, motion) - self.rigid

    def of_drives(self, drives: DriveMotion) -> FloatArray:
        """Return what another motion of the drives changes about the bodies' force in the band, (K, n)."""
        return self.rows.thin_in_band(self.changed_by(drives))

    def changed_by(self, drives: DriveMotion) -> FloatArray:
        """Return the same on the thin grid, unfiltered, (n, drives)."""
        return self._force(self.machine, self.rows.thin_motion_of(self.machine, drives)) - self.rigid

    def _force(self, machine: Machine, motion: Motion) -> FloatArray:
        return machine.compute_forces(motion, self.parameters)


def compute_transition(rate: FloatArray, friction: Sequence[Friction]) -> FloatArray:
    """Return the reversing terms of laws at rates (N, n), a column per drive; 0 where a law has none."""
    laws = {(one.law.name, one.parameters.tobytes(), one.rate_noise) for one in friction}
    if len(laws) == 1 and friction[0].law.reversing is not None:
        return friction_columns(rate, friction[0])[friction[0].law.reversing_term]
    columns = [
        np.zeros(len(rate))
        if one.law.reversing is None
        else friction_columns(rate[:, i], one)[one.law.reversing_term]
        for i, one in enumerate(friction)
    ]
    return np.stack(columns, axis=1)


def build_situations(problem: Problem, rows: Sequence[LogRows], values: FloatArray) -> list[Situation]:
    """Return what model errors see of each log of a problem of the force model under an estimate (P,)."""
    equations, parameters = problem.equations, problem.parameters
    known = equations.force - equations.measured
    predicted = equations.regressor @ values + known
    basis = parameters.mapping @ values + parameters.known
    reported = problem.reported
    terms = equations.regressor[:, :, :reported] * values[:reported]
    later = (np.arange(len(equations)) >= len(equations) // 2).astype(float)
    own = [problem.log == number for number in range(len(rows))]
    middle = np.concatenate([one.motion.coordinate for one in rows]).mean(axis=0)
    return [
        Situation(each, basis[: len(each.machine.basis)], predicted[mine], terms[mine], later[mine], middle)
        for each, mine in zip(rows, own, strict=True)
    ]


def diagonal(columns: FloatArray) -> FloatArray:
    """Return a column for each drive's own force, (K, n, n), of what stands in its rows (K, n)."""
    count = columns.shape[1]
    whole = np.zeros((*columns.shape, count))
    whole[:, np.arange(count), np.arange(count)] = columns
    return whole
