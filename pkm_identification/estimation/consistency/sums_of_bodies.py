# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameters that are sums of several bodies' own: physical where some bodies have them.

A mechanism's base parameters w = S phi are sums of the parameters phi of all its bodies. Each body is one that can
exist where its pseudo-inertia is positive definite, a planar one where [[I, h^T], [h, m 1]] is. The set of sums of such
bodies is convex; the nearest of them to an estimate, in its own metric, is found among the bodies (Wensing, Kim and
Slotine 2018), of which those nearest to the machine file's stand for what no motion tells apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet

from .central_path import Projection, follow_path, stack_conditions
from .constraints import Inequality, is_physical
from .pseudo_inertia import list_ten_parameters, pseudo_inertia

# Pull towards the file's bodies: 1e-4 variances for a body that is off by all of its own size
PULL = 1e-2
LEAST = 1e-3  # of a body's own size: what its moments are at least where the path begins
MOVED = 1e-3  # standard deviations: nearer is where the estimate was
PLANAR, SPATIAL = 4, 10  # parameters of a body


@dataclass(frozen=True)
class SumsOfBodies:
    """What bodies and coefficients parameters are sums of.

    Attributes
    ----------
    sums : ndarray, shape (P, F)
        What each of F numbers adds to each parameter.
    start : ndarray, shape (F,)
        Of the machine file.
    scale : ndarray, shape (F,)
        A large change of each.
    bodies : tuple of slice
        Where the ten or four numbers of each body are: m, mx, my, mz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz, or m, mx, my, I.
    positive : tuple of int
        Numbers that must be positive as well, as friction.
    """

    each_body: ClassVar[bool] = False

    sums: FloatArray
    start: FloatArray
    scale: FloatArray
    bodies: Sequence[slice]
    positive: Sequence[int]

    def project(self, values: FloatArray, root: FloatArray) -> Projection:
        """Return the sums of bodies w that minimise |root (w - values)|, of values (P,); see `project`."""
        rows = np.concatenate([root @ self.sums * self.scale, PULL * np.eye(len(self.start))])
        wanted = np.concatenate([root @ values, PULL * self.start / self.scale])
        target = np.linalg.lstsq(rows, wanted, rcond=None)[0]
        conditions = self._conditions()
        if is_physical(conditions, target * self.scale):
            return Projection(values, 0, False)
        begin = self._begin() / self.scale
        found, steps = follow_path(begin, target, rows, stack_conditions(conditions, self.scale))
        moved = self.sums @ (found * self.scale)
        if np.linalg.norm(root @ (moved - values)) < MOVED:
            return Projection(values, steps, False)
        return Projection(moved, steps, True)

    def is_possible(self, _: FloatArray) -> bool:
        """See `Physical`: only the distance in deviations tells."""
        return False

    def name_violations(self, _: FloatArray, __: tuple[str, ...]) -> list[str]:
        """See `Physical`."""
        return []

    def find_sizes(self, parameters: ParameterSet) -> FloatArray:
        """See `Physical`."""
        return parameters.size

    def _conditions(self) -> list[Inequality]:
        width = len(self.start)
        conditions = []
        for columns in self.bodies:
            size = columns.stop - columns.start
            matrices = _PLANAR if size == PLANAR else _SPATIAL
            slopes = np.zeros((width, *matrices.shape[1:]))
            slopes[columns] = matrices
            conditions.append(Inequality("body", np.zeros(matrices.shape[1:]), slopes))
        for k in self.positive:
            conditions.append(Inequality("bound", np.zeros((1, 1)), np.eye(width)[k].reshape(width, 1, 1)))
        return conditions

    def _begin(self) -> FloatArray:
        """Return numbers (F,) of bodies that can exist, near those of the file."""
        begin = self.start.copy()
        for columns in self.bodies:
            own, scale = self.start[columns], self.scale[columns]
            if len(own) == PLANAR:
                mass = max(own[0], LEAST * scale[0])
                first = own[1:3]
                begin[columns] = mass, *first, max(own[3], first @ first / mass + LEAST * scale[3])
                continue
            # in units of the body's size its four axes are alike
            length = np.sqrt(scale[4] / scale[0])
            units = np.array([length, length, length, 1.0])
            values, axes = np.linalg.eigh(pseudo_inertia(own) / np.outer(units, units) / scale[0])
            raised = (axes * np.maximum(values, LEAST)) @ axes.T * scale[0] * np.outer(units, units)
            begin[columns] = list_ten_parameters(raised)
        places = list(self.positive)
        begin[places] = np.maximum(begin[places], LEAST * self.scale[places])
        return begin


def _is_planar(four: FloatArray) -> FloatArray:
    m, x, y, turning = four
    return np.array([[turning, x, y], [x, m, 0.0], [y, 0.0, m]])


_PLANAR = np.array([_is_planar(row) for row in np.eye(PLANAR)])
_SPATIAL = pseudo_inertia(np.eye(SPATIAL))
