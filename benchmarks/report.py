# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The findings as text and JSON."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

from . import streams
from .results import Findings, Item, Shared
from .times import ratio_text, time_text


def verdict(item: Item) -> str:
    if item.budget is None:
        return ""
    return "within" if item.ours.median <= item.budget else "MISSED"


def where(about: dict) -> str:
    """One sentence on machine, versions and load."""
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    before, after = about["load"]
    return (
        f"{about['processor']}, {about['cores']} cores shared with others: load average {before:.1f} before and "
        f"{after:.1f} after. {versions}."
    )


def shared_rows(shared: list[Shared]) -> list[str]:
    """Batches on several threads beside one, as a table."""
    lines = [
        "| batch, per sample | one thread | several | speed-up of medians | of best rounds |",
        "|---|---|---|---|---|",
    ]
    for batch in shared:
        medians, best = batch.speed_up
        lines.append(
            f"| {batch.name}, {batch.samples} samples | {time_text(batch.one.median)} | "
            f"{time_text(batch.several.median)} on {batch.threads} | **{medians:.2f}x** | {best:.2f}x |"
        )
    return lines


def text(findings: Findings, about: dict) -> str:
    """The table for a terminal."""
    lines = [where(about), ""]
    if findings.streams:
        lines += [*streams.text(findings.streams), ""]
    if findings.shared:
        lines += [*shared_rows(findings.shared), ""]
    if not findings.items:
        return "\n".join([*lines, *findings.remarks])
    width = max(len(item.name) for item in findings.items)
    lines.append(f"{'':{width}}  {'budget':>8}  {'median':>8}  {'quartiles':>19}  {'best':>8}")
    for item in findings.items:
        ours = item.ours
        budget = time_text(item.budget) if item.budget is not None else "-"
        quartiles = f"{time_text(ours.low)} - {time_text(ours.high)}"
        lines.append(
            f"{item.name:{width}}  {budget:>8}  {time_text(ours.median):>8}  {quartiles:>19}  "
            f"{time_text(ours.best):>8}  {verdict(item)}"
        )
        for peer in item.peers:
            median = peer.timing.median
            lines.append(f"    {peer.name:{width - 4}}  {'':>8}  {time_text(median):>8}  "
                         f"{ratio_text(median, ours.median)} ours")  # fmt: skip
        if item.agreement:
            lines.append(f"    {item.agreement}")
    lines += ["", *findings.remarks]
    return "\n".join(lines)


def document(findings: Findings, about: dict) -> str:
    """Everything measured as JSON; times in s, memory in MB, numbers that are not finite as null."""

    def finite(value: object) -> object:
        if isinstance(value, dict):
            return {key: finite(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [finite(inner) for inner in value]
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return json.dumps(finite({"where": about, **asdict(findings)}), indent=1) + "\n"
