# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One pass over a log: parameters by its innovations, or its states by all samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.capabilities import MotionSensors, has
from pkm_identification.numerics.arrays import FloatArray

from .linearised import JointModel, Linearised, States
from .samples import JointNoise, JointSamples
from .state_filter import Levels, Measured, Pass, filter_states, smooth_states

FALSE_ALARM = 1e-9  # probability with which right coordinates are refused
STRIDE = 100  # samples from one entry of the parameters' history to the next
# What is not known at a segment's start before its first sample: coordinates, in their noise, so that it does not
# count twice; rates, in large changes of a drive per second, besides what the log's coordinates show
START, START_RATE = 100.0, 1.0


@dataclass(frozen=True)
class PassResult:
    """What a pass finds about parameters.

    Attributes
    ----------
    values : ndarray, shape (U,)
        Of all unknowns, in standard deviations of the prior.
    mean, covariance : ndarray, shapes (P,) and (P, P)
        Parameters, SI units; as if all noise were white and the model right.
    offset, offset_std : ndarray, shape (R,)
        Of the readings that have one.
    history_time, history_mean, history_std : ndarray, shapes (K,), (K, P), (K, P)
    nis : ndarray, shape (N,)
        Normalised innovation squared of n coordinates, with the centre's values; NaN where there is none.
    reading_nis : float
        The same of additional sensors, mean per reading; NaN without any.
    scores, information : ndarray, shapes (K, P) and (K, P, P)
        Gradient of the log-likelihood at the estimate that the samples of each stride add, and its curvature, per
        standard deviation of the prior.
    segment : ndarray of int64, shape (K,)
        That of each stride's first sample.
    """

    values: FloatArray
    mean: FloatArray
    covariance: FloatArray
    offset: FloatArray
    offset_std: FloatArray
    history_time: FloatArray
    history_mean: FloatArray
    history_std: FloatArray
    nis: FloatArray
    reading_nis: float
    scores: FloatArray
    information: FloatArray
    segment: NDArray[np.int64]


@dataclass(frozen=True)
class SmoothedStates:
    """States of a log by all its samples, parameters known.

    Attributes
    ----------
    coordinate, rate : ndarray, shape (N, n)
    coordinate_std, rate_std : ndarray, shape (N, n)
    force_noise : ndarray, shape (N, n)
        Error of the measured force (and of the model) in the period that begins at each sample, N or N m.
    force_ratio : ndarray, shape (n,)
        Square of that error over what it should be; near 1 when the force noise is as assumed.
    nis : ndarray, shape (N,)
    fresh, used : ndarray of bool, shape (N,)
        Where the state began afresh, and which coordinates were used.
    """

    coordinate: FloatArray
    rate: FloatArray
    coordinate_std: FloatArray
    rate_std: FloatArray
    force_noise: FloatArray
    force_ratio: FloatArray
    nis: FloatArray
    fresh: NDArray[np.bool_]
    used: NDArray[np.bool_]

    @property
    def centre(self) -> States:
        """What the model is made linear around."""
        return States(self.coordinate, self.rate, self.rate_std)


def levels_of(model: JointModel, samples: JointSamples, noise: JointNoise, gated: bool) -> Levels:
    """Return the noise as the kernels take it, with what is not known where a segment begins."""
    from scipy.stats import chi2

    machine = model.machine
    size = np.array([drive.size for drive in machine.drives])
    both = samples.measured[1:] & samples.measured[:-1] & ~samples.begins[1:]
    rate = np.sqrt(np.mean(np.diff(samples.coordinate, axis=0)[both] ** 2, axis=0)) / model.period
    readings = np.zeros(0)
    if samples.readings.shape[1] and has(machine, MotionSensors):
        readings = np.asarray(machine.reading_noise, dtype=float)
    gate = float(chi2.isf(FALSE_ALARM, len(size))) if gated else np.inf
    return Levels(
        noise.coordinate,
        noise.force,
        readings,
        START * noise.coordinate,
        np.hypot(START_RATE * size, rate),
        gate,
    )


