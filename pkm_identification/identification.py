"""Offline identification: logs in, a validated dynamic model out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from .dynamics.regressor import regressor
from .errors import LogError, PkmError
from .estimation.energy_equations import energy_equations
from .estimation.equations import BandSettings, Equations, force_equations
from .estimation.estimate import ParameterEstimate, make_estimate
from .estimation.least_squares import LinearFit, least_squares, residual_covariance, robust_covariance
from .estimation.parameter_set import ParameterSet, force_scale
from .estimation.prior import Prior
from .estimation.recursive import History, RecursiveEstimator
from .kinematics.forward import OK, platform_motion
from .machine import Machine
from .motion import FloatArray, PlatformMotion, StrutLog, StrutMotion
from .pipeline import PipelineSettings
from .signals.butterworth import segment_slices, zero_phase
from .signals.causal import CausalStrutFilter
from .signals.guard import RATE_ERROR, RATE_WARNING, GuardedLog, StreamGuard
from .signals.zero_phase import filter_log

ESTIMATORS = ("ukf", "ekf", "ls")
MODELS = ("force", "energy")
# Kinematic cutoffs, relative to the chosen one, over which an estimate should not change: how much it does is a
# systematic error that no residual shows.
OTHER_CUTOFFS = (1 / 1.5, 1.5)
MAX_PASSES = 3  # of a recursive estimator over the same log


@dataclass(frozen=True)
class IdentifySettings:
    """How to identify; see the command line's options of the same names.

    `cutoff` None lets the encoders decide (`pipeline.kinematic_cutoff`).
    """

    model: str = "force"
    estimator: str = "ukf"
    parameters: str = "identifiable"
    causal: bool = False
    cutoff: float | None = None
    order: int = 4
    band_cutoff: float = 10.0
    band_order: int = 8

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("estimator", self.estimator, ESTIMATORS),
            ("model", self.model, MODELS),
        ):
            if value not in allowed:
                raise PkmError(f"{name} '{value}': must be one of {', '.join(allowed)}")


@dataclass(frozen=True)
class Validation:
    """Prediction of forces that were not used for the estimate.

    Attributes
    ----------
    time : ndarray, shape (N,)
    measured, predicted : ndarray, shape (N, 6)
        N, in the estimation band (both sides low-passed alike).
    rms_percent, rms_percent_raw : ndarray, shape (6,)
        Root mean square of the error over that of the measured force, in %, in the band and unfiltered.
    rms_percent_total, rms_percent_raw_total : float
        Over all struts.
    source : str
    """

    time: FloatArray
    measured: FloatArray
    predicted: FloatArray
    rms_percent: FloatArray
    rms_percent_total: float
    rms_percent_raw: FloatArray
    rms_percent_raw_total: float
    source: str


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


@dataclass
class _Prepared:
    """Guarded logs of one experiment and what was found in them."""

    logs: list[GuardedLog]
    dropped: dict[str, int]
    warnings: list[str] = field(default_factory=list)


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
    prepared = _prepare(logs, machine, faults or {})
    parameters = ParameterSet.of(machine, settings.parameters)
    prior = Prior.of(parameters)
    stages = _stages(machine, settings, prepared.logs[0].period)
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
    """Predict the forces of a log that was not used; returns the identification with its validation."""
    machine, settings = result.machine, result.settings
    prepared = _prepare([log], machine, {})
    stages = _stages(machine, settings, prepared.logs[0].period)
    parameters = ParameterSet.of(machine, settings.parameters)
    guarded = prepared.logs[0]
    motion, struts, _ = _motion(guarded, machine, settings, stages, causal=False)
    if len(motion) == 0:
        raise LogError(f"{log.source}: too short to validate with: nothing is left after filtering")
    mapping = np.column_stack([parameters.mapping, parameters.known])
    weights = np.append(result.estimate.values, 1.0)
    band = stages.estimator.band
    predicted = regressor(machine, motion, mapping) @ weights
    # the unfiltered force at the same instants
    raw = guarded.force[np.searchsorted(guarded.time, motion.time)]
    times, smooth_measured, smooth_predicted = [], [], []
    edge = band.settling // 2
    for part in segment_slices(struts.segment):
        if part.stop - part.start <= 2 * edge + 1:
            continue
        inner = slice(edge, part.stop - part.start - edge)
        smooth_measured.append(zero_phase(band.sections, struts.force[part])[inner])
        smooth_predicted.append(zero_phase(band.sections, predicted[part])[inner])
        times.append(motion.time[part][inner])
    if not times:
        raise LogError(f"{log.source}: too short to validate with: no segment outlasts the band filter")
    measured, modelled = np.concatenate(smooth_measured), np.concatenate(smooth_predicted)
    validation = Validation(
        time=np.concatenate(times),
        measured=measured,
        predicted=modelled,
        rms_percent=_percent(measured, modelled, axis=0),
        rms_percent_total=float(_percent(measured, modelled)),
        rms_percent_raw=_percent(raw, predicted, axis=0),
        rms_percent_raw_total=float(_percent(raw, predicted)),
        source=log.source,
    )
    return replace(result, validation=validation)


def _percent(measured: FloatArray, predicted: FloatArray, axis: int | None = None) -> FloatArray:
    error = np.sqrt(np.mean((measured - predicted) ** 2, axis=axis))
    return 100.0 * error / np.maximum(np.sqrt(np.mean(measured**2, axis=axis)), 1e-300)


def estimated_period(log: StrutLog, machine: Machine) -> tuple[float, str | None]:
    """Sample period in s for a log, and a warning when it is not what the drive promises.

    Raises
    ------
    LogError
        If the log is too short or its rate is off by 20 % or more.
    """
    steps = np.diff(log.time)
    steps = steps[np.isfinite(steps) & (steps > 0)]
    if len(steps) < 20:
        raise LogError(
            f"{log.source}: {len(log)} samples are too few to identify anything; at least 21 are needed"
        )
    measured = float(np.median(steps))
    if machine.drive is None:
        return measured, None
    nominal = 1.0 / machine.drive.sample_rate
    off = abs(measured / nominal - 1.0)
    if off >= RATE_ERROR:
        raise LogError(
            f"{log.source}: samples come at {1 / measured:.4g} Hz, machine '{machine.name}' states {1 / nominal:.4g} Hz"
        )
    if off >= RATE_WARNING:
        return measured, (
            f"{log.source}: samples come at {1 / measured:.4g} Hz instead of {1 / nominal:.4g} Hz; "
            "the measured rate is used"
        )
    return nominal, None


def _prepare(logs: list[StrutLog], machine: Machine, faults: dict[str, int]) -> _Prepared:
    prepared = _Prepared([], dict(faults))
    period = None
    for log in logs:
        if log.force is None:
            raise LogError(f"{log.source}: holds no strut forces; identification needs them")
        found, warning = estimated_period(log, machine)
        period = period or found
        if abs(found / period - 1.0) > 0.01:
            raise LogError(
                f"{log.source}: samples come at {1 / found:.4g} Hz, the first log's at {1 / period:.4g} Hz; "
                "identify them apart"
            )
        if warning:
            prepared.warnings.append(warning)
    guard = StreamGuard(PipelineSettings.of(machine, period).guard)
    for log in logs:
        guarded = guard.guard(log)
        if len(guarded.time) == 0:
            reason = max(
                (n, name) for name, n in guarded.counts.items() if name not in ("accepted", "filled")
            )[1]
            raise LogError(f"{log.source}: no usable sample: all {len(log)} dropped, mostly '{reason}'")
        prepared.logs.append(guarded)
    for name, number in guard.counts.items():
        if name not in ("accepted", "filled", "start"):
            prepared.dropped[name] = prepared.dropped.get(name, 0) + number
    return prepared


def _stages(machine: Machine, settings: IdentifySettings, period: float) -> PipelineSettings:
    try:
        return PipelineSettings.of(
            machine,
            period,
            cutoff=settings.cutoff,
            order=settings.order,
            parameters=settings.parameters,
            estimator="ukf" if settings.estimator == "ls" else settings.estimator,
            band_cutoff=settings.band_cutoff,
            band_order=settings.band_order,
        )
    except ValueError as error:
        raise PkmError(str(error)) from None


def _motion(
    log: GuardedLog,
    machine: Machine,
    settings: IdentifySettings,
    stages: PipelineSettings,
    causal: bool,
    cutoff: float | None = None,
) -> tuple[PlatformMotion, StrutMotion, int]:
    """Good platform and strut samples of one log, segments cut where poses are missing, and how many failed."""
    if causal:
        struts = CausalStrutFilter(stages.filter).filter(log)
    else:
        struts = filter_log(log, cutoff or stages.filter.cutoff, settings.order)
    platform, poses = platform_motion(machine, struts)
    good = poses.status == OK
    failed = int(np.count_nonzero(~good))
    if failed:
        # a missing pose ends a segment just as a gap does
        broken = np.cumsum(np.diff(np.concatenate([[0], struts.segment])) != 0)
        segment = broken * (len(good) + 1) + np.cumsum(~good)
        struts = replace(struts, segment=segment)[good]
        platform = platform[good]
    return platform, struts, failed


def _equations(
    prepared: _Prepared,
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
        motion, struts, bad = _motion(log, machine, settings, stages, settings.causal, cutoff)
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
    prepared: _Prepared,
    machine: Machine,
    settings: IdentifySettings,
    parameters: ParameterSet,
    prior: Prior,
    fit: LinearFit,
) -> FloatArray:
    """Covariance of what the choice of the kinematic cutoff does to the estimate."""
    total = np.zeros((len(prior.mean), len(prior.mean)))
    for factor in OTHER_CUTOFFS:
        stages = _stages(machine, settings, prepared.logs[0].period)
        cutoff = min(stages.filter.cutoff * factor, 0.45 / stages.guard.period)
        equations, _, _ = _equations(prepared, machine, settings, stages, parameters, cutoff)
        if len(equations) == 0:
            continue
        change = least_squares(equations, prior, stages.estimator.band.redundancy).mean - fit.mean
        total += np.outer(change, change) / len(OTHER_CUTOFFS)
    return total
