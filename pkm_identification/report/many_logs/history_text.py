# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The history of a machine in words and as a table, for terminals, pages and programs."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from pkm_identification.estimation.changes.trend import DRIFT, STEPS, TOO_FEW
from pkm_identification.identification.many_logs.history import History, ParameterHistory
from pkm_identification.identification.many_logs.log_files import MODIFIED, NAME, STAMPS
from pkm_identification.numerics.finite import finite_or_none
from pkm_identification.parameters.parameter import Kind

from ..listing import ABSENT, Listing, number, with_deviation

MONTH = 365.25 / 12  # days
SOURCES = {
    STAMPS: "the log's own stamps",
    NAME: "the name of the file or its folder",
    MODIFIED: "when the file was last changed",
}
MOST_LISTED = 20


def history_text(history: History) -> str:
    """Return what `pkm history` prints."""
    parts = [f"{count_sentence(history)} {format_times_sentence(history)}", str(build_trend_table(history))]
    sentences = [sentence for one in history.parameters for sentence in change_sentences(one)]
    parts.append("\n".join(sentences or [format_no_change_sentence(history)]))
    alarms = format_alarm_sentences(history)
    if alarms:
        parts.append("Alarms:\n" + _join_names(alarms))
    if history.copies:
        parts.append(
            "Copies, counted once:\n" + _join_names([f"{one} is {other}" for one, other in history.copies])
        )
    return "\n\n".join(parts)


def format_no_change_sentence(history: History) -> str:
    """Return what to say where no parameter has changed."""
    results = len(history.entries) - len(history.failures)
    if results > 1:
        return "Nothing has changed beyond chance."
    return f"{'One log has' if results else 'No log has'} a result: nothing can be compared."


def count_sentence(history: History) -> str:
    """Return how many logs there are, and what became of them."""
    count = len(history.entries)
    kept = count - len([entry for entry in history.entries if not entry.digest]) - history.worked_on
    return (
        f"{count} logs of {history.machine.name}: {history.worked_on} identified now, {kept} before, "
        f"{len(history.failures)} without a result."
    )


def format_times_sentence(history: History) -> str:
    """Return where the times of the logs come from."""
    counts = Counter(entry.time_source for entry in history.entries if entry.time_source)
    sources = ", ".join(f"{SOURCES[one]} ({counts[one]})" for one in SOURCES if counts[one])
    return f"Times from {sources}." if sources else ""


def build_trend_table(history: History) -> Listing:
    """Every parameter: its first and last level and what lies between."""
    header = ("parameter", "unit", "logs", "first", "last", "std", "change %", "scatter", "trend")
    rows = []
    for one in history.parameters:
        if not len(one.values):
            rows.append((one.name, one.unit, "0", *[ABSENT] * 5, "determined by no log"))
            continue
        level, std = one.trend.level, float(one.own_std[-1])
        first, last = with_deviation(float(level[0]), std)[0], with_deviation(float(level[-1]), std)
        change = f"{100 * one.largest_change:+.1f}" if one.changed else ABSENT
        scatter = ABSENT if one.trend.kind == TOO_FEW else f"{one.trend.scatter:.1f}"
        rows.append((one.name, one.unit, str(len(one.values)), first, *last, change, scatter, one.trend.kind))
    return Listing(header, tuple(rows), frozenset(header[2:8]))


def change_sentences(one: ParameterHistory) -> list[str]:
    """Return what a parameter did, a sentence for each change."""
    if one.trend.kind == STEPS:
        return [
            f"{_name_subject(one)} {'grew' if step.change > 0 else 'fell'} "
            f"{_format_change(step.change, step.std, step.before)} "
            f"since {day(one.times[step.first])} ({number(step.before)} to {number(step.after)} {one.unit}; the log "
            f"before: {day(one.times[step.first - 1])})."
            for step in one.trend.steps
        ]
    if one.trend.kind == DRIFT:
        slope, std = one.trend.slope * MONTH, one.trend.slope_std * MONTH
        return [
            f"{_name_subject(one)} {'grows' if slope > 0 else 'falls'} "
            f"{_format_change(slope, std, float(one.trend.level[0]))} "
            f"a month since {day(one.times[0])} ({number(float(one.trend.level[0]))} to "
            f"{number(float(one.trend.level[-1]))} {one.unit})."
        ]
    return []


def format_alarm_sentences(history: History) -> list[str]:
    """Return what somebody has to look at: large changes, models that do not fit, logs without a result."""
    alarms = [
        f"{one.name}: changed by {100 * one.largest_change:+.1f} % (limit {100 * history.alarm:g} %)"
        for one in history.alarming
    ]
    alarms += [
        f"{entry.name}: {entry.record['remark']}"
        for entry in history.entries
        if entry.record.get("remark") and not entry.record["failure"]
    ]
    return alarms + [f"{entry.name}: no result: {entry.record['failure']}" for entry in history.failures]


def build_history_document(history: History) -> dict[str, Any]:
    """Return the history for programs; the table has the values of every log."""
    return {
        "machine": history.machine.name,
        "machine_hash": history.machine.hash,
        "worked_on": history.worked_on,
        "logs": [
            {
                "log": entry.name,
                "sha256": entry.digest,
                "key": entry.record["key"],
                "time": entry.time.isoformat(),
                "time_source": entry.time_source,
                "trusted": entry.trusted,
                "remark": entry.record.get("remark", ""),
                "failure": entry.record["failure"],
            }
            for entry in history.entries
        ],
        "copies": [{"log": one, "of": other} for one, other in history.copies],
        "parameters": [_build_parameter_document(one) for one in history.parameters],
        "alarms": format_alarm_sentences(history),
    }


def _build_parameter_document(one: ParameterHistory) -> dict[str, Any]:
    return {
        "name": one.name,
        "unit": one.unit,
        "logs": len(one.values),
        "trend": one.trend.kind,
        "scatter": one.trend.scatter,
        "steps": [
            {
                "since": one.times[step.first].isoformat(),
                "last_before": one.times[step.first - 1].isoformat(),
                "before": step.before,
                "after": step.after,
                "std": step.std,
                "p": step.p,
            }
            for step in one.trend.steps
        ],
        "slope_per_day": finite_or_none(one.trend.slope),
        "slope_std": finite_or_none(one.trend.slope_std),
        "sentences": change_sentences(one),
    }


def day(time: datetime) -> str:
    """A date as it is written; the time too, where it is not midnight."""
    return time.strftime("%Y-%m-%d" if time.hour == time.minute == time.second == 0 else "%Y-%m-%d %H:%M")


def _name_subject(one: ParameterHistory) -> str:
    if one.drive is not None and one.kind in (Kind.VISCOUS.value, Kind.COULOMB.value):
        return f"{one.kind} of {one.drive}"
    return one.name


def _format_change(change: float, std: float, before: float) -> str:
    """Return a change with its deviation, in % of what was before where that is not zero."""
    if before:
        value, deviation = with_deviation(100 * abs(change / before), 100 * std / abs(before))
        return f"{value} % (± {deviation} %)"
    value, deviation = with_deviation(abs(change), std)
    return f"by {value} (± {deviation})"


def _join_names(lines: list[str]) -> str:
    shown = [f"  {line}" for line in lines[:MOST_LISTED]]
    if len(lines) > MOST_LISTED:
        shown.append(f"  and {len(lines) - MOST_LISTED} more (--json, report.html)")
    return "\n".join(shown)
