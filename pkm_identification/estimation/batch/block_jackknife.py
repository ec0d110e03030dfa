# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Deviations of a fit by a model that does not fit: how far estimates without a second of the data lie from all of it.

Without block b the estimate moves by -(H - A_b)^-1 g_b, with H the information of all equations, relations and of the
prior, A_b the block's part of it and g_b its score; (n - 1) / n times the scatter of these moves is the delete-a-block
jackknife (Kuensch 1989). It knows what the sandwich (`sandwich`) leaves out, that a block with much leverage bends a
fit towards itself: of nine motions of a UR10e the sandwich states .8 of the estimates' spread, this 1.0. Where no block
has much, both state the same.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray

from ..problem import Fit, Problem

BLOCK_S = 1.0  # longer than what is left of a motion remembers, short enough for a dozen in most logs
FEWEST_BLOCKS, MOST_BLOCKS = 12, 600  # fewer say little of a deviation, more cost memory and say no more
MUCH = 0.5  # of what is known of some direction: of a block that has less, the larger part of its residual is seen


def with_block_jackknife(problem: Problem, fit: Fit) -> Fit:
    """Return a fit of all equations alike whose deviations are at least those of the jackknife.

    Correlations stay; of each parameter the larger deviation is kept. The fit itself where no block has much leverage
    or there are too few.
    """
    parts, scores = _split(problem, fit)
    if len(parts) < FEWEST_BLOCKS or _largest_leverage(problem, parts) < MUCH:
        return fit
    own = np.sqrt(np.diag(fit.covariance))
    wider = np.maximum(_scatter(problem, parts, scores) / own, 1.0)
    return replace(fit, covariance=fit.covariance * np.outer(wider, wider))


def block_jackknife(problem: Problem, fit: Fit) -> FloatArray:
    """Return standard deviations (P,) of a fit in SI units by leaving out one block of time after the other."""
    return _scatter(problem, *_split(problem, fit))


def _split(problem: Problem, fit: Fit) -> tuple[FloatArray, FloatArray]:
    """Return information (n, P, P) and scores (n, P) of the blocks, in units of the prior's deviations."""
    equations, scale = problem.equations, problem.prior.std
    weight, width = np.linalg.inv(fit.noise) / problem.redundancy, len(scale)
    blocks = _blocks(equations.time, equations.segment)
    parts, scores = np.empty((len(blocks), width, width)), np.empty((len(blocks), width))
    for number, rows in enumerate(blocks):
        columns = equations.regressor[rows] * scale
        weighted = (weight @ columns).reshape(-1, width).T
        parts[number] = weighted @ columns.reshape(-1, width)
        scores[number] = weighted @ (equations.measured[rows] - equations.regressor[rows] @ fit.mean).ravel()
    return parts, scores


def _information(problem: Problem, parts: FloatArray) -> FloatArray:
    """Return what blocks, relations and prior know (P, P)."""
    whole = np.eye(parts.shape[1]) + parts.sum(axis=0)
    if problem.relations is not None:
        rows = problem.relations.rows * problem.prior.std
        whole += rows.T @ rows
    return whole


def _largest_leverage(problem: Problem, parts: FloatArray) -> float:
    """Return the largest share that a block has in what is known of some direction."""
    root = np.linalg.inv(np.linalg.cholesky(_information(problem, parts)))
    return max(float(np.linalg.eigvalsh(root @ part @ root.T)[-1]) for part in parts)


def _scatter(problem: Problem, parts: FloatArray, scores: FloatArray) -> FloatArray:
    whole = _information(problem, parts)
    moves = np.linalg.solve(whole - parts, scores[:, :, None])[:, :, 0]
    return np.asarray(problem.prior.std * np.sqrt((len(moves) - 1) * np.var(moves, axis=0)))


def _blocks(time: FloatArray, segment: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return indices of the equations of each block; none reaches across segments."""
    steps = np.diff(time)
    steps = steps[(steps > 0.0) & (np.diff(segment) == 0)]
    if not len(steps):
        return []
    whole = len(time) * float(np.median(steps))
    length = np.clip(BLOCK_S, whole / MOST_BLOCKS, whole / FEWEST_BLOCKS)
    size = max(round(length / float(np.median(steps))), 1)
    blocks = []
    for one in np.unique(segment):
        rows = np.flatnonzero(segment == one)
        blocks += np.array_split(rows, max(round(len(rows) / size), 1))
    return blocks
