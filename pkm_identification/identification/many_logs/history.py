# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The history of a machine: its logs identified, each once, and what every parameter does over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

import numpy as np

from pkm_identification.errors import PkmError, SettingsError, one_line
from pkm_identification.estimation.changes.trend import DRIFT, FEWEST, STEPS, Trend, trend
from pkm_identification.estimation.posterior.status import FROM_FILE
from pkm_identification.estimation.statuses import is_doubtful, is_shown
from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.progress import announce

from ..settings import Settings
from .kept_results import ResultFolder, result_key
from .log_files import MODIFIED, NAME, STAMPS, LogFile, find_logs, read_log_file
from .one_log import Job
from .workers import run_here, run_on_workers

DAY = 86400.0  # s


@dataclass(frozen=True)
class Entry:
    """One log and its record (`one_log.identify_job`).

    Attributes
    ----------
    name, digest : str
    time : datetime
    time_source : str
        STAMPS, NAME or MODIFIED of `log_files`.
    record : dict
    """

    name: str
    digest: str
    time: datetime
    time_source: str
    record: dict[str, Any]

    @property
    def trusted(self) -> bool:
        """Whether there is a result of which nothing is in doubt."""
        return not self.record["failure"] and self.record["converged"] and self.record["adequate"]


@dataclass(frozen=True)
class ParameterHistory:
    """A parameter over time.

    Attributes
    ----------
    name, unit, kind : str
    strut : int or None
        From 1; None where there is one for the machine.
    drive : str or None
        Which drive that is, in words.
    nominal : float
    times : tuple of datetime, length n
        Of the logs that show it, in order.
    values, std, own_std : ndarray, shape (n,)
        `own_std` without errors that all logs of the machine share.
    trend : Trend
        Its time in days.
    doubtful : tuple of (datetime, float)
        Values that are not used: in doubt, or of an estimator that had not converged.
    """

    name: str
    unit: str
    kind: str
    strut: int | None
    drive: str | None
    nominal: float
    times: tuple[datetime, ...]
    values: FloatArray
    std: FloatArray
    own_std: FloatArray
    trend: Trend
    doubtful: tuple[tuple[datetime, float], ...]

    @property
    def changed(self) -> bool:
        """Whether it did anything but scatter."""
        return self.trend.kind in (STEPS, DRIFT)

    @property
    def largest_change(self) -> float:
        """The largest step, or what steps or the drift have made of the first level; relative; 0: no change."""
        if not self.changed:
            return 0.0
        first, last = float(self.trend.level[0]), float(self.trend.level[-1])
        steps = self.trend.steps if self.trend.kind == STEPS else ()
        # many small steps are wear as well
        since_first = [
            _compute_relative_path(after - first, first) for after in (last, *(step.after for step in steps))
        ]
        return max(
            (*since_first, *(_compute_relative_path(step.change, step.before) for step in steps)), key=abs
        )


@dataclass(frozen=True)
class History:
    """What many logs show of a machine.

    Attributes
    ----------
    machine : Machine
    settings : Settings
    entries : tuple of Entry
        One for each log, by time.
    copies : tuple of (str, str)
        Logs with the content of another, and that one.
    worked_on : int
        How many were identified now; the others were before.
    parameters : tuple of ParameterHistory
    alarm : float
        Change, relative, from which on it is an alarm.
    """

    machine: Machine
    settings: Settings
    entries: tuple[Entry, ...]
    copies: tuple[tuple[str, str], ...]
    worked_on: int
    parameters: tuple[ParameterHistory, ...]
    alarm: float

    @property
    def failures(self) -> tuple[Entry, ...]:
        """Logs without a result."""
        return tuple(entry for entry in self.entries if entry.record["failure"])

    @property
    def alarming(self) -> tuple[ParameterHistory, ...]:
        """Parameters that changed by more than the alarm's limit."""
        return tuple(one for one in self.parameters if one.changed and abs(one.largest_change) >= self.alarm)


