# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The saturated model: everything the candidates could explain is taken out, what is left is pure error."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .evidence import Base, Remainder
from .selection import Candidate
from .together import Together


def saturated(base: Base, candidates: Sequence[Candidate]) -> Remainder:
    """What the base leaves with the columns of all candidates, under their priors."""
    if not candidates:
        return base
    columns = np.concatenate([candidate.columns for candidate in candidates], axis=2)
    return Together.of(base, columns, np.concatenate([candidate.scale for candidate in candidates])).saturated
