# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""`smooth`: F = c_v L' + F_c tanh(L' / v_t), with derivatives of every order."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.compiled import kernel

from .law import TRANSITION, FrictionLaw


@kernel
def terms(rate, law):
    """(L', tanh(L' / v_t))."""
    return rate, np.tanh(rate / law[TRANSITION])


@kernel
def slopes(rate, law):
    """Their derivatives by the rate."""
    sign = np.tanh(rate / law[TRANSITION])
    return 1.0, (1.0 - sign * sign) / law[TRANSITION]


LAW = FrictionLaw("smooth", terms, slopes)
