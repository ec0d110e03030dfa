# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The equations of a stream: columns of the machine, friction of its drives and forces through the estimation band."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pkm_identification.estimation.filters.parameter_filter import Belief
from pkm_identification.machines.contract import Machine
from pkm_identification.mechanisms.friction import TERMS, friction_terms
from pkm_identification.mechanisms.friction.law import NOISE, law_tuple
from pkm_identification.motion import TrackedSample
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.rows import copy_vector
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.sections import filter_rows, rest

from ..regression.friction import DriveFriction, build_laws, evaluate_reversing_terms
from .reversal import reversal_pulse, reversal_time
from .standstill import StandstillWatch
from .transition_correction import TransitionCorrection, compute_smoothed_transition, foretold, take_off

# Places in the stack that is filtered, behind the machine's columns and a payload's: what is known, friction's bend,
# pulses, force.
_KNOWN, _TRANSITION, _PULSE, _FORCE, _ENTRIES = range(5)


class Equation(NamedTuple):
    """One equation of n drives, everything band-limited and in SI units.

    Attributes
    ----------
    time : float
    regressor : ndarray, shape (n, P)
    load : ndarray, shape (n, L)
        Columns of a payload.
    measured : ndarray, shape (n,)
        Force less what the machine file says of parameters that are not estimated.
    transition : ndarray, shape (n,)
        What stronger smoothing of the rates would make of the equation `late` ones before.
    late : int
    resting : bool
        Whether the machine is at rest, or the band's filter remembers that it was.
    """

    time: float
    regressor: FloatArray
    load: FloatArray
    measured: FloatArray
    transition: FloatArray
    late: int = 0
    resting: bool = False

    @property
    def both(self) -> FloatArray:
        return np.concatenate([self.regressor, self.load], axis=1)


class _Band(NamedTuple):
    """Sections (S, 6), their steady state (S, 2), state now (S, 2, C), what goes in and comes out (n, C / n)."""

    sections: FloatArray
    zi: FloatArray
    state: FloatArray
    stack: FloatArray
    filtered: FloatArray


@kernel
def _take_sample(columns, sample, age, time, friction, smoothing, band, drives):
    """Put columns, transition, pulses and force of one sample through the band.

    `columns` (n, P) are the machine's, without the drives' friction; `sample` is (coordinate, rate, acceleration,
    force, state and the row of `EquationFilter.step`), `age` how many came before it in its segment: it tells
    their places in the rings. `friction` are the entries of `DriveFriction`, laws (2, n, L) of rates and of smoothed
    ones, and reversing terms (n,); `smoothing` weights and ring of rates of
    `compute_smoothed_transition`; `band` is a plain `_Band`.
    The drives' motion goes into the ring of `drives`, (3, k, n).
    """
    coordinate, rate, acceleration, force, state, row = sample
    (drive, term, column, weight), laws, reversing = friction
    weights, rates = smoothing
    sections, zi, memory, stack, filtered = band
    count, width = columns.shape
    base, newest = width - 1, age % drives.shape[1]
    if row.size:
        for i in range(count):
            row[i], row[count + i], row[2 * count + i] = coordinate[i], rate[i], acceleration[i]
            row[3 * count + i] = force[i]
        for k in range(state.size):
            row[4 * count + k] = state[k]
    terms, transition = np.empty((count, TERMS)), np.empty(count)
    for i in range(count):
        law = law_tuple(laws[0, i], 0)
        terms[i, 0], terms[i, 1], terms[i, 2] = friction_terms(rate[i], law)
        drives[0, newest, i], drives[1, newest, i], drives[2, newest, i] = (
            coordinate[i],
            rate[i],
            acceleration[i],
        )
        for k in range(width):
            stack[i, k] = columns[i, k]
        stack[i, base + _PULSE] = 0.0
        if reversing[i] >= 0:
            stack[i, base + _PULSE] = reversal_pulse(rate[i], acceleration[i], time, law, reversing[i])
        stack[i, base + _FORCE] = force[i]
    for e in range(drive.size):
        stack[drive[e], column[e]] += weight[e] * terms[drive[e], term[e]]
    if age == 0:
        for k in range(rates.shape[0]):
            copy_vector(rate, rates[k])
    compute_smoothed_transition(
        rate, laws[0], laws[1], reversing, weights, rates, age % rates.shape[0], transition
    )
    for i in range(count):
        stack[i, base + _TRANSITION] = transition[i]
    one, out = stack.reshape((1, stack.size)), filtered.reshape((1, stack.size))
    if age == 0:
        # as if the first sample had lasted for ever
        for s in range(zi.shape[0]):
            for k in range(2):
                for c in range(stack.size):
                    memory[s, k, c] = zi[s, k] * one[0, c]
    filter_rows(sections, one, memory, out)


@kernel
def _fill_equation(filtered, state, shape, correction, smoothing, equation):
    """Write what `Equation` has out of the band's stack and state (S, 2, C).

    `equation` are regressor, load, measured and transition. `shape` are the numbers of columns and of nuisance
    parameters. `correction` are the gains and what enters of `TransitionCorrection`: no gains where nothing is taken
    off. `smoothing` are what smoothing changes (n,), what share of it may be wrong, and what is believed of the
    parameters at present, a `Belief`.
    """
    columns, load, measured, transition = equation
    width, nuisance = shape
    count, last = filtered.shape
    base = width + load.shape[1]
    for i in range(count):
        for k in range(width):
            columns[i, k] = filtered[i, k]
        if nuisance:
            columns[i, width + i] = filtered[i, base + _PULSE]  # each drive's own
        for k in range(load.shape[1]):
            load[i, k] = filtered[i, width + k]
        measured[i] = filtered[i, base + _FORCE] - filtered[i, base + _KNOWN]
    gains, entering = correction
    if gains.size:
        for i in range(count):
            transition[i] = foretold(gains, state, i * last + base + _TRANSITION)
        take_off(transition, entering, columns, measured)
    mapping, known = entering
    changed, left, (center, scale, moved, _) = smoothing
    for i in range(count):
        transition[i] = 0.0
        if left > 0.0:
            believed = known[i]
            for k in range(moved.size):
                believed += mapping[i, k] * (center[k] + scale[k] * moved[k])
            transition[i] = left * changed[i] * believed


