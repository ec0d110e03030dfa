# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of one strut from slow motion: viscous coefficient, Coulomb force in either direction, friction curve.

Away from standstill the drive's force of a strut is

    F = c_v L' + F_plus  (L' > w)   or   F = c_v L' - F_minus  (L' < -w)   + rigid-body force.

In slow motion the rigid-body force is mostly gravity and changes slowly with the pose. What the machine file says of
it is subtracted; its error is fitted along, a column for every rigid-body parameter with a prior about zero as wide as
the file may be wrong. A load that stays the same while the strut goes to and fro looks exactly like a difference
between F_plus and F_minus: the standard deviation of that difference therefore says how well the load is known, while
the mean of both, the Coulomb force, does not depend on it.

Samples slower than w are left out: there the friction law has its transition, and where a strut turns around its
acceleration jumps, which the low-pass on the lengths smears over its neighbours. The shape inside w (transition
rate, Stribeck excess) is a second question with nonlinear unknowns; `fit_friction_transition` answers it where the
data can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.batch.least_squares import LinearFit, least_squares
from pkm_identification.estimation.equations import Equations
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.prior import Prior

FEWEST_SAMPLES = 50  # on either side of standstill
FEWEST_PASSES = 2  # stretches of one direction, on either side
CURVE_BINS = 15  # on either side


@dataclass(frozen=True)
class Quantity:
    """A value and its standard deviation, in SI units."""

    value: float
    std: float


@dataclass(frozen=True)
class StrutSamples:
    """One strut's part of a slow log.

    Attributes
    ----------
    rate : ndarray, shape (N,)
        m/s.
    force : ndarray, shape (N,)
        Measured force less the rigid-body force of the machine file, N, through the same low-pass as the rate.
    rigid : ndarray, shape (N, R)
        Change of the rigid-body force per rigid-body parameter, SI units.
    segment : ndarray of int64, shape (N,)
    away : ndarray of bool, shape (N,)
        Far enough from the strut's turns for the low-pass.
    """

    rate: FloatArray
    force: FloatArray
    rigid: FloatArray
    segment: NDArray[np.int64]
    away: NDArray[np.bool_]

    @property
    def passes(self) -> NDArray[np.int64]:
        """Number of the segment of one direction each sample belongs to, shape (N,)."""
        turned = (np.diff(np.sign(self.rate)) != 0) | (np.diff(self.segment) != 0)
        return np.concatenate([[0], np.cumsum(turned)])

    def __getitem__(self, index) -> StrutSamples:
        return StrutSamples(*(getattr(self, field.name)[index] for field in fields(self)))

    @classmethod
    def concatenate(cls, parts: Sequence[StrutSamples]) -> StrutSamples:
        """Parts one after the other; at least one."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


@dataclass(frozen=True)
class MeasuredFriction:
    """Friction force against rate, averaged over intervals of the rate.

    Attributes
    ----------
    rate, force : ndarray, shape (B,)
        Means in m/s and N.
    error : ndarray, shape (B,)
        Standard error of the force from the scatter of the passes through the interval, N.
    count : ndarray of int64, shape (B,)
        Passes.
    """

    rate: FloatArray
    force: FloatArray
    error: FloatArray
    count: NDArray[np.int64]


@dataclass(frozen=True)
class StrutFriction:
    """Friction of one strut.

    Attributes
    ----------
    viscous : Quantity
        c_v, N s/m.
    forward, backward : Quantity
        Coulomb force when the strut extends and when it retracts, N, both positive.
    coulomb, asymmetry : Quantity
        Their mean, and half of forward less backward, N.
    excess : Quantity or None
        Stribeck excess in N, where it was allowed for, and the rate in m/s over which it fades.
    stribeck_rate : float or None
    curve : MeasuredFriction
    residual_rms : float
        N, of the samples used.
    samples, passes : int
        Used.
    rigid : ndarray, shape (R,)
        Corrections of the rigid-body parameters this strut asked for.
    """

    viscous: Quantity
    forward: Quantity
    backward: Quantity
    coulomb: Quantity
    asymmetry: Quantity
    excess: Quantity | None
    stribeck_rate: float | None
    curve: MeasuredFriction
    residual_rms: float
    samples: int
    passes: int
    rigid: FloatArray

    def friction_force(self, rate: FloatArray) -> FloatArray:
        """Return the fitted law in N at rates in m/s outside the window left out."""
        force = self.viscous.value * rate + np.where(rate > 0, self.forward.value, -self.backward.value)
        if self.excess is None or self.stribeck_rate is None:
            return force
        return force + self.excess.value * _fit_stribeck(rate, self.stribeck_rate)


def untestable(samples: StrutSamples, least_rate: float, unit: str = "m") -> str | None:
    """Return why a drive's friction cannot be separated from these samples, or None."""
    size = f"{1e3 * least_rate:g} mm/s" if unit == "m" else f"{least_rate:g} {unit}/s"
    names = ("extends", "retracts") if unit == "m" else ("turns forward", "turns backward")
    for name, rate in zip(names, (samples.rate, -samples.rate), strict=True):
        there = samples.away & (rate > least_rate)
        passes = len(np.unique(samples.passes[there]))
        if there.sum() < FEWEST_SAMPLES or passes < FEWEST_PASSES:
            return (
                f"{name} faster than {size} in {passes} passes and {there.sum()} samples only; "
                f"{FEWEST_PASSES} and {FEWEST_SAMPLES} are needed"
            )
    return None


