# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Platform samples in, band-limited equations of the machine and of a payload out, one at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pkm_identification.estimation.filters.parameter_filter import Belief
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.friction.law import NOISE
from pkm_identification.mechanisms.hexapod.dynamics.basis import PLATFORM_COLUMNS
from pkm_identification.mechanisms.hexapod.dynamics.records import (
    LAW_NOISE,
    MotionSample,
    packed_geometry,
    unpacked,
)
from pkm_identification.mechanisms.hexapod.dynamics.regressor import (
    MappingEntries,
    SparseMapping,
    fill_regressor,
    regressor_scratch,
)
from pkm_identification.mechanisms.hexapod.kinematics.inverse import fill_strut_motion
from pkm_identification.mechanisms.hexapod.kinematics.tracker import PlatformSample
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import inlined, kernel
from pkm_identification.numerics.rows import copy_matrix
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.sections import filter_rows, rest

from ..regression.friction import build_laws, reversing_terms
from .bend import BendCorrection, foretold, smoothed_bend, take_off
from .rest import RestWatch
from .reversal import reversal_pulse, reversal_time

# Derivative by the last five samples, newest first, in units of the period: right to (2 pi f T)^4 / 5.
_BACKWARD = np.array([25.0, -48.0, 36.0, -16.0, 3.0]) / 12.0
# Places in the stack that is filtered, from its end; in front of them the machine's columns and a payload's.
_KNOWN, _BEND, _PULSE, _FORCE = -4 - STRUTS, -3 - STRUTS, -2 - STRUTS, -1 - STRUTS
NO_STEPS = np.zeros((STRUTS, STRUTS))
SAMPLE = 30  # numbers of a sample: position, rotation, twist, acceleration and force
_NOT_KEPT = np.empty(SAMPLE)  # written, never read


class Equation(NamedTuple):
    """One equation, everything band-limited and in SI units.

    Attributes
    ----------
    time : float
    regressor : ndarray, shape (6, P)
    load : ndarray, shape (6, 10)
        Columns of a payload.
    measured : ndarray, shape (6,)
        Force less what the machine file says of parameters that are not estimated.
    bend : ndarray, shape (6,)
        What stronger smoothing of the rates would make of the equation `late` ones before.
    force, force_rate : ndarray, shape (6,)
        Force itself, and its rate of change.
    late : int
    resting : bool
        Whether the machine is at rest, or the band's filter remembers that it was.
    stepped : ndarray, shape (6, 6)
        What a metre of a step of each length adds; zero without one.
    """

    time: float
    regressor: FloatArray
    load: FloatArray
    measured: FloatArray
    bend: FloatArray
    force: FloatArray
    force_rate: FloatArray
    late: int = 0
    resting: bool = False
    stepped: FloatArray = NO_STEPS

    @property
    def both(self) -> FloatArray:
        return np.concatenate([self.regressor, self.load], axis=1)


class _Band(NamedTuple):
    """Sections (S, 6), their state at rest (S, 2) and now (S, 2, C), what goes in and what comes out (6, C / 6)."""

    sections: FloatArray
    zi: FloatArray
    state: FloatArray
    stack: FloatArray
    filtered: FloatArray


@kernel
def _take_sample(packed, entries, sample, age, time, smoothing, band, forces, struts):
    """Put columns, bend, pulses, force and steps of one sample through the band; False if it is singular.

    `entries` are plain `MappingEntries`, `sample` is (position, rotation, twist, acceleration, force, steps, and the
    row of `EquationFilter.step`), `age` how many came before it in its stretch: it tells their places in the rings.
    `smoothing` are weights, ring of rates, laws (2, 6, L) of rates and of their mean, and terms of `smoothed_bend`;
    `band` is a plain `_Band`.
    What becomes of the force goes into the ring `forces` (n, 6), strut lengths, rates and accelerations go into that of
    `struts`, (3, n, 6).
    """
    moving, force, stepped = sample[:4], sample[4], sample[5]
    _keep_sample(moving, force, sample[6])
    band = _Band(*band)
    stack = band.stack
    if not _fill_model(packed, entries, moving, age, time, smoothing, struts, stack):
        return False
    steps = stack.shape[1] - STRUTS
    for i in range(STRUTS):
        stack[i, _FORCE] = force[i]
        for k in range(STRUTS):
            stack[i, steps + k] = stepped[i, k]
    row, filtered = stack.reshape((1, stack.size)), band.filtered.reshape((1, stack.size))
    if age == 0:
        # as if the first sample had lasted for ever
        for s in range(band.zi.shape[0]):
            for k in range(2):
                for c in range(stack.size):
                    band.state[s, k, c] = band.zi[s, k] * row[0, c]
    filter_rows(band.sections, row, band.state, filtered)
    for n in range(forces.shape[0]):
        if age == 0 or n == age % forces.shape[0]:
            for i in range(STRUTS):
                forces[n, i] = band.filtered[i, _FORCE]
    return True


