"""Whether what was learned could be some machine's.

The physical parameters are a convex set, so that every vector v gives a half space v' F(w) v > 0 that holds all of
them (`estimation.consistency.constraints`). An estimate that lies outside of one by more than it could by chance is no
machine's. Looking along a few v costs little; the nearest machine itself is a minimisation (`physical_verdict`).
"""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.estimation.consistency.constraints import Inequality, inequalities, violated
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.physical_layout import physical_layout
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet

# Standard deviations outside; twenty conditions are looked at as long as the stream lasts, and friction that is not
# there lies on its bound.
BEYOND = 4.0


class Plausibility:
    """Judges estimates of one parameter set.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
        Where a part of a body is fixed or tied, nothing is judged.
    """

    def __init__(self, machine: Machine, parameters: ParameterSet) -> None:
        self._groups: list[_Group] = []
        try:
            self._layout = physical_layout(machine, parameters)
        except PkmError:
            return
        conditions = inequalities(self._layout)
        for size in sorted({len(condition.constant) for condition in conditions}):
            self._groups.append(_Group([one for one in conditions if len(one.constant) == size]))

    def judge(self, estimate: ParameterEstimate) -> str:
        """The worst of what is impossible about an estimate, for people; empty if nothing is."""
        broken: list[tuple[float, Inequality]] = []
        for group in self._groups:
            outside = group.outside(estimate.values, estimate.covariance)
            broken += [
                (float(outside[k]), group.conditions[k]) for k in np.nonzero(outside > BEYOND)[0].tolist()
            ]
        if not broken:
            return ""
        deviations, worst = max(broken, key=lambda one: one[0])
        text = violated(self._layout, worst, estimate.values)
        return f"{text}, {deviations:.2g} standard deviations from what is possible"


class _Group:
    """Conditions on matrices of one size, looked at together."""

    def __init__(self, conditions: list[Inequality]) -> None:
        self.conditions = conditions
        self._constant = np.array([one.constant.ravel() for one in conditions])
        # the parameters of conditions last, for one product with all of them
        self._slopes = np.array([one.slopes.reshape(len(one.slopes), -1).T for one in conditions])
        size = len(conditions[0].constant)
        self._axes = np.broadcast_to(np.eye(size), (len(conditions), size, size))

    def outside(self, values: FloatArray, covariance: FloatArray) -> FloatArray:
        """By how many standard deviations parameters lie outside of each condition, at least; negative inside."""
        count, size = self._axes.shape[:2]
        matrix = (self._constant + self._slopes @ values).reshape(count, size, size)
        # the diagonal entries are what has a name (a mass, a moment); the eigenvectors what is most wrong
        vectors = np.concatenate([np.linalg.eigh(matrix)[1].transpose(0, 2, 1), self._axes], axis=1)
        squares = (vectors[..., :, None] * vectors[..., None, :]).reshape(count, 2 * size, -1)
        margin = (squares @ matrix.reshape(count, -1, 1))[..., 0]
        slopes = squares @ self._slopes
        variance = np.sum((slopes @ covariance) * slopes, axis=-1)
        return np.asarray(np.max(-margin / np.sqrt(np.maximum(variance, 1e-300)), axis=1))
