# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Joint and dual estimation of a log: states and parameters in turn, until both stand still.

The states of the log are smoothed with the parameters known so far, the model is made linear around both, and the
parameters are estimated anew from the prior, over all samples; that repeats until they stand still. It is the
Gauss-Newton iteration for the most probable states and parameters together (an iterated Kalman smoother, B. M. Bell,
SIAM J. Optim. 4, 1994). It starts with states that the coordinates alone decide and with force noise of a tenth of the
force, and ends with the noise the smoothed states show.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.estimation.equations import Equations
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.progress import steps

from ..regression.scales import with_data_scales
from .deviations import add_correlation, systematic
from .linearised import JointModel, Linearised, ReadingRows, States, Steps, linearise
from .log_pass import PassResult, SmoothedStates, estimate_parameters, smooth
from .samples import JointNoise, JointSamples

START_SHARE = 0.1  # force noise at the start, in rms force
COARSE = 8000  # samples the first rounds look at
COARSE_ROUNDS, FINE_ROUNDS = 6, 5
# Change of a parameter, in standard deviations, that ends the iteration. Rounds contract, so less than that is left;
# an error of 0.3 deviations that they do not know of makes them 4 % too small.
STILL = 0.3
NOISE_STILL = 0.1  # change of a drive's force noise that ends it
NOISE_STEP = (0.1, 3.0)  # smallest and largest change of the force noise in a round
SHORTENED = 0.6  # steps of rounds that go to and fro
FIRST_ROUNDS = (
    4  # of states without a model of the machine, until their acceleration is as random as the log's
)
LEAST_DRIVEN = 1e-3  # its smallest standard deviation, in coordinate noise over the period squared


@dataclass(frozen=True)
class Rounds:
    """States and parameters that agree, after some rounds.

    Attributes
    ----------
    samples : JointSamples
        Those that were used.
    parameters : ParameterSet
        With the widths of the data where the machine's file has none.
    values : ndarray, shape (U,)
        In standard deviations of the prior.
    result : PassResult
        Of the last pass.
    around : Linearised
        The model it was made with.
    states : SmoothedStates
        With these values.
    noise : JointNoise
        Force noise as found.
    count : int
    nonconvergence : str
        What kept changing, in words; empty when nothing did.
    """

    samples: JointSamples
    parameters: ParameterSet
    values: FloatArray
    result: PassResult
    around: Linearised
    states: SmoothedStates
    noise: JointNoise
    count: int
    nonconvergence: str

    @property
    def mean(self) -> FloatArray:
        """Parameters (P,), SI units."""
        return self.result.mean


@dataclass(frozen=True)
class DualEstimate:
    """Parameters and states of a log.

    Attributes
    ----------
    rounds : Rounds
        States, parameters and the last pass.
    covariance : ndarray, shape (P, P)
        SI units; it knows of correlated innovations and of what is systematic (`deviations`).
    judged : ndarray, shape (P, P)
        The covariance without what a drift makes of it (`convergence`).
    """

    rounds: Rounds
    covariance: FloatArray
    judged: FloatArray

    @property
    def mean(self) -> FloatArray:
        """Parameters (P,), SI units."""
        return self.rounds.mean

    @property
    def nis(self) -> float:
        """Mean normalised innovation squared of n coordinates; n where the noise is as assumed."""
        return float(np.nanmean(self.rounds.states.nis))


class NoiseGain:
    """By how much a round changes the force noise of n drives."""

    def __init__(self, drives: int) -> None:
        self._power = np.full(
            drives, 1.8
        )  # the ratio seen is nearer to 1 than the noise is to what it should be
        self._last = np.zeros(drives)

    def amplify(self, change: FloatArray) -> FloatArray:
        """Return factors (n,) of the noise for changes seen; smaller ones where it goes to and fro."""
        step = np.log(change)
        self._power = np.where(step * self._last < 0.0, 0.6 * self._power, self._power)
        self._last = step
        return np.asarray(change**self._power)


