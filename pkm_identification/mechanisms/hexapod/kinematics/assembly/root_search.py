# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""All real roots of the length equations: Newton from random starts, with a stopping rule that knows topology.

Newton's full steps in Study's coordinates (see `study`), where the equations are quadrics, almost always
arrive. The search goes on until every root was met several times and the roots' signs cancel: the map from
poses to squared lengths is proper and not onto, so its degree is zero and equally many roots have a positive
and a negative determinant. One root missed alone would show.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import invert8
from pkm_identification.numerics.rotation import write_matrix
from pkm_identification.numerics.rows import copy_vector
from pkm_identification.numerics.vector3 import at, cross, dot

from .study_quadrics import Quadrics, certify, derivative, newton_step

CHUNK = 1000  # starts between two looks at the stopping rule
LEAST_STARTS = 2000
MAX_STARTS = 100_000
LEAST_HITS = 10
NEWTON_STEPS = 40
MOST_ROOTS = 40  # isolated poses a hexapod can have (Raghavan 1993; Ronga and Vust 1995)
# Roots nearer than this in Study coordinates are one.
SAME = 1e-6
# A multiple root is only found to about the square root of the rounding, so its finds scatter.
SAME_MULTIPLE = 1e-3
DAMPING = 1e-6
ROOT = 1e-11  # largest error of a squared length at a root that Newton does not settle on


@dataclass(frozen=True)
class Roots:
    """Real roots found, in Study coordinates, with their proofs and how often each was met."""

    z: FloatArray
    hits: NDArray[np.int64]
    certified: NDArray[np.bool_]
    error: FloatArray
    starts: int
    converged: int
    settled: bool
    balanced: bool
    continuum: bool


@kernel
def _start(draw, base, platform, constant, z):
    """A random rotation with the position that fits the differences of squared lengths best."""
    n = np.sqrt(draw[0] ** 2 + draw[1] ** 2 + draw[2] ** 2 + draw[3] ** 2)
    w, x, y, q = draw[0] / n, draw[1] / n, draw[2] / n, draw[3] / n
    r = np.empty((3, 3))
    write_matrix(x, y, q, w, 2.0, r)
    # |x|^2 + 2 x . u_i = L_i^2 - |u_i|^2 with u_i = R p_i - b_i: its differences are linear in x
    u, mean = np.empty((6, 3)), np.zeros(4)
    known = np.empty(6)
    for i in range(6):
        known[i] = constant[i]
        for a in range(3):
            turned = r[a, 0] * platform[i, 0] + r[a, 1] * platform[i, 1] + r[a, 2] * platform[i, 2]
            u[i, a] = turned - base[i, a]
            known[i] -= u[i, a] ** 2
            mean[a] += u[i, a] / 6
        mean[3] += known[i] / 6
    normal, right = np.zeros((3, 3)), np.empty(3)
    for a in range(3):
        # the unit weight on a random point decides what the differences leave open (flat base and platform)
        normal[a, a] = 1.0
        right[a] = draw[4 + a]
    for i in range(6):
        for a in range(3):
            for b in range(3):
                normal[a, b] += 4 * (u[i, a] - mean[a]) * (u[i, b] - mean[b])
            right[a] += 2 * (u[i, a] - mean[a]) * (known[i] - mean[3])
    # positive definite: Cramer's rule is safe
    first, second, third = at(normal, 0), at(normal, 1), at(normal, 2)
    side = (right[0], right[1], right[2])
    volume = dot(first, cross(second, third))
    t = (
        dot(side, cross(second, third)) / volume,
        dot(first, cross(side, third)) / volume,
        dot(first, cross(second, side)) / volume,
    )
    z[0], z[1], z[2], z[3] = w, x, y, q
    z[4] = -0.5 * (t[0] * x + t[1] * y + t[2] * q)
    z[5] = 0.5 * (t[0] * w + t[1] * q - t[2] * y)
    z[6] = 0.5 * (t[1] * w + t[2] * x - t[0] * q)
    z[7] = 0.5 * (t[2] * w + t[0] * y - t[1] * x)


@kernel
def _compute_damped_inverse(matrix, inverse, work):
    """Levenberg's (M'M + m)^-1 M', for geometries whose derivative is singular everywhere."""
    normal, largest = np.empty((8, 8)), 0.0
    for i in range(8):
        for j in range(8):
            normal[i, j] = 0.0
            for k in range(8):
                normal[i, j] += matrix[k, i] * matrix[k, j]
        largest = max(largest, normal[i, i])
    for i in range(8):
        normal[i, i] += DAMPING * largest
    damped = np.empty((8, 8))
    if not invert8(normal, damped, work):
        return False
    for i in range(8):
        for j in range(8):
            inverse[i, j] = 0.0
            for k in range(8):
                inverse[i, j] += damped[i, k] * matrix[j, k]
    return True


