# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""docs/misfit_benchmark.md: what was found, as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .cases import Case
from .judge import MOVED, SEEN, PairVerdict, Verdict
from .right_logs import DRAWS, RightLog
from .right_logs import DURATION as RIGHT_DURATION
from .runs import DURATION, is_earlier

DISCRETE = ("force_sign", "force_unit", "length_unit", "time_unit", "exchanged_struts", "exchanged_lengths")
SIZES = ("small", "middle", "large")


@dataclass
class Done:
    """What a whole run has, and what was run of it.

    Attributes
    ----------
    cases : sequence of Case
        Of a whole run.
    pair_count, right_count : int
        Of a whole run.
    verdicts, pairs, right : list
        What was run.
    """

    cases: Sequence[Case]
    pair_count: int
    right_count: int
    verdicts: list[Verdict] = field(default_factory=list)
    pairs: list[PairVerdict] = field(default_factory=list)
    right: list[tuple[RightLog, dict[str, Any]]] = field(default_factory=list)


def page(done: Done, command: str) -> str:
    """The page as Markdown."""
    parts = [*_head(done, command), *_summary(done), *_causes(done.verdicts), *_right(done.right)]
    return "\n".join([*parts, *_misses(done.verdicts), ""])


def _head(done: Done, command: str) -> list[str]:
    lines = [
        "# Fault detection on logs of the package's simulator",
        f"Written by `{command}`. Each log is simulated with one fault (`pkm simulate --fault`) and given to "
        "`pkm diagnose`. Masses, moments and friction of the machines differ from their files by up to 15 %; logs "
        f"have {DURATION:g} s of `rich` at 1 kHz, 1 % force noise and encoders of 1.25 µm. Logs without a fault last "
        f"{RIGHT_DURATION:g} s; {DRAWS} of them share a motion and differ in noise.",
        "",
        "| term | meaning |",
        "|---|---|",
        "| moves | largest change of a parameter by the fault, in standard deviations of the log without it |",
        "| score | size of the fault over the standard deviation with which this motion determines it |",
        f"| due | an alarm is due if *moves* exceeds {MOVED:g} and *score* is not known to be below {SEEN:g} |",
        "| rank | place of the true cause, or of its family, in the list of causes; 0: not in it |",
        "| corrected | largest error of a parameter, in standard deviations, with a machine file that has the fault; "
        "– where the benchmark writes no such file |",
        "",
        f"Run: {len(done.verdicts)} of {len(done.cases)} faults, {len(done.pairs)} of {done.pair_count} pairs "
        f"(in {sum(one.asked for one in done.pairs)} of which both alarms are due), "
        f"{len(done.right)} of {done.right_count} logs without a fault.",
    ]
    if len(done.verdicts) < len(done.cases):
        lines[-1] += (
            " Faults of the middle size come first, then random ones, so these are no random sample of all: "
            f"{_sizes(done)}."
        )
    asked = {one.case.row for one in done.verdicts if one.demanded}
    quiet = dict.fromkeys(one.case.row for one in done.verdicts if one.case.row not in asked)
    if quiet:
        lines[-1] += f" No alarm is due in any case of {', '.join(quiet)}."
    earlier = (
        sum(one.earlier for one in done.verdicts),
        sum(one.earlier for one in done.pairs),
        sum(is_earlier(found) for _, found in done.right),
    )
    if any(earlier):
        faults, pairs, right = earlier
        lines[-1] += (
            f" Diagnoses of {faults} faults, {pairs} pairs and {right} logs without a fault are from earlier versions."
        )
    impossible = [one for one in done.verdicts if np.isnan(one.moves) and "not simulated" in one.first]
    if impossible:
        lines[-1] += f" {len(impossible)} faults are impossible on their machine."
    return [*lines, ""]


def _sizes(done: Done) -> str:
    """How many cases of each size were run, of those planned."""
    run, planned = Counter(one.case.size for one in done.verdicts), Counter(case.size for case in done.cases)
    return ", ".join(f"{run[k]} of {planned[k]} {name}" for k, name in enumerate(SIZES))


def _plain_words(plain: Sequence[Verdict]) -> str:
    """What the discrete faults are that were run."""
    counts = Counter(one.case.fault if "upside_down" in one.case.fault else one.case.row for one in plain)
    return f"named, of {', '.join(f'{count} {name}' for name, count in counts.items()) or 'units, signs, exchanges'}"


def _share(flags: Sequence[bool]) -> str:
    return f"{100.0 * float(np.mean(flags)):.3g} % of {len(flags)}" if len(flags) else "–"


