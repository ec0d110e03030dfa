"""An experiment posed as an estimation problem: the equations of all its logs, and how to weigh them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.consistency.coordinates import FreeCoordinates
from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.problem import Problem
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.builder import force_scale
from pkm_identification.mechanisms.hexapod.parameters.physical_layout import physical_layout
from pkm_identification.motion import StrutLog
from pkm_identification.parameters.prior import Prior
from pkm_identification.parameters.relations import LinearRelations
from pkm_identification.signals.causal import CausalStrutFilter

from .equations.force_equations import Equations
from .equations.reversal import with_reversals
from .experiment import (
    MODELS,
    Experiment,
    IdentifySettings,
    fall_lengths,
    samples_of,
)
from .online.pipeline import PipelineSettings
from .procedures.free_fall import FreeFall, settle


@dataclass(frozen=True)
class Posed:
    """The estimation problem of an experiment, and what it was made of.

    Attributes
    ----------
    problem : Problem
    log : ndarray of int64, shape (K,)
        Number of the log each equation is from.
    samples, failed, wrong_rate : int
        Samples behind the equations, samples without a good pose, and those left out because of their rate.
    delay : float
        Of the causal strut filter in s; 0 offline.
    """

    problem: Problem
    log: NDArray[np.int64]
    samples: int
    failed: int
    wrong_rate: int
    delay: float


def build_problem(
    prepared: Experiment,
    machine: Machine,
    settings: IdentifySettings,
    stages: PipelineSettings,
    cutoff: float | None = None,
) -> Posed:
    """Equations of all logs as one problem; `cutoff` (Hz) replaces that of the kinematic low-pass."""
    parameters, band = settings.parameter_set(machine), stages.estimator.band
    relations = None
    if settings.model == "force":
        parameters = with_reversals(parameters, machine)
    if not settings.causal:
        # a causal run is to find what the online estimator would, which knows of none
        relations = settings.relations(parameters)
    twins = ESTIMATORS[settings.estimator].twins
    parts: list[list[Equations]] = []
    log, samples, failed, wrong_rate = [], 0, 0, 0
    for number, guarded in enumerate(prepared.logs):
        made = samples_of(guarded, machine, settings, stages, settings.causal, cutoff, twins)
        failed += made.failed
        wrong_rate += made.wrong_rate
        samples += len(made.platform)
        equations = [
            MODELS[settings.model](
                machine, parameters, motion, made.struts.force, made.struts.segment, band, settings.causal
            )
            for motion in (made.platform, *made.twins)
        ]
        if settings.causal:
            equations = [part.since_clock_jump() for part in equations]
        parts.append(equations)
        log.append(np.full(len(equations[0]), number))
    whole, *others = (
        Equations(*(np.concatenate(column) for column in zip(*map(_columns, same), strict=True)))
        for same in zip(*parts, strict=True)
    )
    problem = Problem(
        parameters=parameters,
        prior=Prior.of(parameters),
        equations=whole,
        typical_force=force_scale(machine),
        redundancy=band.redundancy,
        twins=tuple(others) if twins else None,
        model=settings.model,
        relations=relations,
        assumed=relations,
        physical=FreeCoordinates.of(physical_layout(machine, parameters)) if settings.consistent else None,
    )
    delay = CausalStrutFilter(stages.filter).delay if settings.causal else 0.0
    return Posed(problem, np.concatenate(log), samples, failed, wrong_rate, delay)


def add_falls(
    problem: Problem, falls: Sequence[StrutLog], machine: Machine, settings: IdentifySettings, period: float
) -> Problem:
    """The problem with what logs of falls with the drives off say of its parameters; raises as `FreeFall`."""
    if not falls:
        return problem
    estimator, known = ESTIMATORS[settings.estimator], problem.relations
    beside = [] if known is None else [known]

    def with_falls(said: LinearRelations) -> Problem:
        return replace(problem, relations=LinearRelations.joined([*beside, said]))

    made = [
        FreeFall(machine, problem.parameters, fall_lengths(log, machine, period), period, log.source)
        for log in falls
    ]
    said = settle(made, estimator.batch_mean(problem), lambda said: estimator.batch_mean(with_falls(said)))
    return with_falls(said)


def tuning(settings: IdentifySettings, stages: PipelineSettings) -> Tuning:
    """How the recursive estimators run with these settings."""
    gate = stages.estimator.gate if settings.causal else 0.0
    return Tuning(stages.estimator.unscented, gate, settings.causal, settings.data_order)


def _columns(equations: Equations) -> tuple:
    return tuple(getattr(equations, entry.name) for entry in fields(Equations))
