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

from pkm_identification.estimation.lack_of_fit.exchange import best_order
from pkm_identification.estimation.lack_of_fit.factor import output_factor
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

from ...diagnosis.discrete_causes import cause_of_order, causes_of_factor
from ...diagnosis.findings import Cause
from .recent_equations import Recent


def discrete_cause(
    machine: Machine, parameters: ParameterSet, recent: Recent, floor: FloatArray
) -> Cause | None:
    """What is wrong altogether, if anything is.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
        The unknowns, nuisance parameters included.
    recent : Recent
    floor : ndarray, shape (6,)
        Residual of the model alone, N.
    """
    friction = np.array([entry.kind.friction for entry in parameters.entries])
    free = friction | (np.arange(len(parameters)) >= len(parameters) - parameters.nuisance)
    known = recent.force - recent.measured
    bodies = recent.regressor[:, :, ~free] @ parameters.nominal[~free] + known
    factor, std = output_factor(bodies, recent.regressor[:, :, friction], recent.force, floor, recent.segment)
    causes = causes_of_factor(factor, std, machine)
    if causes:
        return causes[0]
    prior = Prior.of(parameters)
    order = best_order(recent.regressor * prior.std, known + recent.regressor @ prior.mean, recent.force)
    return cause_of_order(order)
