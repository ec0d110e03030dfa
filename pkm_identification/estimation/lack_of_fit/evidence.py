# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Evidence for further columns in a linear model: do the data ask for them, of what size, and what would they change?

The base y = X v + e, v standard normal before the data, is worked off once by an orthonormal basis of [X; 1]. What a
hypothesis adds are columns Z whose coefficients b = S beta have the prior standard deviations S. With z = (1 - P) Z S,
r = (1 - P) y, G = z'z, c = z'r and the variance s2 of the noise,

    beta = (G + s2 1)^-1 c ,      cov = s2 (G + s2 1)^-1 ,
    evidence = (|r|^2 - |r - z beta|^2 - s2 |beta|^2) / (2 s2) - 1/2 log det(1 + G / s2) ,

the logarithm of the ratio of the marginal likelihoods with and without the columns (MacKay 1992). The determinant is
the penalty for what the columns could have explained, so that one column and forty compete fairly. The noise is that
of pure error, what even all hypotheses together leave (`saturated`), times the rows per independent row
(`correlation`): the residual of a model that lacks something else would drown what is looked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray

from .correlation import correlation_time

DECISIVE = 10.0  # log evidence: odds of 20 000 to 1
LEAST_NOISE = 1e-4  # in the square, relative to the floor: below it numbers are rounding


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
    moved : ndarray, shape (P,)
        What the base's own unknowns v change by.
    """

    evidence: float
    coefficients: FloatArray
    covariance: FloatArray
    left: float
    moved: FloatArray

    @property
    def std(self) -> FloatArray:
        """Standard deviations of the coefficients, shape (q,)."""
        return np.sqrt(np.diag(self.covariance))


@dataclass(frozen=True)
class Remainder:
    """What a linear model leaves of its data.

    Attributes
    ----------
    residual : ndarray, shape (n + P,)
        Of the data, and of the model's prior.
    floor : ndarray, shape (m,) or (K, m)
        By which the rows of each output were divided, of each equation where it is not the same in all.
    segment : ndarray of int64, shape (K,)
        n = K m.
    unknowns : int
        P.
    """

    residual: FloatArray
    floor: FloatArray
    segment: NDArray[np.int64]
    unknowns: int

    @property
    def rows(self) -> int:
        """Values that were measured."""
        return len(self.segment) * self.floor.shape[-1]

    @property
    def left(self) -> FloatArray:
        """The residual of what was measured, shape (K, m), in units of the floor."""
        return self.residual[: self.rows].reshape(len(self.segment), -1)

    @property
    def power(self) -> float:
        """Sum of squares of the residual, the prior's among them."""
        return float(self.residual @ self.residual)

    @property
    def ratio(self) -> FloatArray:
        """Residual over floor of each output, root mean square, shape (m,); degrees of freedom are counted."""
        free = 1.0 - self.unknowns / max(self.rows, self.unknowns + 1)
        return np.sqrt(np.mean(self.left**2, axis=0) / free)

    @property
    def total_ratio(self) -> float:
        """The same over all outputs."""
        return float(np.sqrt(np.mean(self.ratio**2)))

    @property
    def correlation(self) -> float:
        """Rows per independent one, of the residual."""
        return correlation_time(self.left, self.segment)

    @property
    def pure_error(self) -> float:
        """Variance of the residual per independent row, in units of the floor's."""
        return max(self.correlation * self.total_ratio**2, LEAST_NOISE)


