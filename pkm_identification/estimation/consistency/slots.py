# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where the numbers of a parameter set stand, as kernels take it, and the body that is among them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray

from .layout import Layout
from .log_cholesky import compute_matrix_of_moments

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
