# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How many poses six strut lengths allow when numbers may be complex: the count of a geometry, whatever is real.

Newton's method on the eight quadrics (`study_quadrics`) from random complex points. A general platform has 40 complex
assembly modes (Dietmaier 1998 has one where all are real); each that is not real comes with its conjugate, and those of
flat base and platform in mirrored pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .study_quadrics import UNKNOWNS, quadrics

BATCH, BATCHES = 1000, 40  # starts at once, and at most so often
FEWEST_HITS = 5  # of every mode, before the search ends
NEWTON_STEPS = 60
CLOSE = 1e-9  # of the quadrics, in units of the length scale squared
SAME = 1e-5  # distance up to which two roots are one
REAL = 1e-7  # largest imaginary part of a real root


class ComplexModes(NamedTuple):
    """Numbers of modes.

    Attributes
    ----------
    total, real : int
        Distinct poses over complex and over real numbers.
    settled : bool
        Whether every one was found five times at least, with its conjugate.
    """

    total: int
    real: int
    settled: bool


def count_complex_modes(
    base: FloatArray, platform: FloatArray, length: FloatArray, seed: int = 0
) -> ComplexModes:
    """Return how many complex and real assembly modes six lengths have.

    Parameters
    ----------
    base, platform : ndarray, shape (6, 3)
        Joint centres in their own frames, m.
    length : ndarray, shape (6,)
        m.
    seed : int
        Of the random starts.
    """
    system = quadrics(base, platform, float(np.mean(length)))
    constant = system.constant(np.asarray(length, dtype=float)[None])[0]
    rng = np.random.default_rng(seed)
    roots = np.zeros((0, UNKNOWNS), dtype=complex)
    hits = np.zeros(0, dtype=int)
    for _ in range(BATCHES):
        for root in _solve(system.form, constant, rng):
            # z and -z are one pose
            gap = np.minimum(np.abs(roots - root).max(axis=1), np.abs(roots + root).max(axis=1))
            if len(gap) and gap.min() < SAME:
                hits[np.argmin(gap)] += 1
            else:
                roots, hits = np.vstack([roots, root]), np.append(hits, 1)
        if len(hits) and hits.min() >= FEWEST_HITS:
            break
    paired = [
        np.minimum(np.abs(roots - one.conj()).max(axis=1), np.abs(roots + one.conj()).max(axis=1)).min()
        < SAME
        for one in roots
    ]
    real = int(np.count_nonzero(np.abs(roots.imag).max(axis=1) < REAL)) if len(roots) else 0
    return ComplexModes(len(roots), real, bool(len(hits) and hits.min() >= FEWEST_HITS and all(paired)))


def _solve(form: FloatArray, constant: FloatArray, rng: np.random.Generator) -> np.ndarray:
    """Return the roots (K, 8) that a batch of starts comes to."""
    z = (rng.standard_normal((BATCH, UNKNOWNS)) + 1j * rng.standard_normal((BATCH, UNKNOWNS))) / 2.0
    for _ in range(NEWTON_STEPS):
        slope = np.einsum("kij,nj->nki", form, z)
        gap = 0.5 * np.einsum("nki,ni->nk", slope, z) - constant
        try:
            step = np.linalg.solve(slope, gap[..., None])[..., 0]
        except np.linalg.LinAlgError:
            step = np.array([np.linalg.lstsq(*one, rcond=None)[0] for one in zip(slope, gap, strict=True)])
        # long steps lead away from where the quadrics are near their tangents
        size = np.linalg.norm(step, axis=1, keepdims=True)
        z = z - step * np.minimum(1.0, 2.0 / np.maximum(size, 1e-300))
    slope = np.einsum("kij,nj->nki", form, z)
    gap = np.abs(0.5 * np.einsum("nki,ni->nk", slope, z) - constant).max(axis=1)
    near = np.abs(z).max(axis=1) < 1e3
    return np.asarray(z[(gap < CLOSE) & near])
