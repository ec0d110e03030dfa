"""Linear statements about the parameters that come from elsewhere than the equations of motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..motion import STRUTS, FloatArray
from .parameter_set import ParameterSet

STRUT_SPREAD = 0.05  # how much struts of one design differ, of the value itself


@dataclass(frozen=True)
class Statements:
    """rows @ w = values + noise of unit variance, independent from row to row.

    Attributes
    ----------
    rows : ndarray, shape (n, P)
    values : ndarray, shape (n,)
    """

    rows: FloatArray
    values: FloatArray

    @classmethod
    def none(cls, width: int) -> Statements:
        """Nothing said about `width` parameters."""
        return cls(np.empty((0, width)), np.empty(0))

    @classmethod
    def joined(cls, parts: Sequence[Statements]) -> Statements:
        """All statements of independent sources; at least one source."""
        return cls(np.concatenate([p.rows for p in parts]), np.concatenate([p.values for p in parts]))


def alike_struts(parameters: ParameterSet, spread: float = STRUT_SPREAD) -> Statements:
    """Struts of one design are alike: each differs from their mean by about `spread`.

    Where a set has a mass or moment of every strut, the six ratios r_i of true to nominal value are taken as
    normal with standard deviation `spread` about a common value that is not known. Integrating that value out
    leaves (r_i - mean r) / spread, five independent statements.

    Parameters
    ----------
    parameters : ParameterSet
    spread : float
        Relative standard deviation; positive.
    """
    width = len(parameters.names)
    # rows of an orthonormal basis of what is left without the mean
    differences = np.linalg.svd(np.eye(STRUTS) - 1.0 / STRUTS)[0][:, : STRUTS - 1].T
    parts = [Statements.none(width)]
    for kind in dict.fromkeys(name.rpartition("_")[0] for name in parameters.names):
        places = [parameters.names.index(n) for n in _of_all_struts(parameters, kind)]
        if not places:
            continue
        size = parameters.nominal[places]
        rows = np.zeros((STRUTS - 1, width))
        rows[:, places] = differences / (spread * size)
        parts.append(Statements(rows, np.zeros(STRUTS - 1)))
    return Statements.joined(parts)


def _of_all_struts(parameters: ParameterSet, kind: str) -> list[str]:
    """Names of an inertial parameter that every strut has, with a nominal value to compare with."""
    names = [f"{kind}_{i + 1}" for i in range(STRUTS)]
    if kind in ("viscous", "coulomb") or not all(name in parameters.names for name in names):
        return []
    places = [parameters.names.index(name) for name in names]
    return names if np.all(parameters.nominal[places] > 0) else []
