# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Thresholds that decide the verdict on a fit: when a residual stands out of the noise floor."""

from __future__ import annotations

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

# Residual over noise floor, of all struts and of one: more than floors are uncertain (right models have .9 to 1.2).
STANDS_OUT, STRUT_STANDS_OUT = 1.35, 1.6


def stands_out(total: float, per_strut: FloatArray) -> bool:
    """Return whether residuals in units of the noise floor are more than floors are uncertain.

    Parameters
    ----------
    total : float
        Of all struts.
    per_strut : ndarray, shape (n,)
    """
    return total > STANDS_OUT or bool(np.any(per_strut > STRUT_STANDS_OUT))
