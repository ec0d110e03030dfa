# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The page and the charts of one run, written together: `docs/benchmarks.md` and what it shows."""

from __future__ import annotations

from pathlib import Path

from pkm_identification.report.figures.style import png

from . import charts, streams
from .report import shared_rows, verdict, where
from .results import Findings, Item
from .times import ratio_text, time_text

NAME = "benchmarks.md"
IMAGES = "images"


def write(folder: Path, findings: Findings, about: dict) -> list[Path]:
    """Write `benchmarks.md` and `images/*.png` into `folder`; the files written.

    Everything is made before anything is written, so that table, notes and charts are of the same run.
    """
    pictures = {}
    if any(item.peers for item in findings.items):
        pictures["benchmarks.png"] = ("times against the peers", png(charts.bars(findings)))
    if findings.growth or findings.memory:
        pictures["growth.png"] = ("growth with the number of samples", png(charts.growth(findings)))
    links = [f"![{title}]({IMAGES}/{name})" for name, (title, _) in pictures.items()]
    files = {folder / NAME: markdown(findings, about, links).encode()}
    files.update({folder / IMAGES / name: content for name, (_, content) in pictures.items()})
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return list(files)


def markdown(findings: Findings, about: dict, links: list[str]) -> str:
    """The page, for people who read the repository."""
    scope = "" if about["complete"] else f" This is not the whole run: {about['scope']}."
    lines = [
        "# Benchmarks",
        "Written by `make bench`; do not edit. Table, notes and charts are of one run, times are medians. Every peer's",
        f"numbers are checked to equal ours before it is timed.{scope}",
        "",
        f"{about['date']}, version {about['version']}{_commit(about)}. {where(about)}",
    ]
    lines += [text for link in links for text in ("", link)]
    if findings.items:
        lines += ["", *_table(findings.items)]
    if findings.remarks:
        lines += ["", "## Remarks", *(f"- {remark}" for remark in findings.remarks)]
    if findings.growth:
        lines += ["", "## Growth", *_growth(findings)]
    if findings.shared:
        lines += ["", "## Threads", *shared_rows(findings.shared)]
    if findings.streams:
        lines += ["", "## Nodes on real topics", *streams.markdown(findings.streams)]
    return "\n".join([*lines, ""])


def _commit(about: dict) -> str:
    return f", commit {about['commit']}" if about["commit"] else ""


def _table(items: list[Item]) -> list[str]:
    """Rows, what is slower than a peer or than its budget, and the numbered notes."""
    notes: list[str] = []

    def note(content: str) -> str:
        if not content:
            return ""
        if content not in notes:
            notes.append(content)
        return f" [{notes.index(content) + 1}]"

    lines = [
        "| item | budget | ours, median | peers, median (times ours) | same numbers to |",
        "|---|---|---|---|---|",
    ]
    for item in items:
        name = f"{item.name}{note(item.note)}"
        budget = time_text(item.budget) if item.budget is not None else "-"
        peers = "<br>".join(
            f"{peer.name} {time_text(peer.timing.median)} (**{ratio_text(peer.timing.median, item.ours.median)}**)"
            f"{note(peer.note)}"
            for peer in item.peers
        )
        missed = f" (missed; best round {time_text(item.ours.best)})" if verdict(item) == "MISSED" else ""
        lines.append(
            f"| {name} | {budget} | **{time_text(item.ours.median)}**{missed} | "
            f"{peers or '-'} | {item.agreement or '-'} |"
        )
    return [*lines, "", *_slower(items), "", *(f"{k}. {content}" for k, content in enumerate(notes, start=1))]


def _slower(items: list[Item]) -> list[str]:
    """What a reader should not have to search the table for."""
    missed = [item.name for item in items if verdict(item) == "MISSED"]
    faster = [
        f"{peer.name} ({item.name}, {ratio_text(peer.timing.median, item.ours.median)})"
        for item in items
        for peer in item.peers
        if peer.timing.median < item.ours.median
    ]
    return [
        f"Budgets missed: {'; '.join(missed) or 'none'}.",
        "",
        f"Peers that are faster: {'; '.join(faster) or 'none'}.",
    ]


def _growth(findings: Findings) -> list[str]:
    """Time of one call by its number of samples."""
    lines = ["| samples in one call | " + " | ".join(one.name for one in findings.growth) + " |"]
    lines.append("|---|" + "---|" * len(findings.growth))
    for k, count in enumerate(findings.growth[0].counts):
        cells = (
            f"{time_text(one.seconds[k])}, {time_text(one.seconds[k] / count)} each"
            for one in findings.growth
        )
        lines.append(f"| {count} | " + " | ".join(cells) + " |")
    return lines
