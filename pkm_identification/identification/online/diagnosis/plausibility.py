# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whether what was learned could be some machine's.

The physical parameters are a convex set, so that every vector v gives a half space v' F(w) v > 0 that holds all of
them (`estimation.consistency.constraints`). An estimate that lies outside of one by more than it could by chance is no
machine's. Looking along a few v costs little; the nearest machine itself is a minimisation (`physical_verdict`). Where
F(w) is positive definite, no v need be looked along.

Of a machine whose parameters are sums over bodies, which say of no single body whether it can be, the mass that its
drives move at home must be positive, and friction of each drive must resist.
"""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import PkmError
from pkm_identification.estimation.consistency.constraints import Inequality, describe_violation, inequalities
from pkm_identification.estimation.consistency.layout import Layout
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.motions import compute_rest
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import lower_cholesky
from pkm_identification.parameters.parameter_set import ParameterSet


def find_physical_layout(machine: Machine, parameters: ParameterSet) -> Layout | None:
    """Return what each parameter must be so that some body has them all.

    None where the machine cannot say (it has no `build_physical_layout`), or a part of a body is fixed or tied.
    """
    build = getattr(machine, "build_physical_layout", None)
    if build is None:
        return None
    try:
        layout: Layout = build(parameters)
    except PkmError:
        return None
    return layout


# Standard deviations outside; twenty conditions are looked at as long as the stream lasts, and friction that is not
# there lies on its bound.
BEYOND = 4.0
# Part of a parameter's physical scale that no verdict rests on: with sensors of nearly no noise, deviations are smaller
# than what numerics and the low-passes leave, and friction that is not there lies as often below zero as above.
NEGLIGIBLE = 1e-3
# The same until a verdict, while deviations are the data's alone: a centre of mass that is guessed and not estimated
# moves moments of inertia by several percent, to where no body has them.
UNJUDGED = 0.1


def add_allowance(covariance: FloatArray, parameters: ParameterSet, share: float = NEGLIGIBLE) -> FloatArray:
    """Return a covariance (P, P) whose deviations are at least this share of each parameter's scale."""
    return np.asarray(covariance + np.diag((share * parameters.size) ** 2))


@kernel
def _mark_broken_conditions(constant, rows, sizes, values, broken):
    """Note which conditions' matrices are not positive definite at parameters (P,); whether there are any.

    Entry e of the lower triangles, of one after the other and row by row, is constant[e] + rows[e] values; `sizes` are
    the matrices'.
    """
    largest = sizes.max()
    matrix = np.empty((largest, largest))
    some, entry = False, 0
    for n in range(sizes.size):
        size = sizes[n]
        for i in range(size):
            for j in range(i + 1):
                matrix[i, j] = constant[entry]
                for k in range(values.size):
                    matrix[i, j] += rows[entry, k] * values[k]
                entry += 1
        broken[n] = not lower_cholesky(matrix[:size, :size], matrix[:size, :size])
        some = some or broken[n]
    return some


class Plausibility:
    """Judges estimates of one parameter set.

    Parameters
    ----------
    machine : Machine
    parameters : ParameterSet
        Where a part of a body is fixed or tied, or stands for parts of several, drives alone are judged.
    """

    def __init__(self, machine: Machine, parameters: ParameterSet) -> None:
        self._machine, self._parameters = machine, parameters
        self._layout = find_physical_layout(machine, parameters)
        if self._layout is None:
            self._conditions = build_drive_conditions(machine, parameters)
        else:
            self._conditions = inequalities(self._layout)
        if not self._conditions:
            return
        triangles = [np.tril_indices(len(one.constant)) for one in self._conditions]
        pairs = list(zip(self._conditions, triangles, strict=True))
        self._constant = np.concatenate([one.constant[triangle] for one, triangle in pairs])
        slopes = [one.slopes[:, triangle[0], triangle[1]] for one, triangle in pairs]
        self._rows = np.ascontiguousarray(np.hstack(slopes).T)
        self._sizes = np.array([len(one.constant) for one in self._conditions])
        self._broken = np.empty(len(self._conditions), dtype=np.bool_)

    def judge(self, estimate: ParameterEstimate, total: bool = True) -> str:
        """Return the worst of what is impossible about an estimate, for people; empty if nothing is.

        Of one whose deviations are not `total`, because nothing was judged yet, more is possible (`UNJUDGED`).
        """
        values = estimate.values
        if not self._conditions:
            return ""
        if not _mark_broken_conditions(self._constant, self._rows, self._sizes, values, self._broken):
            return ""
        share = NEGLIGIBLE if total else UNJUDGED
        covariance = add_allowance(estimate.covariance, self._parameters, share)
        beyond: list[tuple[float, Inequality]] = []
        for size in np.unique(self._sizes[self._broken]):
            same = np.flatnonzero(self._broken & (self._sizes == size))
            conditions = [self._conditions[k] for k in same]
            beyond += [
                (deviations, condition)
                for deviations, condition in zip(
                    _compute_distance_outside(conditions, values, covariance), conditions, strict=True
                )
                if deviations > BEYOND
            ]
        if not beyond:
            return ""
        deviations, worst = max(beyond, key=lambda one: one[0])
        if self._layout is None:
            text = _describe_drive(self._machine, worst, values)
        else:
            text = describe_violation(self._layout, worst, values)
        return f"{text}, {deviations:.2g} standard deviations from what is possible"


