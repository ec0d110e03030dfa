# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The tables of section 2.4: norms and sensitivities of every machine in every motion."""

from __future__ import annotations

from pkm_identification.report.listing import Listing

from .data import GROUPS
from .runs import Case, Study


def build_study_table(study: Study, variation: bool = False) -> Listing:
    """One machine and motion of Table 2.2 a row: mean norms and sensitivities, or variation norms."""
    if variation:
        return _format_variations({" ".join(key): case for key, case in study.cases.items()})
    header = ("machine", "motion", "mean |F_a|, N", *GROUPS, "pm+sm", "grp+grs", "S x", "S y", "S z")
    rows = []
    for (machine, motion), case in study.cases.items():
        sensitivity = study.sensitivities[machine, motion].sensitivity
        rows.append(
            (
                machine,
                motion,
                f"{case.shares.force:.1f}",
                *(f"{case.shares.share(name):.2f}" for name in GROUPS),
                f"{case.acceleration:.1f}",
                f"{case.gravity:.1f}",
                *(f"{sensitivity.overall[sensitivity.directions.index(axis)]:.3f}" for axis in "xyz"),
            )
        )
    return Listing(header, tuple(rows), frozenset(header[2:]))


def build_scaled_table(study: Study) -> Listing:
    """Variation norms of the motions scaled for each machine."""
    return _format_variations({" ".join(key): case for key, case in study.scaled.items()})


def _format_variations(cases: dict[str, Case]) -> Listing:
    header = ("machine and motion", "F_a", *GROUPS)
    rows = tuple(
        (
            name,
            f"{case.shares.total_variation:.2f}",
            *(f"{case.shares.varies(group):.2f}" for group in GROUPS),
        )
        for name, case in cases.items()
    )
    return Listing(header, rows, frozenset(header[1:]))
