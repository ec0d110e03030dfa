# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The unscented Kalman filter for parameters, in a form that stays positive definite by construction.

Oh 2003, 2.69-2.75. Sigma points come in pairs w +- gamma S e_i, gamma^2 = alpha^2 (L + kappa). Writing the
outputs of a pair as Y0 + e_i +- gamma h_i turns the source's weighted sums, exactly, into

    d   = Y0 + delta,                     delta = sum e_i / gamma^2
    Pdd = H H^T + Omega + R,              Omega = sum e_i e_i^T / gamma^2 + (beta - alpha^2) delta delta^T
    Pwd = S H^T,                          H = [h_1 ... h_L],

with no negative weight left whenever beta >= alpha^2. Omega, what the model's curvature adds, joins the
noise R, and the update becomes that of a linear measurement with rows H in the coordinates of S
(`square_root`). On a linear model e_i = 0, so the filter is the Kalman filter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pkm_identification.declared import check, declare
from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import lower_cholesky, whiten
from pkm_identification.numerics.rows import combine, dot
from pkm_identification.parameters.prior import Prior

from .scaled_filter import ScaledFilter, to_prior_units
from .square_root import inflate, normalized_square, potter_update

# Deviation of the averaged ratio from 1, in its own standard deviations, that is taken for drift.
SIGNIFICANT = 6.0
# how the process noise is adapted, by the codes the kernels know
ADAPTATIONS = {"none": 0, "robbins_monro": 1, "normalized": 2}


@dataclass(frozen=True)
class UnscentedSettings:
    """Tuning of the recursive filters; the sigma points are the UKF's alone.

    Attributes
    ----------
    alpha, beta, kappa : float
        Spread of the sigma points (Oh 2003, 2.71-2.72); beta >= alpha^2.
    adaptation : {'normalized', 'robbins_monro', 'none'}
        How the process noise follows the innovations; see `adapt`.
    rate : float
        Rate a of the adaptation: 1 / a equations are remembered.
    forgetting : float
        Factor by which recursive least squares multiplies the weight of all it has seen, per equation.
    """

    alpha: float = declare(1e-3, "of the estimator ukf: spread of the sigma points", "", 1e-6, 1)
    beta: float = declare(
        2.0,
        "of the estimator ukf: weight of the middle sigma point's covariance, at least alpha^2",
        "",
        0,
        1e3,
    )
    kappa: float = declare(
        0.0, "of the estimator ukf: secondary spread, more than minus the number of parameters", "", -1e3, 1e3
    )
    adaptation: str = declare(
        "normalized",
        "of the estimators ukf and ekf, how process noise follows the innovations: normalized where parameters drift, "
        "robbins_monro as in Oh 2003 (2.75), none",
        choices=tuple(ADAPTATIONS),
        name="process_noise",
    )
    rate: float = declare(
        0.01,
        "of the process noise: 1 / factor equations are remembered",
        "",
        1e-6,
        0.5,
        name="process_noise_factor",
    )
    forgetting: float = 1.0

    def __post_init__(self) -> None:
        check(self)
        if self.beta < self.alpha**2:
            raise SettingsError(f"beta is {self.beta}, must be at least alpha^2 = {self.alpha**2:g}")
        if not 0 < self.forgetting <= 1:
            raise SettingsError(f"forgetting is {self.forgetting}, must lie in (0, 1]")


@kernel
def sigma_points(mean, root, gamma, points):
    """Write the points w, w + gamma S e_i, w - gamma S e_i, a column (L,) each, shape (L, 2 L + 1) at least."""
    size = mean.size
    for j in range(size):
        points[j, 0] = mean[j]
        for i in range(size):
            points[j, 1 + i] = mean[j] + gamma * root[j, i]
            points[j, 1 + size + i] = mean[j] - gamma * root[j, i]


@kernel
def absorb(outputs, measured, noise, gamma, alpha, beta, gate, mean, root):
    """Update mean and root by the outputs (m, 2 L + 1) at the sigma points; (NIS, status).

    Status 0: updated; 1: outside the gate, nothing changed; 2: outputs or noise not usable, nothing changed.
    """
    width = mean.size
    size = measured.size
    curvature = noise.copy()
    shift = np.zeros(size)
    even = np.empty(size)
    for i in range(width):
        for k in range(size):
            even[k] = 0.5 * (outputs[k, 1 + i] + outputs[k, 1 + width + i]) - outputs[k, 0]
            shift[k] += even[k] / gamma**2
        for k in range(size):
            for l in range(size):
                curvature[k, l] += even[k] * even[l] / gamma**2
    for k in range(size):
        for l in range(size):
            curvature[k, l] += (beta - alpha**2) * shift[k] * shift[l]
    rows = np.empty((size, width))
    innovation = np.empty(size)
    for k in range(size):
        for i in range(width):
            rows[k, i] = (outputs[k, 1 + i] - outputs[k, 1 + width + i]) / (2.0 * gamma)
        innovation[k] = measured[k] - shift[k] - outputs[k, 0]
    return update_linearly(rows, innovation, curvature, gate, mean, root)


