# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