class EquationFilter:
    """Model columns and measured forces of one sample after the other through the estimation band.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
        What is estimated of the machine; nuisance parameters are the factors of `reversal`.
    band : BandSettings
    kinematic_cutoff : float
        Hz, of the filter the samples have passed.
    load : ndarray, shape (B, L), optional
        How a payload's parameters enter the basis, if its columns are wanted too.

    Attributes
    ----------
    shapes : tuple of shapes
        Of the parts of the machine's state.
    kept : int
        Numbers of a sample in a row of `step`: coordinates, rates, accelerations, forces and the state.
    """

    def __init__(
        self,
        machine: Machine,
        parameters: ParameterSet,
        band: BandSettings,
        kinematic_cutoff: float,
        load: FloatArray | None = None,
    ) -> None:
        count = len(machine.drives)
        self._nuisance = parameters.nuisance
        self._width = len(parameters.names) - self._nuisance
        load = np.zeros((len(parameters.known), 0)) if load is None else load
        self._load = load.shape[1]
        mapping = np.column_stack([parameters.mapping[:, : self._width], load, parameters.known])
        self._tracker = machine.create_tracker(mapping)
        self._columns = np.zeros((count, mapping.shape[1]))
        laws = build_laws(machine)
        self._laws = np.stack([laws, laws])
        self._friction = (
            DriveFriction.of(machine, mapping).entries,
            self._laws,
            evaluate_reversing_terms(machine),
        )
        stack, self._filtered = np.zeros((2, count, mapping.shape[1] - 1 + _ENTRIES))
        sections = band.sections
        self._band = tuple(
            _Band(sections, rest(sections), np.empty((len(sections), 2, stack.size)), stack, self._filtered)
        )
        correction = TransitionCorrection(machine, parameters, band, kinematic_cutoff)
        gains = np.empty((0, 2)) if correction.gains is None else correction.gains
        self._correction = gains, correction.entering
        self._left = correction.left
        self._smoothing = correction.weights, np.zeros((len(correction.weights), count))
        # samples from an equation to the one that completes what smoothing does to it, by whole equations and the rest
        lag = correction.delay
        self._late = -(-lag // band.stride)
        self._due = lag - (self._late - 1) * band.stride
        self._bend = np.zeros(count)
        self._since = self._made = 0
        self._reversal_time = reversal_time(band.period)
        self._age = 0
        self._rest = StandstillWatch(machine, parameters, band)
        self._not_kept = np.empty(0)
        self.shapes = self._tracker.shapes
        self.kept = 4 * count + sum(int(np.prod(shape)) for shape in self.shapes)

    def note_noise(self, rates: FloatArray, smoothed: FloatArray) -> None:
        """From the next sample on rates have noise of these standard deviations (n,), smoothed ones of the others.

        See `rates.rate_noise`; 0 where coordinates are exact, which is how it begins.
        """
        self._laws[0, :, NOISE], self._laws[1, :, NOISE] = rates, smoothed

    def step(self, sample: TrackedSample, starting: bool, row: FloatArray | None = None) -> bool:
        """Take a sample with a good motion and forces, the first of a segment or the next; False if it is singular.

        Its numbers are copied into `row` (`kept`,): here, because that costs next to nothing.
        """
        tracker = self._tracker
        tracker.take(sample.state, sample.acceleration)
        if not tracker.write_columns(self._columns):
            return False
        age = 0 if starting else self._age + 1
        taken = (
            sample.coordinate, sample.rate, sample.acceleration, sample.force, sample.state,
            self._not_kept if row is None else row,
        )  # fmt: skip
        _take_sample(
            self._columns, taken, age, self._reversal_time, self._friction, self._smoothing, self._band,
            self._rest.motion,
        )  # fmt: skip
        self._age = age
        if starting:
            self._made = 0
            self._rest.begin()
        self._since += 1
        if self._since == self._due:
            self._bend = self._filtered[:, self._width + self._load + _TRANSITION].copy()
        return True

    def equation(self, time: float, believed: Belief) -> Equation:
        """Return the equation of the last sample.

        Parameters
        ----------
        time : float
            s.
        believed : Belief
            Of the parameters, at present.
        """
        resting = self._rest.equation(self._age)
        if resting:
            self._made = 0  # what follows has no equation before it
        left = self._left if self._made >= self._late else 0.0
        self._since, self._made = 0, self._made + 1
        width, count = self._width, len(self._bend)
        columns, load = np.zeros((count, width + self._nuisance)), np.empty((count, self._load))
        measured, transition = np.empty((2, count))
        _fill_equation(
            self._filtered, self._band[2], (width, self._nuisance), self._correction, (self._bend, left, believed),
            (columns, load, measured, transition),
        )  # fmt: skip
        return Equation(time, columns, load, measured, transition, self._late, resting)