def strut_friction(
    samples: StrutSamples,
    least_rate: float,
    friction_scale: tuple[float, float],
    rigid_std: FloatArray,
    redundancy: float = 1.0,
    stribeck_rate: float | None = None,
) -> StrutFriction:
    """Fit the friction of one strut; see the module.

    Parameters
    ----------
    samples : StrutSamples
        Not `untestable`.
    least_rate : float
        w, m/s.
    friction_scale : tuple of float
        What a large viscous coefficient (N s/m) and a large Coulomb force (N) are: weak priors.
    rigid_std : ndarray, shape (R,)
        How wrong the machine file may be, as standard deviations.
    redundancy : float
        Samples per independent one.
    stribeck_rate : float, optional
        v_s, m/s, of an excess of friction that reaches beyond w; its size is fitted along.
    """
    used = samples.away & (np.abs(samples.rate) > least_rate)
    moving = samples[used]
    forward = moving.rate > 0
    columns = [moving.rate, forward, -1.0 * ~forward]
    viscous, coulomb = friction_scale
    std = [viscous, coulomb, coulomb]
    if stribeck_rate is not None:
        columns.append(_fit_stribeck(moving.rate, stribeck_rate))
        std.append(coulomb)
    fit = fit_strut(moving, np.column_stack(columns), np.array(std), rigid_std, redundancy)
    rigid = fit.mean[len(std) :]
    away = samples[samples.away]
    return StrutFriction(
        viscous=combine_parameters(fit, [1.0, 0.0, 0.0]),
        forward=combine_parameters(fit, [0.0, 1.0, 0.0]),
        backward=combine_parameters(fit, [0.0, 0.0, 1.0]),
        coulomb=combine_parameters(fit, [0.0, 0.5, 0.5]),
        asymmetry=combine_parameters(fit, [0.0, 0.5, -0.5]),
        excess=None if stribeck_rate is None else combine_parameters(fit, [0.0, 0.0, 0.0, 1.0]),
        stribeck_rate=stribeck_rate,
        curve=friction_curve(away, away.force - away.rigid @ rigid),
        residual_rms=float(np.sqrt(np.mean(fit.residual**2))),
        samples=len(moving.rate),
        passes=len(np.unique(samples.passes[used])),
        rigid=rigid,
    )


def _fit_stribeck(rate: FloatArray, stribeck_rate: float) -> FloatArray:
    return np.sign(rate) * np.exp(-((rate / stribeck_rate) ** 2))


def fit_strut(
    samples: StrutSamples, own: FloatArray, own_std: FloatArray, rigid_std: FloatArray, redundancy: float
) -> LinearFit:
    """Least squares of one strut's force: columns `own` (N, C) with priors about zero, and the rigid body's error."""
    columns = np.concatenate([own, samples.rigid], axis=1)
    count = len(columns)
    # parameters without effect on this strut would have a prior only
    std = np.concatenate([own_std, np.maximum(rigid_std, 1e-12)])
    equations = Equations(
        time=np.arange(count, dtype=float),
        regressor=columns[:, None, :],
        measured=samples.force[:, None],
        force=samples.force[:, None],
        segment=samples.segment,
    )
    return least_squares(equations, Prior(np.zeros(len(std)), std), redundancy)


def combine_parameters(fit: LinearFit, weights: list[float]) -> Quantity:
    """Return a sum of the fit's first parameters, with its standard deviation."""
    w = np.array(weights)
    covariance = fit.covariance[: len(w), : len(w)]
    return Quantity(float(w @ fit.mean[: len(w)]), float(np.sqrt(w @ covariance @ w)))


def friction_curve(samples: StrutSamples, friction: FloatArray) -> MeasuredFriction:
    """Return mean friction (N,) in intervals of the rate that hold equally many samples of a direction.

    Samples of one pass share their error; the standard error is that of the mean over passes. Intervals that fewer
    than three passes cross are left out.
    """
    passes = samples.passes
    rows = []
    for sign in (-1.0, 1.0):
        there = np.sign(samples.rate) == sign
        if there.sum() < CURVE_BINS:
            continue
        rate, force, number = samples.rate[there], friction[there], passes[there]
        index = np.searchsorted(np.quantile(rate, np.linspace(0, 1, CURVE_BINS + 1)[1:-1]), rate)
        for k in range(CURVE_BINS):
            _, group = np.unique(number[index == k], return_inverse=True)
            size = np.bincount(group)
            if len(size) < 3:
                continue
            means = np.bincount(group, force[index == k]) / size
            # weighted by their samples, as the mean is
            middle = float(np.average(means, weights=size))
            share = size / size.sum()
            error = float(np.sqrt(np.sum(share**2 * (means - middle) ** 2) * len(size) / (len(size) - 1)))
            rows.append((float(rate[index == k].mean()), middle, error, len(size)))
    table = np.array(rows, dtype=float).reshape(-1, 4)
    return MeasuredFriction(table[:, 0], table[:, 1], table[:, 2], table[:, 3].astype(np.int64))
