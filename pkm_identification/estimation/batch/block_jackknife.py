# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Deviations of a fit by a model that does not fit: how far estimates without a second of the data lie from all of it.

Without block b the estimate moves by -(H - A_b)^-1 g_b, with H the information of all equations and of the prior, A_b
the block's part of it and g_b its score; (n - 1) / n times the scatter of these moves is the delete-a-block jackknife
(Kuensch 1989). It knows what the sandwich (`sandwich`) leaves out, that few equations with much leverage bend a fit
towards themselves: of nine motions of a UR10e the sandwich states .8 of the estimates' spread, this 1.0.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray

from ..problem import Fit, Problem

BLOCK_S = 1.0  # longer than what is left of a motion remembers, short enough for a dozen in most logs
FEWEST_BLOCKS, MOST_BLOCKS = 12, 600  # fewer say little of a deviation, more cost memory and say no more


def with_block_jackknife(problem: Problem, fit: Fit) -> Fit:
    """Return a fit of all equations alike whose deviations are at least those of the jackknife.

    Correlations stay; of each parameter the larger deviation is kept. The fit itself where there are too few equations.
    """
    std = block_jackknife(problem, fit)
    if std is None:
        return fit
    own = np.sqrt(np.diag(fit.covariance))
    wider = np.maximum(std / own, 1.0)
    return replace(fit, covariance=fit.covariance * np.outer(wider, wider))


def block_jackknife(problem: Problem, fit: Fit) -> FloatArray | None:
    """Return standard deviations (P,) of a fit in SI units by leaving out one block of time after the other."""
    equations, scale = problem.equations, problem.prior.std
    columns = equations.regressor * scale
    residual = equations.measured - equations.regressor @ fit.mean
    weighted = np.linalg.inv(fit.noise) / problem.redundancy @ columns
    width = len(scale)
    blocks = _blocks(equations.time, equations.segment)
    if len(blocks) < FEWEST_BLOCKS:
        return None
    parts = [columns[one].reshape(-1, width).T @ weighted[one].reshape(-1, width) for one in blocks]
    scores = [weighted[one].reshape(-1, width).T @ residual[one].ravel() for one in blocks]
    whole = np.eye(width) + np.sum(parts, axis=0)
    moves = np.array(
        [np.linalg.solve(whole - part, score) for part, score in zip(parts, scores, strict=True)]
    )
    count = len(moves)
    return np.asarray(scale * np.sqrt((count - 1) * np.var(moves, axis=0)))


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
