# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Equations in blocks of time: what each block says of the unknowns, and what the estimate would be without it.

Without block b the mode moves by -(H - A_b)^-1 g_b, with H the information of data and prior, A_b the block's part of
it and g_b its score (Kuensch 1989). These moves give the deviations by the delete-a-block jackknife, how well motions
that were left out are predicted, and how far halves of the data are apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray

from .mode import Mode, NormalEquations

BLOCK_S = 1.0  # longer than what a residual remembers, short enough for a dozen in most logs
FEWEST_BLOCKS, MOST_BLOCKS = 12, 300  # fewer say little of a deviation, more cost memory and say no more
FOLDS = 5
CHANCE = 3.0  # standard deviations by which noise may make what is left out worse
SELDOM = 1e-3  # of right logs: halves that are further apart


def split_blocks(
    time: FloatArray, segment: NDArray[np.int64], log: NDArray[np.int64]
) -> list[NDArray[np.int64]]:
    """Return the equations of each block: of each log where there are enough, else of about `BLOCK_S`.

    What logs differ by apart from their noise then counts. No block of a length of time reaches across segments or
    logs.
    """
    logs = np.split(np.arange(len(time)), np.flatnonzero(np.diff(log)) + 1)
    if len(logs) >= FEWEST_BLOCKS:
        groups = np.array_split(np.arange(len(logs)), min(len(logs), MOST_BLOCKS))
        return [np.concatenate([logs[k] for k in group]) for group in groups]
    same = (np.diff(segment) == 0) & (np.diff(log) == 0)
    steps = np.diff(time)
    steps = steps[(steps > 0.0) & same]
    if not len(steps):
        return []
    step = float(np.median(steps))
    whole = len(time) * step
    size = max(round(float(np.clip(BLOCK_S, whole / MOST_BLOCKS, whole / FEWEST_BLOCKS)) / step), 1)
    ends = np.flatnonzero(~same) + 1
    runs = np.split(np.arange(len(time)), ends)
    while size > 1 and sum(max(round(len(run) / size), 1) for run in runs) < FEWEST_BLOCKS:
        size -= 1  # what rounding has cost a short log
    return [part for run in runs for part in np.array_split(run, max(round(len(run) / size), 1))]


