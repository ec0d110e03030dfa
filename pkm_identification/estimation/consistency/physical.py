# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Which values of parameters bodies can have, as estimators and verdicts ask for it."""

from __future__ import annotations

from typing import ClassVar, Protocol

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet

from .central_path import Projection


class Physical(Protocol):
    """Of a parameter set whose values some machine must have.

    Attributes
    ----------
    each_body : bool
        Whether parameters are those of one body each, so that all values together must be possible, and not their sums.
    """

    each_body: ClassVar[bool]

    def project(self, values: FloatArray, root: FloatArray) -> Projection:
        """Return the physical parameters w that minimise |root (w - values)|, of finite values (P,)."""

    def is_possible(self, values: FloatArray) -> bool:
        """Return whether bodies have all of these values (P,), where that can be told without a distance."""

    def name_violations(self, values: FloatArray, status: tuple[str, ...]) -> list[str]:
        """Return in words what of the identified parameters (P,) no body can have; of sums no single one says it."""

    def find_sizes(self, parameters: ParameterSet) -> FloatArray:
        """Return a large change (P,) of each parameter."""
