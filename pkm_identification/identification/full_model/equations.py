# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Equations in every number of a machine at once: its basis, reversal pulses and the columns of nuisance effects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

from ..equations.reversal import with_reversals
from ..equations.standstill import drop_still, leave_out
from ..experiment import Experiment
from ..model_errors.estimated.registry import find_drives, split_name
from ..model_errors.log_rows import LogRows, rows_of_samples
from ..model_errors.platform.resonance import build_effects
from ..model_errors.situation import build_situations
from ..model_errors.unsearched import GAIN_DRIFT
from ..problem_builder import build_problem
from ..regression.scales import with_data_scales
from .nuisance import DELAY, GAIN, GEOMETRY, SHAPES, Nuisance, apply_prior, list_nuisances, list_seldom
from .resonance import find_resonance

THIN = 4  # samples from one point of the thin grid to the next: fewer save nothing
BENT = (
    0.02  # rad at the band's edge, or of the force: the second order of a smaller change is below the noise
)
OF_FORCES = (GAIN, GAIN_DRIFT, *SHAPES)  # shares of the forces, which are those of the values
FRICTION_WIDTH = 3.0  # times a typical force: friction before the data
ASKED_WIDE = 20.0  # times the width of a number that is estimated besides: it may be anything of its kind


@dataclass(frozen=True)
class FullEquations:
    """measured = columns @ w, w being the basis, then factors of reversal pulses, then effects in prior deviations.

    Attributes
    ----------
    machine : Machine
    problem : Problem
        In basis and reversal pulses.
    nuisances : tuple of Nuisance
    columns : ndarray, shape (K, m, T)
    basis, reversals : int
        How many values are of either.
    rows : tuple of LogRows
        Of each log.
    asked : tuple of str
        What is estimated as well: of that the file's numbers are no claims.
    estimated : frozenset of str
        The parameters of that.
    resonance : (float, float) or None
        Frequency in Hz and damping of a load that swings, where the equations allow for one.
    """

    machine: Machine
    problem: Problem
    nuisances: tuple[Nuisance, ...]
    columns: FloatArray
    basis: int
    reversals: int
    rows: tuple[LogRows, ...]
    asked: tuple[str, ...] = ()
    estimated: frozenset[str] = frozenset()
    resonance: tuple[float, float] | None = None

    def is_bent(self, values: FloatArray) -> bool:
        """Return whether delays, gains and their like are so large at values (T,) that columns are others there."""
        bend = {DELAY: 2.0 * np.pi * self.rows[0].band.cutoff, **dict.fromkeys(OF_FORCES, 1.0)}
        return any(
            nuisance.effect.name in bend
            and np.max(np.abs(nuisance.directions @ values[own])) * bend[nuisance.effect.name] > BENT
            for nuisance, own in self.list_effects()
        )

    def relinearise(self, values: FloatArray) -> FullEquations:
        """Return the equations with the columns of effects about values (T,), those of joints and zeros as they are."""
        situations = build_situations(self.problem, self.rows, values[: self.basis + self.reversals])
        columns = self.columns.copy()
        for nuisance, own in self.list_effects():
            if nuisance.effect.name != GEOMETRY and not nuisance.effect.linear:
                columns[:, :, own] = nuisance.columns_at(situations, values[own])
        return replace(self, columns=columns)

    def with_seldom(self, values: FloatArray, resonance: tuple[float, float] | None = None) -> FullEquations:
        """Return the equations about values (T,) that allow for what seldom is, and for a load that swings, as well."""
        situations = build_situations(self.problem, self.rows, values[: self.basis + self.reversals])
        made = [(one, one.columns(situations)) for one in list_seldom(self.machine)]
        if resonance is not None:
            typical = compute_typical_forces(self.machine, self.problem)
            for effect in build_effects(self.machine, *resonance):
                one = apply_prior(self.machine, effect)
                made.append(one.fit_to_motion(one.columns(situations), typical))
        columns = np.concatenate([self.columns, *(one for _, one in made)], axis=2)
        nuisances = (*self.nuisances, *(one for one, _ in made))
        return replace(self, nuisances=nuisances, columns=columns, resonance=resonance)

    def find_resonance(self, values: FloatArray, noise: FloatArray) -> tuple[float, float] | None:
        """Return frequency in Hz and damping of what swings and explains much of what values (T,) leave.

        Noise is its standard deviation (m,).
        """
        situations = build_situations(self.problem, self.rows, values[: self.basis + self.reversals])
        return find_resonance(situations, self.columns, self.measured - self.columns @ values, noise)

    def leave_out(self, left: NDArray[np.bool_]) -> FullEquations:
        """Return the equations without rows (K, m): zero where other drives' are used, gone where none are."""
        used = self.problem.used
        out = left if used is None else left | ~used
        kept = np.asarray(~out.all(axis=1))
        rows, first = [], 0
        for one in self.rows:
            still, last = one.still.copy(), first + int(np.count_nonzero(one.kept))
            still[one.kept] |= left[first:last]
            rows.append(replace(one, still=still))
            first = last
        problem = replace(
            self.problem.part(kept), equations=leave_out(self.problem.equations, out), used=~out[kept]
        )
        return replace(self, problem=problem, columns=drop_still(self.columns, out), rows=tuple(rows))

    @property
    def effect_widths(self) -> FloatArray:
        """What a prior deviation of each effect is, (q,)."""
        return np.array([width for one in self.nuisances for width in one.widths])

    def is_asked(self, kind: str, name: str = "") -> bool:
        """Return whether an effect of a kind is estimated as well, or the one of a name."""
        return kind in self.asked or name in self.estimated

    def list_effects(self) -> Iterator[tuple[Nuisance, slice]]:
        """Yield each nuisance with its place in the columns."""
        first = self.basis + self.reversals
        for nuisance in self.nuisances:
            yield nuisance, slice(first, first + len(nuisance.names))
            first += len(nuisance.names)

    def split_by_motion(self) -> list[NDArray[np.bool_]]:
        """Return which equations (K, m) are of the faster, more accelerated, farther or more loaded half of the motion.

        Then those of forces above their median, and of rates above 0.
        """
        force = self.problem.equations.force
        motion = [
            np.concatenate([one.at_equations(getattr(one.motion, part)) for one in self.rows])
            for part in ("coordinate", "rate", "acceleration")
        ]
        position, rate, acceleration = motion
        sizes = (np.abs(rate), np.abs(acceleration), position, np.abs(force), force)
        return [*(one > np.median(one, axis=0) for one in sizes), rate > 0.0]

    def find_inner_equations(self) -> NDArray[np.bool_]:
        """Return which equations (K,) have one before and one behind them in time."""
        segment, log = self.problem.equations.segment, self.problem.log
        inside = np.zeros(len(segment), dtype=bool)
        inside[1:-1] = (segment[2:] == segment[:-2]) & (log[2:] == log[:-2])
        return inside

    @property
    def measured(self) -> FloatArray:
        """Right sides (K, m)."""
        return self.problem.equations.measured


