"""The pendulum of Oh 2003, chapter 3, identified from a free fall: data, noise, and five ways to estimate.

The model's output is the acceleration in the measured state: q'' = A^-1 h, without any trivial solution. What the
source leaves open is read as follows: it starts at rest 0.2 and 0.1 rad from upright; every measured state is position,
velocity and acceleration of the three coordinates; the range of an angle is at most one turn; the filters' noise is 1 %
of the range of each acceleration, and the standard deviation of the first guess half of it; an iteration is a sample.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pkm_identification.estimation.batch.gauss_newton import NonlinearFit, gauss_newton
from pkm_identification.estimation.filters.kalman import ExtendedFilter
from pkm_identification.estimation.filters.unscented import UnscentedFilter, UnscentedSettings
from pkm_identification.mechanisms.pendulum.model import (
    COORDINATES,
    NAMES,
    PendulumMotion,
    acceleration_jacobian,
    accelerations,
    residuals,
    simulate,
)
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.prior import Prior

TRUE = np.array([0.5, 0.75, 0.75, 0.5, 1.5])  # l1, l2, m1, m2, M
START = np.ones(len(NAMES))
START_STD = 0.5
FROM_UPRIGHT = np.array([0.0, 0.2, 0.1])  # m, rad, rad
DURATION, PERIOD = 20.0, 1e-3  # s
NOISE = 0.01  # of the range, the maximum of uniform noise
ALPHA, BETA, KAPPA = 1e-4, 2.0, 3.0 - len(NAMES)
RATE = 0.001  # of the Robbins-Monro average; not in the source
# (estimator, how its process noise follows the innovations)
FILTERS = (("ekf", "none"), ("ukf", "none"), ("ekf", "robbins_monro"), ("ukf", "robbins_monro"))
RATIO_NAMES = ("m1/M", "m2/M")


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
        The estimator's own. On what no data show, a filter's is what is left of its start.
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


def free_fall(duration: float = DURATION, force: Callable[[float], float] | None = None) -> PendulumMotion:
    """The pendulum let go near upright, at 1 kHz; pushed at the cart if a force is given."""
    return simulate(TRUE, np.arange(round(duration / PERIOD) + 1) * PERIOD, FROM_UPRIGHT, force)


def measured(motion: PendulumMotion, noise: float, seed: int = 0) -> PendulumMotion:
    """The motion with uniform noise of at most `noise` times each signal's range; an angle's is at most a turn."""
    rng = np.random.default_rng(seed)
    signals = []
    for values in (motion.position, motion.velocity, motion.acceleration):
        span = np.ptp(values, axis=0)
        if values is motion.position:
            span[1:] = np.minimum(span[1:], 2 * np.pi)
        signals.append(values + noise * span * rng.uniform(-1, 1, values.shape))
    return PendulumMotion(motion.time, *signals, motion.force)


def acceleration_scale(motion: PendulumMotion) -> FloatArray:
    """Range of each acceleration, shape (3,): what makes metres and radians alike."""
    return np.ptp(motion.acceleration, axis=0)


def least_squares(record: PendulumMotion, scale: FloatArray, start: FloatArray = START) -> NonlinearFit:
    """Gauss-Newton on accelerations divided by their ranges."""

    def residual(w: FloatArray) -> tuple[FloatArray, FloatArray]:
        error = (accelerations(w, record) - record.acceleration) / scale
        jacobian = acceleration_jacobian(w, record) / scale[:, None]
        return error.ravel(), jacobian.reshape(-1, len(NAMES))

    return gauss_newton(residual, start)


def residual_least_squares(record: PendulumMotion, start: FloatArray = START) -> NonlinearFit:
    """Gauss-Newton on what is left of the equations of motion, which no masses at all satisfy best."""

    def residual(w: FloatArray) -> tuple[FloatArray, FloatArray]:
        error, jacobian = residuals(w, record)
        return error.ravel(), jacobian.reshape(-1, len(NAMES))

    return gauss_newton(residual, start)


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
    kind = ExtendedFilter if estimator == "ekf" else UnscentedFilter
    made = kind(prior, COORDINATES, settings)
    noise = np.diag((NOISE * scale) ** 2)
    history = np.empty((len(record), len(NAMES)))
    for k in range(len(record)):
        sample = record[k : k + 1]
        output = sample.acceleration[0]
        if estimator == "ekf":
            # linear about the present estimate: that is the EKF
            mean = made.mean
            jacobian = acceleration_jacobian(mean, sample)[0]
            made.step_linear(jacobian, output - accelerations(mean, sample)[0] + jacobian @ mean, noise)
        else:
            made.step(lambda w, sample=sample: accelerations(w, sample)[0], output, noise)
        history[k] = made.mean
    return PendulumRun(estimator, adaptation, history, made.mean, made.covariance)


def all_runs(record: PendulumMotion, scale: FloatArray) -> tuple[PendulumRun, ...]:
    """Least squares, then the filters."""
    return (run_least_squares(record, scale), *(run_filter(record, scale, *which) for which in FILTERS))
