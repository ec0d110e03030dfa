# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A parameter filter with what it needs in the field: noise learned from residuals, a gate, a way out of the gate."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.rows import combine, dot, lengthen_rows
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

from ..estimate import ParameterEstimate, make_estimate
from ..trace import EstimateTrace, TraceRecorder
from .first_equations import FirstEquations, Kept
from .parameter_filter import Belief, DriftingFilter, ParameterFilter
from .recursive_least_squares import RecursiveLeastSquares
from .scaled_filter import to_prior_units
from .uncertainty import RunningUncertainty
from .unscented import UnscentedFilter, UnscentedSettings

if TYPE_CHECKING:
    from ..whitening import Coordinates

FilterKind = Callable[[Prior, int, "UnscentedSettings | None"], ParameterFilter]
# An estimator of one's own: a class as `ParameterFilter` has it, and a line here.
FILTERS: dict[str, FilterKind] = {
    "ukf": UnscentedFilter,
    "ekf": UnscentedFilter,  # on equations linear in their parameters both are the Kalman filter
    "rls": RecursiveLeastSquares,
}
NOISE_MEMORY = 250  # equations over which the measurement noise is averaged
UNGATED = 50  # equations before the noise is known well enough to judge by it
GATED_RUN = 25  # so many rejected in a row: not outliers but a wrong model


@kernel
def _learn_noise(equation, prior, state, averaging, scaled, residual, noise, effective):
    """Average the noise so far and the residual of an equation, which is smaller by what the update took in.

    `state` are mean and square root of the covariance after the equation (columns, measured), `averaging` the noise so
    far, weight, redundancy and least noise. Written are the columns in units of the prior (mean, std), the residual,
    the average, and what the filter is to take for noise.
    """
    columns, measured = equation
    mean, root = state
    before, weight, redundancy, least = averaging
    to_prior_units(columns, measured, prior, scaled, residual)
    size = measured.size
    rows_of_root = lengthen_rows(root)
    half = np.empty((size, rows_of_root.shape[1]))
    for k in range(size):
        residual[k] -= dot(scaled[k], mean)
        combine(scaled[k], rows_of_root, half[k])
    trace = 0.0
    for k in range(size):
        for m in range(size):
            product = residual[k] * residual[m] + dot(half[k], half[m]) / redundancy
            noise[k, m] = (1.0 - weight) * before[k, m] + weight * product
        trace += noise[k, k]
    # perfect data must not make an infinite weight
    for k in range(size):
        noise[k, k] += (least + 1e-6 * trace / size) / NOISE_MEMORY
        for m in range(size):
            effective[k, m] = noise[k, m] * redundancy