def history(
    places: Sequence[str],
    machine: Machine,
    settings: Settings,
    reading: dict[str, Any],
    *,
    out: ResultFolder | None = None,
    workers: int = 0,
    scheduler: str = "",
    level: float = 0.01,
    alarm: float = 0.1,
) -> History:
    """Identify all logs that have no result yet, and look for changes in all.

    Parameters
    ----------
    places : sequence of str
        Folders, patterns or files.
    machine : Machine
    settings : Settings
        The same for all logs.
    reading : dict
        As `records.read_log` takes it.
    out : ResultFolder, optional
        Where results are kept, and found again.
    workers : int
        Processes; 0: this one.
    scheduler : str
        Address of a Dask scheduler whose workers are used instead.
    level : float
        Probability with which anything is called changed although nothing has.
    alarm : float
        Relative change that is an alarm.

    Raises
    ------
    PkmError
        If nothing can be read, or the workers are lost; a log that fails is an entry.
    """
    if not 0 < level < 1:
        raise SettingsError(f"--level {level:g}: must lie between 0 and 1")
    files, copies, entries = _list_files(places)
    jobs, records = {}, {}
    for digest, file in files.items():
        key = result_key(digest, machine, settings, reading)
        kept = None if out is None else out.kept(key)
        if kept is not None:
            records[digest] = kept
        else:
            jobs[key] = (digest, Job(key, file.url, dict(machine.document), machine.name, settings, reading))

    def received(job: Job, record: dict[str, Any]) -> None:
        records[jobs[job.key][0]] = record
        if out is not None and record["kept"]:
            out.keep(record)
        announce("logs", len(jobs) - len(files) + len(records), len(jobs))

    if jobs:
        waiting = (job for _, job in jobs.values())
        if workers or scheduler:
            run_on_workers(waiting, received, min(workers, len(jobs)), scheduler)
        else:
            run_here(waiting, received)
    entries += [_build_entry(file, records[digest]) for digest, file in files.items()]
    entries.sort(key=lambda entry: (entry.time, entry.name))
    parameters = parameter_histories(entries, level)
    return History(machine, settings, tuple(entries), tuple(copies), len(jobs), parameters, alarm)


def _list_files(places: Sequence[str]) -> tuple[dict[str, LogFile], list[tuple[str, str]], list[Entry]]:
    """Logs by their digests, copies of others, and entries for those that cannot be read."""
    files: dict[str, LogFile] = {}
    copies, entries = [], []
    for url, name in find_logs(places):
        try:
            file = read_log_file(url, name)
        except PkmError as error:
            record = {"key": "", "failure": one_line(str(error)), "kept": False}
            entries.append(Entry(name, "", datetime.fromtimestamp(0, timezone.utc), "", record))
            continue
        other = files.setdefault(file.digest, file)
        if other is file:
            continue
        if (file.time_source, other.time_source) == (NAME, MODIFIED):
            # the one whose name tells when it was recorded
            files[file.digest], file, other = file, other, file
        copies.append((file.name, other.name))
    return files, copies, entries


def _build_entry(file: LogFile, record: dict[str, Any]) -> Entry:
    start = record.get("start")
    if start is not None:
        return Entry(file.name, file.digest, datetime.fromtimestamp(start, timezone.utc), STAMPS, record)
    return Entry(file.name, file.digest, file.time, file.time_source, record)


def parameter_histories(entries: Sequence[Entry], level: float) -> tuple[ParameterHistory, ...]:
    """Return what every parameter does; the level holds for all of them together."""
    rows: dict[str, list[tuple[Entry, dict[str, Any]]]] = {}
    for entry in entries:
        for parameter in entry.record.get("parameters", ()):
            rows.setdefault(parameter["name"], []).append((entry, parameter))
    used = {name: [one for one in history if _is_usable(*one)] for name, history in rows.items()}
    tested = max(1, sum(len(history) >= FEWEST for history in used.values()))
    histories = []
    for name, history in rows.items():
        first = history[0][1]
        values, std, own = (
            np.array([one[key] for _, one in used[name]], dtype=float) for key in ("value", "std", "own_std")
        )
        # what was asked for in some logs alone, where something was wrong, stands behind what all were asked for
        rows_shared = [one["shared"] for _, one in used[name]]
        longest = max(map(len, rows_shared), default=0)
        shared = np.array([[*row, *[0.0] * (longest - len(row))] for row in rows_shared], dtype=float)
        times = tuple(entry.time for entry, _ in used[name])
        days = np.array([time.timestamp() / DAY for time in times])
        histories.append(
            ParameterHistory(
                name=name,
                unit=first["unit"],
                kind=first["kind"],
                strut=first["strut"],
                drive=first.get("drive") or (first["strut"] and f"strut {first['strut']}"),
                nominal=first["nominal"],
                times=times,
                values=values,
                std=std,
                own_std=own,
                trend=trend(days, values, own, level / tested, shared),
                doubtful=tuple(
                    (entry.time, one["value"])
                    for entry, one in history
                    if not _is_usable(entry, one) and one["value"] is not None
                ),
            )
        )
    return tuple(histories)


def _is_usable(entry: Entry, parameter: dict[str, Any]) -> bool:
    status = parameter["status"]
    shown = is_shown(status) and not is_doubtful(status) and status != FROM_FILE
    shown = shown and parameter["value"] is not None
    return bool(shown and entry.record["converged"])


def _compute_relative_path(change: float, before: float) -> float:
    return change / abs(before) if before else float(np.copysign(np.inf, change))
