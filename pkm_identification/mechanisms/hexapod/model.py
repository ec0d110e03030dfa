# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The hexapod as a linear model: forces of the six struts, linear in masses, moments of inertia and friction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pkm_identification.motion import STRUTS, PlatformMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.basis import Basis

from .dynamics.regressor import regressor
from .machine import Machine
from .parameters.basis import build_hexapod_basis


@dataclass(frozen=True)
class HexapodModel:
    """Forces of a machine linear in its basis; the regressor is the compiled special case.

    Attributes
    ----------
    machine : Machine
    """

    machine: Machine

    @cached_property
    def basis(self) -> Basis:
        return build_hexapod_basis(self.machine)

    @property
    def outputs(self) -> tuple[str, ...]:
        return tuple(f"strut_{i + 1}" for i in range(STRUTS))

    def regressor(self, motion: PlatformMotion, mapping: FloatArray) -> FloatArray:
        return regressor(self.machine, motion, mapping)