def build_whole_set(machine: Machine) -> ParameterSet:
    """Return the set whose parameters are the entries of a machine's basis."""
    count = len(machine.basis)
    entries = tuple(replace(entry, scale=np.inf) for entry in machine.basis)
    return ParameterSet("whole", entries, np.eye(count), np.zeros(count))


def build_full_equations(
    experiment: Experiment, values: FloatArray, places: FloatArray | None = None
) -> FullEquations:
    """Return the equations of an experiment of the force model, zero-phase.

    Parameters
    ----------
    experiment : Experiment
    values : ndarray, shape (B,)
        Of the basis, a first estimate: where effects are linearised.
    places : ndarray, shape (K, n, q), optional
        Columns of joints and zeros of the same samples, if made already.
    """
    machine, settings = experiment.machine, experiment.settings
    samples = experiment.smooth_samples
    seen = experiment.equations_machine()
    parameters = with_reversals(build_whole_set(machine), machine)
    rows = [rows_of_samples(seen, parameters, one, settings.band, experiment.flicker) for one in samples]
    problem = _build_problem(experiment, rows)
    basis = len(machine.basis)
    start = np.concatenate([values, np.zeros(len(problem.parameters) - basis)])
    situations = build_situations(problem, rows, start)
    typical = compute_typical_forces(machine, problem)
    if places is not None and len(places) != len(problem.equations):  # some were left out
        places = None
    point = experiment.point
    estimated = frozenset[str]() if point is None else frozenset(entry.name for entry in point.entries)
    made = []
    for one in list_nuisances(machine, problem.parameters):
        fitted, columns = one.fit_to_motion(one.columns(situations, places), typical)
        # of what no file states it claims nothing
        asked = np.array([one.assessed and name in estimated for name in fitted.names])
        made.append(fitted.widen(np.where(asked, ASKED_WIDE, 1.0), columns))
    columns = np.concatenate([problem.equations.regressor, *(one for _, one in made)], axis=2)
    return FullEquations(
        machine, problem, tuple(one for one, _ in made), columns, basis, problem.parameters.nuisance, tuple(rows),
        tuple(settings.estimator.also), estimated,
    )  # fmt: skip


