# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Evidence for further columns in a linear model: do the data ask for them, of what size, and what would they change?

The base y = X v + e, v standard normal before the data, is worked off once by an orthonormal basis of [X; 1]. What a
hypothesis adds are columns Z whose coefficients b = S beta have the prior standard deviations S. With z = (1 - P) Z S,
r = (1 - P) y, G = z'z, c = z'r and the variance s2 of the noise,

    beta = (G + s2 1)^-1 c ,      cov = s2 (G + s2 1)^-1 ,
    evidence = (|r|^2 - |r - z beta|^2 - s2 |beta|^2) / (2 s2) - 1/2 log det(1 + G / s2) ,

the logarithm of the ratio of the marginal likelihoods with and without the columns (MacKay 1992). The determinant is
the penalty for what the columns could have explained, so that one column and forty compete fairly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

DECISIVE = 10.0  # log evidence: odds of 20 000 to 1


@dataclass(frozen=True)
class Score:
    """What the data say of a hypothesis.

    Attributes
    ----------
    evidence : float
        Logarithm of the odds against the base.
    coefficients, covariance : ndarray, shapes (q,) and (q, q)
        In the units of the columns.
    left : float
        Sum of squares that is left, in units of the noise floor.
    """

    evidence: float
    coefficients: FloatArray
    covariance: FloatArray
    left: float


@dataclass(frozen=True)
class Base:
    """A linear model worked off its data.

    Attributes
    ----------
    residual : ndarray, shape (n + P,)
        Of the data, and of the model's prior.
    floor : ndarray, shape (m,)
        By which the rows of each output were divided.
    orthonormal : ndarray, shape (n + P, P)
        Of [X; 1].
    """

    residual: FloatArray
    floor: FloatArray
    orthonormal: FloatArray

    @classmethod
    def of(cls, columns: FloatArray, measured: FloatArray, floor: FloatArray) -> Base:
        """Work off a model.

        Parameters
        ----------
        columns : ndarray, shape (K, m, P)
            For unknowns that are standard normal before the data.
        measured : ndarray, shape (K, m)
        floor : ndarray, shape (m,)
            Standard deviation of the noise of each output.
        """
        width = columns.shape[2]
        rows = (columns / floor[:, None]).reshape(-1, width)
        orthonormal = np.linalg.qr(np.vstack([rows, np.eye(width)]))[0]
        target = np.concatenate([(measured / floor).ravel(), np.zeros(width)])
        return cls(target - orthonormal @ (orthonormal.T @ target), floor, orthonormal)

    @property
    def power(self) -> float:
        """Sum of squares of the residual, the prior's among them."""
        return float(self.residual @ self.residual)

    def score(self, columns: FloatArray, scale: FloatArray, positive: bool = False) -> Score:
        """Return what the data say of columns (K, m, q) whose coefficients have the prior standard deviations (q,).

        `positive` says that a single coefficient cannot be negative: its prior is then the positive half of the normal
        distribution, twice as dense, and the evidence changes by the share of the posterior on that side.
        """
        width = len(scale)
        z = np.zeros((len(self.residual), width))
        measured = columns.shape[0] * columns.shape[1]
        z[:measured] = (columns * scale / self.floor[:, None]).reshape(-1, width)
        # the base's unknowns give way by what it can make of the columns
        z -= self.orthonormal @ (self.orthonormal.T @ z)
        gram, pull = z.T @ z, z.T @ self.residual
        inverse = np.linalg.inv(gram + np.eye(width))
        beta = np.linalg.solve(gram + np.eye(width), pull)
        taken = float(2.0 * beta @ pull - beta @ gram @ beta)
        penalty = float(np.linalg.slogdet(np.eye(width) + gram)[1])
        evidence = 0.5 * (taken - float(beta @ beta) - penalty)
        if positive and width == 1:
            evidence += _log_upper_share(float(beta[0]) / float(np.sqrt(inverse[0, 0])))
        return Score(evidence, scale * beta, inverse * np.outer(scale, scale), self.power - taken)


def _log_upper_share(z: float) -> float:
    """Logarithm of twice the standard normal distribution's share below z; far below zero by its asymptote."""
    share = math.erfc(-z / math.sqrt(2.0))
    return math.log(share) if share > 0.0 else -0.5 * z * z - math.log(-z * math.sqrt(0.5 * math.pi))
