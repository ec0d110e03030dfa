# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""docs/misfit_benchmark.md: what was found, as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
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
    parts = [*_head(done, command), *_summary(done), *_groups(done.verdicts), *_right(done.right)]
    return "\n".join([*parts, *_misses(done.verdicts), ""])


def _head(done: Done, command: str) -> list[str]:
    lines = [
        "# Faults that were found, and right logs that were left alone",
        f"Written by `{command}`. Logs are simulated (`pkm simulate --fault`) with machines whose masses, moments and "
        f"friction differ from their files by up to 15 %: {DURATION:g} s of `rich` at 1 kHz, 1 % force noise, 1.25 µm "
        f"encoders; each is given to `pkm diagnose`. Right logs last {RIGHT_DURATION:g} s; {DRAWS} of them are of one "
        "motion, each with a noise of its own.",
        "",
        "*moves*: largest change of a shown parameter by the fault, in stated deviations of the log without it. "
        "*score*: size of the fault over the deviation with which this motion shows it (from the cause found, or from "
        f"the size that is said to be visible). An alarm is asked for where the first is above {MOVED:g} and the "
        f"second not known to be below {SEEN:g}. *rank*: place of the true cause or its family among the causes, "
        "0: not named. "
        "*cured*: largest error of a shown parameter, in its deviations, with a machine file that knows the fault; – "
        "where this benchmark writes no such file.",
        "",
        f"Run: {len(done.verdicts)} of {len(done.cases)} faults, {len(done.pairs)} of {done.pair_count} pairs "
        f"(of which {sum(one.asked for one in done.pairs)} ask for both alarms and were tried together), "
        f"{len(done.right)} of {done.right_count} right logs.",
    ]
    if len(done.verdicts) < len(done.cases):
        lines[-1] += (
            " Faults come with the middle size of each cause first, then by chance, and as halves of pairs, which have "
            f"no small sizes: what was run is no sample of the whole, but {_sizes(done)}."
        )
    asked = {one.case.row for one in done.verdicts if one.demanded}
    quiet = dict.fromkeys(one.case.row for one in done.verdicts if one.case.row not in asked)
    if quiet:
        lines[-1] += f" No alarm is asked for in any case of {', '.join(quiet)}."
    earlier = (
        sum(one.earlier for one in done.verdicts),
        sum(one.earlier for one in done.pairs),
        sum(is_earlier(found) for _, found in done.right),
    )
    if any(earlier):
        faults, pairs, right = earlier
        lines[-1] += (
            f" Diagnoses of {faults} faults, {pairs} pairs and {right} right logs are those of earlier states of the "
            "package than the one that wrote this page."
        )
    impossible = [one for one in done.verdicts if np.isnan(one.moves) and "not simulated" in one.first]
    if impossible:
        lines[-1] += f" {len(impossible)} faults are none that their machine can have."
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
        ("alarm, of cases where one is asked for", "99 %", _share([one.alarm for one in asked])),
        ("true cause or its family first, of those", "90 %", _share([one.rank == 1 for one in named])),
        ("among the first three", "98 %", _share([0 < one.rank <= 3 for one in named])),
        (
            _plain_words(plain),
            "100 %",
            _share([one.named for one in plain]),
        ),
        (
            "two faults at once that each ask for an alarm: both named",
            "70 %",
            _share([all(one.named) for one in pairs]),
        ),
        (
            "largest error below 4 deviations after the cure",
            "100 %",
            _share([value < 4.0 for value in cured]),
        ),
        (
            "mean square error after the cure, per parameter",
            ".7 to 1.4",
            f"{float(np.mean(squares)):.2f}" if squares else "–",
        ),
        ("alarms on right logs", "1 %", _share([not fit["adequate"] for fit in judged])),
    ]
    lines = ["| | goal | measured |", "|---|---|---|"]
    return [*lines, *(f"| {name} | {goal} | {found} |" for name, goal, found in rows), ""]


def _groups(verdicts: Sequence[Verdict]) -> list[str]:
    """Counts by row of the table, machine, size and direction."""
    kinds: tuple[tuple[str, Callable[[Verdict], str]], ...] = (
        ("cause", lambda one: one.case.row),
        ("machine", lambda one: one.case.machine),
        ("size", lambda one: SIZES[one.case.size]),
        ("direction", lambda one: "down" if one.case.down else "up"),
    )
    lines = []
    for title, key in kinds:
        lines += [
            f"## By {title}",
            f"| {title} | cases | alarm asked for | raised | first | first three | alarms besides |",
            "|---|---|---|---|---|---|---|",
        ]
        for name in dict.fromkeys(map(key, verdicts)):
            own = [one for one in verdicts if key(one) == name]
            asked = [one for one in own if one.demanded]
            raised = [one for one in asked if one.alarm]
            first = sum(one.rank == 1 for one in raised)
            three = sum(0 < one.rank <= 3 for one in raised)
            others = sum(one.alarm for one in own) - len(raised)
            lines.append(
                f"| {name} | {len(own)} | {len(asked)} | {len(raised)} | {first} | {three} | {others} |"
            )
        lines.append("")
    return lines


def _fit(found: dict[str, Any]) -> dict[str, Any] | None:
    return found["document"]["fit"] if found["document"] else None


def _right(right: Sequence[tuple[RightLog, dict[str, Any]]]) -> list[str]:
    if not right:
        return []
    groups: dict[str, list[bool]] = {}
    refused = 0
    for log, found in right:
        fit = _fit(found)
        if fit is None:
            refused += 1
            continue
        alarm = not fit["adequate"]
        noise = "noise below 1 %" if log.noise < 0.01 else "noise from 1 %"
        step = "encoders below 2 µm" if log.step < 2e-6 else "encoders from 2 µm"
        for name in (
            f"{log.rate:g} Hz",
            noise,
            step,
            "closed loop" if log.closed else "open loop",
            log.machine,
        ):
            groups.setdefault(name, []).append(alarm)
    lines = ["## Right logs", "| logs | alarms |", "|---|---|"]
    lines += [f"| {name} | {_share(flags)} |" for name, flags in sorted(groups.items())]
    if refused:
        lines += ["", f"{refused} were too poor to be identified at all, and were refused."]
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
    return ["## Not as asked", *_table(wrong), ""] if wrong else []


def _table(verdicts: Sequence[Verdict]) -> list[str]:
    lines = [
        "| machine | fault | moves | score | alarm | first cause | rank | cured |",
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
