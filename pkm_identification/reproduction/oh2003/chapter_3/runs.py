# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The pendulum identified from its free fall in five ways, without and with noise.

The model's output is the acceleration in the measured state: q'' = A^-1 h, without any trivial solution. What the
source leaves open is read as follows: the filters' noise is 1 % of the range of each acceleration, and the standard
deviation of the first guess half of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pkm_identification.estimation.batch.gauss_newton import NonlinearFit, gauss_newton
from pkm_identification.estimation.filters.unscented import UnscentedFilter, UnscentedSettings
from pkm_identification.mechanisms.pendulum.model import (
    COORDINATES,
    NAMES,
    PendulumMotion,
    accelerations,
    compute_acceleration_jacobian,
    energy,
    residuals,
)
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.prior import Prior

from .data import (
    NOISE,
    START,
    TRUE,
    TRUE_RATIOS,
    acceleration_scale,
    measure_motion,
)

START_STD = 0.5  # of the first guess
START_STDS = (0.25, START_STD, 1.0)
STARTS = (0.5, 1.0, 2.0)  # first guesses of least squares, all parameters alike
ALPHA, BETA, KAPPA = 1e-4, 2.0, 3.0 - len(NAMES)
TOLERANCES = (1e-7, 1e-4, 1e-3, 1e-2)  # of the prediction; the text stops at 1e-7, its looser one is lost
RATE = 0.001  # of the Robbins-Monro average; not in the source
# (estimator, how its process noise follows the innovations)
FILTERS = (("ekf", "none"), ("ukf", "none"), ("ekf", "robbins_monro"), ("ukf", "robbins_monro"))


@dataclass(frozen=True)
class PendulumRun:
    """One estimator on one record.

    Attributes
    ----------
    estimator : {'ls', 'ekf', 'ukf'}
    adaptation : {'none', 'robbins_monro'}
    history : ndarray, shape (K, 5)
        Estimates, one a sample (filters) or an iteration (least squares, from the start on).
    values : ndarray, shape (5,)
        The last of them.
    covariance : ndarray, shape (5, 5)
        The estimator's own. Along what no data identify, a filter's is what is left of its first one.
    """

    estimator: str
    adaptation: str
    history: FloatArray
    values: FloatArray
    covariance: FloatArray

    def ratios(self) -> tuple[FloatArray, FloatArray]:
        """m1/M and m2/M with their standard deviations, shapes (2,)."""
        cart = self.values[4]
        slope = np.array([[1.0, 0.0, -self.values[2] / cart], [0.0, 1.0, -self.values[3] / cart]]) / cart
        covariance = slope @ self.covariance[2:, 2:] @ slope.T
        return self.values[2:4] / cart, np.sqrt(np.diag(covariance))


@dataclass(frozen=True)
class FallRuns:
    """A fall and all that is estimated from it.

    Attributes
    ----------
    motion : PendulumMotion
        Without noise.
    exact, noisy : tuple of PendulumRun
        Without and with noise.
    by_start : tuple of NonlinearFit
        Least squares from `STARTS`, without noise.
    """

    motion: PendulumMotion
    exact: tuple[PendulumRun, ...]
    noisy: tuple[PendulumRun, ...]
    by_start: tuple[NonlinearFit, ...]

    def run(self, estimator: str, adaptation: str, noisy: bool = False) -> PendulumRun:
        """One of the runs."""
        return next(
            run
            for run in (self.noisy if noisy else self.exact)
            if (run.estimator, run.adaptation) == (estimator, adaptation)
        )


def by_fall(*motions: PendulumMotion, one_turn: bool = False) -> tuple[NonlinearFit, ...]:
    """Least squares on each fall with noise of its own; `one_turn` as of `measure_motion`."""
    return tuple(
        least_squares(measure_motion(motion, seed, one_turn), acceleration_scale(motion))
        for seed, motion in enumerate(motions)
    )


def compute_errors(values: FloatArray) -> FloatArray:
    """Return errors in % of what a free fall identifies, shape (4,): lengths and ratios of masses."""
    found = np.concatenate([values[:2] / TRUE[:2], values[2:4] / values[4] / TRUE_RATIOS])
    return np.asarray(100 * np.abs(found - 1))


