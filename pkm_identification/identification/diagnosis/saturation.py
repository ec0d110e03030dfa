# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Forces that were clipped: far more samples at a strut's largest force than just below it.

What clipping takes away may look like noise, and then no residual shows it. Its effect is what a strut's equations
away from the clipped samples say otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.lack_of_fit.doubt import DOUBTFUL
from pkm_identification.estimation.lack_of_fit.effect import largest_effect
from pkm_identification.mechanisms.hexapod.drive import Drive
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.guard import GuardedLog

from .discrete_causes import enlarges
from .findings import Cause, Explanation
from .stages.baseline import Baseline

FLAT = 1e-3  # of the largest force: how near samples at the limit are to each other
FEWEST = 20  # samples at the limit
CROWDED = 8.0  # times as many as in the mean of the steps below
CLEAR = 5.0  # standard deviations of what leaving out right samples would change
AT_LIMIT = 1e-3  # of the drives' largest force: how near to it the end of a range is


def saturation(logs: Sequence[GuardedLog], ratio: FloatArray) -> list[Cause]:
    """Struts (ratio (6,): residual over floor) whose forces end at a limit, the worst fitted first."""
    force = np.concatenate([log.force for log in logs if log.force is not None])
    suspects = []
    for k in range(STRUTS):
        size = np.abs(force[:, k])
        most = float(size.max(initial=0.0))
        width = FLAT * most
        at = int(np.count_nonzero(size > most - width))
        below = np.count_nonzero((size > most - 6 * width) & (size <= most - width)) / 5.0
        if most == 0.0 or at < FEWEST or at < CROWDED * max(below, 1.0):
            continue
        share = at / len(size)
        cause = Cause(
            f"saturation_{k + 1}",
            most,
            width,
            "N",
            1.0,
            "Move less fast, or raise the range of the current measurement (drive.motor.force_limit)",
            "saturation",
            detail=f"{100 * share:.2g} % of the samples",
        )
        suspects.append((float(ratio[k]), cause))
    return [cause for _, cause in sorted(suspects, key=lambda pair: -pair[0])]


def with_clipped_forces(
    explanation: Explanation,
    corrected: Baseline,
    estimate: ParameterEstimate,
    misfit: bool,
) -> Explanation:
    """An explanation with clipped forces where they belong among the others.

    Parameters
    ----------
    explanation : Explanation
        Of everything else.
    corrected : Baseline
        Of the logs without their discrete causes.
    estimate : ParameterEstimate
        Whose standard deviations the effect is compared with.
    misfit : bool
        Whether the residual stands out of the noise floor. Where it does not and nothing else is wrong, clipped forces
        are told only if their effect is more than chance.
    """
    clipped = saturation(corrected.experiment.logs, corrected.model.ratio)
    if not clipped:
        return explanation
    # with the floor of the corrected logs: that of the recorded ones is in their unit and in their order of struts
    change, clear = without_clipped(clipped, corrected)
    effect, moves = largest_effect(estimate, change)
    clipped = [replace(one, effect=effect, moves=moves) for one in clipped]
    moved = (*explanation.moved, change)
    if misfit or explanation.causes:
        # a clipped force looks like whatever bends where it is large, but never larger than it is: forces that come
        # out too large reach the end of their range because of that
        enlarged = [one for one in explanation.causes if enlarges(one)]
        others = [one for one in explanation.causes if one not in enlarged]
        return replace(explanation, causes=(*enlarged, *clipped, *others), moved=moved)
    certain = any(_beyond_reading(one, corrected.experiment.machine.drive) for one in clipped)
    if (clear or certain) and effect > DOUBTFUL:
        return replace(explanation, causes=tuple(replace(one, explains=0.0) for one in clipped), moved=moved)
    return explanation


def _beyond_reading(clipped: Cause, drive: Drive | None) -> bool:
    """Whether what is measured ends at the drives' limit and what they give does not: their readings are clipped.

    Where both do, as with a gain of 1, the drives may have given no more.
    """
    if drive is None:
        return False
    end = drive.force_limit * (1.0 - AT_LIMIT)
    return bool(drive.force_gain[_strut(clipped)] * clipped.value >= end > clipped.value)


def _strut(clipped: Cause) -> int:
    return int(clipped.name.rpartition("_")[2]) - 1


def without_clipped(clipped: Sequence[Cause], baseline: Baseline) -> tuple[FloatArray, bool]:
    """What the reported parameters change by where a strut's equations near its clipped samples are left out.

    Parameters
    ----------
    clipped : sequence of Cause
        Of `saturation`.
    baseline : Baseline
        Of all equations of the logs.

    Returns
    -------
    change : ndarray, shape (P,)
        SI units.
    clear : bool
        Whether leaving out right samples would hardly change as much.
    """
    evidence, problem = baseline.evidence, baseline.problem
    reach = 1.0 / baseline.experiment.settings.band.cutoff  # s over which a sample enters an equation
    equations, counts = problem.equations, np.ones((len(problem.equations), STRUTS))
    for cause in clipped:
        strut = _strut(cause)
        for number, log in enumerate(baseline.experiment.logs):
            if log.force is None:
                continue
            at = log.time[np.abs(log.force[:, strut]) > cause.value - cause.std]
            own = np.flatnonzero(problem.log == number)
            first, last = (np.searchsorted(at, equations.time[own] + way) for way in (-reach, reach))
            counts[own[last > first], strut] = 0.0
    elsewhere = replace(
        equations, regressor=equations.regressor * counts[:, :, None], measured=equations.measured * counts
    )
    everywhere, rest = (
        evidence.without_smoothing(these).base(baseline.floor.std) for these in (equations, elsewhere)
    )
    change = evidence.moved(rest.solution - everywhere.solution)
    # the covariance of the difference between an estimate and one from a part of its data
    by_chance = np.maximum(evidence.variance(rest) - evidence.variance(everywhere), 0.0)
    clear = change**2 > CLEAR**2 * everywhere.correlation * by_chance
    return change, bool(np.any(clear))