@kernel
def update_linearly(rows, innovation, noise, gate, mean, root):
    """Update mean and root by rows H (m, L) in the coordinates of the root; (NIS, status) as `absorb`.

    Rows and innovation are overwritten.
    """
    size = innovation.size
    factor = np.zeros((size, size))
    if not lower_cholesky(noise, factor):
        return np.inf, 2
    whiten(factor, rows, innovation)
    nis = normalized_square(rows, innovation, np.empty((size, size)), factor, np.empty(size))
    if not np.isfinite(nis):
        return np.inf, 2
    if nis > gate:
        return nis, 1
    potter_update(mean, root, rows, innovation)
    return nis, 0


@kernel
def time_update(root, process, least, variance):
    """Add the process noise, of its least at least, to the covariance; its diagonal goes to `variance`."""
    noisy = False
    for j in range(process.size):
        process[j] = max(process[j], least[j])
        noisy = noisy or process[j] > 0.0
    if noisy:
        inflate(root, process, np.empty((2 * process.size, process.size)))
    variances(root, variance)


@kernel
def variances(root, variance):
    for i in range(root.shape[0]):
        variance[i] = 0.0
    for j in range(root.shape[0]):
        for i in range(root.shape[0]):  # sums that need not wait for each other
            variance[i] += root[i, j] ** 2


@kernel
def adapt(kind, rate, moved, expected, process, ratio):
    """Process noise from the correction `moved` = K (d - G); `expected` is the variance it should have.

    Kind 1 is the source's Robbins-Monro average of the squared corrections (Oh 2003, 2.75). Because
    the expected square of a correction is the process noise plus what the variance shrinks by, it keeps the
    large corrections of the start as process noise for ever and the estimate never converges. Kind 2 averages
    the squared correction over its expectation as well: near 1 while the parameters stand still, whatever
    their scale and however much was learned, and above 1 when they drift. Only while it is significantly
    above 1 do corrections become process noise; afterwards that fades.
    """
    for j in range(process.size):
        square = moved[j] * moved[j]
        process[j] *= 1.0 - rate
        if kind == 1:
            process[j] += rate * square
            continue
        if expected[j] > 0.0:
            ratio[j] += rate * (square / expected[j] - ratio[j])
        if ratio[j] > 1.0 + SIGNIFICANT * np.sqrt(rate):
            process[j] += rate * square
        elif process[j] < 1e-6 * expected[j]:
            process[j] = 0.0


class StepTuning(NamedTuple):
    """Spread gamma of the sigma points; kind (`ADAPTATIONS`) and rate of the adaptation."""

    gamma: float
    kind: int
    rate: float


class RandomWalk(NamedTuple):
    """Process noise per step, mean ratio of squared corrections to their variance, least process noise; all (P,)."""

    process: FloatArray
    ratio: FloatArray
    least: FloatArray


class ScaledEstimate(NamedTuple):
    """Mean (P,) and square root (P, P), in units of the prior's standard deviations."""

    mean: FloatArray
    root: FloatArray


@kernel
def linear_step(columns, measured, prior, noise, gate, tuning, walk, estimate):
    """Time update, measurement update of a linear model, adaptation: (NIS, status).

    Of a linear model half the difference of a pair's outputs over gamma is columns S e_i, whatever the spread: it is
    written as that product, for the difference of outputs with the mean in them has lost its last three digits. The
    prior is (mean, std). The last three are plain tuples in the order of `StepTuning`, `RandomWalk` and
    `ScaledEstimate`, whose names would cost the caller 2 us each.
    """
    _, kind, rate = tuning
    walk, estimate = RandomWalk(*walk), ScaledEstimate(*estimate)
    mean, root = estimate.mean, estimate.root
    size, width = columns.shape
    scaled, innovation = np.empty((size, width)), np.empty(size)
    to_prior_units(columns, measured, prior, scaled, innovation)
    before, start, rows = np.empty(width), mean.copy(), np.empty((size, width))
    time_update(root, walk.process, walk.least, before)
    for k in range(size):
        innovation[k] -= dot(scaled[k], mean)
        combine(scaled[k], root, rows[k])
    nis, status = update_linearly(rows, innovation, noise, gate, mean, root)
    if status == 0 and kind > 0:
        after = np.empty(width)
        variances(root, after)
        adapt(kind, rate, mean - start, before - after, walk.process, walk.ratio)
    return nis, status