_MASS = "mass of the drives"
_RESISTING = ("viscous", "coulomb")  # coefficients of friction laws, which take power from the machine


def build_drive_conditions(machine: Machine, parameters: ParameterSet) -> list[Inequality]:
    """Return that the drives' mass matrix at home is positive definite, and that friction of each drive resists."""
    rest = compute_rest(machine, machine.home[None])
    columns = [*parameters.mapping.T, parameters.known]
    mass = np.array([machine.compute_mass_and_bias(rest, column)[0][0] for column in columns])
    conditions = [Inequality(_MASS, mass[-1], mass[:-1])] if mass[:-1].any() else []
    for drive, friction, rows in zip(machine.drives, machine.friction, machine.friction_rows.T, strict=True):
        for name, row in zip(friction.law.names, rows, strict=False):
            slopes = parameters.mapping[row]
            if row >= 0 and name in _RESISTING and slopes.any():
                title = f"{name} friction of {drive.title}"
                conditions.append(
                    Inequality(title, np.full((1, 1), parameters.known[row]), slopes[:, None, None])
                )
    return conditions


def _describe_drive(machine: Machine, condition: Inequality, values: FloatArray) -> str:
    matrix = condition.matrix(values)
    if condition.body != _MASS:
        return f"{condition.body} is {matrix[0, 0]:.4g}, must be greater than 0"
    least = int(np.argmin(np.diag(matrix)))
    drive = machine.drives[least]
    if matrix[least, least] > 0.0:
        return "the mass that the drives move at home is negative in some direction, must be greater than 0"
    unit = "kg m^2" if drive.unit == "rad" else "kg"
    return f"the mass that {drive.title} moves at home is {matrix[least, least]:.4g} {unit}, must be greater than 0"


def _compute_distance_outside(
    conditions: list[Inequality], values: FloatArray, covariance: FloatArray
) -> list[float]:
    """By how many standard deviations, at least, parameters lie outside of conditions on matrices of one size."""
    constant = np.array([one.constant for one in conditions])
    slopes = np.array([one.slopes for one in conditions])
    count, size = constant.shape[:2]
    # the parameters last, for one product with all of them
    slopes = slopes.reshape(count, len(values), -1).transpose(0, 2, 1)
    matrix = constant + (slopes @ values).reshape(constant.shape)
    # the diagonal entries are what has a name (a mass, a moment); the eigenvectors what is most wrong
    axes = np.broadcast_to(np.eye(size), constant.shape)
    vectors = np.concatenate([np.linalg.eigh(matrix)[1].transpose(0, 2, 1), axes], axis=1)
    squares = (vectors[..., :, None] * vectors[..., None, :]).reshape(count, 2 * size, -1)
    margin = (squares @ matrix.reshape(count, -1, 1))[..., 0]
    slopes = squares @ slopes
    variance = np.sum((slopes @ covariance) * slopes, axis=-1)
    outside: list[float] = np.max(-margin / np.sqrt(np.maximum(variance, 1e-300)), axis=1).tolist()
    return outside
