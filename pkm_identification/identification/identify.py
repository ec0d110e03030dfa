"""Offline identification: logs in, a validated dynamic model out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.errors import LogError, PkmError, Unidentifiable
from pkm_identification.estimation.convergence import Path, drift_share, nonconvergence
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.estimators import ESTIMATORS
from pkm_identification.estimation.filters.recursive import History
from pkm_identification.estimation.identifiability import UNIDENTIFIABLE
from pkm_identification.estimation.problem import Fit, Problem
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import StrutLog
from pkm_identification.numerics.arrays import FloatArray

from .augmented_state import FORMS
from .experiment import (
    Experiment,
    IdentifySettings,
    prepare,
    stages_of,
)
from .problem_builder import (
    Posed,
    add_falls,
    build_problem,
    tuning,
)
from .validation import Validation, held_out, predict_ends

FEWEST_EQUATIONS = 2  # per unknown; each has six values
# Kinematic cutoffs, relative to the chosen one, over which an estimate should not change: how much it does is a
# systematic error that no residual shows.
OTHER_CUTOFFS = (1 / 1.5, 1.5)


@dataclass(frozen=True)
class Identification:
    """A finished identification.

    Attributes
    ----------
    machine : Machine
    settings : IdentifySettings
    estimate : ParameterEstimate
    samples : int
        Samples that entered the equations' filters.
    dropped : dict of str to int
        Samples not used, by reason.
    history : History
        Estimates over time (of the recursive estimators).
    residual_rms : ndarray, shape (m,)
        Root mean square of the residual in the band, N; one force a strut, or one along the path for the energy model.
    converged : bool
    warnings : tuple of str
    validation : Validation or None
        Of the end of each log by an estimate from the rest, or of another log; see `Validation.what`.
    delay : float
        Delay of the causal strut filter in s; 0 offline.
    nonconvergence : str
        What had not settled when the estimate did not converge, in words.
    beside : tuple of str
        What the estimate rests on besides the equations of motion and the prior, a sentence each.
    """

    machine: Machine
    settings: IdentifySettings
    estimate: ParameterEstimate
    samples: int
    dropped: dict[str, int]
    history: History
    residual_rms: FloatArray
    converged: bool
    warnings: tuple[str, ...]
    validation: Validation | None = None
    delay: float = 0.0
    beside: tuple[str, ...] = ()
    nonconvergence: str = ""


def identify(
    logs: list[StrutLog],
    machine: Machine,
    settings: IdentifySettings | None = None,
    faults: dict[str, int] | None = None,
    falls: Sequence[StrutLog] = (),
) -> Identification:
    """Identify a machine from its logs.

    Parameters
    ----------
    logs : list of StrutLog
        Pieces of one experiment or several motions; nothing is differentiated or filtered across them.
    machine : Machine
        Geometry, nominal values and drives.
    settings : IdentifySettings, optional
    faults : dict of str to int, optional
        What the readers found and left out already.
    falls : sequence of StrutLog
        Falls from rest with the drives off and no friction, of which only the lengths are used
        (`estimation.free_fall`).

    Returns
    -------
    Identification

    Raises
    ------
    PkmError
        If what is fixed, tied or stated does not fit the parameter set.
    LogError
        If the logs hold no forces, run at a wrong rate, or are too short for the filters.
    Unidentifiable
        If the data show no parameter and no combination of them, so that nothing but the prior is left.
    """
    settings = settings or IdentifySettings()
    if settings.estimator in FORMS:
        if falls:
            raise PkmError(
                f"a free fall is no use to the estimator '{settings.estimator}'; the others take it"
            )
        # here, because its kernels take longer to load than the others run
        from .augmented_state.identify import identify_states_and_parameters

        return identify_states_and_parameters(logs, machine, settings, faults or {})
    prepared = prepare(logs, machine, faults or {})
    stages = stages_of(machine, settings, prepared.logs[0].period)
    settings = replace(settings, cutoff=stages.filter.cutoff)
    posed = build_problem(prepared, machine, settings, stages)
    posed = replace(posed, problem=add_falls(posed.problem, falls, machine, settings, stages.guard.period))
    problem = posed.problem
    unknowns = len(problem.parameters.names)
    if len(problem.equations) < FEWEST_EQUATIONS * unknowns:
        raise LogError(
            f"{logs[0].source}: only {len(problem.equations)} equations are left after filtering for {unknowns} "
            f"parameters; a longer uninterrupted log is needed (at least "
            f"{(FEWEST_EQUATIONS * unknowns + 20) / (2.5 * settings.band_cutoff):.0f} s)"
        )
    estimator, how = ESTIMATORS[settings.estimator], tuning(settings, stages)
    fit = estimator.fit(problem, how)
    systematic = 0.0 if settings.causal else _systematic(prepared, machine, settings, posed)
    estimate = fit.estimate(problem, systematic)
    if set(estimate.status) == {UNIDENTIFIABLE}:
        raise Unidentifiable(
            f"{logs[0].source}: the data show none of the parameters, not even combined "
            f"({', '.join(estimate.names)}): the machine must move, or more be estimated at once"
        )
    dropped = prepared.dropped | {"no_pose": posed.failed, "wrong_rate": posed.wrong_rate} | fit.dropped
    said = fit.nonconvergence or _unsettled(fit, problem, settings, estimate)
    equations = problem.equations
    return Identification(
        machine=machine,
        settings=settings,
        estimate=estimate,
        samples=posed.samples,
        dropped={name: number for name, number in dropped.items() if number},
        history=fit.history,
        residual_rms=np.sqrt(np.mean((equations.measured - equations.regressor @ fit.mean) ** 2, axis=0)),
        converged=fit.converged and not said,
        warnings=tuple(prepared.warnings),
        validation=predict_ends(
            prepared,
            machine,
            settings,
            stages,
            posed,
            lambda part: estimator.fit(part, how).mean[: part.reported],
        ),
        delay=posed.delay,
        beside=_beside(settings, problem, falls),
        nonconvergence=said,
    )


def _unsettled(fit: Fit, problem: Problem, settings: IdentifySettings, estimate: ParameterEstimate) -> str:
    """What of a recursive estimator's estimate has not settled; a batch fit has no path to judge it by."""
    if not fit.history.values:
        return ""
    path = Path(
        mean=np.asarray(fit.history.values),
        std=np.asarray(fit.history.std),
        # either half must hold half of what an identification needs at all (`identify`)
        fewest=FEWEST_EQUATIONS * len(problem.parameters.names) // 2,
        entry=float(np.median(np.abs(np.diff(problem.equations.time)))),
        memory=1.0 / (1.0 - settings.forgetting) if settings.forgetting < 1.0 else np.inf,
    )
    own = slice(0, len(estimate.names))
    share = drift_share(problem.equations, fit.mean, fit.noise, problem.prior, problem.redundancy)[own]
    # what else the estimate may be off by stays as it is stated
    narrowed = estimate.covariance - fit.covariance[own, own] * (1.0 - np.outer(share, share))
    return nonconvergence(path, estimate, narrowed, problem.prior.std)


