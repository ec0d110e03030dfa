# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What is known of the parameters before any data: the machine file's values, very uncertain, or what is stated."""

from __future__ import annotations

from dataclasses import dataclass

from pkm_identification.numerics.arrays import FloatArray

from .parameter_set import ParameterSet


@dataclass(frozen=True)
class Prior:
    """Independent normal prior: mean and standard deviation, shape (P,)."""

    mean: FloatArray
    std: FloatArray

    @classmethod
    def of(cls, parameters: ParameterSet) -> Prior:
        """What is stated of the parameters; else the machine file's values, uncertain by about their own size."""
        if parameters.prior_mean is None or parameters.prior_std is None:
            return cls(parameters.nominal, parameters.scale)
        return cls(parameters.prior_mean, parameters.prior_std)
