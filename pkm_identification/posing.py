"""An experiment posed as an estimation problem: the equations of all its logs, and how to weigh them."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from .estimation.equations import Equations
from .estimation.estimators import ESTIMATORS, Tuning
from .estimation.prior import Prior
from .estimation.problem import Problem
from .estimation.set_builder import force_scale
from .experiment import MODELS, Experiment, IdentifySettings, samples_of
from .machine import Machine
from .pipeline import PipelineSettings
from .signals.causal import CausalStrutFilter


@dataclass(frozen=True)
class Posed:
    """The estimation problem of an experiment, and what it was made of.

    Attributes
    ----------
    problem : Problem
    log : ndarray of int64, shape (K,)
        Number of the log each equation is from.
    samples, failed : int
        Samples behind the equations, and samples without a good pose.
    delay : float
        Of the causal strut filter in s; 0 offline.
    """

    problem: Problem
    log: NDArray[np.int64]
    samples: int
    failed: int
    delay: float


def pose_problem(
    prepared: Experiment,
    machine: Machine,
    settings: IdentifySettings,
    stages: PipelineSettings,
    cutoff: float | None = None,
) -> Posed:
    """Equations of all logs as one problem; `cutoff` (Hz) replaces that of the kinematic low-pass."""
    parameters, band = settings.parameter_set(machine), stages.estimator.band
    twins = ESTIMATORS[settings.estimator].twins
    parts: list[list[Equations]] = []
    log, samples, failed = [], 0, 0
    for number, guarded in enumerate(prepared.logs):
        made = samples_of(guarded, machine, settings, stages, settings.causal, cutoff, twins)
        failed += made.failed
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
    )
    delay = CausalStrutFilter(stages.filter).delay if settings.causal else 0.0
    return Posed(problem, np.concatenate(log), samples, failed, delay)


def tuning(settings: IdentifySettings, stages: PipelineSettings) -> Tuning:
    """How the recursive estimators run with these settings."""
    gate = stages.estimator.gate if settings.causal else 0.0
    return Tuning(stages.estimator.unscented, gate, settings.causal, settings.data_order)


def _columns(equations: Equations) -> tuple:
    return tuple(getattr(equations, entry.name) for entry in fields(Equations))
