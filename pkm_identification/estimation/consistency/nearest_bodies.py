# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Rigid bodies nearest to known ones that have given sums of parameters, as base parameters are.

With the pseudo-inertia J of every body (`pseudo_inertia`) divided by its size on either side, sums of parameters are
linear in J and bodies that can be are a cone: the nearest point of both is found along a central path (`central_path`),
first for bodies that can be at all, then for the nearest of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import null_space

from pkm_identification.errors import NotConverged
from pkm_identification.numerics.arrays import FloatArray

from .central_path import follow_path
from .pseudo_inertia import list_ten_parameters, pseudo_inertia

# Least eigenvalue of a scaled pseudo-inertia, relative to a body of the file's size: far above rounding, and no weight
MARGIN = 1e-7
# Of the heaviest body and the widest: what a body counts as that has less, and one that is nothing, which hardly moves
LIGHTEST, NOTHING = 1e-3, 1e-6
_HELD = (
    1e-4  # what keeps what nothing bounds from growing for ever, against the least eigenvalue that is to grow
)
_SHARP = 1e4  # of distances: a path ends within 3e-4 of its unit
_ROUNDING = 1e-9  # relative: what is known no better
_FILE = 1e-3  # of a squared deviation: what it costs to move a body by its own size from the file's
_CHANCE = 3.0  # deviations of a sum of squares that are beyond chance
_INSIDE = 1e-2  # least eigenvalue to begin with
# Of a body's squared radii of gyration in the file, about its centre of mass, what it keeps at least: a body that is
# nearly a point fits sums as well as the file's where nothing shows its inertia, and can be no body of that size
_KEPT = 0.05


def find_nearest_bodies(
    sums: FloatArray, values: FloatArray, nominal: FloatArray, planar: Sequence[bool], physical: bool = False
) -> FloatArray:
    """Return the bodies' parameters (P,) nearest to nominal ones whose sums have these values.

    Parameters
    ----------
    sums : ndarray, shape (K, P)
        Coefficients, of independent rows.
    values : ndarray, shape (K,)
        SI units.
    nominal : ndarray, shape (P,)
        Body after body: m, mx, my, mz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the frame's origin, or m, mx, my, Izz of a
        planar one.
    planar : sequence of bool
        Of each body.
    physical : bool
        Whether every body must be one that can be; else the nearest values, whatever they are.

    Raises
    ------
    NotConverged
        If no bodies that can be have these sums.
    """
    bodies = _Bodies(nominal, planar, sums, values)
    to_parameters = bodies.matrix()
    rows = sums @ to_parameters
    size = np.linalg.norm(rows, axis=1)
    rows, wanted = rows / size[:, None], values / size
    start = bodies.scale(nominal)
    correction = np.linalg.pinv(rows)

    def meet(point: FloatArray) -> FloatArray:
        return np.asarray(point - correction @ (rows @ point - wanted))

    point = meet(start)
    if physical:
        free = null_space(rows)
        inside, aim = _enter(bodies, free, point), free.T @ (start - point)
        root = _SHARP * np.eye(len(aim))
        found, _ = follow_path(inside, aim, root, bodies.conditions(point, free))
        point = meet(point + free @ found)  # what rounding left, taken out
    return np.asarray(to_parameters @ point)


def find_likeliest_bodies(
    sums: FloatArray, values: FloatArray, covariance: FloatArray, nominal: FloatArray, planar: Sequence[bool]
) -> FloatArray:
    """Return the parameters (P,) of rigid bodies whose sums differ least from values, in their deviations.

    What the sums leave open is as near to nominal values as can be. `covariance` (K, K) is of the values; the rest is
    as of `find_nearest_bodies`.
    """
    bodies = _Bodies(nominal, planar, sums, values)
    to_parameters = bodies.matrix()
    rows, start = sums @ to_parameters, bodies.scale(nominal)
    size = np.linalg.norm(rows, axis=1)
    weight = _weigh(size, values, covariance)
    rows, wanted = rows / size[:, None], values / size
    metric = rows.T @ weight @ rows
    hessian = metric + _FILE * np.eye(len(start))
    aim = np.linalg.solve(hessian, rows.T @ (weight @ wanted) + _FILE * start)
    inside, root = bodies.possible(start, _INSIDE), np.linalg.cholesky((hessian + hessian.T) / 2).T
    point, _ = follow_path(inside, aim, root, bodies.conditions(np.zeros(len(start)), np.eye(len(start))))
    return np.asarray(to_parameters @ point)


