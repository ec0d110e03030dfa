# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""One choice of base parameters for a mechanism: whoever names them takes it from here, so that a name is one sum."""

from __future__ import annotations

from pkm_identification.estimation.identifiability.base_parameters import BaseParameters, base_parameters
from pkm_identification.numerics.arrays import FloatArray

from ..dynamics import regressor
from ..mechanism import Mechanism
from ..parameters import rigid_basis, rigid_columns
from .states import structure_motion

_STATES = 60  # at least: more than the rank needs, so that the choice does not hang on one state
_SPARE_STATES = (
    4  # above one equation per parameter, for two coefficients of friction of each drive and some more
)


def read_structure_rows(mechanism: Mechanism, seed: int = 0) -> tuple[FloatArray, FloatArray]:
    """Return the regressor (N, n, P) in which base parameters are chosen, double precision, and the drives' rates.

    The states are the description's motion, or random ones around home.

    Raises
    ------
    MotionRefused
        If a state is out of reach or singular, or the stated motion rests.
    """
    chosen = rigid_columns(mechanism)
    count = max(_STATES, -(-len(chosen) // mechanism.degrees_of_freedom) + _SPARE_STATES)
    mechanism, motion = structure_motion(mechanism, count, seed=seed)
    return regressor(mechanism, motion)[:, :, chosen], motion.drive_rate


def choose_basis(mechanism: Mechanism) -> BaseParameters:
    """Return the base parameters of a mechanism: which parameters stand for them, and of what they are sums.

    `pkm base-parameters` prints this choice, `pkm identify`, `identifiability` and `excite` estimate in it.

    Raises
    ------
    MotionRefused
        As `read_structure_rows`.
    ValueError
        If the stated motion has fewer rows than there are parameters.
    """
    rows, _ = read_structure_rows(mechanism)
    return base_parameters(rows, rigid_basis(mechanism).names)
