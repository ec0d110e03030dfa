# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Joint and dual estimation of a whole log: states and parameters in turn, until they agree.

A filter that starts with parameters off by 20 % and unknown friction makes the model linear in the wrong place just
when it learns most, and measured forces enter its derivatives with all their noise. Offline that can be had right. The
states of the log are smoothed with the parameters known so far, the model is made linear around them, and the
parameters are estimated anew from the prior, over all samples; that repeats until they stand still. It is the
Gauss-Newton iteration for the most probable states and parameters together (an iterated Kalman smoother, B. M. Bell,
SIAM J. Optim. 4, 1994; with sigma points for the states as in posterior linearisation, Garcia-Fernandez, Svensson and
Sarkka, Automatica 2017). It starts with force noise of a tenth of the force, so that the lengths decide the states, and
ends with the noise the smoothed states show.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.progress import steps

from .augmented_filter import JointFilter
from .deviations import correlated, systematic
from .model import JointModel, JointNoise, JointSamples
from .results import (
    Centre,
    JointResult,
    JointSettings,
    SmoothedStates,
)
from .two_filter import TwoFilterResult, TwoFilters

START_SHARE = 0.1  # force noise at the start, in rms force
COARSE = 8000  # samples the first rounds look at
COARSE_ROUNDS, FINE_ROUNDS = 5, 5
# Change of a parameter, in standard deviations, that ends the iteration. Rounds contract, so less than that is left;
# an error of 0.3 deviations that they do not know of makes them 4 % too small.
STILL = 0.3
NOISE_STILL = 0.1  # change of a drive's force noise that ends it
NOISE_STEP = (0.1, 3.0)  # smallest and largest change of the force noise in a round


@dataclass(frozen=True)
class Rounds:
    """States and parameters that agree, after some rounds.

    Attributes
    ----------
    mean : ndarray, shape (P,)
        SI units.
    result : JointResult or TwoFilterResult
        Of the last pass.
    centre : Centre
        Around which that was made linear.
    noise : JointNoise
        Force noise as found.
    count : int
    nonconvergence : str
        What kept changing, in words; empty when nothing did.
    """

    mean: FloatArray
    result: JointResult | TwoFilterResult
    centre: Centre
    noise: JointNoise
    count: int
    nonconvergence: str


@dataclass(frozen=True)
class DualEstimate:
    """Parameters and states of a log.

    Attributes
    ----------
    mean, covariance : ndarray, shapes (P,) and (P, P)
        SI units; the covariance knows of correlated innovations and of what is systematic (`deviations`).
    judged : ndarray, shape (P, P)
        The covariance without what a drift makes of it (`settling`).
    white : ndarray, shape (P, P)
        The last pass's own covariance, which takes all noise for white and the model for right.
    states : SmoothedStates
        With these parameters, by all samples before and after.
    last : JointResult or TwoFilterResult
        Of the last pass: path of the parameters, samples refused.
    noise : JointNoise
        Force noise as found.
    nis : float
        Mean normalised innovation squared of six lengths; 6 when the noise is as assumed.
    rounds : int
    nonconvergence : str
        What kept changing from round to round, in words; empty when nothing did.
    """

    mean: FloatArray
    covariance: FloatArray
    judged: FloatArray
    white: FloatArray
    states: SmoothedStates
    last: JointResult | TwoFilterResult
    noise: JointNoise
    nis: float
    rounds: int
    nonconvergence: str

    @property
    def converged(self) -> bool:
        """Whether states and parameters agree."""
        return not self.nonconvergence


def iterate(
    machine: Machine,
    parameters: ParameterSet,
    samples: JointSamples,
    period: float,
    form: str = "joint",
    settings: JointSettings | None = None,
    start: Rounds | None = None,
) -> Rounds:
    """States and parameters in turn until both stand still; arguments and errors as of `dual_estimate`."""
    settings, prior = settings or JointSettings(), Prior.of(parameters)
    model = JointModel.of(machine, parameters, prior, samples, period)
    if start is None:
        noise = JointNoise.of(machine, samples.length, samples.force)
        strength = START_SHARE * np.sqrt(np.mean(samples.force**2, axis=0))
        noise = replace(noise, force=np.hypot(noise.force, strength))
        # linear around states the lengths alone decide: nothing unknown of the machine can lead this pass astray
        part = samples.first(COARSE)
        states = JointFilter(model.fixed(prior.mean), noise, settings).smoothed(part)
        centre = Centre(prior.mean, states.motion, states.force_noise)
        mean = JointFilter(model, noise, settings).run(part, centre).mean
    else:
        mean, noise = start.mean, start.noise
    count, nonconvergence = 0, ""
    coarse = [(samples.first(COARSE), COARSE_ROUNDS)] if start is None and len(samples) > COARSE else []
    for part, limit in (*coarse, (samples, FINE_ROUNDS if coarse else COARSE_ROUNDS + FINE_ROUNDS)):
        for _ in steps("passes", range(limit)):
            count += 1
            states = JointFilter(model.fixed(mean), noise, settings).smoothed(part)
            change = np.clip(np.sqrt(states.force_ratio), *NOISE_STEP)
            # the ratio is nearer to 1 than the noise is to what it should be
            noise = replace(noise, force=noise.force * change**1.8)
            centre = Centre(mean, states.motion, states.force_noise)
            result = one_pass(model, noise, settings, form, part, centre)
            moved = np.abs(result.mean - mean) / np.sqrt(np.diag(result.covariance))
            mean = result.mean
            nonconvergence = _still_moving(parameters.names, moved, np.abs(change - 1.0))
            if not nonconvergence:
                break
    return Rounds(mean, result, centre, noise, count, nonconvergence)


