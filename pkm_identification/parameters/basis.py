# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The basis of a model: everything its outputs are linear in, in the order of the rows of a mapping."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .parameter import Parameter


@dataclass(frozen=True)
class Basis:
    """Entries a model is linear in: outputs = regressor(motion, identity) @ basis.

    Attributes
    ----------
    entries : tuple of Parameter, length B
    """

    entries: tuple[Parameter, ...]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Parameter]:
        return iter(self.entries)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self.entries)

    @cached_property
    def nominal(self) -> FloatArray:
        """Values of the machine file, SI units, shape (B,)."""
        return np.array([entry.nominal for entry in self.entries], dtype=float)
