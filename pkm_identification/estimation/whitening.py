"""Coordinates in which everything known beforehand is a unit normal, so that every estimator can take it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.identification.equations.force_equations import Equations
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.prior import Prior
from pkm_identification.parameters.relations import LinearRelations

from .problem import Fit, Problem


@dataclass(frozen=True)
class Coordinates:
    """w = origin + root v, where v is standard normal before the data.

    Attributes
    ----------
    origin : ndarray, shape (P,)
    root : ndarray, shape (P, P)
    """

    origin: FloatArray
    root: FloatArray

    @classmethod
    def of(cls, prior: Prior, relations: LinearRelations) -> Coordinates:
        """Of a prior and linear relations beside it."""
        width = len(prior.mean)
        rows = np.vstack([relations.rows * prior.std, np.eye(width)])
        values = np.concatenate([relations.values - relations.rows @ prior.mean, np.zeros(width)])
        # QR instead of the information matrix: relations can be a million times sharper than the prior
        triangle = np.linalg.qr(np.column_stack([rows, values]), mode="r")
        inverse = np.linalg.inv(triangle[:width, :width])
        return cls(prior.mean + prior.std * (inverse @ triangle[:width, width]), prior.std[:, None] * inverse)

    def inwards(self, problem: Problem) -> Problem:
        """The same problem for v."""
        width = len(self.origin)
        prior = Prior(np.zeros(width), np.ones(width))
        parameters = replace(
            problem.parameters, nominal=prior.mean, scale=prior.std, believed=None, prior_std=None
        )
        return replace(
            problem,
            parameters=parameters,
            prior=prior,
            relations=None,
            view=self,
            equations=self._equations(problem.equations),
            twins=None if problem.twins is None else tuple(map(self._equations, problem.twins)),
        )

    def outwards(self, fit: Fit) -> Fit:
        """What was found for v, for w."""
        return replace(fit, mean=self.mean(fit.mean), covariance=self.covariance(fit.covariance))

    def mean(self, mean: FloatArray) -> FloatArray:
        """w (P,) of v (P,)."""
        return self.origin + self.root @ mean

    def covariance(self, covariance: FloatArray) -> FloatArray:
        """Covariance (P, P) of w from that of v."""
        return self.root @ covariance @ self.root.T

    def _equations(self, equations: Equations) -> Equations:
        return replace(
            equations,
            regressor=equations.regressor @ self.root,
            measured=equations.measured - equations.regressor @ self.origin,
        )