def _beside(settings: IdentifySettings, problem: Problem, falls: Sequence[StrutLog]) -> tuple[str, ...]:
    """What else the estimate rests on, in words."""
    said = [f"free fall with the drives off: the lengths of {log.source}" for log in falls]
    if not settings.causal and settings.relations(problem.parameters) is not None:
        said.append(
            f"struts are taken as alike within {100 * settings.strut_spread:g} % (standard deviation)"
        )
    return tuple(said)


def validate(result: Identification, log: StrutLog) -> Identification:
    """The identification with a prediction of a log that was not used; raises as `held_out`."""
    validation = held_out(result.machine, result.settings, result.estimate.values, log)
    return replace(result, validation=validation)


def _systematic(
    prepared: Experiment, machine: Machine, settings: IdentifySettings, posed: Posed
) -> FloatArray:
    """Covariance of what the choice of the kinematic cutoff does to the estimate."""
    batch = ESTIMATORS[settings.estimator].batch_mean
    middle = batch(posed.problem)
    total = np.zeros((len(middle), len(middle)))
    for factor in OTHER_CUTOFFS:
        stages = stages_of(machine, settings, prepared.logs[0].period)
        cutoff = min(stages.filter.cutoff * factor, 0.45 / stages.guard.period)
        other = build_problem(prepared, machine, settings, stages, cutoff).problem
        if len(other.equations) == 0:
            continue
        change = batch(replace(other, relations=posed.problem.relations)) - middle
        total += np.outer(change, change) / len(OTHER_CUTOFFS)
    return total
