# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What every finished identification offers, of a hexapod or of any mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import IDENTIFIABLE, IN_DOUBT

if TYPE_CHECKING:
    from pkm_identification.identification.mechanism.result import MechanismIdentification
    from pkm_identification.identification.result import Identification

Columns = dict[str, np.ndarray]
# by name: who identifies a hexapod does not load what other mechanisms need
Subject = TypeVar("Subject", "Identification", "MechanismIdentification")


@dataclass(frozen=True, repr=False)
class FinishedIdentification(Generic[Subject]):
    """An identification and what there is to take from it.

    Attributes
    ----------
    identification : Identification or MechanismIdentification
        All of it.
    """

    identification: Subject

    @property
    def estimate(self) -> ParameterEstimate:
        """Values, covariance, statuses and combinations."""
        return self.identification.estimate

    @property
    def converged(self) -> bool:
        """Whether the estimator converged; values of one that did not must not be used."""
        return self.identification.converged

    def table(self) -> Columns:
        """Parameters as columns: name, unit, nominal, value, std, status.

        `pandas.DataFrame(result.table())` is a data frame. The value of a parameter that is not identifiable alone
        is NaN: a prior is no estimate. A value in doubt is there, with its status.
        """
        estimate = self.estimate
        shown = np.array([status in (IDENTIFIABLE, IN_DOUBT) for status in estimate.status])
        return {
            "name": np.array(estimate.names),
            "unit": np.array(estimate.units),
            "nominal": estimate.nominal,
            "value": np.where(shown, estimate.values, np.nan),
            "std": estimate.std,
            "status": np.array(estimate.status),
        }

    def combinations(self) -> Columns:
        """Combinations of parameters that are identified although their terms are not, as columns."""
        combinations = self.estimate.combinations
        return {
            "name": np.array([one.name for one in combinations], dtype=str),
            "unit": np.array([one.unit for one in combinations], dtype=str),
            "nominal": np.array([one.nominal for one in combinations], dtype=float),
            "value": np.array([one.value for one in combinations], dtype=float),
            "std": np.array([one.std for one in combinations], dtype=float),
        }
