# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Acting forces and strut lengths from what drives report, by what a machine file says of its actuators.

With x_1 where the encoder is, F what the drive reports and its numbers as in `mechanisms.actuators.transfer`:

    S = F(t + late) - m_1 x_1'' - the motor's friction           force in what is compliant
    x_1 - x = (S - (C / K) S') / K                               how far it is deflected
    acting = [F(t + late) - the motor's friction - m_1 (x_1 - x)''] passed on by the screw - friction inside
             - the ripple that a held setpoint leaves at the samples

m_1 x'' stays with the model, whose basis has the motor's mass at the strut. Derivatives are those of local
polynomials, flat far above the estimation band; both sides of an equation then pass the same filters.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

import numpy as np

from pkm_identification.mechanisms.actuators.friction_inside import InnerFriction
from pkm_identification.mechanisms.actuators.transfer import Transfer
from pkm_identification.numerics.arrays import FloatArray, contiguous
from pkm_identification.numerics.compiled import compile_inline, kernel

# Half a width in s and the order of the polynomials, of lengths and of the force in what yields: the longer, the less
# noise of that force gets into lengths, and the less of its jumps where friction turns back. A second derivative goes
# into forces alone, whose noise above the estimation band does no harm: its polynomial is one that bends less there.
LENGTHS, SPRING, BEND = (3e-3, 4), (12e-3, 2), 4
FEWEST = 3  # samples to either side
# The same for rates of drives with Coulomb friction inside. Where one breaks away its rate has a kink, and friction, of
# many newtons for a mm/s, makes a pulse of what the polynomial takes from behind it: 1.8 N rms in a band of 10 Hz of
# what needs 3 N, with 200 N inside; a difference of neighbours .09 N. Its noise is 1.4 times that of the longer one.
KINKED = 1e-3, 2


def compute_polynomial_weights(half: int, order: int, period: float) -> FloatArray:
    """Weights (3, 2 half + 1) of value, slope and second derivative in the middle of a fitted polynomial."""
    time = np.arange(-half, half + 1) / half
    inverse = np.linalg.pinv(np.vander(time, order + 1, increasing=True))[:3]
    return np.asarray(inverse * np.array([1.0, 1.0, 2.0])[:, None] / (half * period) ** np.arange(3)[:, None])


def _compute_cubic_weights(late: float) -> FloatArray:
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


class _Numbers(NamedTuple):
    """What a machine file says of n drives, as `mechanisms.actuators.transfer` has it.

    Attributes
    ----------
    late : ndarray, shape (4, n)
        Weights of the samples around it for the force at an instant.
    friction, motor_friction : ndarray, shape (3, n)
        Viscous, Coulomb, and the rate within which the law changes sign: inside the drive, and of the motor.
    efficiency, back, compliance, damping, ripple, mass, on_motor : ndarray, shape (n,)
    """

    late: FloatArray
    friction: FloatArray
    motor_friction: FloatArray
    efficiency: FloatArray
    back: FloatArray
    compliance: FloatArray
    damping: FloatArray
    ripple: FloatArray
    mass: FloatArray
    on_motor: FloatArray


class _Fits(NamedTuple):
    """What is asked of a sample's neighbours.

    Attributes
    ----------
    weights : ndarray, shape (3, 2 half + 1)
        Of lengths, for value, slope and second derivative; one column where no rate is needed.
    spring : ndarray, shape (3, 2 again + 1)
        Of the force in what is compliant; one column where nothing does.
    before, after : int
        Samples that rates and forces at the encoder need.
    period : float
        Of the samples, s.
    """

    weights: FloatArray
    spring: FloatArray
    before: int
    after: int
    period: float


def _compute_frictions(each: Sequence[InnerFriction]) -> FloatArray:
    return contiguous(np.array([[one.viscous, one.coulomb, one.transition_rate] for one in each]).T)


@compile_inline
def _find_side(rate, transition_rate):
    """Return which way a drive moves, -1 to 1; a missing rate stays missing."""
    if rate >= transition_rate:
        return 1.0
    return -1.0 if rate <= -transition_rate else rate / transition_rate


@compile_inline
def _compute_friction(friction, rate, c):
    """Friction of drive c at a rate; see `InnerFriction`."""
    return friction[0, c] * rate + friction[1, c] * _find_side(rate, friction[2, c])


@compile_inline
def _integrate_side(rate, transition_rate):
    """Integral over the rate of which way a drive moves."""
    size = abs(rate)
    if size >= transition_rate:
        return size - 0.5 * transition_rate
    return 0.5 * size * size / transition_rate


@compile_inline
def _average_friction(friction, rate, half, c):
    """Friction of drive c while its rate goes linearly from `rate - half` to `rate + half`, in the mean.

    Where a drive turns round, friction of one instant stands for all of a sample, or for none of it.
    """
    if abs(half) <= friction[2, c]:
        return _compute_friction(friction, rate, c)
    sides = _integrate_side(rate + half, friction[2, c]) - _integrate_side(rate - half, friction[2, c])
    return friction[0, c] * rate + friction[1, c] * sides / (2.0 * half)


@kernel
def _write_encoder_motion(drives, fits, length, force, rate, second, true):
    """Write rates and accelerations at the encoder, and forces that are not late, (k, n) each."""
    half = fits.weights.shape[1] // 2
    for k in range(rate.shape[0]):
        row = fits.before + k
        for c in range(rate.shape[1]):
            true[k, c] = force[row, c]
            if drives.late[1, c] != 1.0:
                true[k, c] = 0.0
                for j in range(4):
                    true[k, c] += drives.late[j, c] * force[row - 1 + j, c]
            rate[k, c] = second[k, c] = 0.0
        for j in range(2 * half + 1):
            slope, curvature = fits.weights[1, j], fits.weights[2, j]
            for c in range(rate.shape[1]):
                rate[k, c] += slope * length[row - half + j, c]
                second[k, c] += curvature * length[row - half + j, c]


@kernel
def _write_motion_behind_drives(drives, fits, length, force, deflection, middle, acting):
    """Write lengths and forces (m, n) behind drives whose force hangs on how they move; see `DriveTransfer.corrected`.

    `wound` without rows says that forces tell how far they are deflected.
    """
    count, width = length.shape[0] - fits.before - fits.after, length.shape[1]
    half, again = fits.weights.shape[1] // 2, fits.spring.shape[1] // 2
    rate, spring, true = np.empty((count, width)), np.empty((count, width)), np.empty((count, width))
    _write_encoder_motion(drives, fits, length, force, rate, spring, true)
    if again > 0 and deflection.shape[0] == 0:
        for k in range(count):
            for c in range(width):
                motor = (
                    _compute_friction(drives.motor_friction, rate[k, c], c) + drives.mass[c] * spring[k, c]
                )
                spring[k, c] = true[k, c] - motor
    for m in range(middle.shape[0]):
        k, row = m + again, m + again + fits.before
        for c in range(width):
            v, force_in = rate[k, c], true[k, c]
            middle[m, c] = length[row, c]
            if again > 0:
                away, deflection_rate, curvature = 0.0, 0.0, 0.0
                if deflection.shape[0] == 0:
                    for j in range(2 * again + 1):
                        away += fits.spring[0, j] * spring[m + j, c]
                        deflection_rate += fits.spring[1, j] * spring[m + j, c]
                        curvature += fits.spring[2, j] * spring[m + j, c]
                    away = drives.compliance[c] * (away - drives.damping[c] * deflection_rate)
                    deflection_rate, curvature = (
                        drives.compliance[c] * deflection_rate,
                        drives.compliance[c] * curvature,
                    )
                else:
                    away = deflection[row, c]
                    for j in range(2 * half + 1):
                        deflection_rate += fits.weights[1, j] * deflection[row - half + j, c]
                    for j in range(2 * again + 1):
                        curvature += fits.spring[2, j] * deflection[row - again + j, c]
                v -= drives.on_motor[c] * deflection_rate
                middle[m, c] -= drives.on_motor[c] * away
                force_in -= (
                    _compute_friction(drives.motor_friction, v + deflection_rate, c)
                    + drives.mass[c] * curvature
                )
            side = _find_side(v, drives.friction[2, c]) * (1.0 if force_in >= 0.0 else -1.0)
            passed = 1.0 + side * (drives.efficiency[c] - 1.0 if side >= 0.0 else 1.0 - drives.back[c])
            change = 0.0 if again > 0 else 0.5 * fits.period * spring[k, c]
            lost = _average_friction(drives.friction, v, change, c) + drives.ripple[c] * v
            acting[m, c] = passed * force_in - lost


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
        self._numbers = _Numbers(
            contiguous(np.array([_compute_cubic_weights(one.late / period) for one in transfers]).T),
            _compute_frictions([one.friction for one in transfers]),
            _compute_frictions([one.motor_friction for one in transfers]),
            np.array([one.efficiency for one in transfers]),
            1.0 / np.array([one.back_efficiency for one in transfers]),
            np.array([one.compliance for one in transfers]),
            np.array([one.damping_time for one in transfers]),
            np.array([one.ripple for one in transfers]),
            np.array([one.motor_mass for one in transfers]),
            np.array([float(one.on_motor) for one in transfers]),
        )
        self._moving = any(one.depends_on_rate for one in transfers)
        yields = bool(np.any(self._numbers.compliance > 0.0))
        kinked = not yields and any(one.friction.coulomb > 0.0 for one in transfers)
        (width, order), fewest = (KINKED, 1) if kinked else (LENGTHS, FEWEST)
        half = max(fewest, round(width / period)) if self._moving else 0
        again = max(FEWEST, round(SPRING[0] / period)) if yields else 0
        weights, spring = np.zeros((2, 3, 1))
        if half:
            weights = compute_polynomial_weights(half, order, period)
        if again:
            spring = compute_polynomial_weights(again, SPRING[1], period)
            spring[2] = compute_polynomial_weights(again, BEND, period)[2]
        # what comes late needs one sample before and two behind
        late = bool(np.any(self._numbers.late[1] != 1.0))
        first = (max(half, 1), max(half, 2)) if late else (half, half)
        self._fits = _Fits(weights, spring, *first, period)
        self.before, self.after = first[0] + again, first[1] + again

    def at(self, period: float) -> DriveTransfer:
        """See `Correction`; its polynomials keep their samples."""
        changed = copy(self)
        changed._period = period
        transfers = [one.at(period) for one in self._transfers]
        changed._numbers = self._numbers._replace(
            late=contiguous(np.array([_compute_cubic_weights(one.late / period) for one in transfers]).T),
            ripple=np.array([one.ripple for one in transfers]),
        )
        stretched = (self._period / period) ** np.arange(3)[:, None]
        changed._fits = self._fits._replace(
            weights=self._fits.weights * stretched, spring=self._fits.spring * stretched, period=period
        )
        return changed

    @property
    def force_weights(self) -> FloatArray:
        """See `Correction`."""
        return self._numbers.late

    @property
    def deflection_noise(self) -> FloatArray:
        """Variance (n,) in m^2 of how far drives are deflected by forces, for a variance of 1 N^2 of each sample's."""
        smooth, slope = self._fits.spring[:2]
        weights = smooth - self._numbers.damping[:, None] * slope
        return self._numbers.compliance**2 * np.sum(weights**2, axis=1)

    def correct(
        self, length: FloatArray, force: FloatArray, deflection: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """See `Correction`; `wound` (n, 6) in m is how far drives are deflected, where that is known otherwise."""
        middle = np.array(length[self.before : len(length) - self.after])
        true = np.empty(middle.shape)
        length, force = contiguous(length), contiguous(force)
        if self._moving:
            deflection = np.empty((0, length.shape[1])) if deflection is None else contiguous(deflection)
            _write_motion_behind_drives(self._numbers, self._fits, length, force, deflection, middle, true)
            return middle, true
        rates = np.empty((2, *middle.shape))
        _write_encoder_motion(self._numbers, self._fits, length, force, rates[0], rates[1], true)
        return middle, true