@inlined
def _keep_sample(moving, force, row):
    """Copy (position, rotation, twist, acceleration) and force into a row (SAMPLE,)."""
    position, rotation, twist, acceleration = moving
    for i in range(3):
        row[i] = position[i]
        for k in range(3):
            row[3 + 3 * i + k] = rotation[i, k]
    for i in range(6):
        row[12 + i] = twist[i]
        row[18 + i] = acceleration[i]
        row[24 + i] = force[i]


@kernel
def _fill_model(packed, entries, moving, age, time, smoothing, struts, stack):
    """Write columns, bend and pulses of one sample into the stack; False if it is singular. See `_take_sample`."""
    position, rotation, twist, acceleration = moving
    weights, rates, laws, terms = smoothing
    place, newest = age % rates.shape[0], age % struts.shape[1]
    geometry, sample = unpacked(packed), MotionSample(position, rotation, twist, acceleration)
    scratch, columns = regressor_scratch(), np.empty((6, stack.shape[1] + _BEND))
    if not fill_regressor(geometry, MappingEntries(*entries), sample, columns, scratch):
        return False
    copy_matrix(columns, stack[:, :_BEND])
    rate = np.empty(6)
    for i in range(6):
        rate[i] = 0.0
        for k in range(6):
            rate[i] += scratch.jacobian[i, k] * twist[k]
        if age == 0:
            for k in range(rates.shape[0]):
                rates[k, i] = rate[i]
    smoothed_bend(rate, laws[0], laws[1], terms, weights, rates, place, stack[:, _BEND])
    length, exact, second = np.empty((1, 6)), np.empty((1, 6)), np.empty((1, 6))
    fill_strut_motion(
        geometry.base, geometry.platform, np.expand_dims(position, 0), np.expand_dims(rotation, 0),
        np.expand_dims(twist, 0), np.expand_dims(acceleration, 0), length, exact, second,
    )  # fmt: skip
    for i in range(6):
        struts[0, newest, i], struts[1, newest, i], struts[2, newest, i] = (
            length[0, i],
            exact[0, i],
            second[0, i],
        )
        stack[i, _PULSE] = reversal_pulse(exact[0, i], second[0, i], time, geometry.law, geometry.reversing)
    return True


@kernel
def _fill_equation(filtered, state, shape, forces, correction, smoothing, equation):
    """Write what `Equation` has out of the band's stack and state (S, 2, C).

    `equation` are regressor, load, rows of measured, force, force rate and bend, and steps. `shape` are the numbers of
    columns and of nuisance parameters, `forces` (ring, age, period in s). `correction` are the gains and what
    enters of `BendCorrection`: no gains where nothing is taken off, empty where the law has no term that bends.
    `smoothing` are what smoothing changes (6,), what share of it may be wrong, and what is believed of the parameters
    at present, a `Belief`.
    """
    columns, load, rows, stepped = equation
    width, nuisance = shape
    ring, age, period = forces
    measured, force, rate, bend = rows[0], rows[1], rows[2], rows[3]
    last = filtered.shape[1]
    for i in range(STRUTS):
        for k in range(width):
            columns[i, k] = filtered[i, k]
        if nuisance:
            columns[i, width + i] = filtered[i, last + _PULSE]  # each strut's own
        for k in range(load.shape[1]):
            load[i, k] = filtered[i, width + k]
        force[i] = filtered[i, last + _FORCE]
        measured[i] = force[i] - filtered[i, last + _KNOWN]
        for k in range(STRUTS):
            stepped[i, k] = filtered[i, last - STRUTS + k]
        rate[i] = 0.0
        for n in range(_BACKWARD.size):
            rate[i] += _BACKWARD[n] * ring[(age - n) % _BACKWARD.size, i]
        rate[i] /= period
    gains, entering = correction
    if gains.size:
        for i in range(STRUTS):
            bend[i] = foretold(gains, state, (i + 1) * last + _BEND)
        take_off(bend, entering, columns, measured)
    mapping, known = entering
    changed, left, (center, scale, moved, _) = smoothing
    for i in range(STRUTS):
        bend[i] = 0.0
        if left > 0.0 and known.size:
            believed = known[i]
            for k in range(moved.size):
                believed += mapping[i, k] * (center[k] + scale[k] * moved[k])
            bend[i] = left * changed[i] * believed


