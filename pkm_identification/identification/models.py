# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The model equations by name."""

from __future__ import annotations

from collections.abc import Callable

from pkm_identification.estimation.equations import Equations

from .equations.energy_equations import energy_equations
from .equations.force_equations import force_equations

MODELS: dict[str, Callable[..., Equations]] = {"force": force_equations, "energy": energy_equations}
