"""The logs of one experiment made ready: settings, sample period, guarded samples, platform motion."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from pkm_identification.errors import LogError, PkmError
from pkm_identification.estimation.data_order import ORDERS
from pkm_identification.estimation.estimators import ESTIMATORS as REGISTRY
from pkm_identification.estimation.filters.recursive import FILTERS
from pkm_identification.mechanisms.hexapod.kinematics.forward import OK, platform_motion
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import PlatformMotion, StrutLog, StrutMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.assumptions import Assumptions
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.relations import STRUT_SPREAD, LinearRelations, alike_struts
from pkm_identification.signals.causal import CausalStrutFilter
from pkm_identification.signals.guard import (
    RATE_ERROR,
    RATE_WARNING,
    GuardedLog,
    StreamGuard,
)
from pkm_identification.signals.zero_phase import filter_log

from .augmented_state import FORMS
from .equations.energy_equations import energy_equations
from .equations.force_equations import force_equations
from .equations.twin_motions import twin_motions
from .online.pipeline import PipelineSettings
from .physical_layout import Layout

ESTIMATORS = (*REGISTRY, *FORMS)
MODELS = {"force": force_equations, "energy": energy_equations}


@dataclass(frozen=True)
class IdentifySettings:
    """How to identify; see the command line's options of the same names.

    `cutoff` None lets the encoders decide (`pipeline.kinematic_cutoff`). `assumptions` is what is fixed, tied or
    stated of the parameters beforehand, `forgetting` the factor of recursive least squares per equation. `hold_out` is
    the part of each log, at its end, that is predicted from the rest as a check; 0 leaves the check out. `data_order`
    is that in which a recursive estimator takes the equations. `strut_spread` is how much struts of one design are
    taken to differ (standard deviation, relative), in sets with parameters of every strut; infinity says nothing.
    `consistent` allows only parameters that some machine could have (`estimation.consistency`).
    """

    model: str = "force"
    estimator: str = "ukf"
    parameters: str = "identifiable"
    causal: bool = False
    cutoff: float | None = None
    order: int = 4
    band_cutoff: float = 10.0
    band_order: int = 8
    assumptions: Assumptions = field(default_factory=Assumptions)
    forgetting: float = 1.0
    hold_out: float = 0.2
    data_order: str = "sequential"
    strut_spread: float = STRUT_SPREAD
    consistent: bool = False

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("estimator", self.estimator, ESTIMATORS),
            ("model", self.model, MODELS),
            ("data order", self.data_order, ORDERS),
        ):
            if value not in allowed:
                raise PkmError(f"{name} '{value}': must be one of {', '.join(allowed)}")
        if self.forgetting != 1.0 and self.estimator != "rls":
            raise PkmError(f"forgetting is for the estimator 'rls', not for '{self.estimator}'")
        if self.data_order != "sequential" and (
            self.causal or self.estimator not in FILTERS or self.forgetting != 1.0
        ):
            raise PkmError(
                f"data order '{self.data_order}' is for a recursive estimator ({', '.join(FILTERS)}) that runs over a "
                "log as a whole and forgets nothing"
            )
        able = [name for name, one in REGISTRY.items() if one.consistent]
        if self.consistent and self.estimator not in able:
            raise PkmError(
                f"estimator '{self.estimator}' cannot keep an estimate physical; {', '.join(able)} can"
            )
        if not self.strut_spread > 0:
            raise PkmError(f"strut spread {100 * self.strut_spread:g} %: must be positive")
        if not 0 <= self.hold_out <= 0.5:
            raise PkmError(f"hold_out {self.hold_out:g}: must lie between 0 and 0.5")
        if self.estimator in FORMS and self.strut_spread != STRUT_SPREAD:
            raise PkmError(f"estimator '{self.estimator}' does not use a strut spread")
        if self.estimator in FORMS and self.model != "force":
            raise PkmError(f"estimator '{self.estimator}' needs the force model, not '{self.model}'")
        if self.causal and (self.estimator in FORMS or REGISTRY[self.estimator].twins):
            raise PkmError(f"estimator '{self.estimator}' needs the whole log and cannot run causally")

    def relations(self, parameters: ParameterSet) -> LinearRelations | None:
        """What is said of these parameters besides their prior, if anything."""
        if np.isinf(self.strut_spread):
            return None
        said = alike_struts(parameters, self.strut_spread)
        return said if len(said.values) else None

    def parameter_set(self, machine: Machine) -> ParameterSet:
        """The parameters to estimate; raises PkmError when set or assumptions do not fit."""
        parameters = self.assumptions.apply(ParameterSet.of(machine, self.parameters))
        if self.consistent:
            Layout.of(machine, parameters)  # refuses a part of a body
        return parameters


@dataclass
class Experiment:
    """Guarded logs of one experiment, what was left out of them by reason, warnings, and where they came from."""

    logs: list[GuardedLog]
    dropped: dict[str, int]
    warnings: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)


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


def prepare(logs: list[StrutLog], machine: Machine, faults: dict[str, int]) -> Experiment:
    """Pass the logs through the guard at their common sample period.

    Parameters
    ----------
    logs : list of StrutLog
    machine : Machine
    faults : dict of str to int
        What the readers found and left out already.

    Raises
    ------
    LogError
        If a log holds no forces, runs at a wrong rate or at another than the first, or has no usable sample.
    """
    prepared = Experiment([], dict(faults))
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
        prepared.sources.append(log.source)
    for name, number in guard.counts.items():
        if name not in ("accepted", "filled", "start"):
            prepared.dropped[name] = prepared.dropped.get(name, 0) + number
    return prepared


def fall_lengths(log: StrutLog, machine: Machine, period: float) -> FloatArray:
    """Guarded strut lengths (N, 6) in m of the log of a fall, on a regular clock.

    Raises
    ------
    LogError
        If it runs at another rate than the experiment, or is not in one piece.
    """
    found, _ = estimated_period(log, machine)
    if abs(found / period - 1.0) > 0.01:
        raise LogError(
            f"{log.source}: samples come at {1 / found:.4g} Hz, the other logs' at {1 / period:.4g} Hz"
        )
    guarded = StreamGuard(PipelineSettings.of(machine, period).guard).guard(log)
    if len(guarded.time) == 0 or guarded.segment[0] != guarded.segment[-1]:
        raise LogError(
            f"{log.source}: a fall must be recorded in one piece; samples are missing or out of limits"
        )
    return guarded.length


def stages_of(machine: Machine, settings: IdentifySettings, period: float) -> PipelineSettings:
    """Settings of the stages; raises PkmError when a filter is impossible."""
    try:
        return PipelineSettings.of(
            machine,
            period,
            cutoff=settings.cutoff,
            order=settings.order,
            parameters=settings.parameters,
            estimator=settings.estimator if settings.estimator in FILTERS else "ukf",
            band_cutoff=settings.band_cutoff,
            band_order=settings.band_order,
            assumptions=settings.assumptions,
            forgetting=settings.forgetting,
        )
    except ValueError as error:
        raise PkmError(str(error)) from None


def platform_samples(
    log: GuardedLog,
    machine: Machine,
    settings: IdentifySettings,
    stages: PipelineSettings,
    causal: bool,
    cutoff: float | None = None,
) -> tuple[PlatformMotion, StrutMotion, int]:
    """Good platform and strut samples of one log, segments cut where poses are missing, and how many failed."""
    made = samples_of(log, machine, settings, stages, causal, cutoff)
    return made.platform, made.struts, made.failed


@dataclass(frozen=True)
class Samples:
    """Good platform and strut samples of one log, how many failed, and twins of the motion where asked for."""

    platform: PlatformMotion
    struts: StrutMotion
    failed: int
    twins: tuple[PlatformMotion, ...] = ()


def samples_of(
    log: GuardedLog,
    machine: Machine,
    settings: IdentifySettings,
    stages: PipelineSettings,
    causal: bool,
    cutoff: float | None = None,
    twins: bool = False,
) -> Samples:
    """Samples of one log with a good pose; segments are cut where poses are missing."""
    cutoff = cutoff or stages.filter.cutoff
    causally = CausalStrutFilter(stages.filter).filter
    struts = causally(log) if causal else filter_log(log, cutoff, settings.order)
    platform, poses = platform_motion(machine, struts)
    others = (
        [platform_motion(machine, twin)[0] for twin in twin_motions(log, struts, cutoff, settings.order)]
        if twins
        else []
    )
    good = poses.status == OK
    failed = int(np.count_nonzero(~good))
    if failed:
        # a missing pose ends a segment just as a gap does
        broken = np.cumsum(np.diff(np.concatenate([[0], struts.segment])) != 0)
        segment = broken * (len(good) + 1) + np.cumsum(~good)
        struts = replace(struts, segment=segment)[good]
        platform = platform[good]
        others = [motion[good] for motion in others]
    return Samples(platform, struts, failed, tuple(others))
