# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Friction, and effects estimated besides, that the data show to be small, but not to be there at all."""

from __future__ import annotations

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import IDENTIFIABLE
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet

# Standard deviations up to which a value is not distinguished from zero: of a dozen coefficients without friction
# one lies beyond by chance in 3 % of the logs.
NEAR = 3.0


def near_zero(parameters: ParameterSet, estimate: ParameterEstimate) -> tuple[str, ...]:
    """Return names of what is identified and not distinguishable from zero: friction, and effects that zero is none of.

    A frictionless strut's estimate is as often negative as positive: that is no sign of a wrong model.

    Parameters
    ----------
    parameters : ParameterSet
        Those estimated.
    estimate : ParameterEstimate
        An estimate of other parameters has none.
    """
    if estimate.names != parameters.names:
        return ()
    return tuple(
        entry.name
        for entry, value, std, status in zip(
            parameters.entries, estimate.values, estimate.std, estimate.status, strict=True
        )
        if (entry.kind.friction or (entry.kind is Kind.EFFECT and entry.nominal == 0.0))
        and status == IDENTIFIABLE
        and abs(value) <= NEAR * std
    )
