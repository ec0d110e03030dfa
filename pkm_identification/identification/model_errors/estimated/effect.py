# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What an effect that is estimated as well consists of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Parameter
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.relations import LinearRelations

from ..situation import Situation
from .corrections import Corrections

FIXED = 1e-5  # standard deviation of a common factor that is fixed
ALIKE = 0.02  # factors this near to their median are taken for right


@dataclass(frozen=True)
class EstimatedEffect:
    """An effect with its parameters.

    Either the model's basis has it (`directions`), or it has columns of its own. These hold near the values that
    machine and logs are undone with (`undo`), or, where nothing can be undone, near the present estimate (`added`).

    Attributes
    ----------
    name : str
        As it is asked for.
    entries : tuple of Parameter, length q
    directions : ndarray, shape (B, q), or None
    columns : callable (Situation, values) -> ndarray, shape (K, 6, q), or None
        Force in the band per unit of each parameter, where the log and the machine are those without the effect of
        these values (q,).
    undo : callable (Corrections, values) -> Corrections, or None
    added : callable (Situation, values) -> ndarray, shape (N, 6), or None
        Force in N that these values (q,) add at every sample, of an effect that is not undone.
    known : callable (Situation, values) -> ndarray, shape (K, 6), or None
        The same in the band, where it is not linear in the values.
    positive : tuple of Parameter
        Those that must stay above zero.
    factor_fixed : bool
        Whether no motion shows what its parameters have in common: then the mean of those near their median, or of
        all where none is, is taken as nominal.
    """

    name: str
    entries: tuple[Parameter, ...]
    directions: FloatArray | None = None
    columns: Callable[[Situation, FloatArray], FloatArray] | None = None
    undo: Callable[[Corrections, FloatArray], Corrections] | None = None
    added: Callable[[Situation, FloatArray], FloatArray] | None = None
    known: Callable[[Situation, FloatArray], FloatArray] | None = None
    positive: tuple[Parameter, ...] = ()
    factor_fixed: bool = False

    @property
    def linear(self) -> bool:
        """Whether its columns are the same at any estimate."""
        return self.undo is None and self.added is None

    @property
    def nominal(self) -> FloatArray:
        """Values (q,) with which there is none of it, SI units."""
        return np.array([entry.nominal for entry in self.entries])

    def places(self, parameters: ParameterSet) -> list[int]:
        """Return where its parameters stand in a set."""
        return [parameters.names.index(entry.name) for entry in self.entries]

    def relations(self, parameters: ParameterSet, values: FloatArray) -> LinearRelations:
        """Return what is fixed of its parameters in addition to their priors, where all values (P,) are about these."""
        if not self.factor_fixed:
            return LinearRelations.none(len(parameters))
        places = np.array(self.places(parameters))
        own = values[places]
        near = np.abs(own / np.median(own) - 1.0) < ALIKE
        # in two camps, as .95 and 1.05, none is near the middle
        if near.any():
            places = places[near]
        row = np.zeros(len(parameters))
        row[places] = 1.0 / (len(places) * FIXED)
        nominal = float(np.mean(parameters.nominal[places]))
        return LinearRelations(row[None, :], np.array([nominal / FIXED]))
