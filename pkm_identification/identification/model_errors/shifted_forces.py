# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Tolerances as forces: what each number known to a tolerance, off by it, would add, and what a fit makes of that.

The forces are taken off, and the same linear fit is asked again: to first order, of any machine, without new samples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.knowledge import KnownNumber
from pkm_identification.numerics.arrays import FloatArray

from . import forces, geometry
from .situation import Situation, diagonal

Columns = Callable[[Situation], FloatArray]


def compute_inertia(situation: Situation) -> FloatArray:
    """Return what a unit more of inertia along each drive adds, (K, n, n)."""
    return diagonal(situation.rows.in_band(situation.rows.motion.acceleration))


OF_DRIVES: dict[str, Columns] = {
    "force_delay": forces.compute_late,
    "force_gain": forces.compute_too_large,
    "force_offset": forces.compute_shifted,
    "coordinate_offset": geometry.compute_zeros,
    "coordinate_scale": geometry.compute_pitch,
    "motor_inertia": compute_inertia,
}


def compute_changes(
    tolerances: Sequence[KnownNumber],
    problem: Problem,
    situations: Sequence[Situation],
    fit: Callable[[Problem], FloatArray],
) -> FloatArray:
    """Return what each of K numbers, off by its tolerance, does to an estimate, (K, P).

    Parameters
    ----------
    tolerances : sequence of KnownNumber
    problem : Problem
        Of the force model, zero-phase, with the noise that the estimate took.
    situations : sequence of Situation
        Of its logs under the estimate.
    fit : callable
        Values (P,) of a problem.
    """
    equations, made = problem.equations, {}

    def estimate(added: FloatArray | float) -> FloatArray:
        return fit(replace(problem, equations=replace(equations, measured=equations.measured - added)))

    middle, changes = estimate(0.0), []
    for one in tolerances:
        if one.paths:
            shift = {path: one.width * factor for path, factor in one.paths.items()}
            added = np.concatenate(
                [each.of_machine(each.machine.with_changes(shift), moved=True) for each in situations]
            )
        else:
            if one.kind not in made:
                made[one.kind] = np.concatenate([OF_DRIVES[one.kind](each) for each in situations])
            added = one.width * made[one.kind][:, :, list(one.drives)].sum(axis=2)
        changes.append(estimate(np.nan_to_num(added)) - middle)
    return np.reshape(changes, (len(tolerances), len(middle)))
