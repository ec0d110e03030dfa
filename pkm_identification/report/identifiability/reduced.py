# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""A reduced set of parameters, as text for a person and as a document."""

from __future__ import annotations

from typing import Any

from pkm_identification.identification.procedures.pruning import Reduced


def build_reduced_document(reduced: Reduced) -> dict[str, Any]:
    """Return what `pkm identifiability --drop-below --json` adds under `reduced`."""
    return {
        "parameters": reduced.values,
        "dropped": reduced.small,
        "given_to_others": list(reduced.given),
        "below": reduced.below,
        "bound": reduced.bound,
        "error": reduced.error,
        "held_out": None
        if reduced.held_error is None
        else {"bound": reduced.held_bound, "error": reduced.held_error},
        "elsewhere": [
            {"parameter": name, "motion": motion, "size": size} for name, motion, size in reduced.elsewhere
        ],
    }


def reduced_text(reduced: Reduced) -> str:
    """Return the same for a person."""
    lines = [
        f"reduced to {len(reduced.values)} parameters: forces change by {100 * reduced.error:.2g} % of their norm, "
        f"proven below {100 * reduced.bound:.2g} %",
        f"  taken for zero: {', '.join(reduced.small) or 'none'}",
        f"  given to others: {', '.join(reduced.given) or 'none'}",
    ]
    if reduced.held_error is not None and reduced.held_bound is not None:
        lines.append(
            f"  held-out end of the motions: {100 * reduced.held_error:.2g} %, bound {100 * reduced.held_bound:.2g} %"
        )
    lines += [
        f"  {name} would be {100 * size:.2g} % of the forces in another motion: {motion}"
        for name, motion, size in reduced.elsewhere
        if size > reduced.below
    ]
    return "\n".join(lines)
