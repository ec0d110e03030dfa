# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

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
