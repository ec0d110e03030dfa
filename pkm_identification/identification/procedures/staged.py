# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The source's staged procedure on a trajectory (Oh 2003, 5.3.1); `cross_check` compares trajectories.

Per trajectory: 1-A friction with the inertial parameters at the machine file's values (CAD), 1-B inertial parameters
with the friction of 1-A, 2-A friction again from that of 1-A, 2-B inertial parameters from those of 1-B with the
friction of 2-A, 3 all together from the results of stage 2. In 2-A the source holds the CAD values once more
(l.16409-12): with the data and the model of 1-A a 2-A that converges is 1-A, and what it changes is what a restart of
an unconverged filter adds. Holding the inertial parameters of 1-B instead is a choice (`StageSettings.hold`).

The force is linear in these parameters. With the values of 1-B held, stages 1 and 2 are two sweeps of a block-wise
descent on one quadratic function. Stage 3 goes to its minimum either way: in directions that the trajectory shows, its
end depends on no start at all; in the others the end is the start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.declared import check, declare
from pkm_identification.errors import PkmError
from pkm_identification.estimation.batch.least_squares import (
    compute_residual_covariance,
    compute_robust_covariance,
    least_squares,
)
from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.estimate import ParameterEstimate, make_estimate
from pkm_identification.estimation.filters.unscented import UnscentedFilter, UnscentedSettings
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.progress import steps

FRICTION, INERTIA, ALL = "friction", "inertia", "all"
STAGES = (("1-A", FRICTION), ("1-B", INERTIA), ("2-A", FRICTION), ("2-B", INERTIA), ("3", ALL))
# reversals: what smoothing does to friction, a nuisance of that kind

CAD, PREVIOUS = "cad", "previous"  # inertial parameters held in 2-A: the machine file's, or those of 1-B

MAX_PASSES = 40
TOLERANCE = 0.05  # standard deviations: passes end when none moves an estimate by more
LAST_PART = 0.2  # of the last pass, over which estimates must stand still
STILL = 0.02  # largest change there, relative to the parameter's scale


