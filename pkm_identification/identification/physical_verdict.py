# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One line on every estimate: is it consistent with a rigid body?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.errors import NotConverged, PkmError
from pkm_identification.estimation.consistency.central_path import Physical
from pkm_identification.estimation.consistency.constrained_least_squares import project
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import IDENTIFIABLE, IN_DOUBT, UNIDENTIFIABLE
from pkm_identification.machines.contract import Machine
from pkm_identification.parameters.parameter_set import ParameterSet

from .online.diagnosis.plausibility import BEYOND, Plausibility, add_allowance
from .result import near_zero

_MOST = 2  # violations named in full
_SHOWN = (IDENTIFIABLE, IN_DOUBT)
WITHIN = 2.0  # standard deviations within which an estimate and a body do not contradict each other
WITHIN_ROUNDING = 1e-2
COMPLETING = (
    1e-3  # how much a prior's standard deviation of a value that is not shown counts, to keep it finite
)


def find_contradiction(machine: Machine, parameters: ParameterSet, estimate: ParameterEstimate) -> str:
    """Return how far an estimate is from any rigid body, in words; empty within BEYOND standard deviations.

    The rule of the online estimator. What cannot be judged (a part of a body is fixed or tied) is no contradiction.
    """
    if estimate.names != parameters.names or not set(estimate.status) & set(_SHOWN):
        return ""
    physical = _build_physical(machine, parameters)
    if physical is None or physical.is_possible(estimate.values):
        return ""
    judged = _remove_near_zero_friction(parameters, estimate)
    away = _compute_distance(physical, parameters, judged)
    if away is None:
        return Plausibility(machine, parameters).judge(estimate)
    if away <= BEYOND:
        return ""
    broken = physical.name_violations(estimate.values, judged.status)
    why = "; ".join(broken[:_MOST]) or "no body has the identified values, whatever the others are"
    return f"{why}: {away:.2g} standard deviations from any rigid body"


def _remove_near_zero_friction(parameters: ParameterSet, estimate: ParameterEstimate) -> ParameterEstimate:
    """Return the estimate with friction that may as well be zero not shown: negative, it is no sign of anything."""
    close = near_zero(parameters, estimate)
    return replace(
        estimate,
        status=tuple(
            UNIDENTIFIABLE if name in close else status
            for name, status in zip(estimate.names, estimate.status, strict=True)
        ),
    )


def verdict(
    machine: Machine,
    parameters: ParameterSet,
    estimate: ParameterEstimate,
    kept: bool,
    trusted: bool = True,
) -> tuple[bool, str] | None:
    """Return whether what is identified is consistent with a rigid body.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
        Those estimated.
    estimate : ParameterEstimate
    kept : bool
        Whether the estimator kept it consistent.
    trusted : bool
        Whether the model fits: else what is wrong lies elsewhere, and to keep the estimate consistent is no remedy.

    Returns
    -------
    good : bool
    line : str
        None in place of both where a part of a body is fixed or tied, or the estimate is of other parameters, so that
        it cannot be judged.
    """
    if estimate.names != parameters.names:
        return None
    physical = _build_physical(machine, parameters)
    if physical is None:
        return None
    if physical.is_possible(estimate.values):
        return True, (
            "The identified values are consistent with a rigid body" + (", as constrained." if kept else ".")
        )
    judged = _remove_near_zero_friction(parameters, estimate)
    away = _compute_distance(physical, parameters, judged)
    if away is not None and away < WITHIN_ROUNDING and not physical.each_body:
        return True, "The identified values are consistent with rigid bodies."
    if away is not None and away < WITHIN_ROUNDING:
        return True, (
            "The identified values are consistent with a rigid body; all values together, with those that are not "
            "identifiable from this motion or are next to zero, are "
            f"not{' (--consistent makes them so)' if trusted else ''}."
        )
    if away is not None and away <= WITHIN:
        return True, (
            "The identified values are consistent with a rigid body within their deviation "
            f"(the nearest one lies {away:.2g} standard deviations away{'; --consistent gives it' if trusted else ''})."
        )
    broken = physical.name_violations(estimate.values, judged.status)
    more = f" (and {len(broken) - _MOST} more)" if len(broken) > _MOST else ""
    why = "; ".join(broken[:_MOST]) or "no body has the identified values, whatever the others are"
    nearest = (
        "" if away is None else f". The nearest consistent estimate lies {away:.2g} standard deviations away"
    )
    if away is not None and away > BEYOND:
        remedy = "That is beyond chance: log or machine file is wrong, and --consistent would only hide it."
    else:
        remedy = "--consistent keeps an estimate consistent." if trusted else ""
    return False, f"Not consistent with a rigid body: {why}{more}{nearest}. {remedy}".rstrip()


def _build_physical(machine: Machine, parameters: ParameterSet) -> Physical | None:
    """Return which values bodies can have; None where that cannot be said, as of a part of a body that is fixed."""
    try:
        physical: Physical = machine.build_physical(parameters)
    except PkmError:
        return None
    return physical


def _compute_distance(
    physical: Physical, parameters: ParameterSet, estimate: ParameterEstimate
) -> float | None:
    """How many standard deviations away the nearest body is, whatever it has in place of values that are not shown.

    Only what the data show counts, alone or in a combination: a parameter that they do not show is free to complete the
    others to a body. None where the covariance does not say.
    """
    shown = [np.eye(len(estimate.names))[k] for k, one in enumerate(estimate.status) if one in _SHOWN]
    rows = np.array([*shown, *(combination.weights for combination in estimate.combinations)])
    if len(rows) == 0:
        return None
    covariance = rows @ add_allowance(estimate.covariance, parameters) @ rows.T
    std = np.sqrt(np.diag(covariance))
    free = COMPLETING / physical.find_sizes(parameters)
    try:
        root = np.linalg.inv(np.linalg.cholesky(covariance / np.outer(std, std))) @ (rows / std[:, None])
        nearest = project(estimate.values, np.vstack([root, np.diag(free)]), physical).values
    except (np.linalg.LinAlgError, NotConverged):
        return None
    return float(np.linalg.norm(root @ (nearest - estimate.values)))