def _enter(bodies: _Bodies, free: FloatArray, point: FloatArray) -> FloatArray:
    """Return how far (F,) along free directions bodies can be: their least eigenvalue is made to grow to 1."""
    lowest = bodies.least(point)
    if lowest > MARGIN:
        return np.zeros(free.shape[1])
    # the last unknown is a bound below all eigenvalues
    directions = np.column_stack([free, -bodies.unit()])
    held = np.append(np.full(free.shape[1], _HELD), 1.0)
    begin, aim = np.append(np.zeros(free.shape[1]), lowest - 1.0), np.append(np.zeros(free.shape[1]), 1.0)
    found, _ = follow_path(begin, aim, _SHARP * np.diag(held), bodies.conditions(point, directions))
    along = found[:-1]
    if bodies.least(point + free @ along) > MARGIN:
        return along
    raise NotConverged(
        "no rigid bodies have these sums of parameters; identify with --consistent, with more motion, or with fewer "
        "parameters"
    )


def keep_bodies_of_nothing(
    sums: FloatArray, values: FloatArray, covariance: FloatArray, nominal: FloatArray, planar: Sequence[bool]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return sums, their values and covariance that bodies which are nothing in the file need not have a part in.

    These are the likeliest values without such bodies. Where they differ from `values` by more than chance, a body of
    nothing is contradicted, and sums, values and covariance are returned as they are. Shapes are those of
    `find_likeliest_bodies`.
    """
    something = np.concatenate(
        [np.full(columns.stop - columns.start, np.any(nominal[columns])) for columns in _find_places(planar)]
    )
    left = sums[:, something]
    size = np.linalg.norm(sums, axis=1)
    directions, sizes, _ = np.linalg.svd(left / size[:, None], full_matrices=False)
    range_ = directions[:, sizes > _ROUNDING * sizes.max(initial=0.0)]
    count = len(sums) - range_.shape[1]
    if count == 0 or range_.shape[1] == 0:
        return sums, values, covariance
    weight = _weigh(size, values, covariance)
    spread = np.linalg.inv(range_.T @ weight @ range_)
    likeliest = spread @ (range_.T @ (weight @ (values / size)))
    off = values / size - range_ @ likeliest
    if off @ weight @ off > count + _CHANCE * np.sqrt(2.0 * count):
        return sums, values, covariance
    return range_.T @ (sums / size[:, None]), likeliest, spread


def _weigh(size: FloatArray, values: FloatArray, covariance: FloatArray) -> FloatArray:
    """Return the inverse covariance of values over their sizes; nothing is known better than rounding."""
    floor = np.diag(
        (_ROUNDING * np.maximum(size, np.abs(values))) ** 2
    )  # what is fixed has a deviation of zero
    return np.asarray(np.linalg.inv((covariance + floor) / np.outer(size, size)))


def _find_places(planar: Sequence[bool]) -> list[slice]:
    """Return which parameters are each body's."""
    width = np.array([4 if flat else 10 for flat in planar])
    return [slice(end - one, end) for end, one in zip(np.cumsum(width), width, strict=True)]


class _Bodies:
    """Scaled pseudo-inertias of bodies as one vector: 10 numbers a body, 6 of a planar one.

    Off-diagonal elements count sqrt(2) times, so that lengths of vectors are those of matrices. Bodies that are nothing
    at all in the file stay so, unless sums cannot be had without them. Of a file without any masses the sums say how
    heavy bodies are, and a size is 1 m.
    """

    def __init__(
        self, nominal: FloatArray, planar: Sequence[bool], sums: FloatArray, values: FloatArray
    ) -> None:
        places = _find_places(planar)
        something = [columns for columns in places if np.any(nominal[columns])]
        left = (
            np.concatenate([sums[:, columns] for columns in something], axis=1) if something else sums[:, :0]
        )
        if np.linalg.matrix_rank(left) == len(sums):
            places = something
        self.places, self.count = places, len(nominal)
        parts = [nominal[columns] for columns in places]
        self.order = [3 if len(part) == 4 else 4 for part in parts]
        heaviest = max((float(part[0]) for part in parts), default=0.0)
        least = [LIGHTEST if np.any(part) else NOTHING for part in parts]
        if heaviest == 0.0:
            heaviest, least = float(np.abs(values).max(initial=0.0)) or 1.0, [1.0] * len(parts)
        self.mass = [max(float(part[0]), one * heaviest) for part, one in zip(parts, least, strict=True)]
        radius = [
            np.sqrt(max(float(part[3] if len(part) == 4 else part[4:7].max()), 0.0) / mass)
            for part, mass in zip(parts, self.mass, strict=True)
        ]
        widest = max(radius, default=0.0)
        self.radius = [max(one, LIGHTEST * widest) or 1.0 for one in radius]
        self.kept = [
            _compute_least_spread(_build_pseudo_inertia(part) / self._units(b))
            for b, part in enumerate(parts)
        ]
        widths = np.cumsum([_compute_width(n) for n in self.order])
        self.slices = [slice(end - _compute_width(n), end) for end, n in zip(widths, self.order, strict=True)]

    def _units(self, b: int) -> FloatArray:
        """Return what an element of body b's pseudo-inertia is measured in, as a vector."""
        n, m, r = self.order[b], self.mass[b], self.radius[b]
        one = np.array([r] * (n - 1) + [1.0])
        return m * np.outer(one, one)

    def matrix(self) -> FloatArray:
        """Return what makes parameters (P,) of the vector."""
        total = np.zeros((self.count, self.slices[-1].stop))
        for b, (columns, own, n) in enumerate(zip(self.places, self.slices, self.order, strict=True)):
            units = self._units(b)
            total[columns, own] = np.array(
                [_extract_parameters(_square(one, n) * units) for one in np.eye(_compute_width(n))]
            ).T
        return total

    def scale(self, parameters: FloatArray) -> FloatArray:
        """Return the vector of parameters; of a planar body the moment is shared out evenly."""
        parts = [
            _build_vector(_build_pseudo_inertia(parameters[columns]) / self._units(b))
            for b, columns in enumerate(self.places)
        ]
        return np.concatenate(parts)

    def least(self, vector: FloatArray) -> float:
        """Return the least eigenvalue of all."""
        return min(float(np.linalg.eigvalsh(self._room(vector, b))[0]) for b in range(len(self.order)))

    def _room(self, vector: FloatArray, b: int) -> FloatArray:
        """Return body b's scaled pseudo-inertia without the least spread of its mass: positive if it can be."""
        square = _square(vector[self.slices[b]], self.order[b])
        return np.asarray(square - square[-1, -1] * self.kept[b])

    def possible(self, vector: FloatArray, margin: float) -> FloatArray:
        """Return the nearest vector whose eigenvalues are all at least a margin."""
        result = np.empty_like(vector)
        for columns, n in zip(self.slices, self.order, strict=True):
            values, axes = np.linalg.eigh(_square(vector[columns], n))
            result[columns] = _build_vector((axes * np.maximum(values, margin)) @ axes.T)
        return result

    def unit(self) -> FloatArray:
        """Return the vector of unit matrices."""
        return np.concatenate([_build_vector(np.eye(n)) for n in self.order])

    def conditions(self, point: FloatArray, directions: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
        """Return what `follow_path` takes of bodies that can be, by multiples of directions from a point."""
        stacks = []
        for n in sorted(set(self.order)):
            alike = [b for b, order in enumerate(self.order) if order == n]
            constant = np.stack([self._room(point, b) for b in alike])
            slopes = [[self._room(one, b) for b in alike] for one in directions.T]
            stacks.append((constant, np.array(slopes)))
        return stacks


def _compute_least_spread(pseudo: FloatArray) -> FloatArray:
    """Return what a body keeps of its scaled pseudo-inertia (n, n) about the centre of mass, per scaled mass."""
    kept = np.zeros_like(pseudo)
    mass = pseudo[-1, -1]
    if mass > 0.0:
        first = pseudo[:-1, -1] / mass
        if len(pseudo) == 3:  # in the plane the two are one moment, which is shared out at will
            moment = np.trace(pseudo[:-1, :-1]) / mass - first @ first
            return np.asarray(np.diag([1.0, 1.0, 0.0]) * _KEPT * max(moment, 0.0) / 2)
        spread, axes = np.linalg.eigh(pseudo[:-1, :-1] / mass - np.outer(first, first))
        kept[:-1, :-1] = _KEPT * (axes * np.maximum(spread, 0.0)) @ axes.T
    return kept


def _compute_width(n: int) -> int:
    return n * (n + 1) // 2


def _square(vector: FloatArray, n: int) -> FloatArray:
    square = np.zeros((n, n))
    square[np.tril_indices(n)] = vector
    square = square + square.T
    return np.where(np.eye(n, dtype=bool), square / 2, square / np.sqrt(2))


def _build_vector(square: FloatArray) -> FloatArray:
    n = len(square)
    return np.where(np.eye(n, dtype=bool), square, square * np.sqrt(2))[np.tril_indices(n)]


def _extract_parameters(pseudo: FloatArray) -> FloatArray:
    """Ten parameters of a pseudo-inertia (4, 4), or m, mx, my, Izz of one in the plane (3, 3)."""
    if len(pseudo) == 4:
        return list_ten_parameters(pseudo)
    return np.array([pseudo[2, 2], pseudo[0, 2], pseudo[1, 2], pseudo[0, 0] + pseudo[1, 1]])


def _build_pseudo_inertia(own: FloatArray) -> FloatArray:
    if len(own) == 10:
        return pseudo_inertia(own)
    m, mx, my, turn = own
    return np.array([[turn / 2, 0.0, mx], [0.0, turn / 2, my], [mx, my, m]])
