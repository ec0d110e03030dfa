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
        "What each machine does, run as a user runs it: logs of 8 s (.2 s for each of more than 40 parameters) by",
        "`pkm simulate` with 1 % noise (20 s, or twice as long, of the machine off its file), right unless the row",
        "says otherwise. *Numbers* are seconds of processor time of a row that ended as it should; *said*: the machine",
        "lacks what the row needs, and one line says so; **no**: neither; empty: not run. Below, what was said and",
        "measured. `python -m benchmarks.rows --machines uf my.yaml` for some, or for a file.",
        "",
        f"{len(every)} cells: {count[OK]} as wanted, {count[LACKS]} said, {count[FAILED]} no.",
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
    lines.append(f"| | in all, s | {' | '.join(seconds)} |")
    for title, state in (("Not as wanted", FAILED), ("What was said where a machine lacks something", LACKS)):
        lines += _list(outcomes, title, [state])
    measured = "A machine 5 to 20 % off its file"
    lines += ["", f"## {measured}", "", "| machine | |", "|---|---|"]
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
    return {OK: f"{one.seconds:.1f}", LACKS: "said", FAILED: "**no**"}[one.state]


def _list(outcomes: dict[str, list[Outcome]], title: str, states: list[str]) -> list[str]:
    """Return a section of rows and what was said in them, machines with the same line together."""
    said: dict[tuple[str, str], list[str]] = {}
    for name, made in outcomes.items():
        for one in made:
            if one.state in states:
                said.setdefault((one.row, one.line.replace(f"'{name}'", "'NAME'")), []).append(name)
    lines = ["", f"## {title}", "", "| row | machines | |", "|---|---|---|"]
    lines += [
        f"| {row} | {', '.join(names)} | {line.replace('|', '/')} |" for (row, line), names in said.items()
    ]
    return lines if said else [*lines[:3], "None."]
