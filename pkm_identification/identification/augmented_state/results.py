# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Settings and results of joint estimation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.motion import PlatformMotion
from pkm_identification.numerics.arrays import FloatArray


@dataclass(frozen=True)
class JointSettings:
    """How a state starts, and when a sample is refused.

    Attributes
    ----------
    position_std, rotation_std, speed_std, turning_std : float
        What is not known of the pose forward kinematics gives at the start of a segment and of the twist, taken to be
        zero there: m, rad, m/s, rad/s.
    gate : float
        Largest NIS of six lengths (probability 1e-9 by default).
    stride : int
        Samples from one entry of the parameters' history to the next.
    """

    position_std: float = 1e-3
    rotation_std: float = 5e-3
    speed_std: float = 0.05
    turning_std: float = 0.2
    gate: float = 55.0
    stride: int = 100

    @property
    def start_std(self) -> FloatArray:
        """Standard deviations of the state at the start, shape (12,)."""
        return np.repeat([self.position_std, self.rotation_std, self.speed_std, self.turning_std], 3)


@dataclass(frozen=True)
class JointResult:
    """What a joint filter makes of a log.

    Attributes
    ----------
    motion : PlatformMotion
        Filtered pose and twist at each sample, by the samples up to it; acceleration is that of the period before.
    std : ndarray, shape (N, 12)
        Of position, rotation (vector in base axes), velocity and angular velocity; parameters' share included.
    mean, covariance : ndarray, shapes (P,) and (P, P)
        Parameters after the last sample, SI units.
    bias, bias_std : ndarray, shape (6,) or (0,)
        Of the IMU, when there is one.
    history_time, history_mean, history_std : ndarray, shapes (K,), (K, P), (K, P)
    nis : ndarray, shape (N,)
        Normalised innovation squared of the six lengths; NaN where there is none.
    reading_nis : float
        The same of additional sensors, mean per reading; NaN without any.
    force_ratio : ndarray, shape (6,)
        How much of the force noise the innovations show, as a variance; near 1 when it is as assumed.
    gated, restarts : int
        Samples refused, and how often the state was begun afresh because of too many in a row.
    """

    motion: PlatformMotion
    std: FloatArray
    mean: FloatArray
    covariance: FloatArray
    bias: FloatArray
    bias_std: FloatArray
    history_time: FloatArray
    history_mean: FloatArray
    history_std: FloatArray
    nis: FloatArray
    reading_nis: float
    force_ratio: FloatArray
    gated: int
    restarts: int


@dataclass(frozen=True)
class SmoothedStates:
    """States of a log by all its samples, parameters known.

    Attributes
    ----------
    motion : PlatformMotion
        Smoothed pose and twist; the acceleration is the filter's.
    std : ndarray, shape (N, 12)
    force_noise : ndarray, shape (N, 6)
        Error of the measured force (and of the model) in the period that begins at each sample, N.
    force_ratio : ndarray, shape (6,)
        Square of that error over what it should be; near 1 when the force noise is as assumed.
    nis : ndarray, shape (N,)
    """

    motion: PlatformMotion
    std: FloatArray
    force_noise: FloatArray
    force_ratio: FloatArray
    nis: FloatArray


@dataclass(frozen=True)
class Centre:
    """States, force noise and parameters around which the model is made linear.

    Attributes
    ----------
    mean : ndarray, shape (P,)
        Parameters, SI units.
    motion : PlatformMotion
    force_noise : ndarray, shape (N, 6)
        Of the period that begins at each sample, N.
    """

    mean: FloatArray
    motion: PlatformMotion
    force_noise: FloatArray
