# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the parameters of a set are, so that physical consistency can be asked of them.

Every parameter has a slot, and in it a moment of a body's density (of order 0, 1 or 2) or a friction coefficient;
parameters are sums of these, w = lifting @ v. A mechanism sorts its own parameters into the slots.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

from .log_cholesky import compute_matrix_of_moments

FREE, BOUNDED, GROUPED = 0, 1, 2


@dataclass(frozen=True)
class Layout:
    """Slots of a parameter set.

    Attributes
    ----------
    parameters : ParameterSet
    lowering, lifting : ndarray, shape (P, P)
        v = lowering @ w and w = lifting @ v.
    kind : ndarray of int64, shape (P,)
        FREE, BOUNDED (v > floor) or GROUPED (part of the body, or bounded by others of a rod).
    floor : ndarray, shape (P,)
    body : ndarray of int64, length 10, 4 or 0
        Slots of the one body of which all ten moments, or mass and diagonal moments, are estimated: m, mx, my, mz,
        Sxx, Syy, Szz, Sxy, Sxz, Syz, or m, Sxx, Syy, Szz.
    body_name : str
        What messages call it.
    known : ndarray, shape (6,)
        Centre of mass (m) and Sxy, Sxz, Syz about the origin (kg m^2) of a body of four parameters.
    rods : ndarray of int64, shape (R, 3)
        Slots of m_e, h_e and Jt that bound each other.
    differences : ndarray, shape (R, n, 3)
        What to add to the three for each of the n limbs they stand for.
    """

    parameters: ParameterSet
    lowering: FloatArray
    lifting: FloatArray
    kind: NDArray[np.int64]
    floor: FloatArray
    body: NDArray[np.int64]
    body_name: str
    known: FloatArray
    rods: NDArray[np.int64]
    differences: FloatArray

    def scale(self, prior: Prior) -> FloatArray:
        """Return standard deviations of the slots, shape (P,), under a prior of the parameters."""
        return np.sqrt(self.lowering**2 @ prior.std**2)

    def resolution(self, prior: Prior) -> FloatArray:
        """Return the smallest of a slot's terms, one standard deviation of its parameter large, shape (P,)."""
        terms = np.abs(self.lowering) * prior.std
        return np.min(np.where(terms > 0.0, terms, np.inf), axis=1)


BLOCK = 10  # moments of a body


class Slots(NamedTuple):
    """A layout as the kernels take it."""

    kind: NDArray[np.int64]
    floor: FloatArray
    body: NDArray[np.int64]
    known: FloatArray
    rods: NDArray[np.int64]
    differences: FloatArray

    @classmethod
    def of(cls, layout: Layout) -> Slots:
        return cls(layout.kind, layout.floor, layout.body, layout.known, layout.rods, layout.differences)


def build_body_matrix(slots: Slots, moments: FloatArray) -> FloatArray:
    """Pseudo-inertia (4, 4) of the body, of its four or ten moments and what is known."""
    own = moments[slots.body]
    if len(own) < BLOCK:
        own = np.concatenate([own[:1], own[0] * slots.known[:3], own[1:], slots.known[3:]])
    return compute_matrix_of_moments(own)
