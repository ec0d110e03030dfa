# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The identification of a mechanism as plain text: what `pkm identify` prints of it."""

from __future__ import annotations

from collections.abc import Callable

from pkm_identification.identification.mechanism.result import MechanismIdentification

from ..tables import dropped_table, estimate_table
from .sentences import verdicts
from .tables import prediction_table, sums_table


def summary(
    result: MechanismIdentification, shown: Callable[[bool, str], str] = lambda good, text: text
) -> str:
    """Tables and sentences, for a person; `shown` as of a hexapod's `summary`."""
    estimate, assumptions = result.estimate, result.settings.estimator.assumptions.described()
    head = f"{result.mechanism.name}: {estimate.estimator}, {result.problem.samples} samples"
    blocks = [
        head + (f"\nstated beforehand: {assumptions}" if assumptions else ""),
        str(estimate_table(estimate, near_zero=result.near_zero)),
    ]
    if (sums := sums_table(result.base)).rows:
        blocks.append(
            "\n".join(["Sums that names stand for:", *(f"  {name} = {text}" for name, text in sums.rows)])
        )
    if result.dropped:
        blocks.append(str(dropped_table(result.dropped)))
    if result.prediction is not None:
        blocks.append(str(prediction_table(result, result.prediction)))
    blocks.append("\n".join(shown(good, text) for good, text in verdicts(result)))
    return "\n\n".join(blocks)
