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

from ...machine import Machine
from ...motion import FloatArray
from ..parameters.parameter_set import ParameterSet
from ..parameters.prior import Prior
from .joint import JointFilter
from .model import JointModel, JointNoise, JointSamples
from .results import Centre, JointResult, JointSettings, SmoothedStates
from .two_filter import TwoFilters

START_SHARE = 0.1  # force noise at the start, in rms force
COARSE = 8000  # samples the first rounds look at
COARSE_ROUNDS, FINE_ROUNDS = 5, 5
STILL = 0.3  # change of a parameter, in standard deviations, that ends the iteration
NOISE_STEP = (0.1, 3.0)  # smallest and largest change of the force noise in a round


@dataclass(frozen=True)
class DualEstimate:
    """Parameters and states of a log.

    Attributes
    ----------
    mean, covariance : ndarray, shapes (P,) and (P, P)
        SI units.
    states : SmoothedStates
        With these parameters, by all samples before and after.
    filtered : JointResult or None
        Last pass of the joint form; None of the dual form.
    noise : JointNoise
        Force noise as found.
    nis : float
        Mean normalised innovation squared of six lengths; 6 when the noise is as assumed.
    gated : int
        Samples refused in the last pass.
    rounds : int
    converged : bool
    """

    mean: FloatArray
    covariance: FloatArray
    states: SmoothedStates
    filtered: JointResult | None
    noise: JointNoise
    nis: float
    gated: int
    rounds: int
    converged: bool


def dual_estimate(
    machine: Machine,
    parameters: ParameterSet,
    samples: JointSamples,
    period: float,
    form: str = "joint",
    settings: JointSettings | None = None,
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

    Raises
    ------
    NotConverged
        If a pose cannot be found, or the parameters leave what a machine can have.
    """
    settings, prior = settings or JointSettings(), Prior.of(parameters)
    if form == "dual":
        samples = samples.lengths_only()
    model = JointModel.of(machine, parameters, prior, samples, period)
    noise = JointNoise.of(machine, samples.length, samples.force)
    strength = START_SHARE * np.sqrt(np.mean(samples.force**2, axis=0))
    noise = replace(noise, force=np.hypot(noise.force, strength))
    # linear around states the lengths alone decide: nothing that is unknown of the machine can lead this pass astray
    part = samples.first(COARSE)
    states = JointFilter(model.fixed(prior.mean), noise, settings).smoothed(part)
    start = Centre(prior.mean, states.motion, states.force_noise)
    mean = JointFilter(model, noise, settings).run(part, start).mean
    rounds, converged = 0, False
    coarse = [(samples.first(COARSE), COARSE_ROUNDS)] if len(samples) > COARSE else []
    for part, limit in (*coarse, (samples, FINE_ROUNDS if coarse else COARSE_ROUNDS + FINE_ROUNDS)):
        for _ in range(limit):
            rounds += 1
            states = JointFilter(model.fixed(mean), noise, settings).smoothed(part)
            change = np.clip(np.sqrt(states.force_ratio), *NOISE_STEP)
            # the ratio is nearer to 1 than the noise is to what it should be
            noise = replace(noise, force=noise.force * change**1.8)
            centre = Centre(mean, states.motion, states.force_noise)
            if form == "joint":
                result = JointFilter(model, noise, settings).run(part, centre)
            else:
                result = TwoFilters(model, noise, settings).run(part, centre)
            moved = np.max(np.abs(result.mean - mean) / np.sqrt(np.diag(result.covariance)))
            mean = result.mean
            converged = bool(moved < STILL and np.all(np.abs(change - 1.0) < 0.1))
            if converged:
                break
    states = JointFilter(model.fixed(mean), noise, settings).smoothed(samples)
    return DualEstimate(
        mean=mean,
        covariance=result.covariance,
        states=states,
        filtered=result if isinstance(result, JointResult) else None,
        noise=noise,
        nis=float(np.nanmean(states.nis)),
        gated=result.gated,
        rounds=rounds,
        converged=converged,
    )
