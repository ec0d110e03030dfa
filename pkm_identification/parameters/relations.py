# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Linear relations between parameters that come from elsewhere than the equations of motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .parameter import Kind
from .parameter_set import ParameterSet

STRUT_SPREAD = 0.05  # standard deviation of struts of one design, relative to the value itself


@dataclass(frozen=True)
class LinearRelations:
    """rows @ w = values + noise of unit variance, independent from row to row.

    Attributes
    ----------
    rows : ndarray, shape (n, P)
    values : ndarray, shape (n,)
    """

    rows: FloatArray
    values: FloatArray

    @classmethod
    def none(cls, width: int) -> LinearRelations:
        """No relation between `width` parameters."""
        return cls(np.empty((0, width)), np.empty(0))

    @classmethod
    def concatenate(cls, parts: Sequence[LinearRelations]) -> LinearRelations:
        """Return all relations of independent sources; at least one source."""
        return cls(np.concatenate([p.rows for p in parts]), np.concatenate([p.values for p in parts]))


def alike_limbs(parameters: ParameterSet, spread: float = STRUT_SPREAD) -> LinearRelations:
    """Limbs of one design are alike: each differs from their mean by about `spread`.

    Where a set has a mass or moment limb by limb, the ratios r_i of true to nominal value (fewer than limbs, if some
    are fixed) are taken as normal with standard deviation `spread` about a common value that is not known. Integrating
    that value out leaves (r_i - mean r) / spread, one independent relation less than there are limbs.

    Parameters
    ----------
    parameters : ParameterSet
    spread : float
        Relative standard deviation; positive.
    """
    width = len(parameters)
    parts = [LinearRelations.none(width)]
    for symbol in dict.fromkeys(entry.symbol for entry in parameters.entries):
        places = _find_limb_parameters(parameters, symbol)
        count = len(places)
        if count < 2:
            continue
        # rows of an orthonormal basis of what is left without the mean
        differences = np.linalg.svd(np.eye(count) - 1.0 / count)[0][:, : count - 1].T
        rows = np.zeros((count - 1, width))
        rows[:, places] = differences / (spread * parameters.nominal[places])
        parts.append(LinearRelations(rows, np.zeros(count - 1)))
    return LinearRelations.concatenate(parts)


def _find_limb_parameters(parameters: ParameterSet, symbol: str) -> list[int]:
    """Places of an inertial parameter that several limbs have, with a nominal value to compare with."""
    return [
        k
        for k, entry in enumerate(parameters.entries)
        if entry.symbol == symbol
        and entry.limb is not None
        and not entry.kind.friction
        and entry.kind is not Kind.EFFECT
        and entry.nominal > 0
    ]
