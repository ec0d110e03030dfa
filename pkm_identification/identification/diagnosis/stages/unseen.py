# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What a motion would not have shown: the size above which each kind of cause would have been seen."""

from __future__ import annotations

import numpy as np

from ..findings import Unseen
from ..search import Search

HARMLESS = 10.0  # times a large size: beyond, a motion does not show a cause at all
SEEN = 7.0  # standard deviations a cause's score needs to be found in 99 of 100 logs


def unseen(found: Search) -> tuple[Unseen, ...]:
    """Above which size a single coefficient of each kind would have been seen, whichever of its members it is."""
    sizes: dict[str, float] = {}
    units: dict[str, str] = {}
    weights = found.candidates.weights(found.together)
    for choice, weight in zip(found.candidates.choices, weights, strict=True):
        if choice.effect.reading is not None or not (choice.together or len(choice.scale) == 1):
            continue
        single = choice.effect.members and not choice.together
        name = choice.effect.name + "_N" if single else choice.effect.common or choice.effect.name
        size = SEEN * float(np.sqrt(found.noise / weight)) if weight > 0.0 else np.inf
        shown = size < HARMLESS * choice.scale[0]
        sizes[name] = max(sizes.get(name, 0.0), size if shown else np.inf)
        units[name] = choice.effect.unit_of(int(choice.members[0]))
    return tuple(Unseen(name, size, units[name]) for name, size in sizes.items() if np.isfinite(size))
