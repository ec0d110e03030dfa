# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Bandwidth and damping that a machine file's computed torque states."""

from __future__ import annotations

import numpy as np

from pkm_identification.machines.contract import Machine


def find_stated_loops(machine: Machine) -> dict[str, float]:
    """Return `bandwidth` in Hz and `damping` of the law e'' + k_v e' + k_p e = 0 of a file; empty without it."""
    control = machine.bodies.description.control
    if control is None or control.computed_torque is None:
        return {}
    w = float(np.sqrt(control.computed_torque.position_gain))
    return {"bandwidth": w / (2.0 * np.pi), "damping": control.computed_torque.rate_gain / (2.0 * w)}
