"""The model equations by name."""

from __future__ import annotations

from .equations.energy_equations import energy_equations
from .equations.force_equations import force_equations

MODELS = {"force": force_equations, "energy": energy_equations}
