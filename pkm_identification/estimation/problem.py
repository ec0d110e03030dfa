# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One description of an estimation problem, which every estimator takes, and the one kind of result they give."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.parameters.relations import LinearRelations

from .equations import Equations
from .estimate import ParameterEstimate, make_estimate
from .trace import EstimateTrace
from .whitening import Coordinates

if TYPE_CHECKING:
    from .consistency.central_path import Physical


@dataclass(frozen=True)
class Problem:
    """What is to be estimated, from what.

    Attributes
    ----------
    parameters : ParameterSet
        The unknowns, already without what is fixed or tied (`assumptions`).
    prior : Prior
    equations : Equations
        measured = regressor @ w + noise.
    typical_force : float
        N; a twentieth of it is a recursive estimator's first guess of the noise.
    noise : ndarray, shape (m, m), or None
        Covariance of the noise of the equations; None lets the estimators learn it from their residuals.
    redundancy : float
        Equations per independent one (`BandSettings.redundancy`).
    instruments : pair of Equations, or None
        The same equations from two motions whose noise is independent (`instruments`).
    model : str
    relations : LinearRelations or None
        What else is known of the parameters; see `Estimator.fit`.
    assumed : LinearRelations or None
        Those of the relations that are assumptions and no data: what rests on them alone is not shown by the data.
    view : Coordinates or None
        How the unknowns are to be read where they are not the parameters themselves.
    physical : Physical or None
        Of the parameters, where only physical ones are allowed; see `consistency`.
    log : ndarray of int64, shape (K,)
        Number of the log each equation is from; empty where nobody asks.
    samples, failed, wrong_rate : int
        Samples behind the equations, and samples that were left out: without a good pose, and because of their rate.
    resting : int
        Equations left out because the mechanism stood still.
    used : ndarray of bool, shape (K, m), or None
        Which rows of the equations are used, where some drives stood still while others moved; the others are zero.
    """

    parameters: ParameterSet
    prior: Prior
    equations: Equations
    typical_force: float = 100.0
    noise: FloatArray | None = None
    redundancy: float = 1.0
    instruments: tuple[Equations, Equations] | None = None
    model: str = "force"
    relations: LinearRelations | None = None
    assumed: LinearRelations | None = None
    view: Coordinates | None = None
    physical: Physical | None = None
    log: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    samples: int = 0
    failed: int = 0
    wrong_rate: int = 0
    resting: int = 0
    used: NDArray[np.bool_] | None = None

    @property
    def reported(self) -> int:
        """How many of the parameters mean something of the machine: all but the last, the nuisance ones."""
        return len(self.parameters.names) - self.parameters.nuisance

    @property
    def outputs(self) -> int:
        """Outputs of the model: six forces, or one along the path."""
        return self.equations.measured.shape[1]

    def part(self, chosen: NDArray[np.bool_]) -> Problem:
        """Return the problem with some of its equations only."""
        instruments = (
            None if self.instruments is None else (self.instruments[0][chosen], self.instruments[1][chosen])
        )
        log = self.log[chosen] if len(self.log) else self.log
        used = None if self.used is None else self.used[chosen]
        return replace(self, equations=self.equations[chosen], instruments=instruments, log=log, used=used)

    def whiten(self, view: Coordinates) -> Problem:
        """Return the problem for the unknowns of `view`, which prior and relations make standard normal."""
        width = len(view.origin)
        prior = Prior(np.zeros(width), np.ones(width))
        parameters = replace(
            self.parameters,
            entries=tuple(replace(entry, nominal=0.0, scale=1.0) for entry in self.parameters.entries),
            prior_mean=None,
            prior_std=None,
        )
        instruments = (
            None
            if self.instruments is None
            else (view.equations(self.instruments[0]), view.equations(self.instruments[1]))
        )
        return replace(
            self,
            parameters=parameters,
            prior=prior,
            relations=None,
            view=view,
            equations=view.equations(self.equations),
            instruments=instruments,
        )


@dataclass(frozen=True)
class Fit:
    """The result of an estimator.

    Attributes
    ----------
    estimator : str
    mean : ndarray, shape (P,)
        SI units; directions the equations do not show stay at the prior.
    covariance : ndarray, shape (P, P)
        It knows that residuals are correlated in time.
    noise : ndarray, shape (m, m)
        Covariance of the residual, as the equations were weighted with.
    nis : float
        Mean normalised innovation (or residual) squared.
    iterations : int
        Of the weights, or passes over the equations.
    converged : bool
        Whether the estimator did what it does to its end; whether its estimate has converged is judged as well, by
        its trace (`convergence`).
    dropped : dict of str to int
        Equations without weight, by reason.
    trace : EstimateTrace
        Estimates over time, of recursive estimators.
    nonconvergence : str
        What kept it from converging, in words; empty when it converged or cannot say.
    """

    estimator: str
    mean: FloatArray
    covariance: FloatArray
    noise: FloatArray
    nis: float
    iterations: int
    converged: bool
    dropped: dict[str, int] = field(default_factory=dict)
    trace: EstimateTrace = field(default_factory=EstimateTrace)
    nonconvergence: str = ""

    def estimate(self, problem: Problem, systematic: FloatArray | float = 0.0) -> ParameterEstimate:
        """Return the estimate with its statuses; `systematic` (P, P) is added to the covariance."""
        return make_estimate(
            problem.parameters,
            problem.prior,
            self.mean,
            self.covariance + systematic,
            nis=self.nis,
            nis_dof=problem.outputs,
            count=len(problem.equations),
            time=float(problem.equations.time[-1]),
            estimator=self.estimator,
            model=problem.model,
            assumed=problem.assumed,
        )

    def read_through(self, view: Coordinates) -> Fit:
        """Return the fit of a whitened problem as one of the parameters themselves."""
        return replace(self, mean=view.mean(self.mean), covariance=view.covariance(self.covariance))
