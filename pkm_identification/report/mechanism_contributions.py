"""Contributions to the driven forces of a mechanism as tables and a document."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.mechanisms.multibody.contributions import DriveShares
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray

from .listing import ABSENT, Listing, number

GROUP_TEXT = {
    "acceleration": "a drive's own acceleration",
    "coupling": "the other drives' acceleration",
    "centripetal": "centripetal",
    "coriolis": "Coriolis",
    "gravity": "gravity",
    "friction": "friction",
    "external": "external wrench",
}
_FORCE_UNIT = {"m": "N", "rad": "N m"}


def present(shares: DriveShares) -> list[int]:
    """Which groups contribute anything."""
    return [g for g in range(len(shares.names)) if np.nansum(shares.mean[g]) > 0]


def drive_shares_table(mechanism: Mechanism, shares: DriveShares, spread: bool = False) -> Listing:
    """In % of each drive's mean |F|: mean |group|, or the range of its signed force."""
    values = shares.signed_range if spread else shares.mean
    what = "(max - min) of the signed force" if spread else "mean |group|"
    header = ("group", f"{what} / mean |F|, %", *mechanism.force_names)
    rows = [
        (shares.names[g], GROUP_TEXT[shares.names[g]], *(_percent(value) for value in values[g]))
        for g in present(shares)
    ]
    if not spread:
        units = [_FORCE_UNIT[drive.measure.unit] for drive in mechanism.description.drives]
        forces = (f"{number(force, 4)} {unit}" for force, unit in zip(shares.force, units, strict=True))
        rows.append(("F", "mean |F|", *forces))
    return Listing(header, tuple(rows), frozenset(mechanism.force_names))


def drive_shares_document(mechanism: Mechanism, shares: DriveShares) -> dict[str, Any]:
    """The same for JSON; null where a drive carries no force."""
    return {
        "mean_force": {
            drive.force: {"value": float(force), "unit": _FORCE_UNIT[drive.measure.unit]}
            for drive, force in zip(mechanism.description.drives, shares.force, strict=True)
        },
        "groups": [
            {
                "name": name,
                "meaning": GROUP_TEXT[name],
                "mean_percent": _by_force(mechanism, shares.mean[g]),
                "signed_range_percent": _by_force(mechanism, shares.signed_range[g]),
            }
            for g, name in enumerate(shares.names)
        ],
    }


def _by_force(mechanism: Mechanism, values: FloatArray) -> dict[str, float | None]:
    return {
        name: float(value) if np.isfinite(value) else None
        for name, value in zip(mechanism.force_names, values, strict=True)
    }


def _percent(value: float) -> str:
    return f"{value:.2f}" if np.isfinite(value) else ABSENT
