# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The base parameters of a mechanism: one parameter stands for each sum that the driven forces depend on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.estimation.identifiability.base_parameters import CLEAR_RIDGE
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind, Parameter

from .analysis.basis import choose_basis
from .mechanism import Mechanism
from .parameters import build_rigid_basis, build_rigid_columns

BASE = "base"  # name of the set


@dataclass(frozen=True)
class BaseSet:
    """The base parameters of a mechanism, each called by the parameter that stands for its sum.

    Attributes
    ----------
    names, units : tuple of str, length P
    kinds : tuple of Kind
    columns : ndarray of int64
        Of the mechanism's regressor.
    nominal : ndarray, shape (P,)
        The description's values of the sums.
    everything, never : tuple of str
        All parameters, and those that no motion of the drives feels.
    sums : ndarray, shape (P, all parameters)
        Coefficients of each base parameter's sum.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    kinds: tuple[Kind, ...]
    columns: np.ndarray
    nominal: FloatArray
    everything: tuple[str, ...]
    never: tuple[str, ...]
    sums: FloatArray = field(repr=False)

    @classmethod
    def of(cls, mechanism: Mechanism) -> BaseSet:
        """Return the choice of `pkm base-parameters`: a name is the same sum there and here.

        Raises
        ------
        SettingsError
            If no ridge tells what forces depend on from what they do not.
        """
        basis, chosen = build_rigid_basis(mechanism), build_rigid_columns(mechanism)
        base = choose_basis(mechanism)
        # What is given up below a wide ridge no motion shows, be it rounding (`base.clear`) or, in files of six
        # decimals, a geometry that is all but symmetric: less than RANK_TOLERANCE of the forces
        if base.ridge < CLEAR_RIDGE:
            raise SettingsError(
                f"mechanism '{mechanism.name}': double precision leaves its base parameters in doubt "
                "(pkm base-parameters)"
            )
        kept = base.independent
        sums = np.zeros((len(kept), len(basis)))
        sums[np.arange(len(kept)), kept] = 1.0
        sums[:, base.grouped] = base.coefficients
        entries = [basis.entries[k] for k in kept]
        return cls(
            tuple(entry.name for entry in entries),
            tuple(entry.unit for entry in entries),
            tuple(entry.kind for entry in entries),
            chosen[kept],
            sums @ basis.nominal,
            basis.names,
            tuple(basis.names[k] for k in base.invisible),
            sums,
        )

    @property
    def terms(self) -> dict[str, dict[str, float]]:
        """What each base parameter is a sum of: parameters and their factors by name."""
        return {
            name: {self.everything[k]: float(row[k]) for k in np.flatnonzero(row)}
            for name, row in zip(self.names, self.sums, strict=True)
        }

    def entries(self, sizes: FloatArray | None = None) -> tuple[Parameter, ...]:
        """As parameters, of some sizes (P,); of size 1 without."""
        sizes = np.ones(len(self.names)) if sizes is None else sizes
        return tuple(
            Parameter(name, unit, kind, "", float(value), float(size))
            for name, unit, kind, value, size in zip(
                self.names, self.units, self.kinds, self.nominal, sizes, strict=True
            )
        )

    def only(self, values: Mapping[str, float]) -> BaseSet:
        """Those of these names, with these values."""
        kept = [k for k, name in enumerate(self.names) if name in values]
        return replace(
            self,
            names=tuple(self.names[k] for k in kept),
            units=tuple(self.units[k] for k in kept),
            kinds=tuple(self.kinds[k] for k in kept),
            columns=self.columns[kept],
            nominal=np.array([values[self.names[k]] for k in kept]),
            sums=self.sums[kept],
        )
