# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""An identification with its answer by the full model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.errors import LogError
from pkm_identification.estimation.posterior.thresholds import MAX_CONFLICT, MAX_RESIDUAL_SHARE
from pkm_identification.estimation.posterior.verdict import FITS

from ..long_logs.excerpt import excerpt
from ..result import Identification
from ..solve import Solution
from .answer import answer
from .coloured_noise import measure_coloured_floor
from .posterior import find_posterior, find_posterior_of

FIRST_WIDE = 4.0  # times their widths, of effects where something is wrong
WIDE = 2.0  # widths that an effect was given: it is four stated ones large


def with_answer(result: Identification, solution: Solution) -> Identification:
    """Return an identification with total deviations and a verdict.

    Raises
    ------
    LogError
        If the logs are too short for deviations.
    """
    experiment = excerpt(solution.experiment)
    if experiment.settings.causal:
        experiment = replace(experiment, settings=replace(experiment.settings, causal=False))
    parameters = solution.problem.parameters
    basis = parameters.mapping @ solution.middle + parameters.known
    made = None if result.fit is None else result.fit.places
    # from below: a residual that is an effect looks like noise to weights that are made of it
    floor = result.noise_floor
    noise = solution.fit.noise if floor is None else np.diag(floor**2)
    posterior = find_posterior(experiment, basis[: len(experiment.machine.basis)], noise, made)
    if posterior is None:
        raise LogError(
            f"{experiment.sources[0]}: the log is too short for total deviations: 12 blocks of motion are needed"
        )
    coloured = measure_coloured_floor(experiment, posterior.equations.rows, posterior.basis)
    found = answer(posterior, result.noise_floor, coloured)
    verdict = found.verdict
    wrong = verdict.grade != FITS or verdict.conflict > MAX_CONFLICT or posterior.widest > WIDE
    if wrong and verdict.residual_share <= MAX_RESIDUAL_SHARE:
        # something is wrong: it may be what seldom is
        full = posterior.equations.with_seldom(posterior.mode.values)
        seldom = find_posterior_of(full, noise, FIRST_WIDE)
        other = found if seldom is None else answer(seldom, result.noise_floor, coloured)
        # what leaves a misfit is not what is wrong
        found = other if other.verdict.grade == FITS else found
    return replace(result, answer=found)
