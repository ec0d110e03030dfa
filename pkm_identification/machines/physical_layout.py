# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Which parameters of a set belong to one body: a capability that a machine may have."""

from __future__ import annotations

from pkm_identification.errors import PkmError
from pkm_identification.estimation.consistency.layout import Layout
from pkm_identification.parameters.parameter_set import ParameterSet

from .contract import Machine


def find_physical_layout(machine: Machine, parameters: ParameterSet) -> Layout | None:
    """Return what each parameter must be so that some body has them all.

    None where the machine cannot say (it has no `build_physical_layout`), or a part of a body is fixed or tied.
    """
    build = getattr(machine, "build_physical_layout", None)
    if build is None:
        return None
    try:
        layout: Layout = build(parameters)
    except PkmError:
        return None
    return layout
