# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What may be wrong with a stream altogether: sign and unit of the forces, exchanged struts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pkm_identification.estimation.lack_of_fit.exchange import find_best_order
from pkm_identification.estimation.lack_of_fit.factor import compute_output_factor
from pkm_identification.estimation.posterior.thresholds import COMMON_FACTORS
from pkm_identification.machines.contract import Drive, Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

from ...diagnosis.discrete import HOPELESS, POOR
from ...diagnosis.discrete_causes import build_factor_cause, find_cause_of_order
from ...diagnosis.findings import Cause
from .recent_equations import Recent

RESOLVED = 0.1  # of the factor: standard deviation at which it is known
UNLIKE = 2.0  # times a unit: a file's masses are surely not so wrong, and another factor is none


def discrete_cause(
    machine: Machine, parameters: ParameterSet, recent: Recent, residual: FloatArray, ratio: float
) -> Cause | None:
    """Return what is wrong altogether, if anything is.

    Sign and unit leave no residual. Where nothing fits at all, exchanged struts come first, because they spoil the
    comparison with the machine file that tells sign and unit.

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
    return find_common_factor(factor, std, machine.drives) or exchanged


def find_common_factor(factor: float, std: float, drives: Sequence[Drive]) -> Cause | None:
    """Return the unit or sign of forces that are `factor` times those of the file's bodies; None: they have none.

    Parameters
    ----------
    factor, std : float
        And its standard deviation.
    drives : sequence of Drive
        Who say what an ampere is, if it is the same for all.
    """
    if factor == 0.0 or std > RESOLVED * abs(factor):
        return None
    names = {unit: name for name, unit in COMMON_FACTORS}
    if factor < 0.0:
        return build_factor_cause(names[-1.0], -1.0)
    ampere = {drive.reported.per_ampere for drive in drives}
    if len(ampere) == 1 and (unit := ampere.pop()) > 0.0:
        names[unit] = "A taken for N"
    nearest = min((unit for unit in names if unit > 0.0), key=lambda unit: abs(math.log(unit * factor)))
    close = abs(math.log(nearest * factor)) < math.log(UNLIKE) < abs(math.log(factor))
    return build_factor_cause(names[nearest], nearest) if close else None
