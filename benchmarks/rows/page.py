# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The page of the table: a row for what was asked, a column for each machine."""

from __future__ import annotations

from .run import FAILED, LACKS, OK, Outcome


def build_page(outcomes: dict[str, list[Outcome]]) -> str:
    """Return the page in Markdown of outcomes by machine."""
    machines = list(outcomes)
    cells = {name: {one.row: one for one in made} for name, made in outcomes.items()}
    rows = list(dict.fromkeys((one.group, one.row) for made in outcomes.values() for one in made))
    every = [one for made in outcomes.values() for one in made]
    count = {state: sum(one.state == state for one in every) for state in (OK, LACKS, FAILED)}
    lines = [
        "# Every machine, every command",
        "<!-- Written by `python -m benchmarks.rows`. -->",
        "Each row is a task, run on every machine as a user would run it. Logs are made by `pkm simulate` with 1 %",
        "noise: 8 s, or .2 s per parameter if that is longer; at least 20 s where the machine differs from its file.",
        "To run some machines, or a machine file: `python -m benchmarks.rows --machines uf my.yaml`.",
        "",
        "| cell | meaning |",
        "|---|---|",
        "| number | passed; processor time in s |",
        "| n/a | the machine lacks what the task needs, and one line of output says so (below) |",
        "| **failed** | neither |",
        "| empty | not run |",
        "",
        f"{len(every)} cells: {count[OK]} passed, {count[LACKS]} n/a, {count[FAILED]} failed.",
        "",
        f"| | | {' | '.join(machines)} |",
        f"|---|---|{'---|' * len(machines)}",
    ]
    before = ""
    for group, row in rows:
        marks = [_mark(cells[name].get(row)) for name in machines]
        lines.append(f"| {group if group != before else ''} | {row} | {' | '.join(marks)} |")
        before = group
    seconds = [f"{sum(one.seconds for one in outcomes[name]):.0f}" for name in machines]
    lines.append(f"| | total, s | {' | '.join(seconds)} |")
    for title, state in (("Failed", FAILED), ("Not applicable", LACKS)):
        lines += _list(outcomes, title, [state])
    measured = "A machine 5 to 20 % off its file"
    title = "Errors for a machine that differs from its file by 5 to 20 %"
    lines += [
        "",
        f"## {title}",
        "",
        "| machine | largest and mean square error, in stated standard deviations |",
        "|---|---|",
    ]
    lines += [
        f"| {name} | {one.line} |"
        for name, made in outcomes.items()
        for one in made
        if one.row == measured[0].lower() + measured[1:]
    ]
    return "\n".join(lines) + "\n"


def _mark(one: Outcome | None) -> str:
    if one is None:
        return ""
    return {OK: f"{one.seconds:.1f}", LACKS: "n/a", FAILED: "**failed**"}[one.state]


def _list(outcomes: dict[str, list[Outcome]], title: str, states: list[str]) -> list[str]:
    """Return a section of rows and what was said in them, machines with the same line together."""
    said: dict[tuple[str, str], list[str]] = {}
    for name, made in outcomes.items():
        for one in made:
            if one.state in states:
                said.setdefault((one.row, one.line.replace(f"'{name}'", "'NAME'")), []).append(name)
    lines = ["", f"## {title}", "", "| task | machines | output |", "|---|---|---|"]
    lines += [
        f"| {row} | {', '.join(names)} | {line.replace('|', '/')} |" for (row, line), names in said.items()
    ]
    return lines if said else [*lines[:3], "None."]
