# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
