# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Contributions to the driven forces of a mechanism as tables and a document."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pkm_identification.mechanisms.multibody.contributions import DriveShares
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray

from .contribution_tables import numbers_or_null, shares_table
from .listing import Listing, number

GROUP_TEXT = {
    "acceleration": "a drive's own acceleration",
    "coupling": "the other drives' acceleration",
    "centripetal": "centripetal",
    "coriolis": "Coriolis",
    "gravity": "gravity",
    "friction": "friction",
    "external": "external wrench",
}


def drive_shares_table(mechanism: Mechanism, shares: DriveShares, spread: bool = False) -> Listing:
    """In % of each drive's mean |F|: mean |group|, or the range of its signed force."""
    meanings = [(name, GROUP_TEXT[name]) for name in shares.names]
    if spread:
        return shares_table(meanings, shares.mean, mechanism.force_names, "F", shares.signed_range)
    table = shares_table(meanings, shares.mean, mechanism.force_names, "F")
    units = [drive.force_unit for drive in mechanism.description.drives]
    forces = (f"{number(force, 4)} {unit}" for force, unit in zip(shares.force, units, strict=True))
    return replace(table, rows=(*table.rows, ("F", "mean |F|", *forces)))


def drive_shares_document(mechanism: Mechanism, shares: DriveShares) -> dict[str, Any]:
    """The same for JSON; null where a drive carries no force."""
    return {
        "mean_force": {
            drive.force: {"value": float(force), "unit": drive.force_unit}
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
    return dict(zip(mechanism.force_names, numbers_or_null(values), strict=True))
