# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whether parts of the data say the same: an error of the model that repeats with the motion makes them differ.

Noise alone makes estimates from fast and from slow motion, from large and small forces, or from the lower and the upper
half of the band differ by as much as their scatter over time says. A model that is wrong makes them differ by more, and
no length of the log averages that out (Hausman 1978, Econometrica 46, 1251: specification tests). What they differ by
beyond chance is a deviation of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray

from .blocks import compare_with_scatter
from .mode import Mode

CHANCE = 2.5  # deviations by which noise alone makes parts differ, in seven contrasts of some dozen values
LOW = np.array([0.25, 0.5, 0.25])  # of three equations in a row; the upper half of the band alternates
PASSED = float(LOW @ LOW)  # of white noise
OFTEN = 0.05  # of right data: some contrast is larger by chance
ROUNDING = 1e-9  # of an unknown's information: what a part sees less of, it does not see


@dataclass(frozen=True)
class Contrasts:
    """Differences of the unknowns between two parts of the data.

    Attributes
    ----------
    moves : ndarray, shape (c, n, p)
        What each block adds to each.
    covariances : ndarray, shape (c, 2, p, p)
        Of the unknowns by either part with the prior.
    """

    moves: FloatArray
    covariances: FloatArray

    @classmethod
    def of(
        cls,
        mode: Mode,
        columns: FloatArray,
        residual: FloatArray,
        blocks: list[NDArray[np.int64]],
        parts: Sequence[NDArray[np.bool_]],
        inside: NDArray[np.bool_],
    ) -> Contrasts:
        """Return those of whitened columns (K, m, T) and their residual (K, m).

        Parameters
        ----------
        mode : Mode
        columns, residual : ndarray
        blocks : list of ndarray
            Equations of each block.
        parts : sequence of ndarray of bool, shape (K, m)
            One of two parts of each contrast by motion.
        inside : ndarray of bool, shape (K,)
            Which equations have their neighbours in time before and behind them.
        """
        design = (columns.reshape(-1, columns.shape[2]) @ mode.slope).reshape(*columns.shape[:2], -1)
        number = np.full(len(residual), -1)
        for k, own in enumerate(blocks):
            number[own] = k
        whole = mode.information - np.eye(len(mode.unknowns))
        scores = _sum_scores(design, residual, number, len(blocks))
        pairs = []
        for part in parts:
            rows = design[part]
            gram = rows.T @ rows
            its = _sum_scores(design, residual * part, number, len(blocks))
            pairs.append(((gram, its), (whole - gram, scores - its)))
        low, high = (
            _form_half(values, its_residual, number, len(blocks))
            for values, its_residual in zip(_filter(design, inside), _filter(residual, inside), strict=True)
        )
        solved = [_solve_parts(*pair) for pair in (*pairs, (low, high))]
        return cls(np.array([one for one, _ in solved]), np.array([one for _, one in solved]))

    def find_model_deviations(self, views: FloatArray) -> FloatArray:
        """Return the deviations (r,) of views (r, p) of the unknowns by what parts of the data disagree about.

        Errors of the model in two parts are taken to be in proportion to what noise would make of each: a part that
        hardly sees a number says little of it, right or wrong.
        """
        moves = self.moves @ views.T
        apart = moves.sum(axis=1) ** 2
        chance = moves.shape[1] * np.var(moves, axis=1, ddof=1)
        variances = np.einsum("rp,ckpq,rq->ckr", views, self.covariances, views)
        of_all = np.prod(variances, axis=1) / np.maximum(variances.sum(axis=1), np.finfo(float).tiny) ** 2
        beyond = np.maximum(apart - CHANCE**2 * chance, 0.0)
        return np.asarray(np.sqrt(np.max(of_all * beyond, axis=0)))

    def agree(self, views: FloatArray) -> bool:
        """Return whether parts of the data say no more different things of views (r, p) than noise alone makes them.

        Each contrast is judged as halves of the time are; of right data `OFTEN` have one that disagrees.
        """
        count = len(self.moves[0])
        for each in self.moves @ views.T:
            scatter = np.sqrt(count / (count - 1)) * (each - each.mean(axis=0))
            own, limit = compare_with_scatter(each.sum(axis=0), scatter, count - 1, OFTEN / len(self.moves))
            if own > limit:
                return False
        return True


def _sum_scores(
    design: FloatArray, residual: FloatArray, number: NDArray[np.int64], count: int
) -> FloatArray:
    """Return what each block's equations say of the unknowns, (n, p)."""
    each = np.einsum("kmp,km->kp", design, residual)
    summed = np.zeros((count, design.shape[2]))
    np.add.at(summed, number[number >= 0], each[number >= 0])
    return summed


def _filter(values: FloatArray, inside: NDArray[np.bool_]) -> Iterator[FloatArray]:
    """Yield the lower and the upper half of the band of values (K, ...) that follow in time."""
    own, neighbours = LOW[1] * values, np.zeros_like(values)
    neighbours[1:-1] = LOW[0] * (values[:-2] + values[2:])
    own[~inside] = neighbours[~inside] = 0.0
    yield own + neighbours
    yield own - neighbours


def _form_half(
    design: FloatArray, residual: FloatArray, number: NDArray[np.int64], count: int
) -> tuple[FloatArray, FloatArray]:
    """Return the information (p, p) and scores (n, p) of half a band."""
    rows = design.reshape(-1, design.shape[2])
    return rows.T @ rows / PASSED, _sum_scores(design, residual, number, count) / PASSED


def _solve_parts(
    first: tuple[FloatArray, FloatArray], second: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return what each block adds to the difference of the unknowns by two parts, (n, p), and their covariances.

    What a part does not see stays as all data have it: the prior is about the mode.
    """
    each, covariances = np.zeros_like(first[1]), []
    for sign, (gram, scores) in ((1.0, first), (-1.0, second)):
        covariances.append(np.linalg.inv(gram + np.diag(1.0 + ROUNDING * np.diag(gram))))
        each += sign * scores @ covariances[-1]
    return each, np.array(covariances)
