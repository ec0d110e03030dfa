"""One line on every estimate: could it be some machine's?"""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import NotConverged, PkmError
from pkm_identification.estimation.consistency.constrained_least_squares import project
from pkm_identification.estimation.consistency.constraints import inequalities, is_physical, violations
from pkm_identification.estimation.consistency.coordinates import FreeCoordinates
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.physical_layout import physical_layout
from pkm_identification.parameters.parameter_set import ParameterSet

_MOST = 2  # violations told in full


def verdict(
    machine: Machine, parameters: ParameterSet, estimate: ParameterEstimate, kept: bool
) -> tuple[bool, str] | None:
    """Whether what the data show is physical.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
        Those estimated.
    estimate : ParameterEstimate
    kept : bool
        Whether the estimator kept it physical.

    Returns
    -------
    good : bool
    line : str
        None in place of both where a part of a body is fixed or tied, or the estimate is of other parameters, so that
        nothing can be told.
    """
    if estimate.names != parameters.names:
        return None
    try:
        coordinates = FreeCoordinates.of(physical_layout(machine, parameters))
    except PkmError:
        return None
    told = violations(coordinates.layout, estimate.values, estimate.status)
    if not told:
        if kept:
            return True, "What they show is physical, and was kept so."
        if is_physical(inequalities(coordinates.layout), estimate.values):
            return True, "What they show is physical."
        return True, (
            "What they show is physical; what they do not show alone does not add up to a machine "
            "(--consistent makes it one)."
        )
    more = f" (and {len(told) - _MOST} more)" if len(told) > _MOST else ""
    return False, (
        f"Not physical: {'; '.join(told[:_MOST])}{more}{_distance(coordinates, estimate)}. "
        "--consistent keeps an estimate physical."
    )


def _distance(coordinates: FreeCoordinates, estimate: ParameterEstimate) -> str:
    """How far the nearest physical estimate lies, in words; nothing where the covariance does not tell."""
    std = np.sqrt(np.diag(estimate.covariance))
    try:
        root = np.linalg.inv(np.linalg.cholesky(estimate.covariance / np.outer(std, std))) / std
        nearest = project(estimate.values, root, coordinates).values
    except (np.linalg.LinAlgError, NotConverged):
        return ""
    away = float(np.linalg.norm(root @ (nearest - estimate.values)))
    return f". The nearest physical estimate lies {away:.2g} standard deviations away"
