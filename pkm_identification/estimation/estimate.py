# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The result of an estimation: values that never come without a standard deviation and a status."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.parameters.relations import LinearRelations

from .identifiability import IDENTIFIABLE, IN_DOUBT, Combination, assess
from .statuses import is_shown


@dataclass(frozen=True)
class ParameterEstimate:
    """Parameters, how well they are known, and whether the data show them at all.

    Attributes
    ----------
    names, units, status : tuple of str, length P
        Of the full model as `posterior.status` has them. Of a fit of few parameters 'identifiable', 'in_doubt' (the
        data would show it, but the model does not fit them), 'combination' (seen only together with others) or
        'unidentifiable'.
    values : ndarray, shape (P,)
        Posterior mean in SI units; where the status is not 'identifiable' it is mostly prior and good for
        prediction only.
    std, nominal : ndarray, shape (P,)
    covariance : ndarray, shape (P, P)
    combinations : tuple of Combination
    nis : float
        Mean normalised innovation (or residual) squared; near `nis_dof` when the noise is as assumed.
    nis_dof : int
    count : int
        Equations used.
    time : float
        Stamp of the newest sample used, s.
    estimator, model : str
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    values: FloatArray
    std: FloatArray
    nominal: FloatArray
    status: tuple[str, ...]
    covariance: FloatArray
    combinations: tuple[Combination, ...]
    nis: float
    nis_dof: int
    count: int
    time: float
    estimator: str
    model: str

    def mark_doubtful(self) -> ParameterEstimate:
        """Return the estimate with all that it shows in doubt: its model does not fit, or no body is near."""
        status = tuple(IN_DOUBT if one == IDENTIFIABLE else one for one in self.status)
        combinations = tuple(replace(one, status=IN_DOUBT) for one in self.combinations)
        return replace(self, status=status, combinations=combinations)

    def shown(self, name: str) -> float | None:
        """Value of a parameter the data show alone, be it in doubt, else None."""
        i = self.names.index(name)
        return float(self.values[i]) if is_shown(self.status[i]) else None


def make_estimate(
    parameters: ParameterSet,
    prior: Prior,
    mean: FloatArray,
    covariance: FloatArray,
    *,
    nis: float,
    nis_dof: int,
    count: int,
    time: float,
    estimator: str,
    model: str,
    assumed: LinearRelations | None = None,
) -> ParameterEstimate:
    """Join a posterior with its statuses; see `ParameterEstimate`. Nuisance parameters stay behind."""
    reported = len(parameters.names) - parameters.nuisance
    mean, covariance = mean[:reported], covariance[:reported, :reported]
    names, units = parameters.names[:reported], parameters.units[:reported]
    nominal, prior_std = parameters.nominal[:reported], prior.std[:reported]
    seen = None
    if assumed is not None:
        seen = _remove_relations(covariance, assumed.rows[:, :reported], prior_std)
    result = assess(
        names,
        units,
        mean,
        nominal,
        covariance,
        prior_std,
        scale=parameters.scale[:reported],
        seen=seen,
        size=parameters.size[:reported],
    )
    return ParameterEstimate(
        names=names,
        units=units,
        values=mean,
        std=result.std,
        nominal=nominal,
        status=result.status,
        covariance=covariance,
        combinations=result.combinations,
        nis=nis,
        nis_dof=nis_dof,
        count=count,
        time=time,
        estimator=estimator,
        model=model,
    )


def _remove_relations(covariance: FloatArray, rows: FloatArray, prior_std: FloatArray) -> FloatArray:
    """Return a covariance (P, P) without what relations say; never more than the prior's."""
    information = np.linalg.inv(covariance / np.outer(prior_std, prior_std))
    scaled = rows * prior_std
    values, vectors = np.linalg.eigh(0.5 * (information + information.T) - scaled.T @ scaled)
    # widened covariances hold less information than the relations they were made with
    root = vectors * np.maximum(values, 1.0) ** -0.5
    return root @ root.T * np.outer(prior_std, prior_std)
