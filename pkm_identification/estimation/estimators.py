# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The estimators by name: each takes a `Problem` and gives a `Fit`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import cast

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.numerics.arrays import FloatArray

from .batch.instruments import instrumental_variables
from .batch.least_squares import (
    LinearFit,
    compute_residual_covariance,
    compute_robust_covariance,
    least_squares,
)
from .batch.robust import robust_least_squares
from .consistency.constrained_least_squares import constrained_least_squares
from .consistency.coordinates import FreeCoordinates
from .consistency.filters import ConsistentFilter
from .data_order import data_order
from .filters.parameter_filter import ParameterFilter
from .filters.recursive import FILTERS, RecursiveEstimator
from .filters.unscented import UnscentedSettings
from .problem import Fit, Problem
from .whitening import Coordinates

MAX_PASSES = 3  # of a recursive estimator over the same log, unless told otherwise
# Of the noise a pass was made with, what its residual must show to end: deviations are then at most 12 % too large.
NOISE_STILL = 0.8


@dataclass(frozen=True)
class Tuning:
    """How the recursive estimators run.

    Attributes
    ----------
    settings : UnscentedSettings
    gate : float
        Probability with which a good equation falls outside the gate; 0 switches it off.
    causal : bool
        Once over the equations, learning the noise on the way, as online; else again with the noise that the pass
        before left, until that changes no more.
    order : str
        In which order the equations are taken (`data_order.ORDERS`).
    passes : int
        Most passes over the same equations; each starts anew, with the noise that the pass before left.
    """

    settings: UnscentedSettings = field(default_factory=UnscentedSettings)
    gate: float = 0.0
    causal: bool = False
    order: str = "sequential"
    passes: int = MAX_PASSES


@dataclass(frozen=True)
class Estimator:
    """An estimator and the batch fit nearest to it, with which its systematic errors are looked for.

    Both take problems without relations; `fit` and `batch_mean` take any.
    """

    title: str
    run: Callable[[Problem, Tuning], Fit]
    batch: Callable[[Problem], LinearFit]

    def fit(self, problem: Problem, tuning: Tuning) -> Fit:
        """Solve a problem; relations about its parameters become part of the prior by a change of coordinates."""
        if problem.relations is None:
            fit = self.run(problem, tuning)
        else:
            view = Coordinates.of(problem.prior, problem.relations)
            fit = self.run(problem.whiten(view), tuning).read_through(view)
        return fit if problem.physical is None else constrained_least_squares(fit, problem)

    def batch_mean(self, problem: Problem, fit: Fit | None = None) -> FloatArray:
        """Values (P,) of the batch fit; those of `fit`, where the problem's solution is there and was that one."""
        if fit is not None and fit.estimator not in FILTERS and problem.physical is None:
            return fit.mean
        if problem.relations is None:
            return self.batch(problem).mean
        view = Coordinates.of(problem.prior, problem.relations)
        return view.mean(self.batch(problem.whiten(view)).mean)

    @property
    def instruments(self) -> bool:
        """Whether it needs two sets of equations whose noise is independent."""
        return self.batch is _run_instrumental

    @property
    def consistent(self) -> bool:
        """Whether it can keep its estimate physical."""
        return self.batch is _run_least_squares


def _run_least_squares(problem: Problem) -> LinearFit:
    return least_squares(problem.equations, problem.prior, problem.redundancy, problem.noise)


def _run_robust(problem: Problem) -> LinearFit:
    return robust_least_squares(problem.equations, problem.prior, problem.redundancy)


def _run_instrumental(problem: Problem) -> LinearFit:
    if problem.instruments is None:
        raise PkmError(
            "estimator 'iv': needs two sets of equations with independent noise, which only a log as a whole gives"
        )
    return instrumental_variables(problem.equations, problem.instruments, problem.prior, problem.redundancy)


def _run_batch(name: str, problem: Problem, _: Tuning) -> Fit:
    """Run a batch estimator."""
    fit = ESTIMATORS[name].batch(problem)
    squares = np.einsum("ki,ij,kj->k", fit.residual, np.linalg.inv(fit.noise), fit.residual)
    dropped = {}
    if fit.weight is not None and np.any(fit.weight == 0.0):
        dropped["outlier"] = int(np.count_nonzero(fit.weight == 0.0))
    return Fit(
        estimator=name,
        mean=fit.mean,
        covariance=fit.covariance,
        noise=fit.noise,
        nis=float(np.average(squares, weights=fit.weight)),
        iterations=fit.iterations,
        converged=fit.converged,
        dropped=dropped,
        nonconvergence="" if fit.converged else f"weights still changed after {fit.iterations} iterations",
    )


def _build_physical(problem: Problem) -> Callable[[ParameterFilter], ParameterFilter] | None:
    """Return what makes a filter's estimates physical, where they are to be."""
    coordinates = problem.physical
    if coordinates is None or not coordinates.each_body:
        return None  # or what is done at the end
    free = cast(FreeCoordinates, coordinates)
    return lambda linear: ConsistentFilter(linear, free, problem.view)


