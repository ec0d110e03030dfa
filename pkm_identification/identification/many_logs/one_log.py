# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""One log of many, identified: a record for the table, with a line in it where that failed."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from pkm_identification.errors import LogError, PkmError, SettingsError, one_line
from pkm_identification.estimation.statuses import is_shown
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import read_machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.finite import finite_or_none
from pkm_identification.optional import library
from pkm_identification.parameters.parameter import Kind
from pkm_identification.records.log import read_log
from pkm_identification.version import __version__

from ..of_logs import identify_logs
from ..result import Identification
from ..settings import Settings
from .log_files import LAYOUT, is_local

SCHEMA = 3
OLDEST = datetime(2000, 1, 1, tzinfo=timezone.utc).timestamp()  # of stamps that are dates


@dataclass(frozen=True)
class Job:
    """What a worker needs to identify a log.

    Attributes
    ----------
    key : str
        Of its result.
    url : str
        A path or what fsspec opens; workers must reach it.
    machine, source : dict, str
        Document of the machine, and what it is called in messages.
    settings : Settings
    reading : dict
        As `records.read_log` takes it.
    version : str
        Of this package where the job was made.
    """

    key: str
    url: str
    machine: dict[str, Any]
    source: str
    settings: Settings
    reading: dict[str, Any]
    version: str = __version__


def identify_job(job: Job) -> dict[str, Any]:
    """Identify a log.

    Returns
    -------
    dict
        `failure` is a line, '' for a result. A failure that may be another one next time (memory, a file that cannot be
        reached, a defect) has `kept` False. Without failure: `start` (s since 1970, None if the stamps are none),
        `samples`, `duration`, `converged`, `adequate`, `fit_ratio`, `validation_percent`, `remark` (why it is not to be
        trusted, ''), and `parameters`, each with `own_std`, its deviation without the tolerances that all logs of the
        machine share, and `shared`, what each of them does to it.

    Raises
    ------
    SettingsError
        If this is another version of the package than that which made the job.
    """
    if job.version != __version__:
        raise SettingsError(
            f"a worker has version {__version__} of pkm_identification, expected {job.version}"
        )
    record: dict[str, Any] = {"schema": SCHEMA, "key": job.key, "failure": "", "kept": True}
    if is_local(job.url) and not Path(job.url).exists():
        return record | {"failure": f"{job.url}: is not there where the worker runs", "kept": False}
    try:
        machine = read_machine(job.machine, job.source)
        log = _read(job, machine)
        return record | _build_result(log, identify_logs([log], machine, job.settings))
    except PkmError as error:
        return record | {"failure": one_line(str(error)), "kept": not _is_temporary(error)}
    except (MemoryError, ArithmeticError, ValueError, TypeError, LookupError, OSError) as error:
        # one log must not end the others, whatever is wrong with it
        text = one_line(f"{job.url}: {type(error).__name__}: {error}")
        return record | {"failure": text, "kept": False}


def _is_temporary(error: BaseException) -> bool:
    """Return whether an error began with want of memory, of a file that could not be reached, or of a library."""
    began = error.__context__
    return began is not None and (
        isinstance(began, MemoryError | OSError | ImportError) or _is_temporary(began)
    )


def _read(job: Job, machine: Machine) -> DriveLog:
    if is_local(job.url):
        return read_log(job.url, machine, **job.reading)
    system, path = library("fsspec.core", "fleet").url_to_fs(job.url)
    if system.isdir(path):
        raise LogError(
            f"{job.url}: recordings in folders are read from local folders only; give the .mcap file"
        )
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder) / PurePosixPath(path).name
        system.get_file(path, str(here))
        if system.exists(path + LAYOUT):
            system.get_file(path + LAYOUT, str(here) + LAYOUT)
        try:
            return read_log(here, machine, **job.reading)
        except PkmError as error:
            raise type(error)(str(error).replace(str(here), job.url)) from None


def _build_result(log: Any, result: Identification) -> dict[str, Any]:
    first = float(log.time[np.isfinite(log.time)][0])
    fit, validation = result.fit, result.validation
    return {
        "start": first if OLDEST <= first <= datetime.now(timezone.utc).timestamp() + 86400 else None,
        "samples": int(result.samples),
        "duration": float(log.time[-1] - log.time[0]),
        "converged": bool(result.converged),
        "adequate": result.fits and not result.contradiction,
        "fit_ratio": None if fit is None else finite_or_none(fit.ratio),
        "validation_percent": None if validation is None else finite_or_none(validation.rms_percent_total),
        "remark": _build_remark(result),
        "parameters": _list_parameters(result),
    }


def _build_remark(result: Identification) -> str:
    if not result.converged:
        return one_line(f"not converged: {result.nonconvergence}")
    if result.answer is not None and not result.fits:
        return one_line(result.answer.verdict.sentence)
    return one_line(result.contradiction)


def _list_parameters(result: Identification) -> list[dict[str, Any]]:
    estimate = result.estimate
    entries = {entry.name: entry for entry in result.parameters.entries}
    changes = result.tolerance_changes
    if changes is None:
        changes = np.zeros((0, len(estimate.names)))
    # as many for every parameter of every log: what a tolerance does to one that nothing shows is not known
    changes = np.where(np.isfinite(changes).all(axis=0), changes, 0.0)
    shared = np.sum(changes**2, axis=0)
    records = []
    for k, name in enumerate(estimate.names):
        entry, std = entries[name], float(estimate.std[k])
        # at least a thousandth of it is the log's own: rounding takes the rest
        own = float(np.sqrt(max(std**2 - shared[k], 1e-6 * std**2)))
        shown = is_shown(estimate.status[k])
        records.append(
            {
                "name": name,
                "unit": estimate.units[k],
                "kind": entry.kind.value,
                "friction": entry.kind.friction,
                "strut": None if entry.limb is None else entry.limb + 1,
                "drive": None if entry.limb is None else result.machine.drives[entry.limb].title,
                "value": finite_or_none(estimate.values[k]) if shown else None,
                "std": finite_or_none(std),
                "own_std": finite_or_none(own),
                "shared": [float(f"{one:.4g}") for one in changes[:, k]],
                "status": estimate.status[k],
                "nominal": finite_or_none(estimate.nominal[k]),
            }
        )
    return [*records, *_list_hidden_masses(result)]


def _list_hidden_masses(result: Identification) -> list[dict[str, Any]]:
    """Return the masses that stand in none of the parameters, and that the full model knows all the same."""
    answer = result.answer
    if answer is None or not result.is_full:
        return []
    records = []
    for row, one in enumerate(answer.values):
        if one.name in result.estimate.names:
            continue
        changes = answer.shared[:, row]
        own = float(np.sqrt(max(one.std**2 - float(changes @ changes), 1e-6 * one.std**2)))
        records.append(
            {
                "name": one.name, "unit": one.unit, "kind": Kind.MASS.value, "friction": False, "strut": None,
                "drive": None, "value": finite_or_none(one.value), "std": finite_or_none(one.std),
                "own_std": finite_or_none(own), "shared": [float(f"{change:.4g}") for change in changes],
                "status": one.status, "nominal": finite_or_none(one.nominal),
            }
        )  # fmt: skip
    return records
