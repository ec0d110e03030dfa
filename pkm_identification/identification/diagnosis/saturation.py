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
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.lack_of_fit.doubt import DOUBTFUL
from pkm_identification.estimation.lack_of_fit.effect import largest_effect
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray

from .discrete_causes import enlarges
from .findings import Cause, Explanation
from .stages.baseline import Baseline
from .subject import ForceLog

FLAT = 1e-3  # of the largest force: how near samples at the limit are to each other
FEWEST = 20  # samples at the limit
CROWDED = 8.0  # times as many as in the mean of the steps below
CLEAR = 5.0  # standard deviations of what leaving out right samples would change
ROUNDED = 1e-9  # of the largest force: differences that are rounding of the same reading
LEAST_SHARE = 0.1  # of a misfit, from which on clipped forces are one of its causes
AT_LIMIT = 1e-3  # of the drives' largest force: how near to it the end of a range is


def saturation(logs: Sequence[ForceLog], ratio: FloatArray, machine: Machine) -> list[Cause]:
    """Struts (ratio (n,): residual over floor) whose forces end at a limit, the worst fitted first.

    What they explain is not asked yet: 0.
    """
    force = np.concatenate([log.force for log in logs])
    suspects = []
    for k in range(force.shape[1]):
        size = np.abs(force[:, k])
        most = float(size.max(initial=0.0))
        step = _compute_resolution(force[:, k])
        # of readings in steps, each width holds one of them
        width, top = max(FLAT * most, step), most + 0.5 * step
        at = int(np.count_nonzero(size > top - width))
        below = np.count_nonzero((size > top - 6 * width) & (size <= top - width)) / 5.0
        if most == 0.0 or at < FEWEST or at < CROWDED * max(below, 1.0):
            continue
        share = at / len(size)
        cause = Cause(
            f"saturation_{machine.drives[k].label}",
            most,
            width,
            machine.drives[k].force_unit,
            0.0,
            "Move less fast, or raise the range of the current measurement (drive.motor.force_limit)",
            "saturation",
            detail=f"{100 * share:.2g} % of the samples",
        )
        suspects.append((float(ratio[k]), cause))
    return [cause for _, cause in sorted(suspects, key=lambda pair: -pair[0])]


def _compute_resolution(force: FloatArray) -> float:
    """Least difference in N between readings (N,) that differ, on the side where they are largest; 0 if none do."""
    side = force if force.max(initial=0.0) >= -force.min(initial=0.0) else -force
    steps = np.diff(np.unique(side[side > 0.0]))
    steps = steps[steps > ROUNDED * side.max(initial=0.0)]
    return float(steps.min()) if len(steps) else 0.0


def with_clipped_forces(
    explanation: Explanation,
    corrected: Baseline,
    estimate: ParameterEstimate,
    misfit: bool,
) -> Explanation:
    """Return an explanation with clipped forces where they belong among the others.

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
    clipped = saturation(corrected.subject.logs, corrected.model.ratio, corrected.subject.machine)
    if not clipped:
        return explanation
    # with the floor of the corrected logs: that of the recorded ones is in their unit and in their order of struts
    elsewhere = remove_clipped(clipped, corrected)
    effect, moves = largest_effect(estimate, elsewhere.change)
    certain = any(_is_beyond_reading(one, corrected.subject.machine) for one in clipped)
    told = (misfit or bool(explanation.causes)) and (certain or elsewhere.explains > LEAST_SHARE)
    if not told and not ((elsewhere.clear or certain) and effect > DOUBTFUL):
        return explanation
    share = elsewhere.explains if told else 0.0
    clipped = [replace(one, effect=effect, moves=moves, explains=share) for one in clipped]
    moved = (*explanation.moved, elsewhere.change)
    if not told:
        return replace(explanation, causes=(*explanation.causes, *clipped), moved=moved)
    # a clipped force looks like whatever bends where it is large, but never larger than it is: forces that come out too
    # large reach the end of their range because of that
    enlarged = [one for one in explanation.causes if enlarges(one)]
    others = [one for one in explanation.causes if one not in enlarged]
    return replace(explanation, causes=(*enlarged, *clipped, *others), moved=moved, elsewhere=elsewhere.ratio)


def _is_beyond_reading(clipped: Cause, machine: Machine) -> bool:
    """Whether what is measured ends at the drives' limit and what they give does not: their readings are clipped.

    Where both do, as with a gain of 1, the drives may have given no more.
    """
    number, known = _find_drive(clipped, machine), machine.known_forces
    gain = 1.0 if known is None else known.gain[number]
    end = machine.drives[number].rated_force * (1.0 - AT_LIMIT)
    return bool(gain * clipped.value >= end > clipped.value)


def _find_drive(clipped: Cause, machine: Machine) -> int:
    """Return which drive (from 0) a cause of `saturation` is of."""
    return next(i for i, drive in enumerate(machine.drives) if clipped.name == f"saturation_{drive.label}")


@dataclass(frozen=True)
class Elsewhere:
    """The model fitted to the equations that clipped samples do not enter.

    Attributes
    ----------
    change : ndarray, shape (P,)
        Of the reported parameters, SI units.
    clear : bool
        Whether leaving out right samples would hardly change as much.
    ratio : ndarray, shape (6,)
        Residual over noise floor of these equations, root mean square.
    explains : float
        Part of the misfit of all equations that is not in these, 0 to 1.
    """

    change: FloatArray
    clear: bool
    ratio: FloatArray
    explains: float


def remove_clipped(clipped: Sequence[Cause], baseline: Baseline) -> Elsewhere:
    """Return the model without each strut's equations near its clipped samples.

    Parameters
    ----------
    clipped : sequence of Cause
        Of `saturation`.
    baseline : Baseline
        Of all equations of the logs.
    """
    evidence, problem = baseline.evidence, baseline.problem
    reach = 1.0 / baseline.subject.cutoff  # s over which a sample enters an equation
    equations, counts = problem.equations, np.ones_like(problem.equations.force)
    for cause in clipped:
        strut = _find_drive(cause, baseline.subject.machine)
        for number, log in enumerate(baseline.subject.logs):
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
    ratio = np.sqrt(np.sum((rest.left * counts) ** 2, axis=0) / np.maximum(counts.sum(axis=0), 1.0))
    before, after = (max(float(np.mean(one**2)) - 1.0, 0.0) for one in (everywhere.ratio, ratio))
    explains = 1.0 - min(after / before, 1.0) if before > 0.0 else 0.0
    return Elsewhere(change, bool(np.any(clear)), ratio, explains)
