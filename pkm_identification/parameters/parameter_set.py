# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Parameter sets: which numbers are estimated, and how they build up the basis the model is linear in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .parameter import Parameter


@dataclass(frozen=True)
class ParameterSet:
    """Parameters w with basis = mapping w + known.

    Attributes
    ----------
    name : str
    entries : tuple of Parameter, length P
    mapping : ndarray, shape (B, P)
        B entries of the model's basis.
    known : ndarray, shape (B,)
        What the machine file says of everything the parameters leave out.
    prior_mean, prior_std : ndarray, shape (P,), or None
        Of the prior where one is stated (`assumptions`); None: `nominal` and `scale`.
    nuisance : int
        How many of the last parameters are estimated as well but mean nothing of the machine.
    sums : mapping of str to mapping of str to float
        What base parameters stand for, by name: the entries of the basis that they are the sum of, and their factors.
    """

    name: str
    entries: tuple[Parameter, ...]
    mapping: FloatArray
    known: FloatArray
    prior_mean: FloatArray | None = None
    prior_std: FloatArray | None = None
    nuisance: int = 0
    sums: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.entries)

    def without_nuisance(self) -> ParameterSet:
        """Return the set of what means something of the machine."""
        if not self.nuisance:
            return self
        kept = slice(0, len(self) - self.nuisance)
        mean, std = (None if one is None else one[kept] for one in (self.prior_mean, self.prior_std))
        return replace(
            self, entries=self.entries[kept], mapping=self.mapping[:, kept], prior_mean=mean, prior_std=std,
            nuisance=0,
        )  # fmt: skip

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self.entries)

    @cached_property
    def units(self) -> tuple[str, ...]:
        return tuple(entry.unit for entry in self.entries)

    @cached_property
    def nominal(self) -> FloatArray:
        """Values of the machine file, SI units, shape (P,)."""
        return np.array([entry.nominal for entry in self.entries], dtype=float)

    @cached_property
    def scale(self) -> FloatArray:
        """What a large error of each parameter is, shape (P,)."""
        return np.array([entry.scale for entry in self.entries], dtype=float)

    @cached_property
    def size(self) -> FloatArray:
        """Physical scale of each parameter, shape (P,): deviations are judged by it where the value is near zero."""
        return np.array(
            [entry.scale if entry.size is None else entry.size for entry in self.entries], dtype=float
        )

    def without(self, k: int) -> ParameterSet:
        """The set without its k-th parameter, whose column of the mapping is dropped; stated priors stay aligned."""
        return replace(
            self,
            entries=(*self.entries[:k], *self.entries[k + 1 :]),
            mapping=np.delete(self.mapping, k, axis=1),
            prior_mean=None if self.prior_mean is None else np.delete(self.prior_mean, k),
            prior_std=None if self.prior_std is None else np.delete(self.prior_std, k),
        )

    def extend(self, entries: Sequence[Parameter], columns: FloatArray, name: str = "") -> ParameterSet:
        """Return the set with more parameters behind its own.

        Parameters
        ----------
        entries : sequence of Parameter, length n
            Their prior is nominal value and scale.
        columns : ndarray, shape (B, n)
            What they do to the basis.
        name : str
            Of the new set; this set's own unless given.
        """
        mean, std = self.prior_mean, self.prior_std
        if mean is not None and std is not None:
            mean = np.concatenate([mean, [entry.nominal for entry in entries]])
            std = np.concatenate([std, [entry.scale for entry in entries]])
        return replace(
            self,
            name=name or self.name,
            entries=(*self.entries, *entries),
            mapping=np.hstack([self.mapping, columns]),
            prior_mean=mean,
            prior_std=std,
        )
