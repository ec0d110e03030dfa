# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Contributions to the forces of the drives, and sensitivities, as tables and documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pkm_identification.machines.contract import Drive
from pkm_identification.mechanisms.center_of_mass_sensitivity import Sensitivity
from pkm_identification.mechanisms.contributions import Contributions, DriveShares
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.finite import finite_or_none

from .listing import ABSENT, Listing, number

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
    "acceleration": "acceleration of the same drive",
    "coupling": "the other drives' acceleration",
    "centripetal": "centripetal",
    "coriolis": "Coriolis",
    "gravity": "gravity",
    "friction": "friction",
    "external": "external wrench",
}


def present(mean: FloatArray) -> list[int]:
    """Return which groups contribute anything, of their mean shares (G, ...)."""
    return [g for g in range(len(mean)) if np.nansum(mean[g]) > 0]


def percent(share: float) -> str:
    """Return a share in % with two decimals; ABSENT where nothing is a share of the whole."""
    return f"{share:.2f}" if np.isfinite(share) else ABSENT


def drive_shares_table(
    shares: DriveShares, drives: Sequence[str], of: str, spread: bool = False, units: Sequence[str] = ()
) -> Listing:
    """Return drive by drive, in % of each one's mean force: mean |group|, or the range of its signed force.

    Parameters
    ----------
    shares : DriveShares
    drives : sequence of str, length n
    of : str
        What the whole force is called.
    spread : bool
    units : sequence of str, length n
        Of the forces; not of ranges.
    """
    what, values = (
        ("(max - min) of the signed force", shares.signed_range) if spread else ("mean |group|", shares.mean)
    )
    rows = [
        (shares.names[g], GROUP_TEXT[shares.names[g]], *map(percent, values[g])) for g in present(shares.mean)
    ]
    if not spread:
        sizes = [f"{number(size, 4)} {unit}" for size, unit in zip(shares.force, units, strict=True)]
        rows.append((of, f"mean |{of}|", *sizes))
    return Listing(("group", f"{what} / mean |{of}|, %", *drives), tuple(rows), frozenset(drives))


def numbers_or_null(values: FloatArray) -> list[float | None]:
    """Return numbers for JSON; None for what is not finite."""
    return [finite_or_none(value) for value in values.tolist()]


def build_contributions_table(shares: Contributions, unit: str = "N") -> Listing:
    """Return the norms (2.76-2.88) in % of mean |F|, |.| over the drives: one group a row."""
    rows = [
        (
            shares.names[g],
            GROUP_TEXT[shares.names[g]],
            percent(shares.mean[g]),
            percent(shares.variation[g]),
        )
        for g in present(shares.mean)
    ]
    rows.append(
        ("F", f"mean |F| {number(shares.force, 4)} {unit}", "100.00", percent(shares.total_variation))
    )
    header = ("group", "|.| over the drives", "mean norm, %", "variation norm, %")
    return Listing(header, tuple(rows), frozenset(header[2:]))


def build_sensitivity_table(sensitivity: Sensitivity, drives: Sequence[str]) -> Listing:
    """Sensitivities, one direction of the error a row."""
    rows = tuple(
        (direction, *(f"{value:.3f}" if np.isfinite(value) else ABSENT for value in row),
         f"{overall:.3f}" if np.isfinite(overall) else ABSENT,
         number(quotient, DIGITS))
        for direction, row, overall, quotient in zip(
            sensitivity.directions,
            sensitivity.per_strut,
            sensitivity.overall.tolist(),
            sensitivity.largest_quotient.tolist(),
            strict=True,
        )
    )  # fmt: skip
    header = ("error along", *drives, "all", "largest |dF/F|")
    return Listing(header, rows, frozenset(header[1:]))


def build_contributions_document(shares: Contributions) -> dict[str, Any]:
    """Contributions for JSON; null where a strut carries no force.

    `mean_norm_percent` and `variation_norm_percent` are the source's; what is under `per_strut` is not.
    """
    return {
        "mean_force": {"norm": shares.force, "per_strut": numbers_or_null(shares.struts.force), "unit": "N"},
        "total_variation_norm_percent": shares.total_variation,
        "groups": [
            {
                "name": name,
                "meaning": GROUP_TEXT[name],
                "mean_norm_percent": float(shares.mean[g]),
                "variation_norm_percent": float(shares.variation[g]),
                "per_strut": {
                    "mean_percent": numbers_or_null(shares.struts.mean[g]),
                    "signed_range_percent": numbers_or_null(shares.struts.signed_range[g]),
                },
            }
            for g, name in enumerate(shares.names)
        ],
    }


def drive_shares_document(
    drives: Sequence[Drive], shares: DriveShares, norms: Contributions | None = None
) -> dict[str, Any]:
    """Return contributions drive by drive for JSON, and in the norm over them; null where a drive carries no force."""
    names = [drive.force_name for drive in drives]

    def by_force(values: FloatArray) -> dict[str, float | None]:
        return dict(zip(names, numbers_or_null(values), strict=True))

    document: dict[str, Any] = {
        "schema": 2,
        "mean_force": {
            drive.force_name: {"value": float(force), "unit": drive.force_unit}
            for drive, force in zip(drives, shares.force, strict=True)
        },
        "groups": [
            {
                "name": name,
                "meaning": GROUP_TEXT[name],
                "mean_percent": by_force(shares.mean[g]),
                "signed_range_percent": by_force(shares.signed_range[g]),
            }
            for g, name in enumerate(shares.names)
        ],
    }
    if norms is not None:
        document["mean_norm"] = {"value": norms.force, "unit": drives[0].force_unit}
        document["total_variation_norm_percent"] = norms.total_variation
        for g, group in enumerate(document["groups"]):
            group["mean_norm_percent"] = float(norms.mean[g])
            group["variation_norm_percent"] = float(norms.variation[g])
    return document


def build_sensitivity_document(sensitivity: Sensitivity) -> dict[str, Any]:
    """Sensitivities for JSON; null where a strut carries no force or a quotient has no bound."""
    return {
        "travel": sensitivity.travel,
        "directions": [
            {
                "direction": direction,
                "per_strut": numbers_or_null(sensitivity.per_strut[d]),
                "all": finite_or_none(float(sensitivity.overall[d])),
                "largest_quotient": numbers_or_null(sensitivity.largest_quotient[d : d + 1])[0],
            }
            for d, direction in enumerate(sensitivity.directions)
        ],
    }
