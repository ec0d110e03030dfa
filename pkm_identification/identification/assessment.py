# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Whether a model fits its logs and some body could have it, put into a result; what does not is in doubt."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.lack_of_fit.doubt import flag_affected
from pkm_identification.estimation.problem import Problem

from .diagnosis.diagnose import diagnose, stands_out
from .diagnosis.findings import Diagnosis
from .experiment import Experiment
from .long_logs.excerpt import excerpt, format_excerpt_sentence
from .long_logs.whole_residual import whole_residual
from .physical_verdict import find_contradiction
from .result import Identification


def assess(
    result: Identification,
    experiment: Experiment,
    problem: Problem,
) -> Identification:
    """Return an identification compared with its logs: what does not fit, or no body can have, is in doubt."""
    judged = excerpt(experiment)
    part = problem if judged is experiment else judged.problem()
    diagnosis = diagnose(judged, part, result.estimate)
    if diagnosis is None:
        return with_contradiction(result, result.estimate)
    if judged is not experiment:
        diagnosis, sentences = _assess_by_all_logs(diagnosis, part, experiment, problem)
        result = replace(
            result, beside=(*result.beside, *format_excerpt_sentence(experiment, judged), *sentences)
        )
    if not diagnosis.adequate:
        estimate = flag_affected(result.estimate, diagnosis.moved, diagnosis.unexplained)
        result = replace(result, estimate=estimate)
    return with_contradiction(replace(result, fit=diagnosis), result.estimate)


def with_contradiction(result: Identification, estimate: ParameterEstimate) -> Identification:
    """Return the identification, all in doubt where no rigid body is near an estimate (`physical_verdict`)."""
    contradiction = find_contradiction(result.machine, result.parameters, estimate)
    if not contradiction:
        return result
    in_doubt = flag_affected(result.estimate, np.empty((0, len(estimate.names))), unexplained=True)
    return replace(result, contradiction=contradiction, estimate=in_doubt)


def _assess_by_all_logs(
    diagnosis: Diagnosis, part: Problem, experiment: Experiment, problem: Problem
) -> tuple[Diagnosis, tuple[str, ...]]:
    """Return the diagnosis of an excerpt (`part`) with the residual of all logs, and a sentence about it.

    Unchanged where other equations than these are judged; a robust estimator leaves some out, which it would have to
    weigh again.
    """
    settings = experiment.settings
    if settings.causal or settings.estimator.model != "force" or settings.estimator.name == "robust":
        return diagnosis, ()
    floor = diagnosis.floor.std
    whole = whole_residual(problem, floor).smooth(whole_residual(part, floor), diagnosis.per_strut)
    hidden = diagnosis.adequate and stands_out(whole.total, whole.per_strut)
    diagnosis = replace(
        diagnosis,
        adequate=diagnosis.adequate and not hidden,
        ratio=whole.total,
        per_strut=whole.per_strut,
        left=whole.total if hidden else diagnosis.left,
        unexplained=hidden or diagnosis.unexplained,
        moved=diagnosis.moved if diagnosis.moved.size else np.empty((0, problem.reported)),
    )
    return diagnosis, (
        f"the residual of all logs is {whole.total:.3g} times the noise floor, at most {whole.worst:.3g} times "
        f"({experiment.sources[whole.log]}, {whole.since:.0f} to {whole.until:.0f} s)",
    )