def _summary(done: Done) -> list[str]:
    verdicts = done.verdicts
    asked = [one for one in verdicts if one.demanded]
    named = [one for one in asked if one.alarm]
    plain = [one for one in verdicts if one.case.row in DISCRETE or "upside_down" in one.case.fault]
    cured = [one.cured for one in verdicts if np.isfinite(one.cured)]
    squares = [one.mean_square for one in verdicts if np.isfinite(one.mean_square)]
    judged = [fit for _, found in done.right if (fit := _fit(found)) is not None]
    pairs = [one for one in done.pairs if one.asked]
    rows = [
        ("alarm raised, of those due", "99 %", _share([one.alarm for one in asked])),
        ("true cause or its family first, of these", "90 %", _share([one.rank == 1 for one in named])),
        ("among the first three causes", "98 %", _share([0 < one.rank <= 3 for one in named])),
        (
            _plain_words(plain),
            "100 %",
            _share([one.named for one in plain]),
        ),
        (
            "two faults at once, both alarms due: both named",
            "70 %",
            _share([all(one.named) for one in pairs]),
        ),
        (
            "largest error below 4 standard deviations with the corrected file",
            "100 %",
            _share([value < 4.0 for value in cured]),
        ),
        (
            "squared error per parameter with the corrected file",
            ".7 to 1.4",
            f"{float(np.mean(squares)):.2f}" if squares else "–",
        ),
        ("alarms on logs without a fault", "1 %", _share([not fit["adequate"] for fit in judged])),
    ]
    lines = ["| | goal | measured |", "|---|---|---|"]
    return [*lines, *(f"| {name} | {goal} | {found} |" for name, goal, found in rows), ""]


def _causes(verdicts: Sequence[Verdict]) -> list[str]:
    """Counts by row of the table of causes."""
    lines = [
        "## By cause",
        "| cause | cases | alarm due | raised | first | first three | raised, not due |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(one.case.row for one in verdicts):
        own = [one for one in verdicts if one.case.row == name]
        asked = [one for one in own if one.demanded]
        raised = [one for one in asked if one.alarm]
        first = sum(one.rank == 1 for one in raised)
        three = sum(0 < one.rank <= 3 for one in raised)
        others = sum(one.alarm for one in own) - len(raised)
        lines.append(f"| {name} | {len(own)} | {len(asked)} | {len(raised)} | {first} | {three} | {others} |")
    return [*lines, ""]


def _fit(found: dict[str, Any]) -> dict[str, Any] | None:
    return found["document"]["fit"] if found["document"] else None


def _right(right: Sequence[tuple[RightLog, dict[str, Any]]]) -> list[str]:
    if not right:
        return []
    refused = sum(_fit(found) is None for _, found in right)
    lines = ["## Alarms on logs without a fault"]
    if refused:
        lines += [f"{refused} were too poor to be identified at all, and were refused.", ""]
    fits = [(log, _fit(found)) for log, found in right]
    alarms = [(log, fit) for log, fit in fits if fit is not None and not fit["adequate"]]
    for log, fit in alarms[:20]:
        names = ", ".join(cause["name"] for cause in fit["causes"]) or "no cause"
        lines += [
            f"- {log.key}: {100 * log.noise:.2g} %, {1e6 * log.step:.2g} µm, {log.rate:g} Hz, "
            f"{'closed' if log.closed else 'open'} loop: ratio {fit['ratio']:.3g}, {names}"
        ]
    return [*lines, ""]


def _misses(verdicts: Sequence[Verdict]) -> list[str]:
    """Cases that are not as they should be."""
    wrong = [
        one
        for one in verdicts
        if (one.demanded and not (one.alarm and 0 < one.rank <= 3))
        or one.cured >= 4.0
        or (one.case.row in DISCRETE and not one.named)
    ]
    return ["## Goals that are missed", *_table(wrong), ""] if wrong else []


def _table(verdicts: Sequence[Verdict]) -> list[str]:
    lines = [
        "| machine | fault | moves | score | alarm | first cause | rank | corrected |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in verdicts:
        first = one.first.splitlines()[0][:70] if one.first else ""
        lines.append(
            f"| {one.case.machine} | `{one.case.fault}` | {_number(one.moves)} | {_number(one.score)} | "
            f"{'yes' if one.alarm else 'no'} | {first.replace('|', '/')} | {one.rank} | {_number(one.cured)} |"
        )
    return lines


def _number(value: float) -> str:
    if np.isnan(value):
        return "–"
    return "refused" if np.isinf(value) else f"{value:.3g}"
