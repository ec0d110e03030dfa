"""Offline identification: logs in, a validated dynamic model out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .errors import LogError
from .estimation.energy_equations import energy_equations
from .estimation.equations import BandSettings, Equations, force_equations
from .estimation.estimate import ParameterEstimate, make_estimate
from .estimation.least_squares import LinearFit, least_squares, residual_covariance, robust_covariance
from .estimation.parameter_set import ParameterSet
from .estimation.prior import Prior
from .estimation.recursive import History, RecursiveEstimator
from .estimation.set_builder import force_scale
from .experiment import Experiment, IdentifySettings, platform_samples, prepare, stages_of
from .machine import Machine
from .motion import FloatArray, StrutLog
from .pipeline import PipelineSettings
from .signals.causal import CausalStrutFilter
from .validation import Validation, held_out

# Kinematic cutoffs, relative to the chosen one, over which an estimate should not change: how much it does is a
# systematic error that no residual shows.
OTHER_CUTOFFS = (1 / 1.5, 1.5)
MAX_PASSES = 3  # of a recursive estimator over the same log


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
    delay : float
        Delay of the causal strut filter in s; 0 offline.
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


def identify(
    logs: list[StrutLog],
    machine: Machine,
    settings: IdentifySettings | None = None,
    faults: dict[str, int] | None = None,
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

    Returns
    -------
    Identification

    Raises
    ------
    LogError
        If the logs hold no forces, run at a wrong rate, or are too short for the filters.
    """
    settings = settings or IdentifySettings()
    prepared = prepare(logs, machine, faults or {})
    parameters = ParameterSet.of(machine, settings.parameters)
    prior = Prior.of(parameters)
    stages = stages_of(machine, settings, prepared.logs[0].period)
    settings = replace(settings, cutoff=stages.filter.cutoff)
    equations, samples, delay = _equations(prepared, machine, settings, stages, parameters)
    if len(equations) < 2 * len(parameters.names):
        raise LogError(
            f"{logs[0].source}: only {len(equations)} equations are left after filtering for {len(parameters.names)} "
            f"parameters; a longer uninterrupted log is needed (at least "
            f"{(2 * len(parameters.names) + 20) / (2.5 * settings.band_cutoff):.0f} s)"
        )
    band = stages.estimator.band
    fit = least_squares(equations, prior, band.redundancy)
    history = History()
    converged = fit.converged
    mean, covariance = fit.mean, fit.covariance
    nis = float(np.mean(np.einsum("ki,ij,kj->k", fit.residual, np.linalg.inv(fit.noise), fit.residual)))
    if settings.estimator != "ls":
        recursive = _run_filter(equations, parameters, machine, settings, stages, fit)
        history = recursive.history
        mean = recursive.filter.mean
        converged = bool(np.all(np.isfinite(mean))) and recursive.reopened == 0
        covariance = _honest(equations, prior, mean, recursive, band, fit)
        nis = recursive.estimate().nis
        if recursive.gated:
            prepared.dropped["gated"] = recursive.gated
    if not settings.causal:
        covariance = covariance + _systematic(prepared, machine, settings, parameters, prior, fit)
    estimate = make_estimate(
        parameters,
        prior,
        mean,
        covariance,
        nis=nis,
        nis_dof=equations.measured.shape[1],
        count=len(equations),
        time=float(equations.time[-1]),
        estimator=settings.estimator,
        model=settings.model,
    )
    return Identification(
        machine=machine,
        settings=settings,
        estimate=estimate,
        samples=samples,
        dropped={name: number for name, number in prepared.dropped.items() if number},
        history=history,
        residual_rms=np.sqrt(np.mean((equations.measured - equations.columns @ mean) ** 2, axis=0)),
        converged=converged,
        warnings=tuple(prepared.warnings),
        delay=delay,
    )


def validate(result: Identification, log: StrutLog) -> Identification:
    """The identification with a prediction of a log that was not used; raises as `held_out`."""
    validation = held_out(result.machine, result.settings, result.estimate.values, log)
    return replace(result, validation=validation)


