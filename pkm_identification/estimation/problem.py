"""One description of an estimation problem, which every estimator takes, and the one kind of result they give."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pkm_identification.identification.equations.force_equations import Equations
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.parameters.relations import LinearRelations

from .estimate import ParameterEstimate, make_estimate
from .filters.recursive import History

if TYPE_CHECKING:
    from .consistency.coordinates import FreeCoordinates
    from .whitening import Coordinates


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
    twins : pair of Equations, or None
        The same equations from two motions whose noise is independent (`instruments`).
    model : str
    relations : LinearRelations or None
        What else is known of the parameters; see `Estimator.fit`.
    assumed : LinearRelations or None
        Those of the relations that are assumptions and no data: what rests on them alone is not shown by the data.
    view : Coordinates or None
        How the unknowns are to be read where they are not the parameters themselves.
    physical : FreeCoordinates or None
        Of the parameters, where only physical ones are allowed; see `consistency`.
    """

    parameters: ParameterSet
    prior: Prior
    equations: Equations
    typical_force: float = 100.0
    noise: FloatArray | None = None
    redundancy: float = 1.0
    twins: tuple[Equations, Equations] | None = None
    model: str = "force"
    relations: LinearRelations | None = None
    assumed: LinearRelations | None = None
    view: Coordinates | None = None
    physical: FreeCoordinates | None = None

    @property
    def reported(self) -> int:
        """How many of the parameters mean something of the machine: all but the last, the nuisance ones."""
        return len(self.parameters.names) - self.parameters.nuisance

    @property
    def outputs(self) -> int:
        """Outputs of the model: six forces, or one along the path."""
        return self.equations.measured.shape[1]

    def part(self, chosen: NDArray[np.bool_]) -> Problem:
        """The problem with some of its equations only."""
        twins = None if self.twins is None else tuple(_some(twin, chosen) for twin in self.twins)
        return replace(self, equations=_some(self.equations, chosen), twins=twins)


@dataclass(frozen=True)
class Fit:
    """What an estimator found.

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
        Whether the estimator did what it does to its end; whether its estimate has settled is judged besides, by its
        history (`settling`).
    dropped : dict of str to int
        Equations without weight, by reason.
    history : History
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
    history: History = field(default_factory=History)
    nonconvergence: str = ""

    def estimate(self, problem: Problem, systematic: FloatArray | float = 0.0) -> ParameterEstimate:
        """The estimate with its statuses; `systematic` (P, P) is added to the covariance."""
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


def _some(equations: Equations, chosen: NDArray[np.bool_]) -> Equations:
    return Equations(*(getattr(equations, entry.name)[chosen] for entry in fields(Equations)))
