# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Coordinates in which everything known beforehand is a unit normal, so that every estimator can take it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.prior import Prior
from pkm_identification.parameters.relations import LinearRelations

from .equations import Equations


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
        """Build one of a prior and linear relations next to it."""
        width = len(prior.mean)
        rows = np.vstack([relations.rows * prior.std, np.eye(width)])
        values = np.concatenate([relations.values - relations.rows @ prior.mean, np.zeros(width)])
        # QR instead of the information matrix: relations can be a million times sharper than the prior
        triangle = np.asarray(np.linalg.qr(np.column_stack([rows, values]), mode="r"))
        inverse = np.linalg.inv(triangle[:width, :width])
        return cls(prior.mean + prior.std * (inverse @ triangle[:width, width]), prior.std[:, None] * inverse)

    def mean(self, mean: FloatArray) -> FloatArray:
        """w (P,) of v (P,)."""
        return self.origin + self.root @ mean

    def covariance(self, covariance: FloatArray) -> FloatArray:
        """Return covariance (P, P) of w from that of v."""
        return self.root @ covariance @ self.root.T

    def equations(self, equations: Equations) -> Equations:
        """Equations for v from those for w."""
        return equations.map(
            lambda part: replace(
                part,
                regressor=part.regressor @ self.root,
                measured=part.measured - part.regressor @ self.origin,
            )
        )
