# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Acting forces and strut lengths from what drives report, by what a machine file says of its actuators.

With x_1 where the encoder is, F what the drive reports and its numbers as in `mechanisms.actuators.transfer`:

    S = F(t + late) - m_1 x_1'' - the motor's friction           force in what yields
    x_1 - x = (S - (C / K) S') / K                               how far it is wound up
    acting = [F(t + late) - the motor's friction - m_1 (x_1 - x)''] passed on by the screw - friction inside
             - the ripple that a held setpoint leaves at the samples

m_1 x'' stays with the model, whose basis has the motor's mass at the strut. Derivatives are those of local
polynomials, flat far above the estimation band; both sides of an equation then pass the same filters.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np

from pkm_identification.mechanisms.actuators.friction_inside import InnerFriction
from pkm_identification.mechanisms.actuators.transfer import Transfer
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

# Half a width in s and the order of the polynomials, of lengths and of the force in what yields: the longer, the less
# noise of that force gets into lengths, and the less of its jumps where friction turns back. A second derivative goes
# into forces alone, whose noise above the estimation band does no harm: its polynomial is one that bends less there.
LENGTHS, SPRING, BEND = (3e-3, 4), (12e-3, 2), 4
FEWEST = 3  # samples to either side


def polynomial_weights(half: int, order: int, period: float) -> FloatArray:
    """Weights (3, 2 half + 1) of value, slope and second derivative in the middle of a fitted polynomial."""
    time = np.arange(-half, half + 1) / half
    inverse = np.linalg.pinv(np.vander(time, order + 1, increasing=True))[:3]
    return np.asarray(inverse * np.array([1.0, 1.0, 2.0])[:, None] / (half * period) ** np.arange(3)[:, None])


def _cubic(late: float) -> FloatArray:
    """Weights (4,) of samples -1, 0, 1, 2 for the value at 0 to 1."""
    u = late
    return np.array(
        [
            -u * (u - 1) * (u - 2) / 6,
            (u + 1) * (u - 1) * (u - 2) / 2,
            -(u + 1) * u * (u - 2) / 2,
            (u + 1) * u * (u - 1) / 6,
        ]
    )


@kernel
def windowed(values, weights):
    """Weighted sums (n - w + 1, c) over windows of values (n, c) with weights (w,)."""
    count, width = values.shape[0] - weights.size + 1, values.shape[1]
    sums = np.zeros((max(count, 0), width))
    for n in range(sums.shape[0]):
        for k in range(weights.size):
            for c in range(width):
                sums[n, c] += weights[k] * values[n + k, c]
    return sums


@dataclass(frozen=True)
class _Frictions:
    """Friction of six drives; see `InnerFriction`."""

    viscous: FloatArray
    coulomb: FloatArray
    bend: FloatArray

    @classmethod
    def of(cls, each: Sequence[InnerFriction]) -> _Frictions:
        return cls(
            np.array([one.viscous for one in each]),
            np.array([one.coulomb for one in each]),
            np.array([one.transition_rate for one in each]),
        )

    def side(self, rate: FloatArray) -> FloatArray:
        return np.clip(rate / self.bend, -1.0, 1.0)

    def __call__(self, rate: FloatArray) -> FloatArray:
        return self.viscous * rate + self.coulomb * self.side(rate)


class DriveTransfer:
    """The `Correction` that drives' numbers ask for.

    Parameters
    ----------
    transfers : sequence of six Transfer
    period : float
        Of the samples, s.
    """

    def __init__(self, transfers: Sequence[Transfer], period: float) -> None:
        self._transfers, self._period = transfers, period
        self._late = np.array([_cubic(one.late / period) for one in transfers]).T
        self._efficiency = np.array([one.efficiency for one in transfers])
        self._back = 1.0 / np.array([one.back_efficiency for one in transfers])
        self._friction = _Frictions.of([one.friction for one in transfers])
        self._motor_friction = _Frictions.of([one.motor_friction for one in transfers])
        self._compliance = np.array([one.compliance for one in transfers])
        self._damping = np.array([one.damping_time for one in transfers])
        self._ripple = np.array([one.ripple for one in transfers])
        self._mass = np.array([one.motor_mass for one in transfers])
        self._on_motor = np.array([float(one.on_motor) for one in transfers])
        self._moving = any(one.depends_on_rate for one in transfers)
        self._yields = bool(np.any(self._compliance > 0.0))
        half = max(FEWEST, round(LENGTHS[0] / period)) if self._moving else 0
        again = max(FEWEST, round(SPRING[0] / period)) if self._yields else 0
        self._half, self._again = half, again
        if half:
            self._weights = polynomial_weights(half, LENGTHS[1], period)
        if again:
            self._spring_weights = polynomial_weights(again, SPRING[1], period)
            self._spring_weights[2] = polynomial_weights(again, BEND, period)[2]
        # what comes late needs one sample before and two behind
        self._first = (max(half, 1), max(half, 2)) if np.any(self._late[1] != 1.0) else (half, half)
        self.before, self.after = self._first[0] + again, self._first[1] + again

    def at(self, period: float) -> DriveTransfer:
        """See `Correction`; its polynomials keep their samples."""
        changed = copy(self)
        changed._period = period
        transfers = [one.at(period) for one in self._transfers]
        changed._late = np.array([_cubic(one.late / period) for one in transfers]).T
        changed._ripple = np.array([one.ripple for one in transfers])
        stretched = (self._period / period) ** np.arange(3)[:, None]
        if self._half:
            changed._weights = self._weights * stretched
        if self._again:
            changed._spring_weights = self._spring_weights * stretched
        return changed

    @property
    def force_weights(self) -> FloatArray:
        """See `Correction`."""
        return self._late

    def corrected(
        self, length: FloatArray, force: FloatArray, wound: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """See `Correction`; `wound` (n, 6) in m is how far drives are wound up, where that is known otherwise."""
        rate, second, middle, true = self._of_encoder(length, force)
        if not self._moving:
            return middle, true
        if self._yields:
            inner = slice(self._again, len(rate) - self._again)
            if wound is None:
                spring = true - self._motor_friction(rate) - self._mass * second
                smooth, slope, bend = (windowed(spring, weights) for weights in self._spring_weights)
                away = self._compliance * (smooth - self._damping * slope)
                unwinding, bend = self._compliance * slope, self._compliance * bend
            else:
                away = wound[self.before : len(wound) - self.after]
                near = slice(self.before - self._half, len(wound) - self.after + self._half)
                unwinding = windowed(wound[near], self._weights[1])
                near = slice(self.before - self._again, len(wound) - self.after + self._again)
                bend = windowed(wound[near], self._spring_weights[2])
            rate = rate[inner] - self._on_motor * unwinding
            middle = middle[inner] - self._on_motor * away
            true = true[inner] - self._motor_friction(rate + unwinding) - self._mass * bend
        side = self._friction.side(rate) * np.where(true >= 0.0, 1.0, -1.0)
        passed = 1.0 + np.where(side >= 0.0, self._efficiency - 1.0, 1.0 - self._back) * side
        return middle, passed * true - self._friction(rate) - self._ripple * rate

    def _of_encoder(
        self, length: FloatArray, force: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Rates, accelerations and lengths at the encoder, and forces that are not late."""
        before, after = self._first
        count = len(length) - before - after
        inner = slice(before, before + count)
        true = force[inner]
        if after > self._half or before > self._half or np.any(self._late[1] != 1.0):
            true = np.zeros((count, force.shape[1]))
            for k, weights in enumerate(self._late):
                true = true + weights * force[before - 1 + k : before - 1 + k + count]
        if not self._moving:
            return true, true, length[inner], true
        near = slice(before - self._half, before + count + self._half)
        rate, second = (windowed(length[near], weights) for weights in self._weights[1:])
        return rate, second, length[inner], true
