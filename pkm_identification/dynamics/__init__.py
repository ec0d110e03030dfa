"""Dynamics of hexapods: inverse dynamics, the regressor and its basis, friction."""

from .basis import BASIS_COLUMNS, basis_parameters
from .friction import friction_force
from .inverse import strut_forces
from .regressor import regressor

__all__ = ["BASIS_COLUMNS", "basis_parameters", "friction_force", "regressor", "strut_forces"]
