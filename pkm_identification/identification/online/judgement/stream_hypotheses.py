# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What may be wrong with a stream of equations: the cheap tests, from the equations alone.

Names, sizes and cures are those of `pkm diagnose`, which looks at a whole log and knows many more.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet

from ...model_errors import events, forces
from ...model_errors.effect import as_given
from ...model_errors.situation import diagonal
from .candidates import Candidates, choices_of
from .coordinate_zeros import build_zero_columns, zero_effects
from .recent_equations import Recent


def stream_hypotheses(
    machine: Machine,
    parameters: ParameterSet,
    recent: Recent,
    mean: FloatArray,
    missed: FloatArray,
    step: float | None = None,
) -> Candidates:
    """Return everything that the cheap tests look for.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
        The unknowns, nuisance parameters included.
    recent : Recent
    mean : ndarray, shape (P,)
        Of the unknowns at present, SI units.
    missed : ndarray, shape (n, n)
        Force per unit of a wrong zero of each coordinate (`coordinate_zeros.missed_at_home`).
    step : float or None
        Stamp in s at which coordinates may have stepped, and the equations' `stepped` begins.
    """
    own = len(parameters) - parameters.nuisance
    later = np.arange(len(recent.time)) >= len(recent.time) // 2
    columns = {
        "force_delay": diagonal(-recent.force_rate),
        "force_gain": diagonal(recent.predict(mean)),
        "force_offset": diagonal(np.ones_like(recent.force)),
        "changed_during_log": (recent.regressor * mean)[:, :, :own] * later[:, None, None],
        **build_zero_columns(machine, missed, recent.time),
    }
    effects = [*forces.effects(machine), *events.effects((), parameters), *zero_effects(machine, columns)]
    if step is not None and np.any(recent.stepped):
        for k, drive in enumerate(machine.drives):
            stepped = recent.stepped[:, :, k : k + 1]
            lost = events.lost_counts(drive, f"at {step:.1f} s", as_given(stepped))
            effects.append(lost)
            columns[lost.name] = stepped
    owned = [(choice, k) for k, effect in enumerate(effects) for choice in choices_of(effect)]
    choices, owner = zip(*owned, strict=True)
    return Candidates(choices, tuple(columns[effect.name] for effect in effects), owner)
