# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""How small residuals of a mechanism's equations can be: what the noise in its log makes of them.

White noise of the levels that forces and coordinates show above all motion is added to the log once more, and the
equations are made again: what changes is the floor, through filters, shafts that yield and all else on the way.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.estimation.equations import Equations
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.drive_log import DriveLog
from pkm_identification.signals.white_noise import LAGS, force_density, position_noise

LONGEST = 20.0  # s of a log that are enough to measure noise
LEAST = 1e-4  # of the rms force: nothing is modelled better than that
SEED = 7


def noisier(log: DriveLog) -> DriveLog | None:
    """The log's first LONGEST seconds with as much noise again; None where they are too few to show any."""
    part = slice(0, round(LONGEST / log.period))
    first = replace(log, time=log.time[part], drive=log.drive[part], force=log.force[part])
    if len(first) < 16 * LAGS:
        return None
    size = np.sqrt(force_density(first.force, first.drive, log.period) / (2.0 * log.period))
    place = position_noise(first.drive, log.period)
    random = np.random.default_rng(SEED)
    return replace(
        first,
        drive=first.drive + place * random.standard_normal(first.drive.shape),
        force=first.force + size * random.standard_normal(first.force.shape),
    )


def noise_floor(equations: Equations, again: Equations, values: FloatArray) -> FloatArray:
    """Standard deviation (n,) of the residuals that noise alone would leave, in N or N m.

    Parameters
    ----------
    equations, again : Equations
        Of a log, and of `noisier`.
    values : ndarray, shape (P,)
        Of the parameters, rough ones.
    """
    both = [part.measured - part.regressor @ values for part in (equations[: len(again)], again)]
    exact = LEAST * np.sqrt(np.mean(equations.force**2, axis=0)) + 1e-300
    return np.asarray(np.sqrt(np.mean((both[1] - both[0]) ** 2, axis=0) + exact**2))
