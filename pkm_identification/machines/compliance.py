# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Compliance of a machine's drives: what yields between their encoders and the mechanism."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .contract import Machine

_PERIOD = 1e-3  # s: compliance is the same at any


def find_compliance(machine: Machine) -> FloatArray:
    """Return what each drive yields (n,), m/N or rad/(N m); 0 of a rigid one."""
    transfers = machine.build_transfers(_PERIOD) or ()
    return np.array([one.compliance for one in transfers] or [0.0] * len(machine.drives))
