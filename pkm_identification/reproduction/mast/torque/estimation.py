# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Friction from slow motion, inertia from fast: the paper's identification of an axis, with deviations.

Torque on the motor's shaft: tau = (J_1 + J_2) a + tau_f sgn(w) + tau_g, in all samples in which the motor turns fast
enough for its direction to be sure. Friction is taken from the slow log with the inertia known so far, inertia from
the fast log with that friction, until neither moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.errors import NotConverged
from pkm_identification.numerics.arrays import FloatArray

from ..rubbing import AxisRun

SURE = 0.1  # of the largest rate, above which a motor turns
ROUNDS, SETTLED = 50, 1e-10


@dataclass(frozen=True)
class AxisIdentification:
    """Inertia J_1 in kg m^2 and Coulomb torque in N m with standard deviations, and rounds until they rested."""

    inertia: float
    inertia_std: float
    friction: float
    friction_std: float
    rounds: int


def identify_axis(slow: AxisRun, fast: AxisRun, guide: float, inertia: float) -> AxisIdentification:
    """From a slow and a fast log; `guide` is J_2 with its load, `inertia` the first guess of J_1, kg m^2.

    Raises
    ------
    NotConverged
        If the two do not come to rest.
    """
    friction = 0.0
    for rounds in range(1, ROUNDS + 1):
        before = inertia, friction
        direction, acceleration, torque = _turning(slow)
        friction, friction_std = _slope(direction, torque - (inertia + guide) * acceleration)
        direction, acceleration, torque = _turning(fast)
        total, inertia_std = _slope(acceleration, torque - friction * direction)
        inertia = total - guide
        if np.allclose(before, (inertia, friction), rtol=SETTLED, atol=0.0):
            return AxisIdentification(inertia, inertia_std, friction, friction_std, rounds)
    raise NotConverged(f"friction and inertia did not come to rest in {ROUNDS} rounds")


def _turning(run: AxisRun) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Direction, acceleration and torque where the motor turns before and after the sample."""
    acceleration = np.diff(run.rate) / np.diff(run.time)
    rate = np.minimum(np.abs(run.rate[:-1]), np.abs(run.rate[1:]))
    sure = (rate > SURE * np.abs(run.rate).max()) & (run.rate[:-1] * run.rate[1:] > 0)
    return np.sign(run.rate[:-1])[sure], acceleration[sure], run.torque[:-1][sure]


def _slope(column: FloatArray, torque: FloatArray) -> tuple[float, float]:
    """Least squares of torque = slope column + constant: slope and its standard deviation."""
    columns = np.column_stack([column, np.ones(len(column))])
    values, *_ = np.linalg.lstsq(columns, torque, rcond=None)
    residual = torque - columns @ values
    covariance = np.linalg.inv(columns.T @ columns) * (residual @ residual) / (len(torque) - 2)
    return float(values[0]), float(np.sqrt(covariance[0, 0]))