def _run_recursive(name: str, problem: Problem, tuning: Tuning) -> Fit:
    """Run a recursive estimator over the equations, one by one."""
    equations = problem.equations
    recursive = RecursiveEstimator(
        problem.parameters,
        name,
        tuning.settings,
        redundancy=problem.redundancy,
        force_scale=problem.typical_force,
        # the noise of a log that is weighed as a whole includes its outliers already
        gate=tuning.gate,
        outputs=problem.outputs,
        again=tuning.causal,
        keep_trace=True,
        view=problem.view,
        through=_build_physical(problem),
    )
    batch = _run_least_squares(problem)
    weight = _compute_memory(name, tuning, len(equations))
    known = problem.noise is not None or (name == "rls" and not tuning.causal)
    if known:
        recursive.fix_noise(batch.noise if problem.noise is None else problem.noise)
    order = data_order(len(equations), tuning.order)
    passes = 1 if tuning.causal or problem.noise is not None else tuning.passes
    noise_converged = passes == 1
    for number in range(passes):
        recursive.reset()
        for k in order:
            recursive.step(float(equations.time[k]), equations.regressor[k], equations.measured[k])
        residual = equations.measured - equations.regressor @ recursive.filter.mean
        left = compute_residual_covariance(residual, len(problem.parameters.names), weight)
        if (known or number) and np.trace(left) > NOISE_STILL * np.trace(recursive.noise):
            noise_converged = True
            break
        if number < passes - 1:
            recursive.fix_noise(left)
    mean = recursive.filter.mean
    nonconvergence = _explain_nonconvergence(recursive, noise_converged, passes)
    return Fit(
        estimator=name,
        mean=mean,
        covariance=_widen_covariance(problem, mean, recursive, batch, weight, floored=not tuning.causal),
        noise=recursive.noise,
        nis=recursive.estimate(problem.model).nis,
        iterations=number + 1,
        converged=not nonconvergence,
        dropped={"gated": recursive.gated} if recursive.gated else {},
        trace=recursive.trace,
        nonconvergence=nonconvergence,
    )


def _explain_nonconvergence(recursive: RecursiveEstimator, noise_converged: bool, passes: int) -> str:
    """Return why a run over the equations is no estimate, in words; empty when it is one."""
    if not np.all(np.isfinite(recursive.filter.mean)):
        return "the filter diverged"
    if recursive.reopened:
        return f"the filter refused so many equations in a row that it had to start over ({recursive.reopened} times)"
    if not noise_converged:
        return f"the residual was still shrinking after {passes} passes over the data"
    return ""


def _compute_memory(name: str, tuning: Tuning, count: int) -> FloatArray | None:
    """Weights with which the equations enter the final estimate; None when all count alike."""
    forgetting = tuning.settings.forgetting if name == "rls" else 1.0
    return None if forgetting == 1.0 else forgetting ** np.arange(count - 1.0, -1.0, -1.0)


def _widen_covariance(
    problem: Problem,
    mean: FloatArray,
    recursive: RecursiveEstimator,
    batch: LinearFit,
    weight: FloatArray | None,
    floored: bool,
) -> FloatArray:
    """Return the filter's covariance (P, P), widened by the correlation its residual has in time.

    If `floored`, no direction of what the correlation tells is below white noise, and it is the covariance where it has
    no smaller deviation than the filter: a factor for each parameter would leave combinations as known as the filter
    believes, or a thousand times less. A causal run has these factors and the floor of each parameter alone, as the
    online estimator (`filters.uncertainty`).
    """
    equations, prior = problem.equations, problem.prior
    residual = equations.measured - equations.regressor @ mean
    noise = batch.noise if weight is None else recursive.noise
    robust = compute_robust_covariance(
        equations.regressor,
        residual,
        noise,
        problem.redundancy,
        equations.segment,
        weight,
        prior.std,
        floored=floored,
    )
    scale = np.outer(prior.std, prior.std)
    own = recursive.filter.covariance / scale
    widen = np.sqrt(np.maximum(np.diag(robust) / np.diag(own), 1.0))
    if not floored:
        return own * np.outer(widen, widen) * scale
    if np.all(np.diag(robust) >= np.diag(own)):
        return robust * scale
    # both are valid upper pictures of the same error; per direction the larger one is kept
    root = np.linalg.cholesky(own)
    inverse = np.linalg.inv(root)
    values, vectors = np.linalg.eigh(inverse @ robust @ inverse.T)
    return root @ (vectors * np.maximum(values, 1.0)) @ vectors.T @ root.T * scale


# In the order of the help: the recursive ones, which also run online, first.
TITLES = {"ukf": "unscented Kalman filter", "ekf": "extended Kalman filter", "rls": "recursive least squares"}
ESTIMATORS: dict[str, Estimator] = {
    **{
        name: Estimator(TITLES.get(name, name), partial(_run_recursive, name), _run_least_squares)
        for name in FILTERS
    },
    "ls": Estimator("least squares", partial(_run_batch, "ls"), _run_least_squares),
    "robust": Estimator(
        "least squares that outliers do not move", partial(_run_batch, "robust"), _run_robust
    ),
    "iv": Estimator(
        "instrumental variables, for coarse encoders", partial(_run_batch, "iv"), _run_instrumental
    ),
}
