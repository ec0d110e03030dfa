# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The diagnosis: does the model fit as well as the noise allows, and if not, why?

An alarm is evidence *and* effect: a hypothesis with decisive evidence that moves a parameter that is shown by more than
two of its standard deviations; or a residual that stands out of the noise floor by more than floors are uncertain, for
causes that nobody has thought of. Evidence without effect is a remark. Clipped forces are evidence by themselves.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.lack_of_fit.thresholds import STANDS_OUT, STRUT_STANDS_OUT, stands_out
from pkm_identification.estimation.problem import Problem

from ..experiment import Experiment
from ..model_errors.effects import find_effects
from ..model_errors.geometry import PLACES
from .findings import Diagnosis
from .saturation import with_clipped_forces
from .search import search, search_again
from .stages.baseline import Baseline
from .stages.explaining import explain_misfit, is_impossible, remarks_as_causes
from .stages.undoing import remove_discrete
from .stages.unseen import unseen
from .subject import Subject

__all__ = ["STANDS_OUT", "STRUT_STANDS_OUT", "diagnose", "stands_out"]


def diagnose(experiment: Experiment, problem: Problem, estimate: ParameterEstimate) -> Diagnosis | None:
    """Return the diagnosis of an experiment; None of logs that are too short to tell noise from misfit.

    Parameters
    ----------
    experiment : Experiment
    problem : Problem
        Its own; where those are no zero-phase force equations, the force equations of the same samples are judged.
    estimate : ParameterEstimate
        Whose statuses and standard deviations the effects are compared with.
    """
    judged, own = _build_force_equations(experiment, problem)
    recorded = Baseline.of(Subject(judged, estimate.values), own)
    if recorded is None:
        return None
    floor, first = recorded.floor, recorded.model
    if recorded.exact:
        return Diagnosis(
            True, floor, recorded.floor_percent, first.total_ratio, first.ratio, first.total_ratio
        )
    corrected, explanation = remove_discrete(recorded)
    if explanation.causes:
        # what is left is judged by the estimate that the corrected logs would give
        estimate = ESTIMATORS["ls"].fit(corrected.problem, Tuning()).estimate(corrected.problem)
    machine, logs = corrected.subject.machine, corrected.subject.logs
    effects = find_effects(machine, corrected.problem.parameters, logs)
    quick = [effect for effect in effects if not effect.costly]
    found = search(corrected.evidence, quick, corrected.floor, corrected.model)
    wrong = bool(found.found) or stands_out(found.first.total_ratio, found.first.ratio)
    if wrong and len(quick) < len(effects):
        found = search(corrected.evidence, effects, corrected.floor, corrected.model)
    if wrong:
        found = search_again(corrected.evidence, found)
        corrected = replace(corrected, floor=found.floor, model=found.first)
    places = None if explanation.causes else found.candidates.find_columns(PLACES)
    if not explanation.causes:
        recorded, floor, first = corrected, corrected.floor, corrected.model
    explanation = explanation.concatenate(explain_misfit(corrected, found, estimate))
    too_large = stands_out(first.total_ratio, first.ratio)
    if too_large and not explanation.causes:
        explanation = remarks_as_causes(explanation, found)
    explanation = with_clipped_forces(explanation, corrected, estimate, too_large)
    left = [(found.last.total_ratio, found.last.ratio)]
    if explanation.elsewhere.size:
        # what clipped forces do is in no column: it is left out instead
        left.append((float(np.sqrt(np.mean(explanation.elsewhere**2))), explanation.elsewhere))
    unexplained = all(stands_out(total, per_strut) for total, per_strut in left)
    impossible = bool(explanation.causes) and is_impossible(corrected.evidence, found.last)
    unexplained |= impossible
    causes = explanation.causes
    if unexplained:
        # applied, the causes leave a misfit: they are the nearest that is known, and nobody is to act on them
        causes = tuple(replace(cause, cure="") for cause in causes)
    return Diagnosis(
        adequate=not explanation.causes and not too_large,
        floor=floor,
        floor_percent=recorded.floor_percent,
        ratio=first.total_ratio,
        per_strut=first.ratio,
        left=min(total for total, _ in left),
        causes=causes,
        remarks=explanation.remarks,
        unseen=unseen(found),
        moved=np.reshape(explanation.moved, (-1, corrected.problem.reported)),
        residuals=(recorded.residuals(first), corrected.residuals(found.last)),
        unexplained=unexplained,
        impossible=impossible,
        places=places,
    )


def _build_force_equations(experiment: Experiment, problem: Problem) -> tuple[Experiment, Problem]:
    """Return the experiment with zero-phase equations of the force model, if its own are others."""
    settings = experiment.settings
    if not settings.causal and settings.estimator.model == "force":
        return experiment, problem
    estimator = replace(settings.estimator, model="force")
    changed = replace(experiment, settings=replace(settings, causal=False, estimator=estimator))
    return changed, changed.problem()
