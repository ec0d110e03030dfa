# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a joint filter's covariance leaves out: innovations that are correlated in time, and a systematic part.

The filter takes rounding and force noise for white and the equations of motion for right. Where they are not, its
innovations are correlated; the sandwich of Newey and West over the gradients that the samples of a tenth of a second
add to the likelihood (`state_filter`) tells what that does to the parameters. What no innovation shows is looked for as
the other estimators do, who repeat the estimate behind kinematic low-passes 1.5 times lower and higher: a state
filter's bandwidth, too, is a choice that should not matter. For an inertia that force noise q drives and coordinates of
noise r correct, it is in proportion to sqrt(q / r), so the estimate is repeated with 1.5^2 times less and more force
noise. The less it believes the forces, the more the transition of the friction law is averaged over rates it does
not know; what that changes is in the difference.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.estimation.batch.sandwich import sandwich
from pkm_identification.estimation.convergence import narrow_scores_by_drift
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.prior import Prior

from .linearised import JointModel, Linearised, linearise
from .log_pass import PassResult, estimate_parameters, smooth
from .samples import JointNoise, JointSamples

OTHER_BANDWIDTHS = (1 / 1.5, 1.5)


@dataclass(frozen=True)
class Correlated:
    """What correlated innovations make of a covariance.

    Attributes
    ----------
    added : ndarray, shape (P, P)
        Covariance, SI units.
    narrowing : ndarray, shape (P, P)
        Takes from a covariance what a steady drift makes of it, units of the prior (`narrow_by_drift`).
    """

    added: FloatArray
    narrowing: FloatArray


def add_correlation(last: PassResult, prior: Prior, with_readings: bool) -> Correlated:
    """Return what correlated innovations add; nothing where additional sensors were used."""
    width = len(prior.mean)
    if with_readings:
        return Correlated(np.zeros((width, width)), np.eye(width))
    scale = np.outer(prior.std, prior.std)
    white = last.covariance / scale
    return Correlated(
        (sandwich(np.linalg.inv(white), last.scores, last.segment) - white) * scale,
        narrow_scores_by_drift(white, last.scores, last.information, last.segment),
    )


def systematic(
    model: JointModel, around: Linearised, noise: JointNoise, samples: JointSamples, values: FloatArray
) -> FloatArray:
    """Return the covariance (P, P), SI units, of what the choice of the state filter's bandwidth does to the estimate.

    Parameters
    ----------
    model : JointModel
    around : Linearised
        Around the estimate.
    noise : JointNoise
    samples : JointSamples
    values : ndarray, shape (U,)
        The estimate, in standard deviations of the prior.
    """
    width = len(model.prior.mean)
    total = np.zeros((width, width))
    for factor in OTHER_BANDWIDTHS:
        other = replace(noise, force=noise.force * factor**2)
        states = smooth(model, around, samples, other, values).centre
        moved = estimate_parameters(model, linearise(model, samples, values, states), samples, other).mean
        change = moved - model.mean(values)
        total += np.outer(change, change) / len(OTHER_BANDWIDTHS)
    return total
