# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Table 5.1: friction in stage 1-A beside the source's."""

from __future__ import annotations

from pkm_identification.motion import STRUTS
from pkm_identification.report.listing import Listing

from .data import TABLE_5_1
from .friction_findings import compute_friction_difference
from .runs import StagedStudy


def friction_table(study: StagedStudy) -> Listing:
    """Table 5.1 beside ours, a strut a row."""
    ours, as_source = (
        compute_friction_difference(study, staged, "xy", "1-A") for staged in (study.ours, study.as_source)
    )
    rows = []
    for k, (name, source) in enumerate(TABLE_5_1.items()):
        for i in range(STRUTS):
            index = k * STRUTS + i
            value = source[i]
            rows.append(
                (
                    f"{name} {i + 1}",
                    f"{study.experiments.expected[index]:.4g}",
                    "lost" if value is None else f"{value:.2f} (S)",
                    f"{ours[index]:+.2f}",
                    f"{as_source[index]:+.2f}",
                    *(f"{runs['xy'][index]:+.2f}" for runs in study.joints.coulomb.values()),
                )
            )
    with_joints = (f"joints of {size:g} N m" for size in study.joints.coulomb)
    header = ("friction", "strut test", "source", "ours", "ours, source's processing", *with_joints)
    return Listing(header, tuple(rows), frozenset(header[1:]))