@dataclass(frozen=True)
class StageSettings:
    """How every stage is run.

    Attributes
    ----------
    redundancy : float
        Equations per independent one (`BandSettings.redundancy`).
    prior : float
        Standard deviation about a stage's start, in scales of the parameter set.
    unscented : UnscentedSettings
    hold : {'cad', 'previous'}
    passes : int
        At most, over the equations.

    Raises
    ------
    PkmError
        If a value is not allowed.
    """

    redundancy: float = 1.0
    prior: float = 1.0
    unscented: UnscentedSettings = field(default_factory=UnscentedSettings)
    hold: str = declare(
        CAD,
        "what stage 2-A holds the inertial parameters at: the machine file's values, as the source does, or those of "
        "1-B",
        choices=(CAD, PREVIOUS),
    )
    passes: int = declare(
        MAX_PASSES, "most passes of every stage, each with the noise that the last one estimated", "", 1, 1000
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class Stage:
    """One run of the filter.

    Attributes
    ----------
    name : str
        '1-A' to '3'.
    free : ndarray of bool, shape (P,)
        What was estimated; everything else stayed at `start`.
    start, values : ndarray, shape (P,)
        Before and after.
    covariance : ndarray, shape (P, P)
        Of the free parameters, everything else taken as exactly known; zero elsewhere.
    nis : float
        Mean squared residual in units of the noise.
    residual_rms : float
        N, over all struts.
    passes : int
        Over the equations.
    still : ndarray of bool, shape (P,)
        Which estimates stood still at the end: what a plot of them shows as converged.
    trace : ndarray, shape (K, P)
        Values after each equation of the last pass.
    """

    name: str
    free: NDArray[np.bool_]
    start: FloatArray
    values: FloatArray
    covariance: FloatArray
    nis: float
    residual_rms: float
    passes: int
    still: NDArray[np.bool_]
    trace: FloatArray

    @property
    def std(self) -> FloatArray:
        """Standard deviations, shape (P,); zero where nothing was estimated."""
        return np.sqrt(np.diag(self.covariance))


@dataclass(frozen=True)
class StagedResult:
    """The procedure on one trajectory: its stages in order, and the estimate of the last with statuses."""

    stages: tuple[Stage, ...]
    estimate: ParameterEstimate

    @property
    def end(self) -> FloatArray:
        """End of the last stage, shape (P,)."""
        return self.stages[-1].values

    @property
    def values(self) -> FloatArray:
        """The same without nuisance parameters, shape (R,)."""
        return self.end[: len(self.estimate.names)]


def free_of(parameters: ParameterSet, group: str) -> NDArray[np.bool_]:
    """Return which parameters belong to a group: 'friction', 'inertia' or 'all'."""
    friction = np.array([entry.kind.friction or entry.kind is Kind.NUISANCE for entry in parameters.entries])
    return {FRICTION: friction, INERTIA: ~friction, ALL: np.ones_like(friction)}[group]


def run_stage(
    name: str,
    equations: Equations,
    parameters: ParameterSet,
    free: NDArray[np.bool_],
    start: FloatArray,
    settings: StageSettings | None = None,
) -> Stage:
    """One stage: the UKF over the equations, again with the noise that the pass before left, until it converges.

    Parameters
    ----------
    name : str
    equations : Equations
        Of the whole parameter set.
    parameters : ParameterSet
    free : ndarray of bool, shape (P,)
    start : ndarray, shape (P,)
        SI units.
    settings : StageSettings, optional

    Raises
    ------
    PkmError
        If nothing is free or there are no equations.
    """
    settings = settings or StageSettings()
    if not np.any(free) or len(equations) == 0:
        raise PkmError(f"stage {name}: needs parameters to estimate and equations")
    columns = np.ascontiguousarray(equations.regressor[:, :, free])
    target = equations.measured - equations.regressor[:, :, ~free] @ start[~free]
    prior = Prior(start[free], settings.prior * parameters.scale[free])
    estimator = UnscentedFilter(prior, target.shape[1], settings.unscented)
    noise = compute_residual_covariance(target - columns @ prior.mean, 0)
    last = max(1, round((1 - LAST_PART) * len(columns))) - 1
    last_mean = np.full(len(prior.mean), np.inf)
    means = np.empty((len(columns), len(prior.mean)))
    passes = 0
    while True:
        passes += 1
        estimator.reset()
        for k, (rows, values) in enumerate(zip(columns, target, strict=True)):
            estimator.step_linear(rows, values, noise * settings.redundancy)
            means[k] = estimator.mean
        residual = target - columns @ estimator.mean
        left = compute_residual_covariance(residual, int(free.sum()))
        converged = np.abs(estimator.mean - last_mean) < TOLERANCE * np.sqrt(np.diag(estimator.covariance))
        if passes == settings.passes or np.all(converged):
            break
        noise, last_mean = left, estimator.mean
    moved = np.abs(estimator.mean - means[last]) / parameters.scale[free]
    still = np.zeros_like(free)
    still[free] = moved < STILL
    own = compute_robust_covariance(
        columns * prior.std, residual, noise, settings.redundancy, equations.segment
    )
    width = len(start)
    values, covariance = np.array(start, dtype=float), np.zeros((width, width))
    values[free] = estimator.mean
    trace = np.tile(start, (len(means), 1)).astype(float)
    trace[:, free] = means
    covariance[np.ix_(free, free)] = own * np.outer(prior.std, prior.std)
    return Stage(
        name=name,
        free=free,
        start=np.array(start, dtype=float),
        values=values,
        covariance=covariance,
        nis=float(np.mean(np.einsum("ki,ij,kj->k", residual, np.linalg.inv(noise), residual))),
        residual_rms=float(np.sqrt(np.mean(residual**2))),
        passes=passes,
        still=still,
        trace=trace,
    )


def staged(
    equations: Equations,
    parameters: ParameterSet,
    start: FloatArray,
    settings: StageSettings | None = None,
    others: Sequence[Equations] = (),
) -> StagedResult:
    """Stages 1-A to 3 on one trajectory.

    Parameters
    ----------
    equations : Equations
    parameters : ParameterSet
        Its nominal values are what the inertial parameters are held at in 1-A, and in 2-A if settings say so.
    start : ndarray, shape (P,)
        First guess, SI units.
    settings : StageSettings, optional
    others : sequence of Equations
        The same motion behind other kinematic low-passes: what they change widens the deviations of the estimate.
    """
    settings = settings or StageSettings()
    stages: list[Stage] = []
    inertia = free_of(parameters, INERTIA)
    current = start
    for name, group in steps("stages", STAGES):
        if name == "1-A" or (name == "2-A" and settings.hold == CAD):
            current = np.where(inertia, parameters.nominal, current)
        if name == "1-B":
            current = np.where(inertia, start, current)
        if name == "2-B":
            current = np.where(inertia, stages[1].values, current)
        stages.append(run_stage(name, equations, parameters, free_of(parameters, group), current, settings))
        current = stages[-1].values
    return StagedResult(tuple(stages), stage_estimate(stages[-1], equations, parameters, settings, others))


def stage_estimate(
    stage: Stage,
    equations: Equations,
    parameters: ParameterSet,
    settings: StageSettings,
    others: Sequence[Equations] = (),
) -> ParameterEstimate:
    """Return a stage's result with what its data show; parameters that were not free count as not shown."""
    prior = Prior(parameters.nominal, settings.prior * parameters.scale)
    fixed = np.diag(np.where(stage.free, 0.0, prior.std**2))
    base = least_squares(equations, prior, settings.redundancy).mean if others else prior.mean
    changes = [least_squares(other, prior, settings.redundancy).mean - base for other in others]
    systematic = sum(np.outer(change, change) / len(changes) for change in changes)
    return make_estimate(
        parameters,
        prior,
        stage.values,
        stage.covariance + fixed + systematic,
        nis=stage.nis,
        nis_dof=equations.measured.shape[1],
        count=len(equations),
        time=float(equations.time[-1]),
        estimator="ukf",
        model="force",
    )


def joint(
    equations: Mapping[str, Equations],
    parameters: ParameterSet,
    start: FloatArray,
    settings: StageSettings | None = None,
    others: Sequence[Equations] = (),
) -> StagedResult:
    """Return all trajectories in one estimation of all parameters, from the first guess and without stages."""
    settings = settings or StageSettings()
    whole = join_equations(equations)
    stage = run_stage("all", whole, parameters, free_of(parameters, ALL), start, settings)
    return StagedResult((stage,), stage_estimate(stage, whole, parameters, settings, others))


def join_equations(equations: Mapping[str, Equations]) -> Equations:
    """Equations of several trajectories one after the other; segments stay apart."""
    parts, segments = [], 0
    for part in equations.values():
        segment = part.segment - part.segment.min() + segments
        segments = int(segment.max()) + 1
        parts.append(replace(part, segment=segment))
    return Equations.concatenate(parts)
