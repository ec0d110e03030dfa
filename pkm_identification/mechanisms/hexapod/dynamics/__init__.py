# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Dynamics of hexapods: inverse and forward, forces by cause, the regressor and its basis, friction."""

from pkm_identification.mechanisms.friction import friction_force

from .basis import basis_columns, basis_parameters
from .forward import forward_dynamics, integrate
from .groups import ForceGroups, force_groups
from .inverse import strut_forces
from .mass import MassAndBias, platform_dynamics, strut_dynamics
from .regressor import regressor

__all__ = [
    "ForceGroups",
    "MassAndBias",
    "basis_columns",
    "basis_parameters",
    "force_groups",
    "forward_dynamics",
    "friction_force",
    "integrate",
    "platform_dynamics",
    "regressor",
    "strut_dynamics",
    "strut_forces",
]
