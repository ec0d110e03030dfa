# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""One line on every estimate: is it consistent with a rigid body?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.errors import NotConverged, PkmError
from pkm_identification.estimation.consistency.constrained_least_squares import project
from pkm_identification.estimation.consistency.constraints import inequalities, is_physical, violations
from pkm_identification.estimation.consistency.coordinates import FreeCoordinates
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import IDENTIFIABLE, IN_DOUBT, UNIDENTIFIABLE
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.physical_layout import physical_layout
from pkm_identification.parameters.parameter_set import ParameterSet

from .near_zero import near_zero

_MOST = 2  # violations named in full
_SHOWN = (IDENTIFIABLE, IN_DOUBT)
WITHIN = 2.0  # standard deviations within which an estimate and a body do not contradict each other
WITHIN_ROUNDING = 1e-2
COMPLETING = (
    1e-3  # how much a prior's standard deviation of a value that is not shown counts, to keep it finite
)


def verdict(
    machine: Machine, parameters: ParameterSet, estimate: ParameterEstimate, kept: bool
) -> tuple[bool, str] | None:
    """Whether what is identified is consistent with a rigid body.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
        Those estimated.
    estimate : ParameterEstimate
    kept : bool
        Whether the estimator kept it consistent.

    Returns
    -------
    good : bool
    line : str
        None in place of both where a part of a body is fixed or tied, or the estimate is of other parameters, so that
        it cannot be judged.
    """
    if estimate.names != parameters.names:
        return None
    try:
        coordinates = FreeCoordinates.of(physical_layout(machine, parameters))
    except PkmError:
        return None
    # friction that may as well be zero is no sign of anything when it comes out negative
    close = near_zero(parameters, estimate)
    judged = tuple(
        UNIDENTIFIABLE if name in close else status
        for name, status in zip(estimate.names, estimate.status, strict=True)
    )
    if is_physical(inequalities(coordinates.layout), estimate.values):
        return True, (
            "The identified values are consistent with a rigid body" + (", as constrained." if kept else ".")
        )
    away = _distance(coordinates, replace(estimate, status=judged))
    if away is not None and away < WITHIN_ROUNDING:
        return True, (
            "The identified values are consistent with a rigid body; all values together, with those that are not "
            "identifiable from this motion, are not (--consistent makes them so)."
        )
    if away is not None and away <= WITHIN:
        return True, (
            "The identified values are consistent with a rigid body within their deviation "
            f"(the nearest one lies {away:.2g} standard deviations away; --consistent gives it)."
        )
    broken = violations(coordinates.layout, estimate.values, judged)
    more = f" (and {len(broken) - _MOST} more)" if len(broken) > _MOST else ""
    why = "; ".join(broken[:_MOST]) or "no body has the identified values, whatever the others are"
    nearest = (
        "" if away is None else f". The nearest consistent estimate lies {away:.2g} standard deviations away"
    )
    return False, (
        f"Not consistent with a rigid body: {why}{more}{nearest}. --consistent keeps an estimate consistent."
    )


def _distance(coordinates: FreeCoordinates, estimate: ParameterEstimate) -> float | None:
    """How many standard deviations away the nearest body is, whatever it has in place of values that are not shown.

    Only what the data show counts, alone or in a combination: a parameter that they do not show is free to complete the
    others to a body. None where the covariance does not say.
    """
    shown = [np.eye(len(estimate.names))[k] for k, one in enumerate(estimate.status) if one in _SHOWN]
    rows = np.array([*shown, *(combination.weights for combination in estimate.combinations)])
    if len(rows) == 0:
        return None
    covariance = rows @ estimate.covariance @ rows.T
    std = np.sqrt(np.diag(covariance))
    free = COMPLETING / coordinates.parameter_prior.std
    try:
        root = np.linalg.inv(np.linalg.cholesky(covariance / np.outer(std, std))) @ (rows / std[:, None])
        nearest = project(estimate.values, np.vstack([root, np.diag(free)]), coordinates).values
    except (np.linalg.LinAlgError, NotConverged):
        return None
    return float(np.linalg.norm(root @ (nearest - estimate.values)))
