"""A reduced set of parameters, as text for a person and as a document."""

from __future__ import annotations

from typing import Any

from pkm_identification.identification.procedures.pruning import Reduced


def reduced_document(found: Reduced) -> dict[str, Any]:
    """What `pkm identifiability --drop-below --json` adds under `reduced`."""
    return {
        "parameters": found.values,
        "dropped": found.small,
        "given_to_others": list(found.given),
        "below": found.below,
        "bound": found.bound,
        "error": found.error,
        "held_out": None
        if found.held_error is None
        else {"bound": found.held_bound, "error": found.held_error},
        "elsewhere": [
            {"parameter": name, "motion": motion, "size": size} for name, motion, size in found.elsewhere
        ],
    }


def reduced_text(found: Reduced) -> str:
    """The same for a person."""
    lines = [
        f"reduced to {len(found.values)} parameters: forces change by {100 * found.error:.2g} % of their norm, "
        f"proven below {100 * found.bound:.2g} %",
        f"  taken for zero: {', '.join(found.small) or 'none'}",
        f"  given to others: {', '.join(found.given) or 'none'}",
    ]
    if found.held_error is not None and found.held_bound is not None:
        lines.append(
            f"  held-out end of the motions: {100 * found.held_error:.2g} %, bound {100 * found.held_bound:.2g} %"
        )
    lines += [
        f"  {name} would be {100 * size:.2g} % of the forces in another motion: {motion}"
        for name, motion, size in found.elsewhere
        if size > found.below
    ]
    return "\n".join(lines)
