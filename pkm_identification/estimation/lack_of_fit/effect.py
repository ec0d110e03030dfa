# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""How far another explanation of the data would move what an estimate shows."""

from __future__ import annotations

from pkm_identification.numerics.arrays import FloatArray

from ..estimate import ParameterEstimate
from ..identifiability import IDENTIFIABLE


def largest_effect(estimate: ParameterEstimate, moved: FloatArray) -> float:
    """Return the largest change of a parameter or combination that is shown, in stated deviations; 0 of none.

    Parameters
    ----------
    estimate : ParameterEstimate
    moved : ndarray, shape (P,)
        What the other explanation changes about the parameters, SI units.
    """
    effects = [
        abs(change) / std
        for change, std, status in zip(moved.tolist(), estimate.std.tolist(), estimate.status, strict=True)
        if status == IDENTIFIABLE
    ]
    effects += [abs(float(one.weights @ moved)) / one.std for one in estimate.combinations]
    return max(effects, default=0.0)