def compute_worst_error(values: FloatArray) -> float:
    """Return the largest error in % of what a free fall identifies."""
    return float(compute_errors(values).max())


def stopped_at(
    motion: PendulumMotion, scale: FloatArray, runs: tuple[PendulumRun, ...]
) -> dict[float, tuple[int, float]]:
    """Return where the source's filter would stop by each tolerance, and its worst error in % there."""
    history = next(one.history for one in runs if (one.estimator, one.adaptation) == ("ukf", "robbins_monro"))
    left = np.array(
        [
            np.abs((accelerations(history[k], motion[k : k + 1])[0] - motion.acceleration[k]) / scale).max()
            for k in range(len(history))
        ]
    )
    ends = {}
    for tolerance in TOLERANCES:
        below = np.flatnonzero(left < tolerance)
        k = int(below[0]) if len(below) else len(history) - 1
        ends[tolerance] = (k + 1, compute_worst_error(history[k]))
    return ends


def compute_kinetic(motion: PendulumMotion) -> FloatArray:
    """Kinetic energy (N,) of the true pendulum in J: what falls is the difference to rest in the same place."""
    rest = PendulumMotion(
        motion.time, motion.position, np.zeros_like(motion.velocity), motion.acceleration, motion.force
    )
    return energy(TRUE, motion) - energy(TRUE, rest)


def least_squares(record: PendulumMotion, scale: FloatArray, start: FloatArray = START) -> NonlinearFit:
    """Gauss-Newton on accelerations divided by their ranges."""

    def residual(w: FloatArray) -> tuple[FloatArray, FloatArray]:
        error = (accelerations(w, record) - record.acceleration) / scale
        jacobian = compute_acceleration_jacobian(w, record) / scale[:, None]
        return error.ravel(), jacobian.reshape(-1, len(NAMES))

    return gauss_newton(residual, start)


def residual_least_squares(record: PendulumMotion) -> NonlinearFit:
    """Gauss-Newton on what is left of the equations of motion, which no masses at all satisfy best."""

    def residual(w: FloatArray) -> tuple[FloatArray, FloatArray]:
        error, jacobian = residuals(w, record)
        return error.ravel(), jacobian.reshape(-1, len(NAMES))

    return gauss_newton(residual, START)


def run_least_squares(record: PendulumMotion, scale: FloatArray) -> PendulumRun:
    """See `least_squares`."""
    fit = least_squares(record, scale)
    return PendulumRun("ls", "none", fit.iterates, fit.values, fit.covariance)


def run_filter(
    record: PendulumMotion, scale: FloatArray, estimator: str, adaptation: str, std: float = START_STD
) -> PendulumRun:
    """EKF or UKF over all samples in their order; `std` of the first guess, in m and kg."""
    prior = Prior(START, std * START)
    settings = UnscentedSettings(ALPHA, BETA, KAPPA, adaptation, RATE)
    state = UnscentedFilter(prior, COORDINATES, settings)
    noise = np.diag((NOISE * scale) ** 2)
    history = np.empty((len(record), len(NAMES)))
    for k in range(len(record)):
        sample = record[k : k + 1]
        output = sample.acceleration[0]
        if estimator == "ekf":
            # linear about the present estimate: that is the EKF
            mean = state.mean
            jacobian = compute_acceleration_jacobian(mean, sample)[0]
            state.step_linear(jacobian, output - accelerations(mean, sample)[0] + jacobian @ mean, noise)
        else:
            state.step(_compute_model(sample), output, noise)
        history[k] = state.mean
    return PendulumRun(estimator, adaptation, history, state.mean, state.covariance)


def _compute_model(sample: PendulumMotion) -> Callable[[FloatArray], FloatArray]:
    """Return the output of one sample as a function of the parameters."""
    return lambda w: accelerations(w, sample)[0]


def all_runs(record: PendulumMotion, scale: FloatArray) -> tuple[PendulumRun, ...]:
    """Least squares, then the filters."""
    return (run_least_squares(record, scale), *(run_filter(record, scale, *which) for which in FILTERS))
