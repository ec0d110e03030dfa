# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What the search found, told by its effect: an alarm where it moves a parameter that is shown, else a remark."""

from __future__ import annotations

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.lack_of_fit.doubt import DOUBTFUL
from pkm_identification.estimation.lack_of_fit.effect import largest_effect
from pkm_identification.estimation.lack_of_fit.evidence import Base
from pkm_identification.parameters.parameter import Kind

from ..causes import causes_of, unit_scale
from ..evidence_base import EvidenceBase
from ..findings import Explanation
from ..search import Search
from .baseline import Baseline

SURELY = 4.0  # standard deviations below zero at which a mass is no body's
SIZED = 0.1  # of the machine file's value: less below zero may be what the low-pass leaves


def explain_misfit(baseline: Baseline, found: Search, estimate: ParameterEstimate) -> Explanation:
    """Alarms and remarks among what was found, by their effects on an estimate."""
    evidence = baseline.evidence
    fitted = evidence.basis(evidence.parameters(found.last))
    misfit = _compute_power_above_noise(found)
    explanation = Explanation()
    for one in found.found:
        effect, moves = largest_effect(estimate, one.moved)
        entries = causes_of(
            one.pick.choice,
            one.coefficients,
            one.covariance,
            evidence=one.evidence,
            explains=float(np.clip(one.left / max(misfit, 1e-300), 0.0, 1.0)),
            effect=effect,
            moves=moves,
            rivals=one.pick.rivals,
            scale=unit_scale(one.pick.choice, evidence.rows[0].machine, fitted),
        )
        if effect > DOUBTFUL:
            told = Explanation(tuple(entries), moved=(one.moved, *one.pick.alternatives))
        else:
            told = Explanation(remarks=tuple(entries))
        explanation = explanation.concatenate(told)
    return explanation


def _compute_power_above_noise(found: Search) -> float:
    """Return the sum of squares that the model alone leaves above the noise, in units of the floor.

    The noise is the floor's, or what even all hypotheses leave where that is less: floors are uncertain, and what is
    found below one has no other measure.
    """
    free = max(found.first.rows - found.first.unknowns, 1)
    return found.first.power - min(float(free), found.together.saturated.power)


def remarks_as_causes(explanation: Explanation, found: Search) -> Explanation:
    """Return what to say of a residual above the floor that nothing with an effect explains: all that was found."""
    return Explanation(explanation.remarks, moved=tuple(one.moved for one in found.found))


def is_impossible(evidence: EvidenceBase, model: Base) -> bool:
    """Return whether a model, with the causes that it has, has masses or moments that are surely negative."""
    values, std = evidence.parameters(model), np.sqrt(evidence.variance(model) * model.pure_error)
    entries = evidence.problem.parameters.entries
    return any(
        entry.kind in (Kind.MASS, Kind.INERTIA)
        and entry.nominal > 0.0
        and value < -max(SURELY * deviation, SIZED * entry.nominal)
        for entry, value, deviation in zip(entries, values, std, strict=False)
    )
