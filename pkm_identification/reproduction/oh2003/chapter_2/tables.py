"""The table of section 2.4: shares and sensitivities of every machine in every motion."""

from __future__ import annotations

from pkm_identification.report.listing import Listing

from .data import GROUPS
from .runs import Study


def study_table(study: Study) -> Listing:
    """One machine and motion a row."""
    header = ("machine", "motion", "mean |F_a|, N", *GROUPS, "pm+sm", "grp+grs", "S x", "S y", "S z")
    rows = []
    for (machine, motion), case in study.items():
        names = case.sensitivity.directions
        rows.append(
            (
                machine,
                motion,
                f"{case.shares.force.mean():.1f}",
                *(f"{case.shares.share(name):.2f}" for name in GROUPS),
                f"{case.acceleration:.1f}",
                f"{case.gravity:.1f}",
                *(f"{case.sensitivity.overall[names.index(axis)]:.3f}" for axis in "xyz"),
            )
        )
    return Listing(header, tuple(rows), frozenset(header[2:]))
