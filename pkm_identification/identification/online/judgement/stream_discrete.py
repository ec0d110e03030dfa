# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What may be wrong with a stream altogether: sign and unit of the forces, exchanged struts."""

from __future__ import annotations

import numpy as np

from pkm_identification.estimation.lack_of_fit.exchange import find_best_order
from pkm_identification.estimation.lack_of_fit.factor import compute_output_factor
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

from ...diagnosis.discrete import HOPELESS, POOR
from ...diagnosis.discrete_causes import find_cause_of_order, list_causes_of_factor
from ...diagnosis.findings import Cause
from .recent_equations import Recent


def discrete_cause(
    machine: Machine, parameters: ParameterSet, recent: Recent, residual: FloatArray, ratio: float
) -> Cause | None:
    """Return what is wrong altogether, if anything is.

    As offline (`diagnosis.discrete.suspects`): sign and unit leave no residual; where nothing fits at all, exchanged
    struts come first, because they spoil the comparison with the machine file that tells sign and unit.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
        The unknowns, nuisance parameters included.
    recent : Recent
    residual : ndarray, shape (n,)
        Of the model alone, N.
    ratio : float
        Residual over noise floor.
    """
    prior = Prior.of(parameters)
    exchanged = None
    known = recent.force - recent.measured
    if ratio > POOR and len(machine.drives) > 1:
        order = find_best_order(
            recent.regressor * prior.std, known + recent.regressor @ prior.mean, recent.force
        )
        exchanged = find_cause_of_order(order)
        if exchanged is not None and ratio > HOPELESS:
            return exchanged
    friction = np.array([entry.kind.friction for entry in parameters.entries])
    free = friction | (np.arange(len(parameters)) >= len(parameters) - parameters.nuisance)
    bodies = recent.regressor[:, :, ~free] @ parameters.nominal[~free] + known
    factor, std = compute_output_factor(
        bodies, recent.regressor[:, :, friction], recent.force, residual, recent.segment
    )
    causes = list_causes_of_factor(factor, std, machine.drives)
    return causes[0] if causes else exchanged
