# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Discrete causes (sign, unit, order, gravity) undone one after the other, the one that then fits best first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..discrete import suspects
from ..discrete_causes import BETTER
from ..findings import Explanation
from .baseline import Baseline

MOST_DISCRETE = 2
ALIKE = 1.02  # residuals: of causes that leave as much, as on a machine that is its own mirror image, the first is told


def remove_discrete(recorded: Baseline) -> tuple[Baseline, Explanation]:
    """Return an experiment as it would be without its discrete causes, and these.

    Nothing else can be judged before: where a sign is wrong, everything is.
    """
    best, explanation = recorded, Explanation()
    before = recorded.parameters
    while len(explanation.causes) < MOST_DISCRETE:
        tried = []
        for discrete in suspects(best.evidence, best.floor.std, best.model):
            changed = best.subject.undo(discrete.force, discrete.machine, discrete.lengths)
            after = Baseline.of(changed, changed.problem())
            if after is not None:
                tried.append((discrete.cause, after))
        if not tried:
            break
        least = min(after.model.total_ratio for _, after in tried)
        cause, after = next(one for one in tried if one[1].model.total_ratio <= ALIKE * least)
        if cause.explains:
            cause = replace(cause, explains=_compute_explained_fraction(best, after))
            if cause.explains < BETTER:  # applied, and the misfit is still there
                break
        best = after
        moved = (best.parameters - before)[: best.problem.reported]
        explanation = explanation.concatenate(Explanation((cause,), moved=(moved,)))
    return best, explanation


def _compute_explained_fraction(before: Baseline, after: Baseline) -> float:
    """Return the part (0 to 1) of the residual's power above the noise that is gone after a cause was undone."""
    misfit, left = (
        float(np.sum(one.floor.std**2 * np.maximum(one.model.ratio**2 - 1.0, 0.0))) for one in (before, after)
    )
    return float(np.clip(1.0 - left / max(misfit, 1e-300), 0.0, 1.0))
