# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Findings on a log, as text and for programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from pkm_identification.estimation.statuses import is_shown
from pkm_identification.identification.estimate_file import fit_document
from pkm_identification.identification.log_check import LogCheck
from pkm_identification.numerics.finite import finite_or_none

from .listing import Listing, number
from .sentences import format_verdict_lines
from .tables import REASONS

SCHEMA = 1


def check_lines(check: LogCheck) -> list[str]:
    """Findings for a person: summary, table of faults, table of struts, what is identifiable, verdict."""
    expected = "" if check.expected_rate is None else f" (expected {check.expected_rate:g} Hz)"
    lines = [
        check.source,
        f"{check.samples} samples in {check.duration:.3f} s, {check.usable} usable; "
        f"rate {check.rate:.2f} Hz{expected}, jitter {1e6 * check.jitter:.0f} us",
        f"{check.segments} uninterrupted segment{'s' if check.segments != 1 else ''}, "
        f"the longest {check.longest:.2f} s",
        *([check.rate_shows] if check.rate_shows else []),
        *check.warnings,
        "",
    ]
    if check.faults:
        rows = tuple(
            (
                fault.kind,
                str(fault.count),
                "-" if fault.first is None else f"{fault.first:.6f}",
                REASONS.get(fault.kind, ""),
            )
            for fault in check.faults
        )
        lines += [
            str(
                Listing(("fault", "count", "first at s", "meaning"), rows, frozenset({"count", "first at s"}))
            )
        ]
    else:
        lines += ["no faults"]
    lines += ["", *_drive_lines(check)]
    if check.poses_failed or check.poses_degraded:
        lines += [f"poses: {check.poses_failed} not found, {check.poses_degraded} near a singularity"]
    if check.identification is not None:
        estimate = check.identification.estimate
        unidentified = [
            name for name, status in zip(estimate.names, estimate.status, strict=True) if not is_shown(status)
        ]
        if check.identification.answer is not None:
            lines += ["", *(text for _, text in format_verdict_lines(check.identification))]
        if unidentified:
            lines += ["", "not identifiable from this motion: " + ", ".join(unidentified)]
        if estimate.combinations:
            lines += ["identifiable only in combination: " + "; ".join(c.name for c in estimate.combinations)]
    lines += ["", check.verdict]
    return lines


def _drive_lines(check: LogCheck) -> list[str]:
    """Return a table of what each drive does, and its limits."""
    title, *ends, limits = check.words
    units = [(drive.unit, drive.unit, f"{drive.unit}/s", drive.force_unit) for drive in check.drives]
    alike = len(set(units)) == 1
    rows: list[tuple[str, ...]] = [
        (f"{low:.4f}", f"{high:.4f}", number(rate, 3), number(force, 4))
        for (low, high), rate, force in zip(
            check.coordinate_range, check.peak_rate, check.peak_force, strict=True
        )
    ]
    heads = [*ends, "peak rate", "peak force"]
    if alike:
        heads = [f"{head} {unit}" for head, unit in zip(heads, units[0], strict=True)]
    else:
        rows = [
            tuple(f"{cell} {unit}" for cell, unit in zip(*pair, strict=True))
            for pair in zip(rows, units, strict=True)
        ]
    if check.standstill is not None:
        heads.append("standstill %")
        rows = [(*row, number(100 * share, 3)) for row, share in zip(rows, check.standstill, strict=True)]
    table = Listing(
        (title, *heads),
        tuple((name, *row) for name, row in zip(check.labels, rows, strict=True)),
        frozenset(heads),
    )
    stated = {(drive.lowest, drive.highest, drive.unit) for drive in check.drives}
    if len(stated) == 1:
        ((low, high, unit),) = stated
        return [str(table), f"{limits}: {_format_interval(low, high, unit)}"]
    each = (
        f"{drive.name} {_format_interval(drive.lowest, drive.highest, drive.unit)}" for drive in check.drives
    )
    return [str(table), f"{limits}: {', '.join(each)}"]


def _format_interval(low: float, high: float, unit: str) -> str:
    return f"{low:g} to {high:g} {unit}" if np.isfinite(high - low) else "none stated"


def check_document(check: LogCheck) -> dict[str, Any]:
    """Findings for programs; numbers that are not finite are None."""
    estimate = None if check.identification is None else check.identification.estimate
    fit = None if check.identification is None else check.identification.fit
    ranges = [[finite_or_none(value) for value in row] for row in check.coordinate_range]
    return {
        "schema": SCHEMA,
        "source": check.source,
        "samples": check.samples,
        "usable_samples": check.usable,
        "duration": finite_or_none(check.duration),
        "rate": finite_or_none(check.rate),
        "expected_rate": finite_or_none(check.expected_rate),
        "jitter": finite_or_none(check.jitter),
        "faults": {fault.kind: fault.count for fault in check.faults},
        "segments": check.segments,
        "longest_segment": finite_or_none(check.longest),
        "drives": [drive.name for drive in check.drives],
        "units": [drive.unit for drive in check.drives],
        "standstill": None
        if check.standstill is None
        else [finite_or_none(share) for share in check.standstill],
        "coordinate_range": ranges,
        **({"length_range": ranges} if all(drive.unit == "m" for drive in check.drives) else {}),
        "limits": [[finite_or_none(drive.lowest), finite_or_none(drive.highest)] for drive in check.drives],
        "peak_rate": [finite_or_none(value) for value in check.peak_rate],
        "peak_force": [finite_or_none(value) for value in check.peak_force],
        "poses_failed": check.poses_failed,
        "poses_degraded": check.poses_degraded,
        "usable": check.usable_for_identification,
        "verdict": check.verdict,
        "status": {} if estimate is None else dict(zip(estimate.names, estimate.status, strict=True)),
        "combinations": [] if estimate is None else [c.name for c in estimate.combinations],
        "warnings": list(check.warnings),
        "rate_shows": check.rate_shows,
        "fit": None if fit is None else fit_document(fit),
    }
