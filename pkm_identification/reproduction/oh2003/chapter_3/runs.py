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
    DURATION,
    ELSEWHERE,
    ITERATIONS,
    NOISE,
    START,
    TRUE,
    TRUE_RATIOS,
    acceleration_scale,
    free_fall,
    measure_motion,
    push,
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
class PendulumStudy:
    """Everything that is run for the report.

    Attributes
    ----------
    true : ndarray, shape (5,)
    starts : tuple of float
        All parameters of a first guess of `by_start`.
    motion : PendulumMotion
        The fall without noise.
    exact, noisy : tuple of PendulumRun
        Without and with noise.
    elsewhere : tuple of PendulumMotion
        Falls without noise from other places.
    by_fall, one_turn : tuple of NonlinearFit
        Least squares on each fall with noise of its own: the text's, and angles' capped at that of one turn.
    loose : dict of float to tuple of (int, float)
        By tolerance: samples until the source's filter predicts every acceleration so well, relative to its range, and
        worst error then of lengths and mass ratios in %.
    energy_error : float
        Largest change of the energy over its kinetic part's largest value.
    singular_values : ndarray, shape (5,)
        Of d acceleration / d (ln w) at the truth, accelerations in their ranges.
    null_direction : ndarray, shape (5,)
        The last of their directions, as relative changes of the parameters; its largest entry is 1.
    by_start : tuple of NonlinearFit
        Least squares from `starts`, without noise.
    by_std : ndarray, shape (3,)
        M in kg after `ITERATIONS` samples of the source's filter, by its start's standard deviation (`START_STDS`).
    residual_form : NonlinearFit
        Least squares on the equations of motion themselves.
    pushed, pushed_noisy : NonlinearFit
        Least squares where a known force acts on the cart, without and with noise.
    """

    true: FloatArray
    starts: tuple[float, ...]
    motion: PendulumMotion
    exact: tuple[PendulumRun, ...]
    noisy: tuple[PendulumRun, ...]
    elsewhere: tuple[PendulumMotion, ...]
    by_fall: tuple[NonlinearFit, ...]
    one_turn: tuple[NonlinearFit, ...]
    loose: dict[float, tuple[int, float]]
    energy_error: float
    singular_values: FloatArray
    null_direction: FloatArray
    by_start: tuple[NonlinearFit, ...]
    by_std: FloatArray
    residual_form: NonlinearFit
    pushed: NonlinearFit
    pushed_noisy: NonlinearFit

    def run(self, estimator: str, adaptation: str, noisy: bool = False) -> PendulumRun:
        """One of the runs."""
        return next(
            run
            for run in (self.noisy if noisy else self.exact)
            if (run.estimator, run.adaptation) == (estimator, adaptation)
        )


def run_study(duration: float = DURATION) -> PendulumStudy:
    """Simulate the fall and identify it every way."""
    motion = free_fall(duration)
    scale = acceleration_scale(motion)
    relative = compute_acceleration_jacobian(TRUE, motion) * TRUE / scale[:, None]
    _, singular, directions = np.linalg.svd(relative.reshape(-1, len(NAMES)), full_matrices=False)
    null = directions[-1] / directions[-1][np.argmax(np.abs(directions[-1]))]
    total = energy(TRUE, motion)
    moved = free_fall(duration, push)
    exact = all_runs(motion, scale)
    elsewhere = tuple(free_fall(duration, start=start) for start in ELSEWHERE)
    return PendulumStudy(
        true=TRUE,
        starts=STARTS,
        motion=motion,
        exact=exact,
        noisy=all_runs(measure_motion(motion), scale),
        elsewhere=elsewhere,
        by_fall=by_fall(motion, *elsewhere),
        one_turn=by_fall(motion, *elsewhere, one_turn=True),
        loose=stopped_at(motion, scale, exact),
        energy_error=float(np.abs(total - total[0]).max() / np.ptp(_compute_kinetic(motion))),
        singular_values=singular,
        null_direction=null,
        by_start=tuple(least_squares(motion, scale, factor * START) for factor in STARTS),
        by_std=np.array(
            [
                run_filter(motion[:ITERATIONS], scale, "ukf", "robbins_monro", std).values[4]
                for std in START_STDS
            ]
        ),
        residual_form=residual_least_squares(motion),
        pushed=least_squares(moved, scale),
        pushed_noisy=least_squares(measure_motion(moved), scale),
    )


def by_fall(*motions: PendulumMotion, one_turn: bool = False) -> tuple[NonlinearFit, ...]:
    """Least squares on each fall with noise of its own; `one_turn` as of `measure_motion`."""
    return tuple(
        least_squares(measure_motion(motion, seed, one_turn), acceleration_scale(motion))
        for seed, motion in enumerate(motions)
    )


def compute_worst_error(values: FloatArray) -> float:
    """Worst error in % of what a free fall identifies: lengths and ratios of masses."""
    lengths, ratios = values[:2] / TRUE[:2], values[2:4] / values[4] / TRUE_RATIOS
    return float(100 * np.abs(np.concatenate([lengths, ratios]) - 1).max())


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


def _compute_kinetic(motion: PendulumMotion) -> FloatArray:
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