class UnscentedFilter(ScaledFilter):
    """Random-walk parameters estimated by the UKF.

    Parameters
    ----------
    prior : Prior
    outputs : int
        Number m of outputs of the model.
    settings : UnscentedSettings
    """

    def __init__(self, prior: Prior, outputs: int, settings: UnscentedSettings | None = None) -> None:
        self.settings = settings or UnscentedSettings()
        width = len(prior.mean)
        spread = self.settings.alpha**2 * (width + self.settings.kappa)
        if spread <= 0:
            raise SettingsError(f"kappa is {self.settings.kappa}, must be greater than {-width}")
        gamma = float(np.sqrt(spread))
        self._tuning = StepTuning(gamma, ADAPTATIONS[self.settings.adaptation], self.settings.rate)
        # as kernels are called: see `linear_step`
        self._plain_tuning = tuple(self._tuning)
        self._walk = np.zeros(width)
        super().__init__(prior)

    def reset(self) -> None:
        """Return to the prior."""
        super().reset()
        self._process = self._walk.copy()
        self._ratio = np.ones(len(self._mean))

    def start_from(self, mean: FloatArray, covariance: FloatArray) -> None:
        """Continue from an estimate in SI units."""
        self._mean = (np.asarray(mean) - self.prior.mean) / self.prior.std
        scaled = np.asarray(covariance) / np.outer(self.prior.std, self.prior.std)
        # a product of square roots may come out indefinite by as much as it was rounded
        jitter = np.trace(scaled) / len(scaled) * np.eye(len(scaled))
        try:
            self._root = np.linalg.cholesky(scaled + 1e-15 * jitter)
        except np.linalg.LinAlgError:
            self._root = np.linalg.cholesky(scaled + 1e-13 * jitter)

    def add_process_noise(self, std: FloatArray) -> None:
        """Set the random walk's standard deviation per step, in SI units; adaptation only adds to it."""
        self._walk = (np.asarray(std, dtype=float) / self.prior.std) ** 2
        self._process = self._walk.copy()

    def step_linear(
        self, columns: FloatArray, measured: FloatArray, noise: FloatArray, gate: float = np.inf
    ) -> tuple[float, bool]:
        """Take one measurement of a linear model, compiled.

        Parameters
        ----------
        columns : ndarray, shape (m, P)
            SI units.
        measured : ndarray, shape (m,)
        noise : ndarray, shape (m, m)
            Positive definite.
        gate : float
            Largest NIS accepted.

        Returns
        -------
        nis : float
            Normalised innovation squared.
        accepted : bool
        """
        nis, status = linear_step(
            columns, measured, self._plain_prior, noise, gate, self._plain_tuning,
            (self._process, self._ratio, self._walk), (self._mean, self._root),
        )  # fmt: skip
        self.count += status == 0
        return float(nis), status == 0

    def step(
        self,
        model: Callable[[FloatArray], FloatArray],
        measured: FloatArray,
        noise: FloatArray,
        gate: float = np.inf,
    ) -> tuple[float, bool]:
        """Take one measurement of any model: `model` maps parameters (P,) to outputs (m,); see `step_linear`."""
        s, tuning, width = self.settings, self._tuning, len(self._mean)
        before, after, points = np.empty(width), np.empty(width), np.empty((width, 2 * width + 1))
        time_update(self._root, self._process, self._walk, before)
        sigma_points(self._mean, self._root, tuning.gamma, points)
        outputs = np.column_stack([model(self.prior.mean + self.prior.std * point) for point in points.T])
        nis, status = absorb(
            outputs, measured, noise, tuning.gamma, s.alpha, s.beta, gate, self._mean, self._root
        )
        if status == 0 and tuning.kind:
            variances(self._root, after)
            moved, expected = self._mean - points[:, 0], before - after
            adapt(tuning.kind, tuning.rate, moved, expected, self._process, self._ratio)
        self.count += status == 0
        return float(nis), status == 0
