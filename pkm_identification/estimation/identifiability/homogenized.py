# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A regressor without units: masses, first moments and inertias decomposed apart (Ebrahimi and Kövecses 2009).

Columns C_g of one kind of parameter have one unit; their compact SVD C_g = U_g W_g V_g^T (eq. 7) leaves it in W_g. Then

    D = [U_m U_c U_J],   y_g = W_g V_g^T z_g,   D y = tau,   z_g = V_g W_g^-1 y_g :

D has no unit, spans what the regressor spans, and its singular values and condition do not change with the units of
length or mass. The text breaks off after its eq. 7: D, y and the way back are a reconstruction, and no source has
figures for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import SettingsError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind

from .base_parameters import RANK_TOLERANCE, clear_ridge, rounding_level

# The text's order; kinds it does not know follow.
_ORDER = (Kind.MASS, Kind.FIRST_MOMENT, Kind.INERTIA, *(kind for kind in Kind))


@dataclass(frozen=True)
class Group:
    """Columns of one kind of parameter.

    Attributes
    ----------
    kind : Kind
    columns : ndarray of int64, shape (p,)
        Of the regressor.
    directions : ndarray, shape (rows, r)
        U, orthonormal, without a unit.
    values : ndarray, shape (r,)
        W, falling: unit of the rows by unit of the parameters.
    parameters : ndarray, shape (p, r)
        V, orthonormal, without a unit.
    clear : bool
        Whether what the rank gives up is rounding.
    """

    kind: Kind
    columns: NDArray[np.int64]
    directions: FloatArray
    values: FloatArray
    parameters: FloatArray
    clear: bool

    @property
    def rank(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Homogenized:
    """A regressor without units.

    Attributes
    ----------
    groups : tuple of Group
        Masses, first moments, inertias, as far as there are any.
    count : int
        Number of parameters, P.
    singular_values : ndarray
        Of D, falling; between 0 and the root of the number of groups.
    rounding : float
        Singular values up to here can be rounding alone.
    """

    groups: tuple[Group, ...]
    count: int
    singular_values: FloatArray
    rounding: float

    @property
    def matrix(self) -> FloatArray:
        """D, shape (rows, sum of the groups' ranks)."""
        return np.concatenate([group.directions for group in self.groups], axis=1)

    @property
    def rank(self) -> int:
        """Number of base parameters."""
        if not len(self.singular_values):
            return 0
        return int(np.count_nonzero(self.singular_values > RANK_TOLERANCE * self.singular_values[0]))

    @property
    def condition(self) -> float:
        """Largest over smallest singular value of the rank."""
        return float(self.singular_values[0] / self.singular_values[self.rank - 1]) if self.rank else 1.0

    @property
    def clear(self) -> bool:
        """Whether the singular values leave no doubt of the rank, D's and the groups'; as `BaseParameters.clear`."""
        own = clear_ridge(self.singular_values, self.rank, self.rounding)
        return own and all(group.clear for group in self.groups)

    def back(self, y: FloatArray) -> FloatArray:
        """Return parameters (P,) of y; zero along what a group's columns do not show."""
        parameters = np.zeros(self.count)
        index = 0
        for group in self.groups:
            part = y[index : index + group.rank]
            parameters[group.columns] = group.parameters @ (part / group.values)
            index += group.rank
        return parameters


def scaled_rows(
    columns: FloatArray, row_units: Sequence[str], row_scale: Sequence[float] | FloatArray | None = None
) -> FloatArray:
    """Return rows in one unit: those of a regressor as they are if all have the same, else by a scale each.

    Parameters
    ----------
    columns : ndarray, shape (N, n, P)
    row_units : sequence of str, length n
    row_scale : sequence of float, length n, optional
        What each row is divided by: its standard deviation, or a length for moments next to forces.

    Returns
    -------
    ndarray, shape (N n, P)

    Raises
    ------
    SettingsError
        If rows of mixed units come without a scale, or a scale is no positive number.
    """
    if row_scale is None:
        if len(set(row_units)) > 1:
            raise SettingsError(
                f"rows in {' and '.join(sorted(set(row_units)))} cannot be added up: state a length or their deviations"
            )
        scale = np.ones(len(row_units))
    else:
        scale = np.asarray(row_scale, dtype=float)
        if scale.shape != (len(row_units),) or not (np.isfinite(scale).all() and (scale > 0).all()):
            raise SettingsError(f"row scale {list(row_scale)}: must be {len(row_units)} positive numbers")
    return (np.asarray(columns, dtype=float) / scale[:, None]).reshape(-1, np.shape(columns)[-1])


def homogenize_regressor(rows: FloatArray, kinds: Sequence[Kind]) -> Homogenized:
    """Return a regressor's columns by kind, each kind decomposed, and D's singular values.

    Parameters
    ----------
    rows : ndarray, shape (R, P)
        All in the same unit, see `scaled_rows`.
    kinds : sequence of Kind, length P
        Columns of a kind make a group.

    Returns
    -------
    Homogenized

    Raises
    ------
    ValueError
        If kinds and columns do not fit, or a value is not finite.
    """
    rows = np.asarray(rows, dtype=float)
    if rows.ndim != 2 or rows.shape[1] != len(kinds):
        raise ValueError(f"{len(kinds)} kinds for columns of shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError("the columns hold values that are not finite (singular poses?)")
    groups = []
    for kind in dict.fromkeys(_ORDER):
        chosen = np.flatnonzero([own is kind for own in kinds])
        if not chosen.size:
            continue
        directions, values, transposed = np.linalg.svd(rows[:, chosen], full_matrices=False)
        rank = int(np.count_nonzero(values > RANK_TOLERANCE * values[0])) if values[0] > 0 else 0
        clear = clear_ridge(values, rank, rounding_level(rows.shape, float(values[0])))
        groups.append(Group(kind, chosen, directions[:, :rank], values[:rank], transposed[:rank].T, clear))
    together = np.concatenate([group.directions for group in groups], axis=1)
    singular_values = np.linalg.svd(together, compute_uv=False) if together.size else np.empty(0)
    rounding = rounding_level(together.shape, float(singular_values[0])) if singular_values.size else 0.0
    return Homogenized(tuple(groups), rows.shape[1], singular_values, rounding)


def raw_condition(rows: FloatArray, rank: int) -> float:
    """Condition of a regressor's columns as they are, on its rank: it changes with the units where they are mixed."""
    values = np.linalg.svd(np.asarray(rows, dtype=float), compute_uv=False)
    return float(values[0] / values[rank - 1]) if rank else 1.0