@dataclass(frozen=True)
class Base(Remainder):
    """A linear model worked off its data.

    Attributes
    ----------
    orthonormal : ndarray, shape (n + P, P)
    triangle : ndarray, shape (P, P)
        [X; 1] = orthonormal @ triangle.
    pulls : ndarray, shape (P,)
        Part of the data along the orthonormal basis.
    """

    orthonormal: FloatArray
    triangle: FloatArray
    pulls: FloatArray

    @classmethod
    def of(
        cls, columns: FloatArray, measured: FloatArray, floor: FloatArray, segment: NDArray[np.int64]
    ) -> Base:
        """Work off a model.

        Parameters
        ----------
        columns : ndarray, shape (K, m, P)
            For unknowns that are standard normal before the data.
        measured : ndarray, shape (K, m)
        floor : ndarray, shape (m,) or (K, m)
            Standard deviation of the noise of each output, of each equation where it is not the same in all.
        segment : ndarray of int64, shape (K,)
        """
        width = columns.shape[2]
        rows = (columns / floor[..., None]).reshape(-1, width)
        orthonormal, triangle = np.linalg.qr(np.vstack([rows, np.eye(width)]))
        target = np.concatenate([(measured / floor).ravel(), np.zeros(width)])
        pulls = orthonormal.T @ target
        return cls(target - orthonormal @ pulls, floor, segment, width, orthonormal, triangle, pulls)

    @property
    def solution(self) -> FloatArray:
        """The unknowns v, shape (P,)."""
        return np.asarray(np.linalg.solve(self.triangle, self.pulls), dtype=float)

    def split(self, columns: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What the base cannot make of columns (K, m, q), shape (n + P, q), and its part along the basis (P, q)."""
        width = columns.shape[2]
        rows = np.zeros((len(self.residual), width))
        rows[: self.rows] = (columns / self.floor[..., None]).reshape(-1, width)
        projections = self.orthonormal.T @ rows
        return rows - self.orthonormal @ projections, projections

    def score(self, columns: FloatArray, scale: FloatArray, noise: float, positive: bool = False) -> Score:
        """Return what the data say of columns (K, m, q) whose coefficients have the prior standard deviations (q,).

        `noise` is the variance of the noise per independent row, in units of the floor's (`pure_error` of the saturated
        model). `positive` says that a single coefficient cannot be negative: its prior is then the positive half of the
        normal distribution, twice as dense, and the evidence changes by the share of the posterior on that side.
        """
        # the base's unknowns give way by what it can make of the columns
        z, projections = self.split(columns * scale)
        moves = np.asarray(np.linalg.solve(self.triangle, projections), dtype=float)
        return weigh_columns(z.T @ z, z.T @ self.residual, self.power, moves, scale, noise, positive)

    def extend(self, columns: FloatArray, scale: FloatArray) -> Base:
        """Return the base with the columns (K, m, q) among its own, their prior among its priors."""
        width, own = len(scale), self.triangle.shape[0]
        size = len(self.residual) + width
        stacked = np.zeros((size, width))
        # in place: of all candidates at once every copy takes as much memory as they do
        rows = stacked[: self.rows].reshape(columns.shape)
        np.multiply(columns, scale, out=rows)
        rows /= self.floor[..., None]
        stacked[len(self.residual) :] = np.eye(width)
        orthonormal = np.vstack([self.orthonormal, np.zeros((width, own))])
        share = orthonormal.T @ stacked
        stacked -= orthonormal @ share
        z, corner = np.linalg.qr(stacked)
        del stacked, rows
        triangle = np.block([[self.triangle, share], [np.zeros((width, own)), corner]])
        orthonormal = np.hstack([orthonormal, z])
        target = np.concatenate([self.residual, np.zeros(width)])
        pulls = z.T @ target
        return Base(
            target - z @ pulls, self.floor, self.segment, own + width,
            orthonormal, triangle, np.append(self.pulls, pulls),
        )  # fmt: skip


def weigh_columns(
    gram: FloatArray,
    pull: FloatArray,
    power: float,
    moves: FloatArray,
    scale: FloatArray,
    noise: float,
    positive: bool,
) -> Score:
    """Return what the data say of columns by their products.

    Parameters
    ----------
    gram, pull : ndarray, shapes (q, q) and (q,)
        Of what the base cannot make of the columns, times their prior standard deviations: with itself, and with the
        base's residual.
    power : float
        Sum of squares of that residual.
    moves : ndarray, shape (P, q)
        By which unknowns of the base it makes the rest of each column.
    scale, noise, positive
        As of `Base.score`.
    """
    identity = np.eye(len(scale))
    beta = np.linalg.solve(gram + noise * identity, pull)
    inverse = np.linalg.inv(gram + noise * identity)
    taken = float(2.0 * beta @ pull - beta @ gram @ beta)
    gain = taken / noise - float(beta @ beta)
    penalty = float(np.linalg.slogdet(identity + gram / noise)[1])
    evidence = 0.5 * (gain - penalty)
    if positive and len(scale) == 1:
        evidence += _log_upper_share(float(beta[0]) / float(np.sqrt(noise * inverse[0, 0])))
    return Score(
        evidence=evidence,
        coefficients=scale * beta,
        covariance=noise * inverse * np.outer(scale, scale),
        left=power - taken,
        moved=-np.asarray(moves @ beta, dtype=float),
    )


def _log_upper_share(z: float) -> float:
    """Logarithm of twice the standard normal distribution's share below z; far below zero by its asymptote."""
    share = math.erfc(-z / math.sqrt(2.0))
    return math.log(share) if share > 0.0 else -0.5 * z * z - math.log(-z * math.sqrt(0.5 * math.pi))
