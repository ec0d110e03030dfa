# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How much each parameter does to the forces of a motion, in numbers that no unit changes.

Of columns C_k, values z_k and tau = sum of C_k z_k:

    s_k = |C_k z_k| / |tau|            its size compared with the whole,
    sigma_k = z_k C_k^T tau / |tau|^2  its share, signed; all shares add up to one.

Ebrahimi and Kövecses (2009) promise such a measure and break off before it; these two are ours. What does little in one
motion may do much in another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind


@dataclass(frozen=True)
class ParameterContributions:
    """What parameters do to the forces of a motion.

    Attributes
    ----------
    size : ndarray, shape (P,)
        s_k; the forces change by this part of their norm where a parameter is left out.
    share : ndarray, shape (P,)
        sigma_k, sum one.
    of_groups : mapping of Kind to float
        Norm of the forces of all parameters of a kind over the norm of the whole.
    without_influence : ndarray of int64
        Parameters whose columns are zero.
    """

    size: FloatArray
    share: FloatArray
    of_groups: Mapping[Kind, float]
    without_influence: NDArray[np.int64]


def parameter_contributions(
    rows: FloatArray, parameters: FloatArray, kinds: Sequence[Kind]
) -> ParameterContributions:
    """Contributions of parameters (P,) to rows (R, P) @ parameters, rows in one unit.

    Raises
    ------
    SettingsError
        If the forces are zero.
    """
    parts = np.asarray(rows, dtype=float) * parameters
    total = parts.sum(axis=1)
    norm = float(np.linalg.norm(total))
    if norm == 0:
        raise SettingsError(
            "the machine's file gives no force in this motion: no parameter contributes to it"
        )
    groups = {
        kind: float(np.linalg.norm(parts[:, [own is kind for own in kinds]].sum(axis=1))) / norm
        for kind in dict.fromkeys(kinds)
    }
    return ParameterContributions(
        np.linalg.norm(parts, axis=0) / norm,
        parts.T @ total / norm**2,
        groups,
        np.flatnonzero(~np.any(rows, axis=0)),
    )
