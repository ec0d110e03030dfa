# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Friction of the struts over their rate: what is left of the measured force, beside the identified law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics.regressor import regressor
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.builder import STRUT
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.guard import GuardedLog

from ..samples import Samples

MOST = 20_000  # samples: bins of some hundreds each
BINS = 40  # finer towards standstill, where friction changes
FEWEST = 5  # samples of a bin


@dataclass(frozen=True)
class FrictionCurve:
    """Friction of one strut in bins of its rate, slowest first.

    Attributes
    ----------
    strut : int
        From 0.
    rate : ndarray, shape (K,)
        Mean of each bin, m/s.
    measured, spread : ndarray, shape (K,)
        Mean and standard deviation of the measured force less what the estimate says of everything but strut friction,
        N.
    law : ndarray, shape (K,)
        Mean of the identified friction over the same samples, N.
    """

    strut: int
    rate: FloatArray
    measured: FloatArray
    spread: FloatArray
    law: FloatArray


def friction_curves(
    machine: Machine,
    parameters: ParameterSet,
    values: FloatArray,
    logs: Sequence[GuardedLog],
    samples: Sequence[Samples],
) -> tuple[FrictionCurve, ...]:
    """One curve a strut; of a set without friction of the struts, none.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
    values : ndarray, shape (P,)
    logs, samples : sequences of equal length
        Guarded logs, and what is left of each behind the zero-phase filter.
    """
    rubbing = np.array([entry.kind.friction and entry.body == STRUT for entry in parameters.entries])
    if not rubbing.any():
        return ()
    mapping = np.column_stack([parameters.mapping, parameters.known])
    weights = np.column_stack([np.append(values * ~rubbing, 1.0), np.append(values * rubbing, 0.0)])
    every = max(1, sum(len(one.platform) for one in samples) // MOST)
    rates, left, laws = [], [], []
    for log, one in zip(logs, samples, strict=True):
        motion = one.platform[::every]
        if len(motion) == 0 or log.force is None:
            continue
        rigid, law = np.moveaxis(regressor(machine, motion, mapping) @ weights, 2, 0)
        rates.append(one.struts.rate[::every])
        left.append(log.force[np.searchsorted(log.time, motion.time)] - rigid)
        laws.append(law)
    if not rates:
        return ()
    rate, force, law = (np.concatenate(part) for part in (rates, left, laws))
    return tuple(_curve(i, rate[:, i], force[:, i], law[:, i]) for i in range(STRUTS))


def _curve(strut: int, rate: FloatArray, force: FloatArray, law: FloatArray) -> FrictionCurve:
    side = np.linspace(-1.0, 1.0, BINS + 1)
    edges = np.sign(side) * side**2 * float(np.abs(rate).max(initial=1e-9))
    place = np.clip(np.searchsorted(edges, rate, side="right") - 1, 0, BINS - 1)
    count = np.bincount(place, minlength=BINS)
    full = count >= FEWEST

    def mean(part: FloatArray) -> FloatArray:
        return np.bincount(place, part, BINS)[full] / count[full]

    middle = mean(force)
    spread = np.sqrt(np.maximum(mean(force**2) - middle**2, 0.0))
    return FrictionCurve(strut, mean(rate), middle, spread, mean(law))
