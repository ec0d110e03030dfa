"""Linear relations about the parameters that come from elsewhere than the equations of motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

from .parameter_set import ParameterSet

STRUT_SPREAD = 0.05  # how much struts of one design differ, of the value itself


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
        """Nothing said about `width` parameters."""
        return cls(np.empty((0, width)), np.empty(0))

    @classmethod
    def joined(cls, parts: Sequence[LinearRelations]) -> LinearRelations:
        """All relations of independent sources; at least one source."""
        return cls(np.concatenate([p.rows for p in parts]), np.concatenate([p.values for p in parts]))


def alike_struts(parameters: ParameterSet, spread: float = STRUT_SPREAD) -> LinearRelations:
    """Struts of one design are alike: each differs from their mean by about `spread`.

    Where a set has a mass or moment strut by strut, the six ratios r_i of true to nominal value (fewer, if some are
    fixed) are taken as normal with standard deviation `spread` about a common value that is not known. Integrating
    that value out leaves (r_i - mean r) / spread, one independent statement less than there are struts.

    Parameters
    ----------
    parameters : ParameterSet
    spread : float
        Relative standard deviation; positive.
    """
    width = len(parameters.names)
    parts = [LinearRelations.none(width)]
    for kind in dict.fromkeys(name.rpartition("_")[0] for name in parameters.names):
        places = _of_struts(parameters, kind)
        count = len(places)
        if count < 2:
            continue
        # rows of an orthonormal basis of what is left without the mean
        differences = np.linalg.svd(np.eye(count) - 1.0 / count)[0][:, : count - 1].T
        rows = np.zeros((count - 1, width))
        rows[:, places] = differences / (spread * parameters.nominal[places])
        parts.append(LinearRelations(rows, np.zeros(count - 1)))
    return LinearRelations.joined(parts)


def _of_struts(parameters: ParameterSet, kind: str) -> list[int]:
    """Places of an inertial parameter that several struts have, with a nominal value to compare with."""
    names = [f"{kind}_{i + 1}" for i in range(STRUTS)]
    places = [parameters.names.index(name) for name in names if name in parameters.names]
    return [k for k in places if parameters.units[k].startswith("kg") and parameters.nominal[k] > 0]