def _build_problem(experiment: Experiment, rows: list[LogRows]) -> Problem:
    """Return the problem in the basis and factors of reversal pulses.

    Columns of bodies are smooth, and made on the rows' thin grid; those of friction need every sample.
    """
    machine, whole = experiment.machine, build_whole_set(experiment.machine)
    rubbing = np.array([entry.kind.friction for entry in whole.entries])
    thin = rubbing.any() and all(one.step >= THIN for one in rows)
    unknowns = whole
    if thin:
        kept = tuple(entry for entry in whole.entries if entry.kind.friction)
        unknowns = replace(whole, entries=kept, mapping=whole.mapping[:, rubbing])
    estimator = replace(
        experiment.settings.estimator, consistent=False
    )  # its unknowns are of bodies that can exist
    problem = build_problem(
        machine, replace(experiment.settings, estimator=estimator), [[one] for one in experiment.smooth_samples],
        noise=experiment.smooth_rate_noise, flicker=experiment.flicker, parameters=unknowns,
    )  # fmt: skip
    if not thin:
        return problem
    mapping = whole.mapping[:, ~rubbing]
    bodies = [one.thin_in_band(machine.compute_regressor(one.thin_motion, mapping)) for one in rows]
    made = problem.equations.regressor
    regressor = np.empty((*made.shape[:2], len(whole) + problem.parameters.nuisance))
    regressor[:, :, np.flatnonzero(~rubbing)] = np.concatenate(bodies)
    regressor[:, :, np.flatnonzero(rubbing)] = made[:, :, : np.count_nonzero(rubbing)]
    regressor[:, :, len(whole) :] = made[:, :, np.count_nonzero(rubbing) :]
    equations = replace(problem.equations, regressor=regressor)
    parameters = with_data_scales(with_reversals(whole, machine), equations)
    return replace(
        problem, parameters=parameters, equations=equations, prior=Prior.of(parameters), relations=None,
        assumed=None, physical=None,
    )  # fmt: skip


def compute_typical_forces(machine: Machine, problem: Problem) -> FloatArray:
    """Return a typical force of each drive, (n,): of its bodies, or measured where a drive carries little of them."""
    return np.maximum(machine.force_size, np.sqrt(np.mean(problem.equations.force**2, axis=0)))


def find_free_widths(equations: FullEquations) -> dict[int, float]:
    """Return the prior deviations of basis entries that are no body's, and of reversal pulses, by their index.

    Friction of a drive that stood still in all of the log is as unknown as it was: its width is the file's.
    """
    machine, problem = equations.machine, equations.problem
    unmoved = _list_friction_widths(machine)
    typical = compute_typical_forces(machine, problem)
    of_bodies = np.any([np.any(rows, axis=1) for rows in machine.rows_of_bodies], axis=0)
    motors = {one.drives[0]: one.width for one in machine.knowledge.of_kind("motor_inertia")}
    asked = {
        drive
        for name in equations.asked
        if split_name(name)[0] == "motor_inertia"
        for drive in find_drives(machine, name)
    }
    widths = {}
    for k, entry in enumerate(problem.parameters.entries):
        if entry.kind.friction or entry.kind is Kind.NUISANCE:
            felt = np.sqrt(np.mean(equations.columns[:, :, k] ** 2, axis=0))
            seen = felt > 0.0
            if seen.any():
                widths[k] = FRICTION_WIDTH * float(np.max(typical[seen] / felt[seen]))
            elif k in unmoved:
                widths[k] = unmoved[k]
        elif not of_bodies[k] and entry.limb is not None:
            widths[k] = motors[entry.limb] * (ASKED_WIDE if entry.limb in asked else 1.0)
    return widths


def _list_friction_widths(machine: Machine) -> dict[int, float]:
    """Return how well the file has each coefficient of friction, by its index in the basis."""
    return {
        int(machine.friction_rows[row, drive]): number.width
        for drive, friction in enumerate(machine.friction)
        for row, coefficient in enumerate(friction.law.coefficients)
        for number in machine.knowledge.of_kind(coefficient.name)
        if number.drives == (drive,)
    }