class Stride:
    """How far a round goes towards the values and states it finds: all the way, until successive rounds turn back."""

    def __init__(self) -> None:
        self.share, self._last = 1.0, np.zeros(0)

    def turn(self, move: FloatArray) -> None:
        """Shorten the steps where a move (P,), in standard deviations, goes against the last one."""
        if len(self._last) and float(move @ self._last) < 0.0:
            self.share *= SHORTENED
        self._last = move


def find_first_states(
    machine: Machine, samples: JointSamples, period: float, noise: JointNoise
) -> tuple[JointSamples, States]:
    """Return states that coordinates alone decide, as if masses were driven at random, and samples that fit them.

    How strongly is what the log shows. Coordinates that jump are no longer measured, a segment ends where they go on
    elsewhere: the model of the machine, which may be far off yet, is not asked.
    """
    count, drives = samples.coordinate.shape
    nothing = np.zeros((count, drives))
    by_state = np.zeros((count, drives, 2 * drives))
    by_state[:, :, drives:] = np.eye(drives)
    by_force = np.broadcast_to(period * np.eye(drives), (count, drives, drives)).copy()
    free = Steps(by_state, np.zeros((count, drives, 0)), by_force, nothing, nothing)
    rows = ReadingRows(
        np.zeros((count, 0)), *(np.zeros((count, 0, width)) for width in (2 * drives, drives, 0))
    )
    # around the coordinates' beginnings, at rest
    start = samples.coordinate[np.maximum.accumulate(np.where(samples.begins, np.arange(count), 0))]
    around = Linearised(
        np.zeros(0), States(start, nothing, nothing), free, rows, np.zeros((count, drives, 0))
    )
    model = JointModel(machine, None, None, period, np.zeros((0, 0)))  # type: ignore[arg-type]
    second = np.diff(samples.coordinate, n=2, axis=0) / period**2
    found = np.maximum(np.sqrt(np.mean(second**2, axis=0)), noise.coordinate / period**2 * LEAST_DRIVEN)
    gain = NoiseGain(drives)
    for _ in range(FIRST_ROUNDS):
        states = smooth(model, around, samples, replace(noise, force=found), np.zeros(0), gated=True)
        found = found * gain.amplify(np.clip(np.sqrt(states.force_ratio), *NOISE_STEP))
    segment = np.cumsum(states.fresh, dtype=np.int64)
    return replace(samples, measured=states.used, segment=segment), states.centre


def scale_by_data(
    machine: Machine, parameters: ParameterSet, samples: JointSamples, period: float, states: States
) -> ParameterSet:
    """Return the set with widths of the prior by the log where the machine's file states none."""
    if all(np.isfinite(entry.scale) for entry in parameters.entries):
        return parameters
    width = len(parameters.names)
    at_file = Prior(parameters.nominal, np.ones(width))
    model = JointModel.of(machine, parameters, at_file, samples, period)
    around = linearise(model, samples.without_readings(), np.zeros(model.unknowns), states)
    rows = Equations(samples.time, around.regressor, samples.force, samples.force, samples.segment)
    scaled = with_data_scales(parameters, rows)
    # not wider than its own size: measured forces make a bit of the accelerations, and so of what a direction does
    # that the motion does not show; to a width that knows nothing that looks like information
    limited = []
    for given, entry in zip(parameters.entries, scaled.entries, strict=True):
        own = max(abs(entry.nominal), entry.size or 0.0)
        wide = np.isfinite(given.scale) or own == 0.0
        limited.append(entry if wide else replace(entry, scale=min(entry.scale, own)))
    return replace(scaled, entries=tuple(limited))


