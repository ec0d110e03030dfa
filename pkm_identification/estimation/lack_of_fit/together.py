# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Many columns beside a base, worked off it once: their Gram matrix tells of all of them, of some, and of sums of them.

A hundred hypotheses share their columns: each strut's own, all six, and the six as one. What the base cannot make of
them, z, and their products G = z'z and c = z'r are made once; every hypothesis is then a small system. The saturated
model, which takes all of them under their priors, leaves r - z (G + 1)^-1 c. Where columns are so large beside the
floor that their squares lose what is looked for, it is worked off by an orthonormal basis instead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .evidence import Base, Remainder, Score, weigh_columns

LARGEST = 1e10  # entry of G + 1 over the least there can be: half of the digits of a number


@dataclass(frozen=True)
class Together:
    """Columns beside a base by their products.

    Attributes
    ----------
    gram, pull : ndarray, shapes (q, q) and (q,)
        Of what the base cannot make of the columns, times their prior standard deviations: with itself, and with the
        base's residual.
    power : float
        Sum of squares of that residual.
    moves : ndarray, shape (P, q)
        By which unknowns of the base it makes the rest of each column.
    saturated : Remainder
        What all of them together leave, under their priors: pure error.
    """

    gram: FloatArray
    pull: FloatArray
    power: float
    moves: FloatArray
    saturated: Remainder

    @classmethod
    def of(cls, base: Base, columns: FloatArray, scale: FloatArray) -> Together:
        """Work columns (K, m, q) off a base; `scale` (q,) are their coefficients' prior standard deviations."""
        z, projections = base.split(columns * scale)
        gram, pull = z.T @ z, z.T @ base.residual
        width = len(scale)
        if width and np.max(np.diag(gram)) > LARGEST:
            saturated: Remainder = base.extend(columns, scale)
        else:
            system = gram + np.eye(width)
            beta = np.linalg.solve(system, pull)
            # once more with what is left of the equations: squares have half of the digits
            beta += np.linalg.solve(system, z.T @ (base.residual - z @ beta) - beta)
            residual = np.concatenate([base.residual - z @ beta, -beta])
            saturated = Remainder(residual, base.floor, base.segment, base.unknowns + width)
        moves = np.asarray(np.linalg.solve(base.triangle, projections), dtype=float)
        return cls(gram, pull, base.power, moves, saturated)

    def score(self, mixed: FloatArray, scale: FloatArray, noise: float, positive: bool = False) -> Score:
        """Return what the data say of sums `mixed` (q, s) of the scaled columns, as `Base.score` does of columns.

        `scale` (s,) are the prior standard deviations of their coefficients.
        """
        gram = mixed.T @ self.gram @ mixed
        return weigh_columns(gram, self.pull @ mixed, self.power, self.moves @ mixed, scale, noise, positive)
