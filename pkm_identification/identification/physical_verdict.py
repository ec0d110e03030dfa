"""One line on every estimate: is it consistent with a rigid body?"""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import NotConverged, PkmError
from pkm_identification.estimation.consistency.constrained_least_squares import project
from pkm_identification.estimation.consistency.constraints import inequalities, is_physical, violations
from pkm_identification.estimation.consistency.coordinates import FreeCoordinates
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import UNIDENTIFIABLE
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.physical_layout import physical_layout
from pkm_identification.parameters.parameter_set import ParameterSet

from .near_zero import near_zero

_MOST = 2  # violations named in full


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
    broken = violations(coordinates.layout, estimate.values, judged)
    if not broken:
        if kept:
            return True, "The identified values are consistent with a rigid body, as constrained."
        possible = np.where(
            [name in close for name in estimate.names], np.abs(estimate.values), estimate.values
        )
        if is_physical(inequalities(coordinates.layout), possible):
            return True, "The identified values are consistent with a rigid body."
        return True, (
            "The identified values are consistent with a rigid body; all values together, with those that are not "
            "identifiable from this motion, are not (--consistent makes them so)."
        )
    more = f" (and {len(broken) - _MOST} more)" if len(broken) > _MOST else ""
    return False, (
        f"Not consistent with a rigid body: {'; '.join(broken[:_MOST])}{more}{_distance(coordinates, estimate)}. "
        "--consistent keeps an estimate consistent."
    )


def _distance(coordinates: FreeCoordinates, estimate: ParameterEstimate) -> str:
    """How far the nearest consistent estimate lies, in words; nothing where the covariance does not say."""
    std = np.sqrt(np.diag(estimate.covariance))
    try:
        root = np.linalg.inv(np.linalg.cholesky(estimate.covariance / np.outer(std, std))) / std
        nearest = project(estimate.values, root, coordinates).values
    except (np.linalg.LinAlgError, NotConverged):
        return ""
    away = float(np.linalg.norm(root @ (nearest - estimate.values)))
    return f". The nearest consistent estimate lies {away:.2g} standard deviations away"