class RecursiveEstimator:
    """UKF, EKF or recursive least squares over equations of one parameter set.

    Parameters
    ----------
    parameters : ParameterSet
    estimator : {'ukf', 'ekf', 'rls'}
    settings : UnscentedSettings
    redundancy : float
        Equations per independent one (`BandSettings.redundancy`).
    force_scale : float
        Typical strut force in N; a twentieth of it is the first guess of the noise.
    gate : float
        Probability with which a good equation falls outside the gate.
    outputs : int
        Outputs of the model: 6 forces, or 1 for the energy model.
    again : bool
        Whether the first equations are taken again with the noise they show (`first_equations`); a log that is gone
        over again anyway does without.
    keep_trace : bool
        Whether to keep every estimate, for convergence figures; online that would grow without bound.
    view : Coordinates, optional
        How what is estimated is to be kept there, where it is not the parameters themselves.
    through : callable, optional
        What the filter is seen through: takes it and gives one whose estimates are, say, always physical.
    """

    def __init__(
        self,
        parameters: ParameterSet,
        estimator: str = "ukf",
        settings: UnscentedSettings | None = None,
        *,
        redundancy: float = 1.0,
        force_scale: float = 100.0,
        gate: float = 1e-9,
        outputs: int = 6,
        again: bool = True,
        keep_trace: bool = False,
        view: Coordinates | None = None,
        through: Callable[[ParameterFilter], ParameterFilter] | None = None,
    ) -> None:
        self.parameters = parameters
        self.estimator = estimator
        self.prior = Prior.of(parameters)
        self._plain_prior = self.prior.mean, self.prior.std
        from scipy.special import chdtri  # here: batch fits, which import this, do not need it

        plain = FILTERS[estimator](self.prior, outputs, settings)
        self.filter: ParameterFilter = plain if through is None else through(plain)
        self.outputs = outputs
        self._again, self._keep_trace = again, keep_trace
        self._view = view
        self._redundancy = redundancy
        self._first_noise = (0.05 * force_scale) ** 2
        self._gate = float(chdtri(outputs, gate))
        self._fixed_noise: FloatArray | None = None
        self._noise: FloatArray
        self.uncertainty = RunningUncertainty(len(self.prior.mean))
        self._no_transition = np.zeros(outputs)
        self.systematic_covariance: FloatArray | None = None
        """What else the estimates' covariance has, (P, P) in SI units: of what is taken as known."""
        self.reset()

    def reset(self) -> None:
        """Return to the prior and to the first guess of the noise."""
        self.filter.reset()
        self.uncertainty.reset()
        guess = self._first_noise * np.eye(self.outputs)
        self.noise = guess if self._fixed_noise is None else self._fixed_noise
        self._recorder = TraceRecorder()
        self.time = float("nan")
        self.rejected_run = 0
        self.gated = 0
        self.reopened = 0
        self._seen = 0
        self._nis = float(self.outputs)
        self._keep_first()

    def _keep_first(self) -> None:
        """Keep equations from here on, where the noise is to be learned."""
        learned = self._again and self._fixed_noise is None
        self._first = FirstEquations(self.filter.mean, self.filter.covariance) if learned else None

    def resume(self, mean: FloatArray, covariance: FloatArray, count: int, time: float) -> None:
        """Continue from an estimate got before; the noise is learned anew.

        Parameters
        ----------
        mean : ndarray, shape (P,)
            SI units; those of nuisance parameters may be missing, as in what is saved, and are learned anew.
        covariance : ndarray, shape (P, P)
            Positive definite.
        count : int
            Equations behind it.
        time : float
            Stamp of the newest sample behind it in s.

        Raises
        ------
        numpy.linalg.LinAlgError
            If the covariance is not positive definite.
        """
        self.reset()
        known, width = len(mean), len(self.prior.mean)
        if known == width - self.parameters.nuisance:
            whole, everything = self.prior.mean.copy(), np.diag(self.prior.std**2)
            whole[:known], everything[:known, :known] = mean, covariance
            mean, covariance = whole, everything
        self.filter.start_from(mean, covariance)
        self.uncertainty.begin_from(self.filter.scaled_covariance)
        self.filter.count = count
        self.time = time
        self._keep_first()

    def add_process_noise(self, std: FloatArray) -> None:
        """Let the parameters walk by this standard deviation (P,) per equation, SI units.

        Raises
        ------
        ValueError
            If the estimator has no process noise.
        """
        if not isinstance(self.filter, DriftingFilter):
            raise ValueError(f"estimator '{self.estimator}' has no process noise")
        self.filter.add_process_noise(std)

    def fix_noise(self, noise: FloatArray) -> None:
        """Use this noise covariance from now on instead of learning it."""
        self._fixed_noise = np.array(noise)
        self.noise = self._fixed_noise
        self._first = None

    def step(
        self,
        time: float,
        columns: FloatArray,
        measured: FloatArray,
        transition: FloatArray | None = None,
        late: int = 0,
    ) -> bool:
        """Take one equation; False when the gate kept it out.

        Parameters
        ----------
        time : float
            s.
        columns : ndarray, shape (m, P)
        measured : ndarray, shape (m,)
            N.
        transition : ndarray, shape (m,), optional
            How the model's side would change if strut rates were smoothed somewhat more, N (`uncertainty`).
        late : int
            How many equations ago that was.
        """
        if not self._take(time, columns, measured, transition, late):
            return False
        if self._first is not None and self._first.add(Kept(time, columns, measured, transition, late)):
            self._take_again(self._first)
            self._first = None
        if self._keep_trace:
            self._remember(time)
        return True

    def _take(
        self, time: float, columns: FloatArray, measured: FloatArray, transition: FloatArray | None, late: int
    ) -> bool:
        gate = self._gate if self._seen >= UNGATED else np.inf
        noise = self.effective_noise
        nis, accepted = self.filter.step_linear(columns, measured, noise, gate)
        if not accepted:
            self.gated += 1
            self.rejected_run += 1
            if self.rejected_run >= GATED_RUN:
                self._reopen()
            return False
        self.rejected_run = 0
        self._seen += 1
        self.time = time
        transition = self._no_transition if transition is None else transition
        if self._fixed_noise is not None:
            scaled, residual = columns * self.prior.std, measured - columns @ self.filter.mean
        else:
            scaled, residual = np.empty(columns.shape), np.empty(measured.shape)
            weight = max(2.0 / (self._seen + 2.0), 1.0 / NOISE_MEMORY)
            averaging = self._noise, weight, self._redundancy, 1e-12 * self._first_noise
            average, effective = np.empty(noise.shape), np.empty(noise.shape)
            _learn_noise(
                (columns, measured), self._plain_prior, self.filter.scaled_state, averaging,
                scaled, residual, average, effective,
            )  # fmt: skip
            self._noise, self._effective_noise = average, effective
        self.uncertainty.add(scaled, noise, residual, transition, late)
        self._last_nis = nis
        self._nis += (nis - self._nis) / min(self._seen, NOISE_MEMORY)
        return True

    def settle(self) -> None:
        """Do what the last equation has left to do: at leisure, it is done when it is needed anyway."""
        self.uncertainty.settle()

    def _take_again(self, first: FirstEquations) -> None:
        """Take the first equations again, with the noise that they show."""
        try:
            noise = first.noise(self._redundancy)
        except np.linalg.LinAlgError:
            return
        count = self.filter.count
        self.filter.start_from(first.mean, first.covariance)
        self.uncertainty.begin_from(self.filter.scaled_covariance)
        self.noise, self._seen, self._nis = noise, 0, float(self.outputs)
        for one in first.equations:
            if not self._take(one.time, one.columns, one.measured, one.transition, one.late):
                break  # the gate found something that the fit did not: it is dealt with as any
            self.noise = noise
        self.filter.count = count

    @property
    def trace(self) -> EstimateTrace:
        """Estimates after every equation taken since the start; empty unless they are kept."""
        return self._recorder.trace

    def _remember(self, time: float) -> None:
        mean, covariance = self.filter.mean, self.filter.covariance
        if self._view is not None:
            mean, covariance = self._view.mean(mean), self._view.covariance(covariance)
        reported = len(mean) - self.parameters.nuisance
        self._recorder.add(time, mean[:reported], np.sqrt(np.diag(covariance))[:reported], self._last_nis)

    @property
    def noise(self) -> FloatArray:
        """Covariance (m, m) of one equation's noise, N^2, as learned or given."""
        return self._noise

    @noise.setter
    def noise(self, noise: FloatArray) -> None:
        self._noise, self._effective_noise = noise, noise * self._redundancy

    @property
    def effective_noise(self) -> FloatArray:
        """Covariance (m, m) the filter takes for an equation's noise, N^2: equations tell less than their number."""
        return self._effective_noise

    @property
    def believed(self) -> Belief:
        """The filter's state as kernels take it."""
        return *self._plain_prior, *self.filter.scaled_state

    @property
    def nis(self) -> float:
        """Mean normalised innovation squared; near `outputs` when the noise is as assumed."""
        return self._nis

    def take_over(self, other: RecursiveEstimator, mean: FloatArray, covariance: FloatArray) -> None:
        """Go on from this estimate (SI units) with the noise, the counts and the time of another estimator."""
        self.filter.start_from(mean, covariance)
        self.filter.count = other.filter.count
        self._first = None
        if other is self:
            return
        self.noise = other.noise
        self.time, self._nis, self._seen = other.time, other._nis, other._seen
        self.gated, self.reopened, self.rejected_run = other.gated, other.reopened, other.rejected_run

    def _reopen(self) -> None:
        """Widen the covariance: a filter that rejects everything is wrong, not the data."""
        self.reopened += 1
        self.uncertainty.reset()
        self.rejected_run = 0
        self._seen = 0
        self.noise = self._first_noise * np.eye(self.outputs)
        self._fixed_noise = None
        width = len(self.prior.mean)
        wider = self.filter.scaled_covariance + 0.04 * np.eye(width)
        mean = self.filter.mean
        if np.all(np.isfinite(wider)) and np.all(np.isfinite(mean)):
            # never less certain than the prior
            wider = np.asarray(np.linalg.inv(np.linalg.inv(wider) + np.eye(width)), dtype=float)
            self.filter.start_from(mean, wider * np.outer(self.prior.std, self.prior.std))
            self.uncertainty.begin_from(wider)
        else:
            self.filter.reset()
        self._keep_first()

    def widen(self, count: int | None = None) -> tuple[FloatArray, FloatArray]:
        """Mean and covariance in SI units, widened by correlation in time, the systematic part, and large innovations.

        Of all parameters, or of the first `count`.
        """
        whole = len(self.prior.mean) if count is None else count
        return self.uncertainty.widen(self.believed, max(1.0, self._nis / self.outputs), whole)

    def estimate(self, model: str = "force") -> ParameterEstimate:
        """Present estimate, its covariance widened by what the filter does not know (`widened`)."""
        reported = len(self.prior.mean) - self.parameters.nuisance
        mean, covariance = self.widen(reported)
        if self.systematic_covariance is not None:
            covariance += self.systematic_covariance[:reported, :reported]
        return make_estimate(
            self.parameters,
            self.prior,
            mean,
            covariance,
            nis=self._nis,
            nis_dof=self.outputs,
            count=self.filter.count,
            time=self.time,
            estimator=self.estimator,
            model=model,
        )
