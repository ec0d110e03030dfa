# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs of a folder or pattern, wherever fsspec reads, with their digests and the times they tell."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import PurePosixPath
from typing import Any

from pkm_identification.errors import LogError, SettingsError
from pkm_identification.optional import library

SUFFIXES = (
    ".csv",
    ".csv.gz",
    ".txt",
    ".txt.gz",
    ".dat",
    ".mat",
    ".parquet",
    ".h5",
    ".hdf5",
    ".xlsx",
    ".ods",
    ".mcap",
    ".mcap.zstd",
    ".db3",
    ".db3.zstd",
    ".bag",
)
TABLE = "history.parquet"  # ours: results, no log
BAG = "metadata.yaml"  # makes a folder a recording
LAYOUT = ".columns.yaml"  # how a foreign log is read, kept beside it
BLOCK = 1 << 20
STAMPS, NAME, MODIFIED = "stamps", "name", "modified"
_DATE = re.compile(
    r"(?<!\d)(20\d\d)([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])"
    r"(?:[T _-]?([01]\d|2[0-3])[-:_.h]?([0-5]\d)(?:[-:_.m]?([0-5]\d))?)?(?!\d)"
)


@dataclass(frozen=True)
class LogFile:
    """One log.

    Attributes
    ----------
    url : str
        As fsspec opens it from anywhere; a path, where it is a local one.
    name : str
        Relative to the folder that was given.
    digest : str
        SHA-256 of its content, and of the layout kept next to it.
    time : datetime
        When it was recorded, as far as its name or else its file tells.
    time_source : str
        NAME or MODIFIED.
    """

    url: str
    name: str
    digest: str
    time: datetime
    time_source: str


def find_logs(places: Sequence[str]) -> list[tuple[str, str]]:
    """Logs of folders, patterns and files as (url, name), each once, in the order of their names.

    Raises
    ------
    SettingsError
        If a place cannot be read.
    LogError
        If there is no log.
    """
    names: dict[str, str] = {}
    for folder in places:
        for url, name in _list_folder(folder):
            names.setdefault(url, name)
    if not names:
        raise LogError(
            f"{', '.join(places)}: no log (files that end in {', '.join(SUFFIXES)}, or recordings)"
        )
    return sorted(names.items(), key=lambda pair: (pair[1], pair[0]))


def read_log_file(url: str, name: str) -> LogFile:
    """Digest and time of a log; raises LogError if it cannot be read."""
    system, path = _open(url)
    total, newest = hashlib.sha256(), 0.0
    try:
        parts = sorted(system.find(path)) if system.isdir(path) else [path]
        if system.exists(path + LAYOUT):
            parts.append(path + LAYOUT)
        for part in parts:
            newest = max(newest, _read_modification_time(system, part))
            with system.open(part, "rb") as stream:
                while block := stream.read(BLOCK):
                    total.update(block)
    except OSError as error:
        raise LogError(f"{url}: cannot be read: {error.strerror or error}") from None
    named = time_of_name(name)
    time = datetime.fromtimestamp(newest, timezone.utc) if named is None else named
    return LogFile(url, name, total.hexdigest(), time, MODIFIED if named is None else NAME)


def time_of_name(name: str) -> datetime | None:
    """The date, with the time if there is one, in a log's name or else in that of a folder it is in; taken as UTC."""
    for part in reversed(PurePosixPath(name).parts):
        match = _DATE.search(part)
        if match is None:
            continue
        year, _, month, day, hour, minute, second = match.groups()
        try:
            return datetime(
                int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0),
                tzinfo=timezone.utc,
            )  # fmt: skip
        except ValueError:  # 30 February
            continue
    return None


def is_local(url: str) -> bool:
    """Return whether a path names a file of this computer."""
    return "://" not in url


def _list_folder(folder: str) -> list[tuple[str, str]]:
    system, path = _open(folder)
    try:
        if any(mark in path for mark in "*?["):
            return _list_pattern(system, path, folder)
        if not system.exists(path):
            raise SettingsError(f"{folder}: there is no such file or folder")
        if not system.isdir(path):
            return [(_build_url(system, path, folder), PurePosixPath(path).name)]
        files = system.find(path)
    except OSError as error:
        raise SettingsError(f"{folder}: cannot be read: {error.strerror or error}") from None
    bags = [str(PurePosixPath(file).parent) for file in files if PurePosixPath(file).name == BAG]
    if path.rstrip("/") in bags:
        return [(_build_url(system, path, folder), PurePosixPath(path).name)]
    logs = [
        file
        for file in files
        if file.lower().endswith(SUFFIXES)
        and PurePosixPath(file).name != TABLE
        and str(PurePosixPath(file).parent) not in bags
    ]
    root = path.rstrip("/") + "/"
    return [(_build_url(system, one, folder), one.removeprefix(root)) for one in [*logs, *bags]]


def _list_pattern(system: Any, pattern: str, folder: str) -> list[tuple[str, str]]:
    root = pattern[: min(pattern.index(mark) for mark in "*?[" if mark in pattern)].rpartition("/")[0] + "/"
    matches = [
        path
        for path in system.glob(pattern)
        if not path.endswith(LAYOUT) and (not system.isdir(path) or system.exists(f"{path}/{BAG}"))
    ]
    return [(_build_url(system, path, folder), path.removeprefix(root)) for path in matches]


def _build_url(system: Any, path: str, folder: str) -> str:
    return system.unstrip_protocol(path) if not is_local(folder) else path


def _open(folder: str) -> tuple[Any, str]:
    try:
        return library("fsspec.core", "fleet").url_to_fs(folder)
    except (ImportError, ValueError, OSError) as error:
        raise SettingsError(f"{folder}: cannot be opened: {' '.join(str(error).split())}") from None


def _read_modification_time(system: Any, path: str) -> float:
    """When a file was changed last, s since 1970; 0 where its file system does not tell."""
    try:
        return float(system.modified(path).timestamp())
    except (NotImplementedError, KeyError, AttributeError):
        return 0.0