class EquationFilter:
    """Model columns and measured force of one sample after the other through the estimation band.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
        What is estimated of the machine; nuisance parameters are the factors of `reversal`.
    band : BandSettings
    kinematic_cutoff : float
        Hz, of the filter the samples have passed.
    load : bool
        Whether a payload's columns are wanted too.
    """

    def __init__(
        self,
        machine: Machine,
        parameters: ParameterSet,
        band: BandSettings,
        kinematic_cutoff: float,
        load: bool,
    ) -> None:
        self._geometry = packed_geometry(machine).copy()
        self._nuisance = parameters.nuisance
        self._width = len(parameters.names) - self._nuisance
        self._load = PLATFORM_COLUMNS if load else 0
        payload = np.eye(len(parameters.known), self._load)
        mapping = np.column_stack([parameters.mapping[:, : self._width], payload, parameters.known])
        # as kernels are called: names would cost 2 us
        self._mapping = tuple(SparseMapping.of(machine, mapping).entries)
        stack, self._filtered = np.zeros((2, STRUTS, mapping.shape[1] - _BEND))
        sections = band.sections
        self._band = tuple(
            _Band(sections, rest(sections), np.empty((len(sections), 2, stack.size)), stack, self._filtered)
        )
        correction = BendCorrection(as_machine(machine), parameters, band, kinematic_cutoff)
        gains = np.empty((0, 2)) if correction.gains is None else correction.gains
        self._correction = gains, correction.entering
        self._left = correction.left
        self._weights = correction.weights
        self._rates = np.zeros((len(self._weights), 6))
        laws = build_laws(as_machine(machine))
        self._smoothing = (
            self._weights,
            self._rates,
            np.stack([laws, laws]),
            reversing_terms(as_machine(machine)),
        )
        # samples from an equation to the one that completes what smoothing does to it, by whole equations and the rest
        lag = correction.delay
        self._late = -(-lag // band.stride)
        self._due = lag - (self._late - 1) * band.stride
        self._bend = np.zeros(STRUTS)
        self._since = self._made = 0
        self._reversal_time = reversal_time(band.period)
        self._forces = np.zeros((len(_BACKWARD), STRUTS))
        self._period = band.period
        self._age = 0
        self._rest = RestWatch(as_machine(machine), parameters, band)

    def note_noise(self, rates: FloatArray, smoothed: FloatArray) -> None:
        """From the next sample on rates have noise of these standard deviations (6,), m/s, smoothed ones of the others.

        See `rates.rate_noise`; 0 where lengths are exact, which is how it begins.
        """
        self._geometry[LAW_NOISE] = rates[0]
        laws = self._smoothing[2]
        laws[0, :, NOISE], laws[1, :, NOISE] = rates, smoothed

    @property
    def strut_rate(self) -> FloatArray:
        """Of the last sample, m/s, shape (6,)."""
        return self._rest.motion[1, self._age % self._rest.remembered]

    @property
    def strut_acceleration(self) -> FloatArray:
        """Of the last sample, m/s^2, shape (6,)."""
        return self._rest.motion[2, self._age % self._rest.remembered]

    def step(
        self,
        sample: PlatformSample,
        starting: bool,
        stepped: FloatArray = NO_STEPS,
        row: FloatArray = _NOT_KEPT,
    ) -> bool:
        """Take a sample with a good pose and forces, the first of a stretch or the next; False if it is singular.

        `stepped` (6, 6), N/m, is what a step of each length changes in it. Its numbers are copied into `row` (SAMPLE,):
        here, because that costs next to nothing.
        """
        age = 0 if starting else self._age + 1
        moving = sample.position, sample.rotation, sample.twist, sample.acceleration
        taken = *moving, sample.force, stepped, row
        if not _take_sample(
            self._geometry, self._mapping, taken, age, self._reversal_time, self._smoothing, self._band,
            self._forces, self._rest.motion,
        ):  # fmt: skip
            return False
        self._age = age
        if starting:
            self._made = 0
            self._rest.begin()
        self._since += 1
        if self._since == self._due:
            self._bend = self._filtered[:, _BEND].copy()
        return True

    def equation(self, time: float, believed: Belief) -> Equation:
        """The equation of the last sample.

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
        width = self._width
        columns, load = np.zeros((STRUTS, width + self._nuisance)), np.empty((STRUTS, self._load))
        rows, stepped = np.empty((4, STRUTS)), np.empty((STRUTS, STRUTS))
        _fill_equation(
            self._filtered, self._band[2], (width, self._nuisance), (self._forces, self._age, self._period),
            self._correction, (self._bend, left, believed), (columns, load, rows, stepped),
        )  # fmt: skip
        return Equation(time, columns, load, rows[0], rows[3], rows[1], rows[2], self._late, resting, stepped)
