"""docs/misfit_benchmark.md: what was found, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .judge import MOVED, SEEN, Verdict
from .right_logs import RightLog
from .runs import DURATION


def page(
    verdicts: Sequence[Verdict],
    right: Sequence[tuple[RightLog, dict[str, Any]]],
    command: str,
    planned: tuple[int, int],
) -> str:
    """The page as Markdown; `planned` is how many faults and right logs a whole run has."""
    done = len(verdicts), len(right)
    stands = []
    if done != planned:
        stands = [
            f"**Cut off**: {done[0]} of {planned[0]} faults and {done[1]} of {planned[1]} right logs were run.",
            "",
        ]
    return "\n".join(
        [*_head(command), *stands, *_summary(verdicts, right), *_right(right), *_cases(verdicts), ""]
    )


def _head(command: str) -> list[str]:
    return [
        "# Faults that were found, and right logs that were left alone",
        f"Written by `{command}`. Logs are simulated (`pkm simulate --fault`) with machines whose masses, moments and "
        f"friction differ from their files by up to 15 %: {DURATION:g} s of `rich` at 1 kHz, 1 % force noise, 1.25 µm "
        "encoders; each is given to `pkm diagnose`.",
        "",
        f"*moves*: largest change of a shown parameter by the fault, in stated deviations of the log without it. "
        "*score*: size of the fault over the deviation with which this motion shows it (from the cause found, or from "
        f"the size that is said to be visible). An alarm is asked for where the first is above {MOVED:g} and the "
        f"second not known to be below {SEEN:g}. *rank*: place of the true cause or its family among the causes, "
        "0: not named. "
        "*cured*: largest error of a shown parameter, in its deviations, with a machine file that knows the fault; – "
        "where this benchmark writes no such file.",
        "",
    ]


def _share(flags: Sequence[bool]) -> str:
    return f"{100.0 * float(np.mean(flags)):.3g} % of {len(flags)}" if len(flags) else "–"


def _summary(verdicts: Sequence[Verdict], right: Sequence[tuple[RightLog, dict[str, Any]]]) -> list[str]:
    asked = [one for one in verdicts if one.demanded]
    named = [one for one in asked if one.alarm]
    discrete = (
        "force_sign",
        "force_unit",
        "length_unit",
        "time_unit",
        "exchanged_struts",
        "exchanged_lengths",
    )
    plain = [one for one in verdicts if one.case.row in discrete or "upside_down" in one.case.fault]
    cured = [one.cured for one in verdicts if np.isfinite(one.cured)]
    judged = [fit for _, found in right if (fit := _fit(found)) is not None]
    rows = [
        ("alarm, of cases where one is asked for", "99 %", _share([one.alarm for one in asked])),
        ("true cause or its family first, of those", "90 %", _share([one.rank == 1 for one in named])),
        ("among the first three", "98 %", _share([0 < one.rank <= 3 for one in named])),
        (
            "unit, sign, exchange, gravity upside down named",
            "100 %",
            _share([one.named for one in plain]),
        ),
        (
            "largest error below 4 deviations after the cure",
            "100 %",
            _share([value < 4.0 for value in cured]),
        ),
        ("alarms on right logs", "1 %", _share([not fit["adequate"] for fit in judged])),
    ]
    lines = ["| | goal | measured |", "|---|---|---|"]
    return [*lines, *(f"| {name} | {goal} | {found} |" for name, goal, found in rows), ""]


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


def _cases(verdicts: Sequence[Verdict]) -> list[str]:
    lines = [
        "## Faults",
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