def one_pass(
    model: JointModel,
    noise: JointNoise,
    settings: JointSettings,
    form: str,
    samples: JointSamples,
    centre: Centre,
) -> JointResult | TwoFilterResult:
    """Parameters anew from the prior, by one filter or two."""
    if form == "joint":
        return JointFilter(model, noise, settings).run(samples, centre)
    return TwoFilters(model, noise, settings).run(samples, centre)


def _still_moving(names: tuple[str, ...], moved: FloatArray, change: FloatArray) -> str:
    worst = int(np.argmax(moved))
    if moved[worst] >= STILL:
        return (
            f"{names[worst]} moved by {moved[worst]:.2g} standard deviations in the last round of states and "
            f"parameters, where {STILL:g} is settled"
        )
    strut = int(np.argmax(change))
    if change[strut] >= NOISE_STILL:
        return (
            f"the noise of strut {strut + 1}'s force changed by {100 * change[strut]:.0f} % in the last round of "
            f"states and parameters, where {100 * NOISE_STILL:.0f} % is settled"
        )
    return ""


def dual_estimate(
    machine: Machine,
    parameters: ParameterSet,
    samples: JointSamples,
    period: float,
    form: str = "joint",
    settings: JointSettings | None = None,
    start: Rounds | None = None,
) -> DualEstimate:
    """Estimate states and parameters of a log together, nothing differentiated.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
        The prior is the machine file's.
    samples : JointSamples
        Additional sensors are used by the joint form.
    period : float
        s.
    form : {'joint', 'dual'}
        One filter, or a state filter and a parameter filter (`two_filter`).
    settings : JointSettings, optional
    start : Rounds, optional
        Where to begin; found from a part of the samples, say.

    Raises
    ------
    NotConverged
        If a pose cannot be found, or the parameters leave what a machine can have.
    """
    settings = settings or JointSettings()
    if form == "dual":
        samples = samples.lengths_only()
    rounds = iterate(machine, parameters, samples, period, form, settings, start)
    mean, noise, last = rounds.mean, rounds.noise, rounds.result
    model = JointModel.of(machine, parameters, Prior.of(parameters), samples, period)
    states = JointFilter(model.fixed(mean), noise, settings).smoothed(samples)
    covariance = judged = last.covariance
    if not rounds.nonconvergence:  # else there is no estimate whose deviations would mean anything
        covariance, judged = _deviations(model, settings, samples, form, rounds)

    return DualEstimate(
        mean=mean,
        covariance=covariance,
        judged=judged,
        white=last.covariance,
        states=states,
        last=last,
        noise=noise,
        nis=float(np.nanmean(states.nis)),
        rounds=rounds.count,
        nonconvergence=rounds.nonconvergence,
    )


def _deviations(
    model: JointModel, settings: JointSettings, samples: JointSamples, form: str, rounds: Rounds
) -> tuple[FloatArray, FloatArray]:
    """The stated covariance and the one by which it is judged whether the estimate has settled."""
    correlation = correlated(model, rounds.noise, settings, samples, rounds.centre, rounds.result)
    widened = rounds.result.covariance + correlation.added

    def estimate(force: FloatArray, centre: Centre) -> FloatArray:
        return one_pass(model, replace(rounds.noise, force=force), settings, form, samples, centre).mean

    beside = systematic(model, rounds.noise, settings, samples, rounds.mean, estimate)
    scale = np.outer(model.prior.std, model.prior.std)
    narrowed = correlation.narrowing @ (widened / scale) @ correlation.narrowing.T * scale
    return widened + beside, narrowed + beside