def iterate(
    machine: Machine,
    parameters: ParameterSet,
    samples: JointSamples,
    period: float,
    start: Rounds | None = None,
) -> Rounds:
    """Return states and parameters in turn until both stand still; arguments and errors as of `dual_estimate`."""
    noise = JointNoise.of(machine, samples)
    samples, states = find_first_states(machine, samples, period, noise)
    if start is None:
        parameters = scale_by_data(machine, parameters, samples, period, states)
        strength = START_SHARE * np.sqrt(np.mean(samples.force**2, axis=0))
        noise = replace(noise, force=np.hypot(noise.force, strength))
    else:
        parameters, noise = start.parameters, start.noise
    model = JointModel.of(machine, parameters, Prior.of(parameters), samples, period)
    values = np.zeros(model.unknowns) if start is None else model.begin_with(start.values)
    # first states with the values known beforehand: nothing unknown of the machine can lead them astray
    smoothed = smooth(model, linearise(model, samples, values, states), samples, noise, values)
    count, nonconvergence, gain, stride = 0, "", NoiseGain(len(machine.drives)), Stride()
    coarse = [(COARSE, COARSE_ROUNDS)] if start is None and len(samples) > COARSE else []
    for size, limit in (*coarse, (len(samples), FINE_ROUNDS if coarse else COARSE_ROUNDS + FINE_ROUNDS)):
        part, centre = samples.first(size), States(*(one[:size] for one in smoothed.centre))
        for _ in steps("passes", range(limit)):
            count += 1
            around = linearise(model, part, values, centre)
            result = estimate_parameters(model, around, part, noise)
            found = smooth(model, around, part, noise, result.values)
            change = np.clip(np.sqrt(found.force_ratio), *NOISE_STEP)
            noise = replace(noise, force=noise.force * gain.amplify(change))
            width = len(result.mean)
            moved = (result.values - values)[:width] * model.prior.std / np.sqrt(np.diag(result.covariance))
            nonconvergence = _is_moving(machine, parameters.names, np.abs(moved), np.abs(change - 1.0))
            if not nonconvergence:
                values, centre = result.values, found.centre
                break
            stride.turn(moved)
            values = values + stride.share * (result.values - values)
            centre = States(
                *(one + stride.share * (new - one) for one, new in zip(centre, found.centre, strict=True))
            )
        if size < len(samples):
            whole = linearise(model, samples, values, smoothed.centre)
            smoothed = smooth(model, whole, samples, noise, values)
    return Rounds(samples, parameters, values, result, around, found, noise, count, nonconvergence)


def _is_moving(machine: Machine, names: tuple[str, ...], moved: FloatArray, change: FloatArray) -> str:
    worst = int(np.argmax(moved))
    if moved[worst] >= STILL:
        return (
            f"{names[worst]} moved by {moved[worst]:.2g} standard deviations in the last round of states and "
            f"parameters, where {STILL:g} is settled"
        )
    drive = int(np.argmax(change))
    if change[drive] >= NOISE_STILL:
        return (
            f"the noise of {machine.drives[drive].title}'s force changed by {100 * change[drive]:.0f} % in the last "
            f"round of states and parameters, where {100 * NOISE_STILL:.0f} % is settled"
        )
    return ""


def dual_estimate(
    machine: Machine,
    parameters: ParameterSet,
    samples: JointSamples,
    period: float,
    start: Rounds | None = None,
) -> DualEstimate:
    """Estimate states and parameters of a log together, nothing differentiated.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
        The prior is the machine file's.
    samples : JointSamples
        Additional sensors are used where it has their readings.
    period : float
        s.
    start : Rounds, optional
        Where to begin; found from a part of the samples, say.

    Raises
    ------
    NotConverged
        If a motion cannot be found, or the parameters leave what a machine can have.
    """
    rounds = iterate(machine, parameters, samples, period, start)
    covariance = judged = rounds.result.covariance
    if not rounds.nonconvergence:  # else there is no estimate whose deviations would mean anything
        model = JointModel.of(machine, rounds.parameters, Prior.of(rounds.parameters), samples, period)
        correlation = add_correlation(rounds.result, model.prior, bool(np.isfinite(samples.readings).any()))
        widened = covariance + correlation.added
        systematic_covariance = systematic(model, rounds.around, rounds.noise, rounds.samples, rounds.values)
        covariance = widened + systematic_covariance
        scale = np.outer(model.prior.std, model.prior.std)
        judged = (
            correlation.narrowing @ (widened / scale) @ correlation.narrowing.T * scale
            + systematic_covariance
        )
    return DualEstimate(rounds, covariance, judged)
