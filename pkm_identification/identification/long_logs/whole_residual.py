# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What a model leaves of all of long logs, worked off block by block."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.problem import Problem
from pkm_identification.estimation.whitening import Coordinates
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import row_blocks
from pkm_identification.parameters.relations import LinearRelations

BLOCK = 2**13  # equations that are worked off at a time
STRETCH = 1500  # equations: a minute of the usual band


@dataclass(frozen=True)
class WholeResidual:
    """Residual over noise floor, root mean square; degrees of freedom are counted.

    Attributes
    ----------
    per_strut : ndarray, shape (6,)
    worst : float
        Of the stretch of the logs where it is largest, over all struts.
    log : int
        The log that the stretch is of.
    since, until : float
        Stamps in s of its first and last equation.
    """

    per_strut: FloatArray
    worst: float
    log: int
    since: float
    until: float

    def smooth(self, bare: WholeResidual, with_columns: FloatArray) -> WholeResidual:
        """Return the same with what the columns of smoothed friction explain, as told by an excerpt.

        Parameters
        ----------
        bare : WholeResidual
            Of the excerpt, in units of the same floor.
        with_columns : ndarray, shape (6,)
            What its diagnosis, which has the columns, left per strut.
        """
        explained = bare.per_strut**2 - with_columns**2
        worst = np.sqrt(max(self.worst**2 - float(np.mean(explained)), 0.0))
        return replace(
            self, per_strut=np.sqrt(np.maximum(self.per_strut**2 - explained, 0.0)), worst=float(worst)
        )

    @property
    def total(self) -> float:
        """Over all struts."""
        return float(np.sqrt(np.mean(self.per_strut**2)))


def whole_residual(problem: Problem, floor: FloatArray, stretch: int = STRETCH) -> WholeResidual:
    """Return what the model leaves of all equations, in units of a noise floor, as `lack_of_fit.evidence.Base` has it.

    Without the columns of what the low-pass rounds off friction (`diagnosis.smoothing`), which take samples; `smoothed`
    has them.

    Parameters
    ----------
    problem : Problem
        Of the force model, zero-phase.
    floor : ndarray, shape (6,)
        N.
    stretch : int
        Equations of the stretches that are compared.
    """
    view = Coordinates.of(problem.prior, problem.relations or LinearRelations.none(len(problem.parameters)))
    equations, width = problem.equations, len(problem.parameters)
    # the triangle of [columns, measured] of all rows so far; the unknowns are standard normal before the data
    triangle = np.eye(width, width + 1)
    for block in row_blocks(len(equations), BLOCK):
        part = view.equations(equations[block])
        rows = np.concatenate([part.regressor, part.measured[:, :, None]], axis=2) / floor[:, None]
        triangle = np.asarray(
            np.linalg.qr(np.vstack([triangle, rows.reshape(-1, width + 1)]), mode="r"), dtype=float
        )
    values = view.mean(
        np.asarray(np.linalg.solve(triangle[:width, :width], triangle[:width, width]), dtype=float)
    )
    squares = np.empty((len(equations), len(floor)))
    for block in row_blocks(len(equations), BLOCK):
        squares[block] = (equations[block].left(values) / floor) ** 2
    free = 1.0 - width / max(squares.size, width + 1)
    parts = [
        part
        for number in np.unique(problem.log)
        for part in _iterate_equations(np.flatnonzero(problem.log == number), stretch)
    ]
    means = np.array([np.mean(squares[part]) for part in parts]) / free
    worst = parts[int(np.argmax(means))]
    return WholeResidual(
        per_strut=np.sqrt(np.mean(squares, axis=0) / free),
        worst=float(np.sqrt(means.max())),
        log=int(problem.log[worst[0]]),
        since=float(equations.time[worst[0]]),
        until=float(equations.time[worst[-1]]),
    )


def _iterate_equations(own: NDArray[np.int64], stretch: int) -> list[NDArray[np.int64]]:
    """Equations of one log, some `stretch` at a time."""
    return np.array_split(own, max(1, len(own) // stretch))