def _filter(
    model: JointModel, around: Linearised, samples: JointSamples, noise: JointNoise, gated: bool = False
) -> tuple[Levels, Pass]:
    count, drives, unknowns = len(samples), len(model.machine.drives), around.steps.by_values.shape[2]
    blocks, width = -(-count // STRIDE), 2 * drives
    record = Pass(
        np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_), np.zeros((count, width)),
        np.zeros((count, width, width)), np.zeros((count, drives)), np.zeros(count),
        np.zeros(1, dtype=np.int64), np.zeros(1), np.zeros((blocks, unknowns)),
        np.zeros((blocks, unknowns, unknowns)), STRIDE,
    )  # fmt: skip
    levels = levels_of(model, samples, noise, gated)
    readings = samples.readings.copy()
    readings[1:] = 0.5 * (readings[1:] + readings[:-1])  # as the forces: in the middle of a period
    measured = Measured(
        samples.coordinate - around.states.coordinate, samples.measured, samples.begins, readings
    )
    filter_states(around.steps, around.readings, measured, levels, around.states.rate, model.period, record)
    return levels, record


def estimate_parameters(
    model: JointModel, around: Linearised, samples: JointSamples, noise: JointNoise
) -> PassResult:
    """Return parameters anew from the prior, with the state filter at the centre's values."""
    _, record = _filter(model, around, samples, noise)
    width, prior = len(model.prior.mean), model.prior
    information = record.information
    information += np.tril(information, -1).swapaxes(1, 2)
    identity = np.eye(model.unknowns)
    # pull of the prior, whose mean is 0, at the centre's values
    gradients = np.cumsum(record.gradient, axis=0) - around.values
    curvatures = np.cumsum(information, axis=0) + identity
    inverse = np.linalg.inv(curvatures)
    path = around.values + np.einsum("kij,kj->ki", inverse, gradients)
    std = np.sqrt(np.diagonal(inverse, axis1=1, axis2=2))
    values, covariance = path[-1], inverse[-1]
    offsets = np.abs(model.offsets).sum(axis=0)[width:]
    # an entry of the history is what was known before its stride
    before = np.concatenate([np.zeros((1, model.unknowns)), path[:-1]])[:, :width]
    std_before = np.concatenate([np.ones((1, model.unknowns)), std[:-1]])[:, :width]
    information = information[:, :width, :width]
    return PassResult(
        values=values,
        mean=model.mean(values),
        covariance=covariance[:width, :width] * np.outer(prior.std, prior.std),
        offset=offsets * values[width:],
        offset_std=offsets * std[-1, width:],
        history_time=samples.time[::STRIDE],
        history_mean=prior.mean + prior.std * before,
        history_std=prior.std * std_before,
        nis=record.nis,
        reading_nis=float(record.reading_nis[0] / record.counts[0]) if record.counts[0] else float("nan"),
        scores=record.gradient[:, :width] - information @ (values - around.values)[:width],
        information=information,
        segment=samples.segment[::STRIDE],
    )


def smooth(
    model: JointModel,
    around: Linearised,
    samples: JointSamples,
    noise: JointNoise,
    values: FloatArray,
    gated: bool = False,
) -> SmoothedStates:
    """Return the states by all samples, before and after, with known values (U,); additional sensors are not used.

    `gated` refuses coordinates that are nowhere near, and begins afresh after many of them.
    """
    steps, count, drives = around.steps, len(samples), len(model.machine.drives)
    defect = steps.defect + steps.by_values @ (values - around.values)
    steps = steps._replace(defect=defect, by_values=np.zeros((count, drives, 0)))
    rows = around.readings._replace(
        by_values=np.zeros((count, 0, 0)), expected=np.zeros((count, 0)),
        by_state=np.zeros((count, 0, 2 * drives)), by_rate=np.zeros((count, 0, drives)),
    )  # fmt: skip
    known = Linearised(values, around.states, steps, rows, around.regressor)
    levels, record = _filter(model, known, samples.without_readings(), noise, gated)
    state, variance = np.zeros((2, count, 2 * drives))
    force_noise, remaining = np.zeros((2, count, drives))
    smooth_states(steps, levels, model.period, record, state, variance, force_noise, remaining)
    shown = np.sum(np.maximum(noise.force**2 - remaining, 0.0), axis=0)
    std = np.sqrt(np.maximum(variance, 0.0))
    return SmoothedStates(
        around.states.coordinate + state[:, :drives],
        around.states.rate + state[:, drives:],
        std[:, :drives],
        std[:, drives:],
        force_noise,
        np.sum(force_noise**2, axis=0) / np.maximum(shown, 1e-300),
        record.nis,
        record.fresh,
        record.used,
    )