def _equations(
    prepared: Experiment,
    machine: Machine,
    settings: IdentifySettings,
    stages: PipelineSettings,
    parameters: ParameterSet,
    cutoff: float | None = None,
) -> tuple[Equations, int, float]:
    """Equations of all logs, the number of samples behind them, and the delay of the causal filter."""
    build = {"force": force_equations, "energy": energy_equations}[settings.model]
    parts, samples, failed = [], 0, 0
    for log in prepared.logs:
        motion, struts, bad = platform_samples(log, machine, settings, stages, settings.causal, cutoff)
        failed += bad
        samples += len(motion)
        made = build(
            machine,
            parameters,
            motion,
            struts.force,
            struts.segment,
            stages.estimator.band,
            settings.causal,
        )
        parts.append(made.since_clock_jump() if settings.causal else made)
    if failed and cutoff is None:
        prepared.dropped["no_pose"] = failed
    joined = Equations(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in Equations.__dataclass_fields__)
    )
    delay = CausalStrutFilter(stages.filter).delay if settings.causal else 0.0
    return joined, samples, delay


def _run_filter(
    equations: Equations,
    parameters: ParameterSet,
    machine: Machine,
    settings: IdentifySettings,
    stages: PipelineSettings,
    fit: LinearFit,
) -> RecursiveEstimator:
    """Run the recursive estimator over the equations in their order.

    Causally it runs once and learns its noise on the way, as online. Offline it runs again with the noise that
    the pass before left, until that settles.
    """
    recursive = RecursiveEstimator(
        parameters,
        settings.estimator,
        stages.estimator.unscented,
        stages.estimator.band.redundancy,
        force_scale(machine),
        # the noise of a log that is weighed as a whole includes its outliers already
        stages.estimator.gate if settings.causal else 0.0,
        equations.measured.shape[1],
        keep_history=True,
    )
    for number in range(1 if settings.causal else MAX_PASSES):
        recursive.reset()
        for time, columns, measured in zip(
            equations.time, equations.columns, equations.measured, strict=True
        ):
            recursive.step(float(time), columns, measured)
        residual = equations.measured - equations.columns @ recursive.filter.mean
        left = residual_covariance(residual, len(parameters.names))
        if number and np.trace(left) > 0.8 * np.trace(recursive.noise):
            break
        if number < MAX_PASSES - 1 and not settings.causal:
            recursive.fix_noise(left)
    return recursive


def _honest(
    equations: Equations,
    prior: Prior,
    mean: FloatArray,
    recursive: RecursiveEstimator,
    band: BandSettings,
    fit: LinearFit,
) -> FloatArray:
    """The filter's covariance, widened by the correlation its residual has in time."""
    residual = equations.measured - equations.columns @ mean
    scaled = equations.columns * prior.std
    robust = robust_covariance(scaled, residual, fit.noise, band.redundancy, equations.segment)
    robust = robust * np.outer(prior.std, prior.std)
    own = recursive.filter.covariance
    # both are valid upper pictures of the same error; per parameter the larger one is kept
    widen = np.sqrt(np.maximum(np.diag(robust) / np.diag(own), 1.0))
    return own * np.outer(widen, widen)


def _systematic(
    prepared: Experiment,
    machine: Machine,
    settings: IdentifySettings,
    parameters: ParameterSet,
    prior: Prior,
    fit: LinearFit,
) -> FloatArray:
    """Covariance of what the choice of the kinematic cutoff does to the estimate."""
    total = np.zeros((len(prior.mean), len(prior.mean)))
    for factor in OTHER_CUTOFFS:
        stages = stages_of(machine, settings, prepared.logs[0].period)
        cutoff = min(stages.filter.cutoff * factor, 0.45 / stages.guard.period)
        equations, _, _ = _equations(prepared, machine, settings, stages, parameters, cutoff)
        if len(equations) == 0:
            continue
        change = least_squares(equations, prior, stages.estimator.band.redundancy).mean - fit.mean
        total += np.outer(change, change) / len(OTHER_CUTOFFS)
    return total