@kernel
def _find_worst(form, z, constant):
    worst = 0.0
    for i in range(8):
        value = -constant[i]
        for j in range(8):
            for k in range(8):
                value += 0.5 * form[i, j, k] * z[j] * z[k]
        worst = max(worst, abs(value))
    return worst


@kernel
def _search(form, draws, base, platform, constant, roots, simple, hits, count):
    """Newton from each draw; new roots are appended: (number of roots, starts that converged)."""
    matrix, inverse, work = np.empty((8, 8)), np.empty((8, 8)), np.empty((8, 8))
    step, z = np.empty(8), np.empty(8)
    converged = 0
    for n in range(len(draws)):
        _start(draws[n], base, platform, constant, z)
        size = np.inf
        regular = True
        for _ in range(NEWTON_STEPS):
            derivative(form, z, matrix)
            regular = invert8(matrix, inverse, work)
            if not regular and not _compute_damped_inverse(matrix, inverse, work):
                break
            size = newton_step(matrix, inverse, z, constant, step)
            # longer steps than a unit leave the region where rotations are
            fraction = min(1.0, 1.0 / size) if size > 0.0 else 1.0
            for k in range(8):
                z[k] += fraction * step[k]
            if size < 1e-9:
                break
        is_simple = regular and size < 1e-9
        if not is_simple and not _find_worst(form, z, constant) < ROOT:
            continue
        converged += 1
        index = -1
        for m in range(count):
            minus, plus = 0.0, 0.0
            for k in range(8):
                minus += (roots[m, k] - z[k]) ** 2
                plus += (roots[m, k] + z[k]) ** 2
            near = SAME if is_simple and simple[m] else SAME_MULTIPLE
            if min(minus, plus) < near * near:
                index = m
                break
        if index < 0:
            if count == len(roots):
                return count, converged
            index = count
            count += 1
            copy_vector(z, roots[index])
            simple[index] = is_simple
            hits[index] = 0
        elif is_simple and not simple[index]:
            copy_vector(z, roots[index])
            simple[index] = True
        hits[index] += 1
    return count, converged


def find_all_roots(
    system: Quadrics,
    base: FloatArray,
    platform: FloatArray,
    length: FloatArray,
    seed: int = 0,
    max_starts: int = MAX_STARTS,
) -> Roots:
    """Return all real roots of one geometry and one set of lengths, found from random starts.

    Deterministic for a seed. `certified` roots are proved to exist and to differ from each other.

    Parameters
    ----------
    system : Quadrics
        Of this geometry.
    base, platform : ndarray, shape (6, 3)
        Joint centres in their own frames, m.
    length : ndarray, shape (6,)
        m.
    seed : int
        Of the starts.
    max_starts : int
        After so many the search ends, settled or not.
    """
    constant = system.constant(length[None])[0]
    rng = np.random.default_rng(seed)
    reach = float(length.max()) / system.scale
    # a continuum fills the list; isolated roots never do
    room = 4 * MOST_ROOTS
    roots, simple, hits = np.empty((room, 8)), np.zeros(room, dtype=np.bool_), np.zeros(room, dtype=np.int64)
    scaled = base / system.scale, platform / system.scale
    count = starts = converged = 0
    while True:
        draws = rng.standard_normal((CHUNK, 7))
        draws[:, 4:] *= reach
        count, good = _search(system.form, draws, *scaled, constant, roots, simple, hits, count)
        starts, converged = starts + CHUNK, converged + good
        z, met = roots[:count], bool(np.all(hits[:count] >= LEAST_HITS))
        proof = certify(system, z, np.broadcast_to(length, (count, 6)))
        certified = proof.proved & _are_apart(z, proof.error)
        signs = np.sign(np.linalg.det(np.einsum("ijk,nk->nij", system.form, z)))
        balanced = bool(np.all(certified) and signs.sum() == 0)
        continuum = count > MOST_ROOTS
        settled = balanced and met and not continuum
        enough = settled and starts >= LEAST_STARTS
        # multiple roots never balance
        if not np.all(certified) and met and starts >= 10 * LEAST_STARTS:
            enough = True
        if enough or continuum or starts >= max_starts:
            break
    error = np.where(certified, proof.error, np.inf)
    return Roots(
        z.copy(), hits[:count].copy(), certified, error, starts, converged, settled, balanced, continuum
    )


def _are_apart(z: FloatArray, error: FloatArray) -> NDArray[np.bool_]:
    """Whether each root's ball of existence is clear of those of all other proved roots; z and -z are one pose."""
    if not len(z):
        return np.zeros(0, dtype=bool)
    distance = np.minimum(
        np.linalg.norm(z[:, None] - z[None], axis=2), np.linalg.norm(z[:, None] + z[None], axis=2)
    )
    np.fill_diagonal(distance, np.inf)
    radius = np.where(np.isfinite(error), error, 0.0)
    return np.all(distance > radius[:, None] + radius[None], axis=1)