@dataclass(frozen=True)
class Blocks:
    """What blocks of equations say of the unknowns at the mode.

    Attributes
    ----------
    information : ndarray, shape (p, p)
        Of all data and the prior.
    parts : ndarray, shape (n, p, p)
        Of each block.
    scores : ndarray, shape (n, p)
    power : ndarray, shape (n,)
        Weighted sum of squares of each block's residual.
    rows : ndarray, shape (n,)
        How many values each block has.
    """

    information: FloatArray
    parts: FloatArray
    scores: FloatArray
    power: FloatArray
    rows: FloatArray

    @classmethod
    def of(
        cls, mode: Mode, columns: FloatArray, measured: FloatArray, blocks: list[NDArray[np.int64]]
    ) -> Blocks:
        """Return those of whitened columns (K, m, T) and right sides (K, m)."""
        count, width = len(blocks), mode.slope.shape[1]
        parts, scores = np.empty((count, width, width)), np.empty((count, width))
        power, rows = np.empty(count), np.empty(count)
        for number, chosen in enumerate(blocks):
            own = columns[chosen].reshape(-1, columns.shape[2])
            residual = measured[chosen].ravel() - own @ mode.values
            gram = own.T @ own
            parts[number] = mode.slope.T @ gram @ mode.slope
            scores[number] = mode.slope.T @ (own.T @ residual)
            power[number], rows[number] = residual @ residual, np.count_nonzero(np.any(own, axis=1))
        return cls(mode.information, parts, scores, power, rows)

    def __len__(self) -> int:
        return len(self.power)

    @cached_property
    def moves(self) -> FloatArray:
        """What leaving out each block does to the unknowns, (n, p)."""
        return np.asarray(
            -np.linalg.solve(self.information - self.parts, self.scores[:, :, None])[:, :, 0], dtype=float
        )

    def jackknife(self, views: FloatArray) -> FloatArray:
        """Return the variances (r,) of views (r, p) of the unknowns that the data's scatter gives."""
        moved = self.moves @ views.T
        return np.asarray((len(self) - 1) * np.var(moved, axis=0))

    def compute_held_out_ratios(self, redundancy: float, rough: NDArray[np.bool_]) -> tuple[float, float]:
        """Return the error of fifths of the time that the rest predicts: over the one it expects, and over the fit's.

        In the first each direction counts in its own deviation, of noise and of the rest's values: what a part of the
        motion alone shows, as friction where a log stands only at its end, the rest leaves open, and knows it.

        Parameters
        ----------
        redundancy : float
            Rows per independent one.
        rough : ndarray of bool, shape (p,)
            Unknowns of shapes that are rough ones of what they stand for: they scatter as another fifth that is left
            out as well moves them, and not only by noise.
        """
        folds = np.array_split(np.arange(len(self)), FOLDS)
        parts = np.array([self.parts[fold].sum(axis=0) for fold in folds])
        scores = np.array([self.scores[fold].sum(axis=0) for fold in folds])
        inverse, identity = np.linalg.inv(self.information), np.eye(len(self.information))
        error = unseen = rows = own = free = 0.0
        for number, fold in enumerate(folds):
            part, rest = parts[number], self.information - parts[number]
            move = -np.linalg.solve(rest, scores[number])
            others = np.arange(FOLDS) != number
            left = rest - parts[others], scores[others] - parts[others] @ move
            moves = -np.linalg.solve(left[0], left[1][:, :, None])[:, :, 0]
            moves = (moves - moves.mean(axis=0)) * rough
            covariance = np.linalg.inv(rest) + (len(moves) - 1) / len(moves) * moves.T @ moves
            left_score = scores[number] - part @ move
            expected = left_score @ np.linalg.solve(identity + covariance @ part, covariance @ left_score)
            power, its_rows = float(self.power[fold].sum()), float(self.rows[fold].sum()) / redundancy
            predicted = power - float(2.0 * scores[number] @ move - move @ part @ move)
            unseen, error = unseen + predicted, error + predicted - float(expected)
            own, rows = own + power, rows + its_rows
            free += max(its_rows - float(np.sum(part * inverse)), 0.0)
        if rows * own <= 0.0:
            return 1.0, 1.0
        return float(np.sqrt(max(error, 0.0) * free / (rows * own))), float(np.sqrt(max(unseen, 0.0) / own))

    def compute_held_out_chance(self, redundancy: float) -> float:
        """Return the factor by which noise alone seldom makes the first of `compute_held_out_ratios` more than 1."""
        return float(np.sqrt(1.0 + CHANCE * np.sqrt(2.0 * redundancy / max(float(self.rows.sum()), 1.0))))

    def halves_disagreement(self, views: FloatArray) -> tuple[float, float]:
        """Return how far halves of the time are apart in views (r, p), and what noise alone seldom makes of that.

        The first is the rms of their own deviations, 1 where noise alone makes them differ. Its square then is from the
        F distribution: few of the views are independent, and few blocks tell their deviations.
        """
        first = np.arange(len(self)) < len(self) // 2
        moves, scatters = [], []
        for left_out in (first, ~first):
            inverse = np.linalg.inv(self.information - self.parts[left_out].sum(axis=0))
            moves.append(-inverse @ self.scores[left_out].sum(axis=0))
            kept = self.scores[~left_out] - self.parts[~left_out] @ moves[-1]  # at its own estimate
            of_mean = np.sqrt(len(kept) / (len(kept) - 1))
            scatters.append(of_mean * (kept - kept.mean(axis=0)) @ inverse @ views.T)
        apart = views @ (moves[0] - moves[1])
        return compare_with_scatter(apart, np.concatenate(scatters), len(self) - 2, SELDOM)


def compare_with_scatter(
    apart: FloatArray, scatter: FloatArray, free: int, seldom: float
) -> tuple[float, float]:
    """Return the rms of differences (r,) in their deviations, 1 by noise alone, and what that seldom makes of it.

    Parameters
    ----------
    apart : ndarray, shape (r,)
    scatter : ndarray, shape (n, r)
        What blocks add to each, about their mean: the sum of squares is a variance.
    free : int
        How many of the blocks are independent.
    seldom : float
        Share of right data.
    """
    std = np.sqrt(np.sum(scatter**2, axis=0))
    seen = std > 0.0
    if not np.any(seen):
        return 0.0, 0.0
    from scipy.special import fdtri  # here: most of what imports this does not need it

    scatter, apart = scatter[:, seen] / std[seen], apart[seen] / std[seen]
    independent = len(apart) ** 2 / float(np.sum((scatter @ scatter.T) ** 2))
    expected = free / (free - 2)
    limit = fdtri(independent, free, 1.0 - seldom)
    return float(np.sqrt(np.mean(apart**2) / expected)), float(np.sqrt(limit / expected))


def form_normal_equations(
    columns: FloatArray, measured: FloatArray, origin: FloatArray | None = None
) -> NormalEquations:
    """Return the products of whitened columns (K, m, T) and right sides (K, m), about an origin (T,) if given."""
    rows, side = columns.reshape(-1, columns.shape[2]), measured.ravel()
    at = np.zeros(rows.shape[1]) if origin is None else origin
    left = side - rows @ at
    return NormalEquations(rows.T @ rows, rows.T @ left, float(left @ left), at)
