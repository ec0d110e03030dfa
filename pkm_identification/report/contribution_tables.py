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
    return [g for g in range(len(shares.names)) if shares.variation[g] > 0 or shares.mean[g] > 0]


def contributions_table(shares: Contributions) -> Listing:
    """The source's norms (2.76-2.88) in % of mean |F_a|, |.| over the struts: one group a row."""
    rows = [
        (
            shares.names[g],
            GROUP_TEXT[shares.names[g]],
            _percent(shares.mean[g]),
            _percent(shares.variation[g]),
        )
        for g in present(shares)
    ]
    rows.append(
        ("F_a", f"mean |F_a| {number(shares.force, 4)} N", "100.00", _percent(shares.total_variation))
    )
    header = ("group", "|.| over the struts", "mean norm, %", "variation norm, %")
    return Listing(header, tuple(rows), frozenset(header[2:]))


def strut_contributions_table(shares: Contributions, spread: bool = False) -> Listing:
    """Strut by strut, in % of each strut's mean |F_a|: mean |group|, or the range of its signed force."""
    per_strut = shares.signed_range if spread else shares.strut_mean
    rows = [
        (shares.names[g], GROUP_TEXT[shares.names[g]], *(_percent(value) for value in per_strut[g]))
        for g in present(shares)
    ]
    what = "(max - min) of the signed force" if spread else "mean |group|"
    header = ("group", f"{what} / mean |F_a|, %", *STRUT_NAMES)
    if not spread:
        rows.append(("F_a", "mean |F_a|, N", *(number(value, 4) for value in shares.strut_force)))
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
    """Contributions for JSON; null where a strut carries no force.

    `mean_norm_percent` and `variation_norm_percent` are the source's; what is under `per_strut` is not.
    """
    return {
        "mean_force": {"norm": shares.force, "per_strut": _numbers(shares.strut_force), "unit": "N"},
        "total_variation_norm_percent": shares.total_variation,
        "groups": [
            {
                "name": name,
                "meaning": GROUP_TEXT[name],
                "mean_norm_percent": float(shares.mean[g]),
                "variation_norm_percent": float(shares.variation[g]),
                "per_strut": {
                    "mean_percent": _numbers(shares.strut_mean[g]),
                    "signed_range_percent": _numbers(shares.signed_range[g]),
                },
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
