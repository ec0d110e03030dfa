# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""An estimation problem from samples: the equations of all logs, and how to weigh them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from pkm_identification.estimation.consistency.coordinates import FreeCoordinates
from pkm_identification.estimation.equations import Equations, GrowingEquations
from pkm_identification.estimation.estimators import ESTIMATORS
from pkm_identification.estimation.problem import Problem
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.builder import force_scale
from pkm_identification.mechanisms.hexapod.parameters.physical_layout import physical_layout
from pkm_identification.numerics.pipelined import pipelined
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.parameters.relations import LinearRelations

from .equations.force_equations import force_equations
from .equations.rest import moving_equations
from .equations.reversal import with_reversals
from .estimated_effects.linearisation import Linearisation
from .models import MODELS
from .samples import Samples
from .settings import Settings


def build_problem(
    machine: Machine,
    settings: Settings,
    logs: Iterable[Iterable[Samples]],
    point: Linearisation | None = None,
    corrected: bool = True,
) -> Problem:
    """Equations of all logs as one problem.

    Parameters
    ----------
    machine : Machine
    settings : Settings
        Resolved.
    logs : iterable of iterables of Samples
        Of each log one after the other, each taken once and let go; with twins where the estimator needs them.
    point : Linearisation, optional
        Where effects that are estimated besides are linearised; machine and samples are then those without them, and
        every log's in one piece.
    corrected : bool
        Whether a causal run takes off what the kinematic low-pass makes of friction's bend, as the online estimator.
    """
    estimator = settings.estimator
    parameters = estimator.parameter_set(machine) if point is None else point.parameters
    if estimator.model == "force":
        parameters = with_reversals(parameters, machine)
    # a causal run is to find what the online estimator would, which knows of no relations
    relations = None if settings.causal else estimator.relations(parameters)
    whole_logs: list[Samples] = []
    gathered: list[GrowingEquations] = []
    numbers: list[tuple[int, int]] = []
    taken = failed = wrong_rate = resting = 0

    def make(samples: Samples) -> tuple[list[Equations], int]:
        return _equations(machine, parameters, settings, samples, corrected)

    for number, stretches in enumerate(logs):
        for samples, (equations, at_rest) in pipelined(make, stretches):
            gathered = gathered or [GrowingEquations() for _ in equations]
            for whole, part in zip(gathered, equations, strict=True):
                whole.append(part)
            numbers.append((number, len(equations[0])))
            taken += len(samples.platform.time[samples.own(samples.platform.time)])
            failed, wrong_rate = failed + samples.failed, wrong_rate + samples.wrong_rate
            resting += at_rest
            if point is not None:
                whole_logs.append(samples)
    every, *twins = (one.taken() for one in gathered)
    assumed, fixed = relations, None if point is None else point.relations(len(parameters))
    if fixed is not None:
        relations = fixed if relations is None else LinearRelations.joined([relations, fixed])
    problem = Problem(
        parameters=parameters,
        prior=Prior.of(parameters),
        equations=every,
        typical_force=force_scale(machine),
        redundancy=settings.band.redundancy,
        twins=(twins[0], twins[1]) if ESTIMATORS[estimator.name].twins else None,
        model=estimator.model,
        relations=relations,
        assumed=assumed,
        physical=FreeCoordinates.of(physical_layout(machine, parameters)) if estimator.consistent else None,
        log=np.repeat(*np.transpose(numbers)),
        samples=taken,
        failed=failed,
        wrong_rate=wrong_rate,
        resting=resting,
    )
    return problem if point is None else point.with_columns(problem, machine, whole_logs, settings.band)


def _equations(
    machine: Machine, parameters: ParameterSet, settings: Settings, samples: Samples, corrected: bool
) -> tuple[list[Equations], int]:
    """Equations of one log or stretch and of its twins, those that are its own; how many more of these are at rest."""
    struts = samples.struts
    model = MODELS[settings.estimator.model]
    if model is force_equations:
        low_pass = samples.low_pass if corrected else None
        model = partial(force_equations, rounded_after=samples.rounded_after, low_pass=low_pass)
    if struts.force is None:
        raise ValueError("samples without forces make no equations")
    equations = [
        model(machine, parameters, motion, struts.force, struts.segment, settings.band, settings.causal)
        for motion in (samples.platform, *samples.twins)
    ]
    if settings.causal:
        equations = [part.since_clock_jump() for part in equations]
    own = slice(None) if settings.causal else samples.own(equations[0].time)
    moving = np.ones(len(equations[0]), dtype=bool)
    if settings.estimator.model == "force":  # static friction does no work
        every = moving_equations(machine, parameters, struts, settings.band, settings.causal)
        moving = every[len(every) - len(moving) :]
    return [part[own][moving[own]] for part in equations], int(np.count_nonzero(~moving[own]))
