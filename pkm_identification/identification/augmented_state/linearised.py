# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Equations of motion of any machine, made linear around states, parameters and force noise that are nearly known.

Coordinates q and rates v of the drives go on from sample to sample by a period T with

    q2 = q1 + T (v1 + v2) / 2 ,   forces(q, v, (v2 - v1) / T; w) + friction(v1, v2; w) = F + e

in the middle of the period: forces of the contract's machine, friction of the drives by their laws, F the force of the
drives there (`signals.forces.acting`), e its noise. Friction reverses within some mm/s, far less than a rate changes in
a period: its mean over the line from v1 to v2 is taken, and over what is not known of the rates (three points of their
variance, as in posterior linearisation: Garcia-Fernandez, Svensson and Sarkka, Automatica 2017). v2 is implied, so that
no slope of friction is too steep for the period.

Where friction would stop a drive within half a period, rates would ring from sample to sample, v2 = -v1, which neither
coordinates nor the mean of friction see. There the equation holds later in the period, at its end where friction is
steepest: as late as lets v2 not depend on v1 with a negative sign (a theta method; Hairer and Wanner, Solving Ordinary
Differential Equations II, IV.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pkm_identification.errors import NotConverged
from pkm_identification.machines.capabilities import MotionSensors, has
from pkm_identification.machines.contract import DEGRADED, Machine, Motion
from pkm_identification.machines.motions import differentiate_by_drives
from pkm_identification.mechanisms.friction import TERMS, friction_slopes, friction_terms
from pkm_identification.mechanisms.friction.law import law_tuple
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.rows import segment_slices
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

from ..regression.friction import build_laws
from .samples import JointSamples

NODES = 4  # places on the line of rates over which friction is averaged
# Steps of difference quotients, in large changes of a drive, and those per second and per second squared
COORDINATE_STEP, RATE_STEP, ACCELERATION_STEP = 1e-4, 1e-2, 1.0
SPREAD = np.sqrt(3.0)  # standard deviations from the middle to the outer points of a normal distribution
OUTER = 1.0 / 6.0  # weight of either


@dataclass(frozen=True)
class JointModel:
    """A machine, what is unknown of it, and the period of its logs.

    Values (U,) are the parameters of a set, in standard deviations of the prior from its mean, and the offsets of
    additional sensors' readings in theirs.
    """

    machine: Machine
    parameters: ParameterSet
    prior: Prior
    period: float
    offsets: FloatArray  # (R, U): of the readings per unit of each value

    @classmethod
    def of(
        cls, machine: Machine, parameters: ParameterSet, prior: Prior, samples: JointSamples, period: float
    ) -> JointModel:
        """Return that of a machine with the sensors that its log has."""
        width, seen = len(parameters.names), samples.seen_readings
        bias = (
            machine.reading_bias * seen if has(machine, MotionSensors) and len(seen) else np.zeros(len(seen))
        )
        rows = np.flatnonzero(bias)
        offsets = np.zeros((len(seen), width + len(rows)))
        offsets[rows, width + np.arange(len(rows))] = bias[rows]
        return cls(machine, parameters, prior, period, offsets)

    @property
    def unknowns(self) -> int:
        """Parameters and offsets."""
        return self.offsets.shape[1]

    def basis_values(self, values: FloatArray) -> FloatArray:
        """Return values (B,) of the machine's basis."""
        return np.asarray(self.parameters.known + self.parameters.mapping @ self.mean(values))

    def begin_with(self, values: FloatArray) -> FloatArray:
        """Return values (U,) that begin with those found of fewer samples; offsets of sensors unseen there are none."""
        if len(values) == self.unknowns:
            return values
        width = len(self.prior.mean)
        return np.concatenate([values[:width], np.zeros(self.unknowns - width)])

    def mean(self, values: FloatArray) -> FloatArray:
        """Return parameters (P,) in SI units."""
        return self.prior.mean + self.prior.std * values[: len(self.prior.mean)]


class States(NamedTuple):
    """Coordinates and rates (N, n) of drives, standard deviations (N, n) of the rates."""

    coordinate: FloatArray
    rate: FloatArray
    rate_std: FloatArray


class Steps(NamedTuple):
    """Changes over each period, shape (N, ...), of which the last is none; states are (q, v), (2n,).

    A rate at its end is off the centre's by `by_state` (N, n, 2n) times the state's difference at its beginning,
    `by_values` (N, n, U) times the values', `by_force` (N, n, n) times its force noise, and `defect` (N, n); the
    coordinates by the rates' means and `gap` (N, n). `mean_force` (N, n, P) are forces per unit of each parameter.
    """

    by_state: FloatArray
    by_values: FloatArray
    by_force: FloatArray
    defect: FloatArray
    gap: FloatArray


class ReadingRows(NamedTuple):
    """Readings of each period: at the centre (N, R), by states at its beginning and rates at its end, by values."""

    expected: FloatArray
    by_state: FloatArray
    by_rate: FloatArray
    by_values: FloatArray


@dataclass(frozen=True)
class Linearised:
    """The model around a centre: its values (U,), its states, the steps between them and readings.

    `regressor` (N, n, P) has forces per unit of each parameter.
    """

    values: FloatArray
    states: States
    steps: Steps
    readings: ReadingRows
    regressor: FloatArray


def linearise(model: JointModel, samples: JointSamples, values: FloatArray, states: States) -> Linearised:
    """Return the model around values (U,) and states.

    Raises
    ------
    NotConverged
        If the machine has no motion at the states, or the values are none a machine can have.
    """
    machine, period, count = model.machine, model.period, len(samples)
    motion = _follow(machine, samples, *_move_into_period(model, samples, states, 0.5))
    basis = model.basis_values(values)
    size = np.array([drive.size for drive in machine.drives])
    force = machine.compute_forces(motion, basis)
    mass, _ = machine.compute_mass_and_bias(motion, basis)
    if not np.all(np.isfinite(mass)):
        raise NotConverged(
            f"machine '{machine.name}': the estimate of states and parameters is one that no machine can have: "
            "the start values are too far off, or the machine file is wrong"
        )
    by_coordinate, by_rate = (
        differentiate_by_drives(
            lambda moved: machine.compute_forces(moved, basis), machine, motion, force, part, step
        )
        for part, step in ((0, COORDINATE_STEP * size), (1, RATE_STEP * size))
    )
    last = np.concatenate([np.arange(1, count), [count - 1]])
    first_rate, last_rate = (
        states.rate,
        np.where(_find_ends(samples)[:, None], states.rate, states.rate[last]),
    )
    spread = 0.5 * (states.rate_std + states.rate_std[last])
    middle = np.full(first_rate.shape, 0.5)
    _, first_slope, last_slope = _average_friction(machine, basis, first_rate, last_rate, spread, middle)
    late = _find_places(first_slope + last_slope, mass, period)
    terms, first_slope, last_slope = _average_friction(machine, basis, first_rate, last_rate, spread, late)
    regressor = machine.compute_regressor(motion, model.parameters.mapping)
    later = np.flatnonzero((late > 0.5).any(axis=1))
    if len(later):
        ends = _follow(machine, samples, *_move_into_period(model, samples, states, 1.0))[later]
        share = 2.0 * late[later] - 1.0
        force[later] += share * (machine.compute_forces(ends, basis) - force[later])
        at_end = machine.compute_regressor(ends, model.parameters.mapping)
        regressor[later] += share[:, :, None] * (at_end - regressor[later])
    rows = machine.friction_rows
    for term, drive in zip(*np.nonzero(rows >= 0), strict=True):
        regressor[:, drive] += terms[:, drive, term, None] * model.parameters.mapping[rows[term, drive]]
        force[:, drive] += terms[:, drive, term] * basis[rows[term, drive]]
    measured = samples.within + (2.0 * late - 1.0) * (samples.force[last] - samples.within)
    diagonal = np.arange(len(size))
    # of the residual of the forces, by the rates at both ends and the coordinates at the beginning
    by_last = mass / period + 0.5 * by_rate + 0.125 * period * by_coordinate
    by_first = -mass / period + 0.5 * by_rate + 0.375 * period * by_coordinate
    by_last[:, diagonal, diagonal] += last_slope
    by_first[:, diagonal, diagonal] += first_slope
    gain = np.asarray(np.linalg.inv(by_last), dtype=float)
    by_values = np.zeros((count, len(size), model.unknowns))
    by_values[:, :, : len(model.prior.std)] = -gain @ (regressor * model.prior.std)
    steps = Steps(
        np.concatenate([-gain @ by_coordinate, -gain @ by_first], axis=2),
        by_values,
        gain,
        -np.einsum("nij,nj->ni", gain, force - measured),
        states.coordinate + 0.5 * period * (first_rate + last_rate) - states.coordinate[last],
    )
    readings = _linearise_readings(model, samples, motion, values, steps)
    return Linearised(values, states, steps, readings, regressor)


def _find_ends(samples: JointSamples) -> FloatArray:
    return np.concatenate([samples.begins[1:], [True]])


def _find_places(slope: FloatArray, mass: FloatArray, period: float) -> FloatArray:
    """Return where in each period (N, n) the drives' equations hold: 0.5 in its middle, 1 at its end.

    `slope` (N, n) is that of friction by the rate, `mass` (N, n, n) what a drive feels if the others may yield.
    """
    stiffness = period * slope * np.diagonal(np.linalg.inv(mass), axis1=1, axis2=2)
    return np.maximum(0.5, 1.0 - 1.0 / np.maximum(stiffness, 1.0))


def _move_into_period(
    model: JointModel, samples: JointSamples, states: States, part: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return coordinates, rates and accelerations (N, n) after a part of each period; steady where none follows."""
    ends, period = _find_ends(samples)[:, None], model.period
    coordinate, rate = states.coordinate, states.rate
    following, faster = (np.where(ends, part, np.roll(part, -1, axis=0)) for part in (coordinate, rate))
    acceleration = (faster - rate) / period
    place = (
        (1.0 - part) * coordinate + part * following - 0.5 * part * (1.0 - part) * period**2 * acceleration
    )
    return place, (1.0 - part) * rate + part * faster, acceleration


def _follow(
    machine: Machine,
    samples: JointSamples,
    coordinate: FloatArray,
    rate: FloatArray,
    acceleration: FloatArray,
) -> Motion:
    parts = []
    for part in segment_slices(samples.segment):
        motion = machine.compute_motion(coordinate[part], rate[part], acceleration[part])
        wrong = np.flatnonzero(motion.status > DEGRADED)
        if len(wrong):
            at = samples.time[part][wrong[0]]
            raise NotConverged(f"machine '{machine.name}': no pose for its drives' coordinates at {at:.3f} s")
        parts.append(motion)
    return Motion.concatenate(parts)


def _linearise_readings(
    model: JointModel, samples: JointSamples, motion: Motion, values: FloatArray, steps: Steps
) -> ReadingRows:
    """Return the readings in the middle of each period, of those sensors that the log has."""
    count, drives, machine = len(samples), len(model.machine.drives), model.machine
    seen = samples.seen_readings
    if not seen.any() or not has(machine, MotionSensors):
        nothing = np.zeros((count, samples.readings.shape[1]))
        return ReadingRows(
            nothing, *(np.zeros((*nothing.shape, width)) for width in (2 * drives, drives, model.unknowns))
        )
    basis, period = model.basis_values(values), model.period
    size = np.array([drive.size for drive in machine.drives])

    def read(moved: Motion) -> FloatArray:
        return machine.compute_readings(moved, basis)

    exact = read(motion)
    by_coordinate, by_rate, by_acceleration = (
        differentiate_by_drives(read, machine, motion, exact, part, step * size)
        for part, step in enumerate((COORDINATE_STEP, RATE_STEP, ACCELERATION_STEP))
    )
    by_first = 0.5 * by_rate - by_acceleration / period + 0.375 * period * by_coordinate
    by_last = 0.5 * by_rate + by_acceleration / period + 0.125 * period * by_coordinate
    by_values = np.zeros((count, len(seen), model.unknowns))
    by_values += model.offsets
    for k, column in enumerate((model.parameters.mapping * model.prior.std).T):
        by_values[:, :, k] += machine.compute_readings(motion, basis + column) - exact
    return ReadingRows(
        exact + model.offsets @ values, np.concatenate([by_coordinate, by_first], axis=2), by_last, by_values
    )


def _average_friction(
    machine: Machine,
    basis: FloatArray,
    first: FloatArray,
    last: FloatArray,
    spread: FloatArray,
    late: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean terms (N, n, TERMS) of the drives' laws, and slopes (N, n) of friction by both rates.

    Means are those of as much of each period as has its middle at `late` (N, n) and reaches to the period's end.
    """
    coefficients = np.zeros((TERMS, len(machine.drives)))
    rows = machine.friction_rows
    coefficients[: len(rows)] = np.where(rows >= 0, basis[rows], 0.0)
    terms = np.zeros((*first.shape, TERMS))
    slopes = np.zeros((2, *first.shape))
    _fill_friction(build_laws(machine), coefficients, first, last, spread, late, terms, slopes)
    return terms, slopes[0], slopes[1]


@kernel
def _fill_friction(laws, coefficients, first, last, spread, late, terms, slopes):
    """Average terms over the line of rates from `first` to `last` and over what is not known of them."""
    for n in range(first.shape[0]):
        for i in range(first.shape[1]):
            law = law_tuple(laws[i], 0)
            away = SPREAD * spread[n, i]
            for node in range(NODES):
                part = 1.0 - 2.0 * (1.0 - late[n, i]) * (1.0 - (node + 0.5) / NODES)
                rate = first[n, i] + part * (last[n, i] - first[n, i])
                middle = friction_terms(rate, law)
                below, above = friction_terms(rate - away, law), friction_terms(rate + away, law)
                slope_at = friction_slopes(rate, law)
                slope = 0.0
                for k in range(TERMS):
                    mean = OUTER * (below[k] + above[k]) + (1.0 - 2.0 * OUTER) * middle[k]
                    terms[n, i, k] += mean / NODES
                    if away > 0.0:
                        slope += coefficients[k, i] * (above[k] - below[k]) / (2.0 * away)
                    else:
                        slope += coefficients[k, i] * slope_at[k]
                slopes[0, n, i] += (1.0 - part) * slope / NODES
                slopes[1, n, i] += part * slope / NODES
