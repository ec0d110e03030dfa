"""Contributions and sensitivities as tables and documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.mechanisms.hexapod.analysis.center_of_mass_sensitivity import Sensitivity
from pkm_identification.mechanisms.hexapod.analysis.contributions import Contributions
from pkm_identification.motion import STRUTS
from pkm_identification.numerics.arrays import FloatArray

from .listing import Listing, number

DIGITS = 3
GROUP_TEXT = {
    "pm": "platform acceleration",
    "sm": "strut acceleration",
    "cor": "Coriolis",
    "cen": "centripetal",
    "grp": "gravity of platform",
    "grs": "gravity of struts",
    "frict": "friction",
    "ext": "external wrench",
    "mh": "motor and screw",
    "umd": "not modelled",
}
STRUT_NAMES = tuple(str(i + 1) for i in range(STRUTS))


def present(shares: Contributions) -> list[int]:
    """Which groups contribute anything."""
    return [g for g in range(len(shares.names)) if shares.range_all[g] > 0 or shares.mean_all[g] > 0]


def contributions_table(shares: Contributions, spread: bool = False) -> Listing:
    """Mean shares, or ranges, in % of mean |F_a|: one group a row, struts and all struts beside it."""
    per_strut, overall = (shares.range, shares.range_all) if spread else (shares.mean, shares.mean_all)
    rows = [
        (
            shares.names[g],
            GROUP_TEXT[shares.names[g]],
            *(_percent(value) for value in per_strut[g]),
            _percent(overall[g]),
        )
        for g in present(shares)
    ]
    header = ("group", f"{'(max - min)' if spread else 'mean |group|'} / mean |F_a|, %", *STRUT_NAMES, "all")
    if not spread:
        force = [*shares.force, shares.force.mean()]
        rows.append(("F_a", "mean |F_a|, N", *(number(value, 4) for value in force)))
    return Listing(header, tuple(rows), frozenset(header[2:]))


def sensitivity_table(sensitivity: Sensitivity) -> Listing:
    """Sensitivities, one direction of the error a row."""
    rows = tuple(
        (direction, *(f"{value:.3f}" if np.isfinite(value) else "-" for value in row), f"{overall:.3f}",
         number(quotient, DIGITS))
        for direction, row, overall, quotient in zip(
            sensitivity.directions,
            sensitivity.per_strut,
            sensitivity.overall.tolist(),
            sensitivity.largest_quotient.tolist(),
            strict=True,
        )
    )  # fmt: skip
    header = ("error along", *STRUT_NAMES, "all", "largest |dF/F|")
    return Listing(header, rows, frozenset(header[1:]))


def contributions_document(shares: Contributions) -> dict[str, Any]:
    """Contributions for JSON; null where a strut carries no force."""
    return {
        "mean_force": {"per_strut": _numbers(shares.force), "all": float(shares.force.mean()), "unit": "N"},
        "groups": [
            {
                "name": name,
                "meaning": GROUP_TEXT[name],
                "mean_percent": {"per_strut": _numbers(shares.mean[g]), "all": float(shares.mean_all[g])},
                "range_percent": {"per_strut": _numbers(shares.range[g]), "all": float(shares.range_all[g])},
            }
            for g, name in enumerate(shares.names)
        ],
    }


def sensitivity_document(sensitivity: Sensitivity) -> dict[str, Any]:
    """Sensitivities for JSON; null where a strut carries no force or a quotient has no bound."""
    return {
        "travel": sensitivity.travel,
        "directions": [
            {
                "direction": direction,
                "per_strut": _numbers(sensitivity.per_strut[d]),
                "all": float(sensitivity.overall[d]),
                "largest_quotient": _numbers(sensitivity.largest_quotient[d : d + 1])[0],
            }
            for d, direction in enumerate(sensitivity.directions)
        ],
    }


def _percent(value: float) -> str:
    return f"{value:.2f}" if np.isfinite(value) else "-"


def _numbers(values: FloatArray) -> list[float | None]:
    return [value if np.isfinite(value) else None for value in values.tolist()]
