# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What friction near standstill adds to the noise floor: there, rates are not as well known as elsewhere.

A strut that turns back moves by less than a count while its drive lifts the force from friction on the one side to
friction on the other, and in closed loop its rate follows every step of that force within a fraction of a millisecond,
since inside its bend friction is a stiff damper. Neither rounded lengths nor rates behind the kinematic low-pass show
that, and rounding near standstill is no white noise. Friction is steep in just these rates: right logs with encoders of
14 um, or of drives at 100 Hz, have residuals of a kurtosis of 20 to 90, nearly all of it within the bend.

With a rate error of the standard deviation s and a time of 1 / (2 cutoff), friction in the band has the variance

    g = sum_n h(n)^2 ((f(L' + s) - f(L' - s)) / 2)^2 / (2 cutoff T) ,

h the band's response, T the sample period. How much of that there is, is asked of pure error, which is what even all
hypotheses leave, strut by strut and by its contrast with what is away from standstill: at most all of it with the s
that the kinematic cutoff is chosen to allow (`rates.kinematic_cutoff`). Causes whose columns are known are not hidden.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.estimation.lack_of_fit.uneven import compute_uneven_share
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.causal import FilterSettings

from ..model_errors.situation import Situation
from ..rates.kinematic_cutoff import RATE_NOISE_SHARE
from .noise_floor import NoiseFloor

SURE = 3.0  # standard deviations from none


def friction_variance(situation: Situation, filtered: FilterSettings) -> FloatArray:
    """Return the variance (K, n) of friction in the band, of rate errors of RATE_NOISE_SHARE of the transition rate.

    Parameters
    ----------
    situation : Situation
    filtered : FilterSettings
        The kinematic low-pass that its rates have passed.
    """
    friction, rows = situation.friction, situation.rows
    rate = rows.motion.rate
    error = RATE_NOISE_SHARE * np.array([one.transition_rate for one in friction])
    ahead, behind = (situation.transition_of(friction, rate + e) for e in (error, -error))
    together = max(1.0 / (2.0 * filtered.cutoff * filtered.period), 1.0)
    return together * rows.power_in_band((0.5 * (ahead - behind) * situation.coulomb) ** 2)


def with_standstill(floor: NoiseFloor, pure: FloatArray, most: FloatArray) -> NoiseFloor:
    """The floor with what pure error has near standstill; itself where that is no more than it holds already.

    Parameters
    ----------
    floor : NoiseFloor
        The same in all equations.
    pure : ndarray, shape (K, 6)
        What all hypotheses leave, in units of the floor.
    most : ndarray, shape (K, 6)
        `friction_variance`.
    """
    share, std = compute_uneven_share(pure * floor.std, most)
    mean = np.mean(most, axis=0) if len(most) else np.zeros(most.shape[1])
    held = np.divide(floor.encoder_friction**2, mean, out=np.zeros(most.shape[1]), where=mean > 0.0)
    more = (share > SURE * std) & (share > held)
    if not np.any(more):
        return floor
    share = np.where(more, np.maximum(np.minimum(share, 1.0), held), 0.0)
    even = floor.std**2 - np.where(more, floor.encoder_friction**2, 0.0)
    each = np.sqrt(even + share * most)
    return replace(floor, std=np.sqrt(np.mean(each**2, axis=0)), near_standstill=each)
